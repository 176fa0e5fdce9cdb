// SPDX-License-Identifier: BSD-2-Clause
#include "record/notes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "record/cost.h"
#include "record/trigger.h"
#include "wire/measure.h"
#include "wire/note.h"
#include "wire/record.h"

static const uint8_t uuid[16] = "0123456789abcde";

static int set_up(void **state)
{
	*state = notes_new(uuid);
	return *state ? 0 : -1;
}

static int tear_down(void **state)
{
	notes_free(*state);
	return 0;
}

static uint32_t record_id(const uint8_t *at)
{
	uint64_t word;

	memcpy(&word, at, sizeof(word));
	return (uint32_t)word & RECORD_ID_EXTENDED;
}

static struct packet_head get_head(const void *packet, size_t len)
{
	struct packet_head head;

	assert_non_null(packet);
	assert_true(len > sizeof(head));
	memcpy(&head, packet, sizeof(head));
	assert_int_equal(head.magic, PACKET_MAGIC);
	assert_memory_equal(head.uuid, uuid, sizeof(uuid));
	assert_int_equal(head.stream_id, STREAM_CLASS_RECORDER);
	assert_int_equal(head.packet_bits, len * 8);
	assert_int_equal(head.content_bits, len * 8);
	assert_true(head.begin_ns <= head.end_ns);
	return head;
}

static void nothing_added_makes_no_packet(void **state)
{
	size_t len;

	assert_null(notes_packet(*state, 0, &len));
	assert_int_equal(notes_count(*state), 0);
}

static void a_loss_is_a_packet_of_one_record(void **state)
{
	uint64_t before_ns = clock_monotonic_ns();
	struct packet_head head;
	struct sonde_loss loss;
	const uint8_t *packet;
	size_t len;

	assert_int_equal(notes_add_loss(*state, "tcp.send", 42), 0);
	packet = notes_packet(*state, 43, &len);
	head = get_head(packet, len);
	assert_int_equal(head.discarded, 43);
	assert_int_equal(head.sequence, 0);
	assert_in_range(head.begin_ns, before_ns, clock_monotonic_ns());
	assert_int_equal(len, sizeof(head) + sizeof(loss));
	memcpy(&loss, packet + sizeof(head), sizeof(loss));
	assert_int_equal(record_id(packet + sizeof(head)), SONDE_LOSS);
	assert_int_equal(loss.count, 42);
	assert_string_equal(loss.measurement, "tcp.send");
}

static void what_was_forgotten_has_its_count(void **state)
{
	struct sonde_forgotten record;
	const uint8_t *packet;
	size_t len;

	assert_int_equal(notes_add_forgotten(*state, OWNER_FORGOTTEN_PAGES, 42), 0);
	packet = notes_packet(*state, 0, &len);
	packet += sizeof(struct packet_head);
	assert_int_equal(len - sizeof(struct packet_head), record_bytes(sonde_forgotten));
	assert_int_equal(record_id(packet), SONDE_FORGOTTEN);
	memcpy(&record, packet, record_bytes(sonde_forgotten));
	assert_int_equal(record.count, 42);
	assert_int_equal(record.what, OWNER_FORGOTTEN_PAGES);
}

static void a_state_has_the_time_that_it_is_given(void **state)
{
	uint64_t time_ns = clock_monotonic_ns();
	struct sonde_state record;
	struct packet_head head;
	const uint8_t *packet;
	size_t len;

	assert_int_equal(notes_add_state(*state, time_ns, "tcp.ack", true, STATE_START), 0);
	assert_int_equal(notes_add_state(*state, time_ns + 5, "tcp.ack", false, STATE_DISABLED), 0);
	packet = notes_packet(*state, 0, &len);
	head = get_head(packet, len);
	assert_int_equal(head.begin_ns, time_ns);
	assert_int_equal(head.end_ns, time_ns + 5);
	memcpy(&record, packet + sizeof(head), sizeof(record));
	assert_int_equal(record_id(packet + sizeof(head)), SONDE_STATE);
	assert_string_equal(record.measurement, "tcp.ack");
	assert_int_equal(record.on, 1);
	assert_int_equal(record.reason, STATE_START);
	memcpy(&record, packet + sizeof(head) + sizeof(record), sizeof(record));
	assert_int_equal(record.on, 0);
	assert_int_equal(record.reason, STATE_DISABLED);
}

static void a_cost_has_its_label_behind_it(void **state)
{
	const struct cost_sum sum = {.window_ns = 20, .runs = 3, .run_ns = 4};
	const uint32_t cpus = 64;
	struct sonde_cost record;
	const uint8_t *packet, *at;
	size_t len;

	assert_int_equal(notes_add_cost(*state, "tcp.ack, tcp.cwnd", &sum, 64), 0);
	assert_int_equal(notes_add_loss(*state, "b", 1), 0);
	packet = notes_packet(*state, 0, &len);
	at = packet + sizeof(struct packet_head);
	assert_int_equal(record_id(at), SONDE_COST);
	memcpy(&record, at, sizeof(record));
	assert_int_equal(record.window_ns, 20);
	assert_int_equal(record.runs, 3);
	assert_int_equal(record.run_ns, 4);
	at += offsetof(struct sonde_cost, measurements);
	assert_string_equal((const char *)at, "tcp.ack, tcp.cwnd");
	at += 20; /* 17 letters, their end, and up to a multiple of 4 */
	assert_memory_equal(at, &cpus, sizeof(cpus));
	at += sizeof(cpus);
	assert_int_equal(record_id(at), SONDE_LOSS);
	assert_int_equal(at + sizeof(struct sonde_loss) - packet, len);
}

