// SPDX-License-Identifier: BSD-2-Clause
/* Through a reader, which tells how many packets it has begun: leaving out is the point. */
#include "trace/stream_seek.h"

#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "schema/source.h"
#include "trace/reader.h"
#include "trace/writer.h"
#include "wire/record.h"

#define PACKETS 400u
#define PACKET_NS 100
#define PACKET_BYTES 8192u /* so that the map has several places */
#define RECORD_BYTES 12u
#define PLAIN 1u /* ids of the classes */
#define TASK 2u
#define OTHER 3u

#define CONTEXT(counts)                                                                     \
	"stream { id = 0; packet.context := struct { time64 timestamp_begin;\n"             \
	"	time64 timestamp_end; u64 content_size; u64 packet_size; u64 events_discarded;\n" \
	"	u64 discarded_nested; u64 packet_seq_num; " counts "; u32 cpu_id; u32 level; };\n"

static const char metadata_head[] =
	"/* CTF 1.8 */\n"
	"typealias integer { size = 8; } := u8;\n"
	"typealias integer { size = 32; align = 32; } := u32;\n"
	"typealias integer { size = 64; align = 32; } := u64;\n"
	"trace { major = 1; minor = 8; byte_order = le;\n"
	"	packet.header := struct { u32 magic; u8 uuid[16]; u32 stream_id; }; };\n"
	"clock { name = monotonic; freq = 1000000000; };\n"
	"typealias integer { size = 32; align = 1; map = clock.monotonic.value; } := time32;\n"
	"typealias integer { size = 64; align = 32; map = clock.monotonic.value; } := time64;\n"
	"struct event_header { enum : integer { size = 10; align = 1; }\n"
	"	{ compact = 0 ... 1022, extended = 1023 } id; variant <id> {\n"
	"	struct { time32 timestamp; } compact;\n"
	"	struct { u32 id; time64 timestamp; } extended; } v; } align(32);\n";
static const char counted[] = CONTEXT("u64 name_packets");
static const char not_counted[] = CONTEXT("u64 whatever");
static const char metadata_end[] =
	"	event.header := struct event_header;\n"
	"	event.context := struct { integer { size = 22; align = 1; } tid; }; };\n"
	"event { id = 1; name = \"plain\"; fields := struct { u32 value; }; };\n"
	"event { id = 2; name = \"sonde.task\"; fields := struct { u32 tid; }; };\n"
	"event { id = 3; name = \"other\"; fields := struct { u32 value; }; };\n";

struct fixture {
	char path[64];
	bool compress;
	bool bare; /* no index */
	bool stopped; /* the search is, soon after it has begun */
	uint64_t too_many; /* what packets count, from the middle on */
	const char *context;
	uint32_t tells[PACKETS]; /* id of each packet's second event */
	struct event_source *source;
};

static int set_up(void **state)
{
	static struct fixture fix;

	fix = (struct fixture){.path = "/tmp/sonde-seek-XXXXXX", .context = counted};
	*state = &fix;
	return mkdtemp(fix.path) ? 0 : -1;
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
	(void)st;
	(void)kind;
	(void)ftw;
	return remove(path);
}

