// SPDX-License-Identifier: BSD-2-Clause
#include "trace/reader.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/diag.h"
#include "base/io.h"
#include "schema/lost.h"
#include "schema/source.h"
#include "schema/trace_info.h"
#include "wire/index.h"
#include "wire/measure.h"
#include "wire/note.h"
#include "wire/record.h"

#include "trace_fixture.h"

#define EPOCH_NS 1000000000000ll /* where the clock of these traces begins */
#define PACKET_BYTES 256u

static const char metadata[] =
	"/* CTF 1.8 */\n"
	"typealias integer { size = 8; } := u8;\n"
	"typealias integer { size = 32; align = 32; } := u32;\n"
	"typealias integer { size = 64; align = 32; } := u64;\n"
	"trace { major = 1; minor = 8; byte_order = le;\n"
	"	packet.header := struct { u32 magic; u8 uuid[16]; u32 stream_id; }; };\n"
	"clock { name = monotonic; freq = 1000000000; offset_s = 1000; };\n"
	"typealias integer { size = 32; align = 1; map = clock.monotonic.value; } := time32;\n"
	"typealias integer { size = 64; align = 32; map = clock.monotonic.value; } := time64;\n"
	"struct event_header { enum : integer { size = 10; align = 1; }\n"
	"	{ compact = 0 ... 1022, extended = 1023 } id; variant <id> {\n"
	"	struct { time32 timestamp; } compact;\n"
	"	struct { u32 id; time64 timestamp; } extended; } v; } align(32);\n"
	"stream { id = 0; packet.context := struct { time64 timestamp_begin;\n"
	"	time64 timestamp_end; u64 content_size; u64 packet_size; u64 events_discarded;\n"
	"	u64 discarded_nested; u64 packet_seq_num; u64 name_packets; u32 cpu_id; u32 level; };\n"
	"	event.header := struct event_header;\n"
	"	event.context := struct { integer { size = 22; align = 1; } tid; }; };\n"
	"event { id = 1; name = \"one\"; fields := struct { u32 value; }; };\n";

/* What a recorder adds that ends its traces with a mark. */
static const char mark_metadata[] =
	"env { tracer_name = \"sonde\"; tracer_version = \"9.9\"; sonde_format = 2; };\n"
	"stream { id = 1; packet.context := struct { time64 timestamp_begin;\n"
	"	time64 timestamp_end; u64 content_size; u64 packet_size; u64 events_discarded;\n"
	"	u64 discarded_recursion; u64 packet_seq_num; u64 name_packets; u32 a; u32 b; };\n"
	"	event.header := struct event_header;\n"
	"	event.context := struct { integer { size = 22; align = 1; } tid; }; };\n"
	"event { stream_id = 1; id = 9; name = \"sonde.stream\"; fields := struct { u64 events;\n"
	"	u64 lost; u64 unwritten; u64 packets; u64 last_packet; u32 of_cpu; u32 of_level; }; };\n"
	"event { stream_id = 1; id = 10; name = \"sonde.end\"; fields := struct { u64 events;\n"
	"	u64 lost; u32 streams; u32 reason; }; };\n";

struct fixture {
	struct fixture_place place;
	const char *dir;
	struct event_source *source;
};

/* One packet of records of class 1, at @times, which end with 0. */
static size_t make_packet(uint8_t *bytes, uint32_t cpu, uint64_t sequence, uint64_t lost,
			  const uint64_t *times)
{
	struct packet_head head = {
		.magic = PACKET_MAGIC,
		.begin_ns = times[0],
		.packet_bits = PACKET_BYTES * 8,
		.discarded = lost,
		.sequence = sequence,
		.cpu = cpu,
	};
	size_t at = sizeof(head);

	memset(bytes, 0, PACKET_BYTES);
	for (; *times; times++) {
		uint64_t word = 1 | (*times & UINT32_MAX) << RECORD_TIME_SHIFT |
				(uint64_t)(cpu + 100) << RECORD_TID_SHIFT;
		uint32_t value = (uint32_t)*times;

		memcpy(bytes + at, &word, sizeof(word));
		memcpy(bytes + at + sizeof(word), &value, sizeof(value));
		at += sizeof(word) + sizeof(value);
		head.end_ns = *times;
	}
	head.content_bits = at * 8;
	memcpy(bytes, &head, sizeof(head));
	return PACKET_BYTES;
}