static void a_trigger_stands_where_its_event_does(void **state)
{
	const struct trigger_event fired = {.text = "tcp.ack && x",
					    .action = TRIGGER_STOP,
					    .tid = 4711,
					    .event = "tcp.ack",
					    .matched = 3};
	const uint32_t action = TRIGGER_STOP;
	uint64_t time_ns = clock_monotonic_ns();
	struct sonde_trigger record;
	struct packet_head head;
	const uint8_t *packet;
	size_t len;

	assert_int_equal(notes_add_trigger(*state, time_ns, time_ns + 500, &fired), 0);
	packet = notes_packet(*state, 0, &len);
	head = get_head(packet, len);
	assert_int_equal(head.begin_ns, time_ns);
	assert_int_equal(record_id(packet + sizeof(head)), SONDE_TRIGGER);
	memcpy(&record, packet + sizeof(head), record_bytes(sonde_trigger));
	assert_int_equal(record.head >> RECORD_TID_SHIFT, 4711);
	assert_int_equal(record.reaction, 500);
	assert_int_equal(record.matched, 3);
	assert_string_equal(record.measurement, "tcp.ack");
	packet += sizeof(head) + record_bytes(sonde_trigger);
	assert_string_equal((const char *)packet, fired.text);
	assert_memory_equal(packet + 16, &action, sizeof(action)); /* 12 letters and their end */
	assert_int_equal(len, sizeof(head) + record_bytes(sonde_trigger) + 16 + sizeof(action));
}

static void notes_never_go_back_in_time(void **state)
{
	uint64_t now_ns = clock_monotonic_ns();
	struct packet_head head;
	const uint8_t *packet;
	size_t len;

	assert_int_equal(notes_add_state(*state, now_ns, "a", true, STATE_START), 0);
	assert_int_equal(notes_add_state(*state, now_ns - 7, "b", true, STATE_ENABLED), 0);
	packet = notes_packet(*state, 0, &len);
	head = get_head(packet, len);
	assert_int_equal(head.begin_ns, now_ns);
	assert_int_equal(head.end_ns, now_ns);
}

static void names_that_are_too_long_are_cut(void **state)
{
	char name[NOTE_NAME_BYTES + 10];
	struct sonde_loss loss;
	const uint8_t *packet;
	size_t len;

	memset(name, 'a', sizeof(name));
	name[sizeof(name) - 1] = 0;
	assert_int_equal(notes_add_loss(*state, name, 1), 0);
	packet = notes_packet(*state, 0, &len);
	memcpy(&loss, packet + sizeof(struct packet_head), sizeof(loss));
	name[NOTE_NAME_BYTES - 1] = 0;
	assert_string_equal(loss.measurement, name);
}

static void a_name_ends_with_a_nul_and_on_a_boundary(void **state)
{
	static const char *const texts[] = {"", "abc", "abcd"};
	struct sonde_name name;
	const uint8_t *packet;
	size_t len, room;
	uint32_t bytes;

	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(notes_add_name(*state, NAME_FILE, 42, 8u << 20 | 300, texts[i]),
				 0);
		packet = notes_packet(*state, 0, &len);
		(void)get_head(packet, len);
		memcpy(&bytes, packet + len - sizeof(bytes), sizeof(bytes));
		assert_int_equal(bytes, strlen(texts[i]) + 1);
		room = len - sizeof(struct packet_head) - record_bytes(sonde_name) - sizeof(bytes);
		assert_int_equal(room, (strlen(texts[i]) + 4) / 4 * 4);
		packet += sizeof(struct packet_head);
		memcpy(&name, packet, record_bytes(sonde_name));
		assert_int_equal(record_id(packet), SONDE_NAME);
		assert_int_equal(name.key, 42);
		assert_int_equal(name.major, 8);
		assert_int_equal(name.minor, 300);
		assert_int_equal(name.kind, NAME_FILE);
		assert_string_equal(packet + record_bytes(sonde_name), texts[i]);
	}
}

static void each_note_goes_out_once(void **state)
{
	struct packet_head head;
	const void *packet;
	size_t len;

	assert_int_equal(notes_add_loss(*state, "a", 1), 0);
	assert_non_null(notes_packet(*state, 0, &len));
	assert_int_equal(notes_add_loss(*state, "b", 2), 0);
	packet = notes_packet(*state, 0, &len);
	head = get_head(packet, len);
	assert_int_equal(head.sequence, 1);
	assert_int_equal(len, sizeof(head) + sizeof(struct sonde_loss));
	assert_null(notes_packet(*state, 0, &len));
	assert_null(notes_packet(*state, 0, &len));
	assert_int_equal(notes_count(*state), 2);
}