static int tear_down(void **state)
{
	struct fixture *fix = *state;

	if (fix->source)
		fix->source->ops->close(fix->source);
	return nftw(fix->path, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static uint8_t *put_record(uint8_t *at, uint32_t id, uint64_t time_ns)
{
	const uint64_t word = id | time_ns << RECORD_TIME_SHIFT;
	const uint32_t value = (uint32_t)time_ns;

	memcpy(at, &word, sizeof(word));
	memcpy(at + sizeof(word), &value, sizeof(value));
	return at + RECORD_BYTES;
}

/* Packet @i has three records, the one in the middle of the class that it is to have. */
static void append(const struct fixture *fix, struct writer *writer, uint64_t i, uint64_t names)
{
	static uint8_t packet[PACKET_BYTES];
	const uint64_t begin_ns = (i + 1) * PACKET_NS;
	uint8_t *at = packet + sizeof(struct packet_head);
	const struct packet_head head = {
		.magic = PACKET_MAGIC,
		.stream_id = STREAM_CLASS_KERNEL,
		.begin_ns = begin_ns,
		.end_ns = begin_ns + 20,
		.content_bits = (sizeof(head) + 3 * RECORD_BYTES) * 8,
		.packet_bits = sizeof(packet) * 8,
		.sequence = i,
		.name_packets = names + (i >= PACKETS / 2 ? fix->too_many : 0),
	};

	memcpy(packet, &head, sizeof(head));
	at = put_record(at, PLAIN, begin_ns);
	at = put_record(at, fix->tells[i], begin_ns + 10);
	put_record(at, PLAIN, begin_ns + 20);
	assert_int_equal(writer_packet(writer, packet, sizeof(packet), false), 0);
}

static void remove_index(const struct fixture *fix)
{
	char name[128];

	(void)snprintf(name, sizeof(name), "%s/index/cpu0_level0%s.idx", fix->path,
		       fix->compress ? ".zst" : "");
	assert_int_equal(unlink(name), 0);
}

static void write_trace(struct fixture *fix)
{
	char metadata[4096];
	const struct writer_config config = {
		.metadata = metadata,
		.metadata_len = (size_t)snprintf(metadata, sizeof(metadata), "%s%s%s",
						 metadata_head, fix->context, metadata_end),
		.cpus = 1,
		.compress = fix->compress,
		.level = 1,
		.patient = true,
	};
	struct writer *writer;
	uint64_t names = 0;

	assert_int_equal(writer_create(fix->path, &config, &writer, NULL), 0);
	for (uint64_t i = 0; i < PACKETS; i++) {
		names += fix->tells[i] == TASK;
		append(fix, writer, i, names);
	}
	assert_int_equal(writer_close(writer), 0);
	if (fix->bare)
		remove_index(fix);
}

static unsigned int looks;

static bool is_stopped(void)
{
	return ++looks > 5;
}

/* Reads from packet @from on. What tells names before it, and all behind, must come. The packets that
 * were begun. */
static uint64_t read_from(struct fixture *fix, uint64_t from, bool other)
{
	bool taught[8] = {0};
	const struct source_span span = {(int64_t)(from + 1) * PACKET_NS, INT64_MAX, taught};
	const struct event *events;
	uint64_t names = 0, behind = 0, packets;
	int count;

	assert_int_equal(reader_open(fix->path, &fix->source, NULL), 0);
	for (size_t i = 0; i < fix->source->info->class_count; i++) {
		const struct event_class *class = fix->source->info->classes[i];

		taught[class->index] = class->id == TASK || (other && class->id == OTHER);
	}
	looks = 0;
	fix->source->ops->stop_when(fix->source, fix->stopped ? is_stopped : NULL);
	assert_int_equal(fix->source->ops->seek(fix->source, &span), 0);
	fix->source->ops->stop_when(fix->source, NULL);
	while ((count = fix->source->ops->next(fix->source, &events)) > 0) {
		for (int i = 0; i < count; i++) {
			assert_string_not_equal(events[i].class->name, "sonde.lost");
			behind += events[i].time_ns >= span.from_ns;
			names += events[i].time_ns < span.from_ns && events[i].class->id == TASK;
		}
	}
	assert_int_equal(count, 0);
	assert_null(fix->source->ops->problem(fix->source, 0));
	for (uint64_t i = 0; i < from; i++)
		names -= fix->tells[i] == TASK;
	assert_int_equal(names, 0);
	assert_int_equal(behind, 3 * (PACKETS - from));
	packets = fix->source->info->packets;
	fix->source->ops->close(fix->source);
	fix->source = NULL;
	return packets;
}

static void set_plain(struct fixture *fix)
{
	for (size_t i = 0; i < PACKETS; i++)
		fix->tells[i] = PLAIN;
}

/* That end before packet @from, which is begun one packet early. */
static uint64_t needed(const struct fixture *fix, uint64_t from)
{
	uint64_t packets = PACKETS - from + 1;

	for (uint64_t i = 0; i + 1 < from; i++)
		packets += fix->tells[i] == TASK;
	return packets;
}

static void expect_needed(struct fixture *fix)
{
	for (uint64_t from = 0; from < PACKETS; from += 13)
		assert_in_range(read_from(fix, from, false), PACKETS - from, needed(fix, from));
}

static void no_names_no_packets(void **state)
{
	set_plain(*state);
	write_trace(*state);
	expect_needed(*state);
}

static void packets_with_names_are_read_and_no_others(void **state)
{
	static const size_t places[] = {0, 1, 2, 17, 40, 41, 200, 255, 256, 390, 399};
	struct fixture *fix = *state;

	set_plain(fix);
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		fix->tells[places[i]] = TASK;
	write_trace(fix);
	expect_needed(fix);
}

static void wherever_they_are(void **state)
{
	struct fixture *fix = *state;

	srand(7);
	for (size_t i = 0; i < PACKETS; i++)
		fix->tells[i] = rand() % 5 ? PLAIN : TASK;
	write_trace(fix);
	expect_needed(fix);
}

static void without_an_index_too(void **state)
{
	((struct fixture *)*state)->bare = true;
	packets_with_names_are_read_and_no_others(state);
}

static void compressed_too(void **state)
{
	((struct fixture *)*state)->compress = true;
	packets_with_names_are_read_and_no_others(state);
}

static void what_is_not_counted_is_read_from_the_start(void **state)
{
	struct fixture *fix = *state;

	set_plain(fix);
	fix->tells[3] = TASK;
	fix->tells[5] = OTHER;
	write_trace(fix);
	assert_int_equal(read_from(fix, 300, true), PACKETS);
}

static void packets_that_do_not_count_are_read_from_the_start(void **state)
{
	struct fixture *fix = *state;

	fix->context = not_counted;
	set_plain(fix);
	fix->tells[3] = TASK;
	write_trace(fix);
	assert_int_equal(read_from(fix, 300, false), PACKETS);
}

/* Packets that were cut out: one more is read. */
static void a_count_that_jumps_hides_nothing(void **state)
{
	struct fixture *fix = *state;

	set_plain(fix);
	fix->tells[100] = TASK;
	fix->tells[350] = TASK;
	fix->too_many = 5;
	write_trace(fix);
	assert_in_range(read_from(fix, 390, false), 10, 14);
}

/* Without a map the way would go on from packet to packet, and find the place in the end. */
static void a_search_that_is_stopped_goes_no_further(void **state)
{
	struct fixture *fix = *state;

	fix->bare = true;
	fix->stopped = true;
	set_plain(fix);
	write_trace(fix);
	assert_int_equal(read_from(fix, 390, false), PACKETS);
}

#define SEEK_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		SEEK_TEST(no_names_no_packets),
		SEEK_TEST(packets_with_names_are_read_and_no_others),
		SEEK_TEST(wherever_they_are),
		SEEK_TEST(without_an_index_too),
		SEEK_TEST(compressed_too),
		SEEK_TEST(what_is_not_counted_is_read_from_the_start),
		SEEK_TEST(packets_that_do_not_count_are_read_from_the_start),
		SEEK_TEST(a_count_that_jumps_hides_nothing),
		SEEK_TEST(a_search_that_is_stopped_goes_no_further),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