static void put_file(const struct fixture *fix, const char *name, const void *bytes, size_t len)
{
	char path[128];
	int fd;

	(void)snprintf(path, sizeof(path), "%s/%s", fix->dir, name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	assert_true(fd >= 0);
	assert_int_equal(write_all(fd, bytes, len), 0);
	assert_int_equal(fd_close(fd), 0);
}

static int set_up(void **state)
{
	static struct fixture fix;

	fix = (struct fixture){.source = NULL};
	if (fixture_place_make(&fix.place) || mkdir(fix.place.path, 0755))
		return -1;
	fix.dir = fix.place.path;
	put_file(&fix, "metadata", metadata, sizeof(metadata) - 1);
	*state = &fix;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fix = *state;

	if (fix->source)
		fix->source->ops->close(fix->source);
	return fixture_place_remove(&fix->place);
}

/* All times, less the clock's offset, as a text; losses as "-COUNT/PACKETS". */
static void expect_events(struct fixture *fix, const char *wanted)
{
	char text[1024] = "";
	const struct event *events;
	struct diag diag;
	int count;

	assert_int_equal(reader_open(fix->dir, &fix->source, &diag), 0);
	while ((count = fix->source->ops->next(fix->source, &events)) > 0) {
		for (int i = 0; i < count; i++) {
			size_t len = strlen(text);
			const char *blank = len ? " " : "";

			if (events[i].class == &lost_class)
				(void)snprintf(text + len, sizeof(text) - len, "%s-%d/%d", blank,
					       (int)event_uint(&events[i], LOST_COUNT),
					       (int)event_uint(&events[i], LOST_PACKETS));
			else
				(void)snprintf(text + len, sizeof(text) - len, "%s%d", blank,
					       (int)(events[i].time_ns - EPOCH_NS));
			if (events[i].class != &lost_class) {
				assert_int_equal(events[i].tid, events[i].cpu + 100);
				assert_int_equal(event_uint(&events[i], 0),
						 events[i].time_ns - EPOCH_NS);
			}
		}
	}
	assert_int_equal(count, 0);
	assert_string_equal(text, wanted);
}

static void expect_problem(const struct fixture *fix, const char *wanted)
{
	const char *text = fix->source->ops->problem(fix->source, 0);

	if (!wanted) {
		assert_null(text);
		return;
	}
	assert_non_null(text);
	assert_string_equal(text, wanted);
	assert_null(fix->source->ops->problem(fix->source, 1));
}

static void streams_are_merged_in_time_order(void **state)
{
	struct fixture *fix = *state;
	uint8_t bytes[2 * PACKET_BYTES];
	size_t len;

	len = make_packet(bytes, 0, 0, 0, (uint64_t[]){10, 30, 31, 50, 0});
	len += make_packet(bytes + len, 0, 1, 0, (uint64_t[]){70, 80, 0});
	put_file(fix, "a", bytes, len);
	len = make_packet(bytes, 1, 0, 0, (uint64_t[]){20, 40, 60, 90, 0});
	put_file(fix, "b", bytes, len);
	put_file(fix, ".hidden", "no packet", 9);
	put_file(fix, "empty", "", 0);
	expect_events(fix, "10 20 30 31 40 50 60 70 80 90");
	expect_problem(fix, NULL);
	assert_int_equal(fix->source->info->packets, 3);
}

static void losses_stand_where_they_happened(void **state)
{
	struct fixture *fix = *state;
	uint8_t bytes[3 * PACKET_BYTES];
	size_t len;

	len = make_packet(bytes, 0, 5, 2, (uint64_t[]){10, 20, 0});
	len += make_packet(bytes + len, 0, 6, 9, (uint64_t[]){30, 0});
	len += make_packet(bytes + len, 0, 10, 9, (uint64_t[]){40, 0});
	put_file(fix, "a", bytes, len);
	len = make_packet(bytes, 1, 0, 0, (uint64_t[]){25, 35, 0});
	put_file(fix, "b", bytes, len);
	expect_events(fix, "-2/0 10 20 25 -7/0 30 35 -0/3 40");
}

static unsigned int looks_left;

static bool is_stopped(void)
{
	return !looks_left || !--looks_left;
}

/* Packets without events give nothing to the caller, who could look himself. */
static void reading_stops_between_packets(void **state)
{
	struct fixture *fix = *state;
	uint8_t bytes[8 * PACKET_BYTES];
	const struct event *events;
	struct diag diag;
	size_t len = 0;

	for (uint64_t i = 0; i < 8; i++)
		len += make_packet(bytes + len, 0, i, 0, (uint64_t[]){0});
	put_file(fix, "a", bytes, len);
	assert_int_equal(reader_open(fix->dir, &fix->source, &diag), 0);
	fix->source->ops->stop_when(fix->source, is_stopped);
	looks_left = 4;
	assert_int_equal(fix->source->ops->next(fix->source, &events), -EINTR);
	assert_int_equal(fix->source->info->packets, 3);
	looks_left = 100;
	assert_int_equal(fix->source->ops->next(fix->source, &events), 0);
	assert_int_equal(fix->source->info->packets, 8);
}

/* Metadata of a trace that ends with a mark; @format: of sonde_format, one digit. */
static void put_mark_metadata(struct fixture *fix, char format)
{
	char text[sizeof(metadata) + sizeof(mark_metadata)];
	char *at;

	(void)snprintf(text, sizeof(text), "%s%s", metadata, mark_metadata);
	at = strstr(text, "sonde_format = ");
	at[strlen("sonde_format = ")] = format;
	put_file(fix, "metadata", text, strlen(text));
}

static uint64_t note_head(uint32_t id, uint64_t time)
{
	return id | time << RECORD_TIME_SHIFT;
}

/* The recorder's stream: a mark at @time that says @totals of as many streams. */
static void put_mark(struct fixture *fix, uint64_t time, const struct sonde_stream *totals,
		     size_t count, enum end_reason reason)
{
	struct packet_head head = {
		.magic = PACKET_MAGIC, .stream_id = STREAM_CLASS_RECORDER, .begin_ns = time};
	struct sonde_end end = {.head = note_head(SONDE_END, time), .reason = reason};
	uint8_t bytes[1024];
	size_t len = sizeof(head);

	for (size_t i = 0; i < count; i++) {
		struct sonde_stream total = totals[i];

		total.head = note_head(SONDE_STREAM, time);
		memcpy(bytes + len, &total, sizeof(total));
		len += sizeof(total);
	}
	memcpy(bytes + len, &end, RECORD_HEAD_BYTES + 24);
	len += RECORD_HEAD_BYTES + 24;
	head.content_bits = head.packet_bits = len * 8;
	memcpy(bytes, &head, sizeof(head));
	put_file(fix, "recorder", bytes, len);
}

/* The events, but not those of the mark, whose tids and payloads are others. */
static void expect_marked(struct fixture *fix, const char *wanted, enum trace_end_kind kind,
			  const char *missing)
{
	char text[256] = "";
	const struct event *events;
	struct diag diag;
	int count;

	assert_int_equal(reader_open(fix->dir, &fix->source, &diag), 0);
	while ((count = fix->source->ops->next(fix->source, &events)) > 0) {
		for (int i = 0; i < count; i++) {
			size_t len = strlen(text);

			if (events[i].class == &lost_class)
				(void)snprintf(text + len, sizeof(text) - len, " -%d",
					       (int)event_uint(&events[i], LOST_COUNT));
			else if (events[i].class->role == EVENT_ROLE_PLAIN)
				(void)snprintf(text + len, sizeof(text) - len, " %d",
					       (int)(events[i].time_ns - EPOCH_NS));
		}
	}
	assert_int_equal(count, 0);
	assert_string_equal(text, wanted);
	assert_int_equal(fix->source->info->end->kind, kind);
	assert_null(fix->source->ops->problem(fix->source, 0));
	if (!missing) {
		assert_null(trace_end_missing(fix->source->info, 0));
		return;
	}
	assert_non_null(strstr(trace_end_missing(fix->source->info, 0), missing));
	assert_null(trace_end_missing(fix->source->info, 1));
}

static void put_stream(struct fixture *fix, uint32_t cpu, uint64_t packets)
{
	char name[32];
	uint8_t bytes[4 * PACKET_BYTES];
	size_t len = 0;

	for (uint64_t i = 0; i < packets; i++)
		len += make_packet(bytes + len, cpu, i, i, (uint64_t[]){10 + 10 * i + cpu, 0});
	(void)snprintf(name, sizeof(name), "cpu%u_level0", cpu);
	put_file(fix, name, bytes, len);
}

static void a_trace_without_its_mark_is_incomplete(void **state)
{
	struct fixture *fix = *state;

	put_mark_metadata(fix, '2');
	put_stream(fix, 0, 2);
	expect_marked(fix, " 10 -1 20", TRACE_END_MISSING, "no end mark");
}

static void one_of_a_sonde_without_marks_is_not(void **state)
{
	struct fixture *fix = *state;
	char text[sizeof(metadata) + 64];

	(void)snprintf(text, sizeof(text), "%senv { tracer_name = \"sonde\"; };\n", metadata);
	put_file(fix, "metadata", text, strlen(text));
	put_stream(fix, 0, 2);
	expect_marked(fix, " 10 -1 20", TRACE_END_UNMARKED, NULL);
}

static void a_mark_says_that_all_is_there(void **state)
{
	static const struct sonde_stream totals[] = {
		{.of_cpu = 0, .packets = 2, .last_packet = 1, .lost = 1},
		{.of_cpu = STREAM_OF_RECORDER, .packets = 1},
	};
	struct fixture *fix = *state;

	put_mark_metadata(fix, '2');
	put_stream(fix, 0, 2);
	put_mark(fix, 90, totals, 2, END_STOPPED);
	expect_marked(fix, " 10 -1 20", TRACE_END_MARKED, NULL);
}

/* The last packets of a stream were lost with their account of losses: the mark has it. */
static void losses_of_the_mark_come_at_the_end(void **state)
{
	static const struct sonde_stream totals[] = {
		{.of_cpu = 0, .packets = 2, .last_packet = 1, .lost = 8},
		{.of_cpu = 1, .packets = 0, .lost = 5},
	};
	struct fixture *fix = *state;

	put_mark_metadata(fix, '2');
	put_stream(fix, 0, 2);
	put_mark(fix, 90, totals, 2, END_DISK_FULL);
	expect_marked(fix, " 10 -1 20 -7 -5", TRACE_END_MARKED, "disk full");
}

static void a_stream_that_is_gone_is_missed(void **state)
{
	static const struct sonde_stream totals[] = {
		{.of_cpu = 0, .packets = 2, .last_packet = 1, .lost = 1},
		{.of_cpu = 1, .packets = 3, .last_packet = 2, .events = 77},
	};
	struct fixture *fix = *state;

	put_mark_metadata(fix, '2');
	put_stream(fix, 0, 2);
	put_mark(fix, 90, totals, 2, END_STOPPED);
	expect_marked(fix, " 10 -1 20", TRACE_END_MARKED,
		      "cpu1_level0: the stream's file is gone, with 77 events");
}

static void a_stream_that_is_short_is_missed(void **state)
{
	static const struct sonde_stream totals[] = {
		{.of_cpu = 0, .packets = 3, .last_packet = 2, .lost = 1},
	};
	struct fixture *fix = *state;

	put_mark_metadata(fix, '2');
	put_stream(fix, 0, 2);
	put_mark(fix, 90, totals, 1, END_STOPPED);
	expect_marked(fix, " 10 -1 20", TRACE_END_MARKED, "ends with packet number 1");
}

static void a_format_that_is_too_new_is_refused(void **state)
{
	struct fixture *fix = *state;
	struct diag diag = {.text = ""};

	put_mark_metadata(fix, '3');
	put_stream(fix, 0, 2);
	assert_int_equal(reader_open(fix->dir, &fix->source, &diag), -ENOTSUP);
	assert_non_null(strstr(diag.text, "format 3, written by Sonde 9.9"));
}

/* LTTng's count may be of a moment before: what is lost is lost once. */
static void a_count_that_goes_back_is_no_loss(void **state)
{
	struct fixture *fix = *state;
	uint8_t bytes[4 * PACKET_BYTES];
	size_t len;

	len = make_packet(bytes, 0, 0, 5, (uint64_t[]){10, 0});
	len += make_packet(bytes + len, 0, 1, 3, (uint64_t[]){20, 0});
	len += make_packet(bytes + len, 0, 2, 5, (uint64_t[]){30, 0});
	len += make_packet(bytes + len, 0, 3, 7, (uint64_t[]){40, 0});
	put_file(fix, "a", bytes, len);
	expect_events(fix, "-5/0 10 20 30 -2/0 40");
}

static void a_torn_packet_gives_what_is_there(void **state)
{
	struct fixture *fix = *state;
	uint8_t bytes[2 * PACKET_BYTES];
	size_t len;

	len = make_packet(bytes, 0, 0, 0, (uint64_t[]){10, 0});
	len += make_packet(bytes + len, 0, 1, 0, (uint64_t[]){20, 30, 40, 0});
	/* Two records and a half. */
	put_file(fix, "a", bytes, PACKET_BYTES + sizeof(struct packet_head) + 30);
	expect_events(fix, "10 20 30");
	expect_problem(fix, "a: packet at offset 256 is cut off: 126 of 256 bytes are there");
}

static void a_torn_head_is_told(void **state)
{
	struct fixture *fix = *state;
	uint8_t bytes[2 * PACKET_BYTES];

	(void)make_packet(bytes, 0, 0, 0, (uint64_t[]){10, 0});
	(void)make_packet(bytes + PACKET_BYTES, 0, 1, 0, (uint64_t[]){20, 0});
	put_file(fix, "a", bytes, PACKET_BYTES + 40);
	expect_events(fix, "10");
	expect_problem(fix, "a: packet at offset 256 is cut off: only 40 bytes are there");
}

static void damage_ends_one_stream_and_no_other(void **state)
{
	struct fixture *fix = *state;
	uint8_t bytes[2 * PACKET_BYTES];
	size_t len;

	len = make_packet(bytes, 0, 0, 0, (uint64_t[]){10, 0});
	len += make_packet(bytes + len, 0, 1, 0, (uint64_t[]){20, 0});
	put_file(fix, "b", bytes, len);
	memset(bytes + PACKET_BYTES, 0, 4);
	put_file(fix, "a", bytes, len);
	expect_events(fix, "10 10 20");
	expect_problem(fix, "a: packet at offset 256: no packet begins here: magic 0x00000000; "
			    "the last 256 bytes of the file cannot be read");
}

static void an_unknown_class_ends_its_packet_only(void **state)
{
	struct fixture *fix = *state;
	uint8_t bytes[2 * PACKET_BYTES];
	size_t len;

	len = make_packet(bytes, 0, 0, 0, (uint64_t[]){10, 11, 12, 0});
	len += make_packet(bytes + len, 0, 1, 0, (uint64_t[]){20, 0});
	bytes[sizeof(struct packet_head) + 12] = 9;
	put_file(fix, "a", bytes, len);
	expect_events(fix, "10 20");
	expect_problem(fix, "a: packet at offset 0: event at byte 108 of 132 is of class 9, which "
			    "the metadata does not have; the rest of the packet is skipped");
}

static void a_directory_without_metadata_is_no_trace(void **state)
{
	struct fixture *fix = *state;
	struct event_source *source = NULL;
	char path[128], wanted[128];
	struct diag diag;

	(void)snprintf(path, sizeof(path), "%s/metadata", fix->dir);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(reader_open(fix->dir, &source, &diag), -EBADMSG);
	(void)snprintf(wanted, sizeof(wanted), "%s: not a trace: no file named metadata", fix->dir);
	assert_string_equal(diag.text, wanted);
	assert_null(source);
}

static void replace_by_fifo(const struct fixture *fix, const char *name)
{
	char path[128];

	(void)snprintf(path, sizeof(path), "%s/%s", fix->dir, name);
	(void)unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
}

static void a_fifo_is_no_stream_and_nobody_waits_for_it(void **state)
{
	struct fixture *fix = *state;
	struct event_source *source = NULL;
	uint8_t bytes[PACKET_BYTES];
	struct diag diag;

	put_file(fix, "a", bytes, make_packet(bytes, 0, 0, 0, (uint64_t[]){10, 0}));
	replace_by_fifo(fix, "b");
	replace_by_fifo(fix, "b.zst");
	replace_by_fifo(fix, "recorder"); /* where names are looked for */
	expect_events(fix, "10");
	expect_problem(fix, NULL);
	replace_by_fifo(fix, "metadata");
	assert_int_equal(reader_open(fix->dir, &source, &diag), -ENOTSUP);
	assert_non_null(strstr(diag.text, "/metadata: not a regular file"));
}

static void a_link_to_nothing_is_told(void **state)
{
	struct fixture *fix = *state;
	uint8_t bytes[PACKET_BYTES];
	char path[128];

	put_file(fix, "a", bytes, make_packet(bytes, 0, 0, 0, (uint64_t[]){10, 0}));
	(void)snprintf(path, sizeof(path), "%s/b", fix->dir);
	assert_int_equal(symlink("nowhere", path), 0);
	expect_events(fix, "10");
	expect_problem(fix, "b: cannot be opened: No such file or directory");
}

/* An index of @count packets, one behind the other. */
static void put_index(const struct fixture *fix, const char *name, uint64_t count)
{
	const uint32_t head[4] = {htobe32(INDEX_MAGIC), htobe32(INDEX_MAJOR), htobe32(INDEX_MINOR),
				  htobe32(INDEX_ENTRY_BYTES)};
	uint64_t words[100] = {0};
	char path[128];

	memcpy(words, head, sizeof(head));
	for (uint64_t i = 0; i < count; i++) {
		words[2 + i * 9] = htobe64(i * PACKET_BYTES);
		words[3 + i * 9] = words[4 + i * 9] = htobe64(PACKET_BYTES * 8);
	}
	(void)snprintf(path, sizeof(path), "%s/index", fix->dir);
	assert_true(!mkdir(path, 0755) || errno == EEXIST);
	put_file(fix, name, words, INDEX_HEAD_BYTES + count * INDEX_ENTRY_BYTES);
}

static void packets_that_only_the_index_has_are_missing(void **state)
{
	struct fixture *fix = *state;
	uint8_t bytes[2 * PACKET_BYTES];
	size_t len;

	len = make_packet(bytes, 0, 0, 0, (uint64_t[]){10, 0});
	len += make_packet(bytes + len, 0, 1, 0, (uint64_t[]){20, 0});
	put_file(fix, "a", bytes, len);
	put_index(fix, "index/a.idx", 2);
	put_file(fix, "b", bytes, len);
	put_index(fix, "index/b.idx", 3);
	expect_events(fix, "10 10 20 20");
	expect_problem(fix, "b: ends at offset 512, and by its index at 768: packets are missing");
}

/* Of a packet that is cut off it was said already. */
static void what_is_missing_is_told_once(void **state)
{
	struct fixture *fix = *state;
	uint8_t bytes[2 * PACKET_BYTES];

	(void)make_packet(bytes, 0, 0, 0, (uint64_t[]){10, 0});
	(void)make_packet(bytes + PACKET_BYTES, 0, 1, 0, (uint64_t[]){20, 30, 40, 0});
	put_file(fix, "a", bytes, PACKET_BYTES + sizeof(struct packet_head) + 30);
	put_index(fix, "index/a.idx", 2);
	expect_events(fix, "10 20 30");
	expect_problem(fix, "a: packet at offset 256 is cut off: 126 of 256 bytes are there");
}

#define READER_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		READER_TEST(streams_are_merged_in_time_order),
		READER_TEST(losses_stand_where_they_happened),
		READER_TEST(a_trace_without_its_mark_is_incomplete),
		READER_TEST(one_of_a_sonde_without_marks_is_not),
		READER_TEST(a_mark_says_that_all_is_there),
		READER_TEST(losses_of_the_mark_come_at_the_end),
		READER_TEST(a_stream_that_is_gone_is_missed),
		READER_TEST(a_stream_that_is_short_is_missed),
		READER_TEST(a_format_that_is_too_new_is_refused),
		READER_TEST(reading_stops_between_packets),
		READER_TEST(a_count_that_goes_back_is_no_loss),
		READER_TEST(a_torn_packet_gives_what_is_there),
		READER_TEST(a_torn_head_is_told),
		READER_TEST(damage_ends_one_stream_and_no_other),
		READER_TEST(an_unknown_class_ends_its_packet_only),
		READER_TEST(a_directory_without_metadata_is_no_trace),
		READER_TEST(a_fifo_is_no_stream_and_nobody_waits_for_it),
		READER_TEST(a_link_to_nothing_is_told),
		READER_TEST(packets_that_only_the_index_has_are_missing),
		READER_TEST(what_is_missing_is_told_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