static void a_record_of_another_class_is_taken_as_it_is(void **state)
{
	static const char payload[12] = "0123456789a";
	struct packet_head head;
	const uint8_t *packet;
	uint64_t word;
	size_t len;

	assert_int_equal(notes_bytes(*state), 0);
	assert_int_equal(notes_add_record(*state, 5, 74, 99, payload, sizeof(payload)), 0);
	assert_int_equal(notes_bytes(*state), sizeof(head) + sizeof(word) + sizeof(payload));
	packet = notes_packet(*state, 0, &len);
	head = get_head(packet, len);
	assert_int_equal(head.begin_ns, 5);
	assert_int_equal(len, sizeof(head) + sizeof(word) + sizeof(payload));
	memcpy(&word, packet + sizeof(head), sizeof(word));
	assert_int_equal(word & RECORD_ID_EXTENDED, 74);
	assert_int_equal(word >> RECORD_TID_SHIFT, 99);
	assert_memory_equal(packet + sizeof(head) + sizeof(word), payload, sizeof(payload));
	assert_int_equal(notes_bytes(*state), 0);
	assert_int_equal(notes_count(*state), 1);
}

static void a_wanted_process_is_found_with_its_name(void **state)
{
	static uint64_t pids[FILTER_PID_WORDS];
	uint32_t pid = (uint32_t)getpid();
	struct packet_head head;
	struct sonde_task task;
	const uint8_t *packet;
	uint64_t word;
	size_t len;

	prctl(PR_SET_NAME, "a name of notes");
	pids[pid / 64] = 1ull << (pid % 64);
	assert_int_equal(notes_add_tasks(*state, pids), 0);
	packet = notes_packet(*state, 0, &len);
	head = get_head(packet, len);
	assert_int_equal(len, sizeof(head) + sizeof(task));
	memcpy(&task, packet + sizeof(head), sizeof(task));
	memcpy(&word, packet + sizeof(head), sizeof(word));
	assert_int_equal(record_id(packet + sizeof(head)), SONDE_TASK);
	assert_int_equal(word >> RECORD_TID_SHIFT, pid);
	assert_int_equal(task.pid, pid);
	assert_int_equal(task.tid, pid);
	assert_string_equal(task.comm, "a name of notes");
}

static void no_bitmap_wants_all(void **state)
{
	struct packet_head head;
	struct sonde_task task;
	const uint8_t *packet;
	uint64_t count;
	bool found = false;
	size_t len;

	assert_int_equal(notes_add_tasks(*state, NULL), 0);
	count = notes_count(*state);
	assert_true(count >= 2); /* this one and what runs it */
	packet = notes_packet(*state, 0, &len);
	head = get_head(packet, len);
	assert_int_equal(len, sizeof(head) + count * sizeof(task));
	for (uint64_t i = 0; i < count; i++) {
		memcpy(&task, packet + sizeof(head) + i * sizeof(task), sizeof(task));
		assert_true(task.pid && task.tid);
		found = found || task.pid == (uint32_t)getpid();
	}
	assert_true(found);
}

static uint64_t name_packets(void **state)
{
	size_t len;
	const void *packet = notes_packet(*state, 0, &len);

	return get_head(packet, len).name_packets;
}

static void packets_that_tell_names_are_counted(void **state)
{
	assert_int_equal(notes_add_loss(*state, "tcp.send", 42), 0);
	assert_int_equal(name_packets(state), 0);
	assert_int_equal(notes_add_name(*state, NAME_CGROUP, 5, 0, "/a"), 0);
	assert_int_equal(notes_add_loss(*state, "tcp.send", 42), 0);
	assert_int_equal(name_packets(state), 1);
	assert_int_equal(notes_add_loss(*state, "tcp.send", 42), 0);
	assert_int_equal(name_packets(state), 1);
	assert_int_equal(notes_add_tasks(*state, NULL), 0);
	assert_int_equal(name_packets(state), 2);
}

#define NOTES_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		NOTES_TEST(nothing_added_makes_no_packet),
		NOTES_TEST(a_loss_is_a_packet_of_one_record),
		NOTES_TEST(what_was_forgotten_has_its_count),
		NOTES_TEST(a_state_has_the_time_that_it_is_given),
		NOTES_TEST(a_cost_has_its_label_behind_it),
		NOTES_TEST(a_trigger_stands_where_its_event_does),
		NOTES_TEST(notes_never_go_back_in_time),
		NOTES_TEST(names_that_are_too_long_are_cut),
		NOTES_TEST(a_name_ends_with_a_nul_and_on_a_boundary),
		NOTES_TEST(each_note_goes_out_once),
		NOTES_TEST(a_record_of_another_class_is_taken_as_it_is),
		NOTES_TEST(a_wanted_process_is_found_with_its_name),
		NOTES_TEST(no_bitmap_wants_all),
		NOTES_TEST(packets_that_tell_names_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
