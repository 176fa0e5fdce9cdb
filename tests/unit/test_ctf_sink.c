// SPDX-License-Identifier: BSD-2-Clause
#include "trace/ctf_sink.h"

#include <errno.h>
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

#include "analyse/analysis.h"
#include "base/diag.h"
#include "schema/lost.h"
#include "schema/variant.h"
#include "trace/directory.h"
#include "trace/reader.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))
#define WALL_NS 1700000000123456789ll

/* What natural layouts are not: big-endian, bit fields side by side, floats, a sequence, texts. */
static const struct field odd_fields[] = {
	{.name = "n", .bits = 8, .align_bits = 8, .count = 1},
	{.name = "in.big", .bits = 16, .align_bits = 1, .count = 1, .big_endian = true},
	{.name = "in.low", .bits = 5, .align_bits = 1, .count = 1, .is_signed = true},
	{.name = "in.high", .bits = 3, .align_bits = 1, .count = 1},
	{.name = "odd", .bits = 3, .align_bits = 1, .count = 4, .is_signed = true},
	{.name = "float",
	 .kind = FIELD_FLOAT,
	 .bits = 32,
	 .align_bits = 8,
	 .count = 1,
	 .big_endian = true},
	{.name = "list", .bits = 16, .align_bits = 8, .length = 1, .big_endian = true},
	{.name = "text", .kind = FIELD_STRING, .bits = 8, .align_bits = 8, .count = 1},
	{.name = "comm", .kind = FIELD_TEXT, .bits = 8, .align_bits = 8, .count = 4},
	{.name = "last", .bits = 12, .align_bits = 1, .count = 1},
};

static const uint8_t odd_payload[] = {
	2, /* n */
	0x12,
	0x34, /* in.big */
	0x1f | 5 << 5, /* in.low = -1, in.high = 5 */
	0x88 | 1,
	0x0e, /* odd: 1, 1, -2, -1: 001 001 110 111 from the lowest bit on */
	0x3f,
	0xc0,
	0,
	0, /* float = 1.5 */
	0x01,
	0x02,
	0xff,
	0xfe, /* list */
	'h',
	'i',
	0, /* text */
	'a',
	'b',
	0,
	0, /* comm */
	0xbc,
	0x0a, /* last = 0xabc */
};
static const uint32_t odd_offsets[] = {0, 8, 24, 29, 32, 48, 80, 112, 136, 168};

static const struct field plain_fields[] = {
	{.name = "value",
	 .text = "what it is",
	 .unit = "ns",
	 .bits = 64,
	 .align_bits = 32,
	 .count = 1},
};
static const uint32_t plain_offsets[] = {0};

static const struct event_class odd = {.id = 70000,
				       .name = "an \"odd\" one",
				       .stream = 0,
				       .field_count = LENGTH(odd_fields),
				       .fields = odd_fields,
				       .offsets = odd_offsets,
				       .index = 1};
static const struct event_class plain = {.id = 5,
					 .name = "a.plain",
					 .stream = 1,
					 .fixed = true,
					 .payload_bytes = 8,
					 .field_count = 1,
					 .fields = plain_fields,
					 .offsets = plain_offsets,
					 .index = 2};
static const struct event_class far = {.id = 2000, /* beyond what record heads hold */
				       .name = "a.plain",
				       .stream = 1,
				       .fixed = true,
				       .payload_bytes = 8,
				       .field_count = 1,
				       .fields = plain_fields,
				       .offsets = plain_offsets,
				       .index = 3};

/* A list of which no field tells the length, and a variant of which none tells the option. */
static const struct field item_fields[] = {
	{.name = "x", .bits = 8, .align_bits = 8, .count = 1},
	{.name = "s", .kind = FIELD_STRING, .bits = 8, .align_bits = 8, .count = 1},
};
static const struct event_class item = {.name = "",
					.field_count = 2,
					.fields = item_fields,
					.offset_count = 2};
static const struct field loose_fields[] = {
	{.name = "list", .kind = FIELD_LIST, .bits = 8, .count_at = 5, .items = &item},
	{.name = "v.a", .bits = 16, .align_bits = 8, .count = 1, .optional = true},
	{.name = "v.b", .kind = FIELD_STRING, .bits = 8, .count = 1, .optional = true},
	{.name = "last", .bits = 3, .align_bits = 1, .count = 1},
};
static const struct event_option loose_options[] = {{"a", 1, 2}, {"b", 2, 3}};
static const struct event_variant loose_variant = {.first = 1,
						   .end = 3,
						   .name_len = 1,
						   .options = loose_options,
						   .option_count = 2};
static const struct event_class loose = {.id = 9,
					 .name = "loose",
					 .stream = 0,
					 .optional = true,
					 .field_count = LENGTH(loose_fields),
					 .fields = loose_fields,
					 .variants = &loose_variant,
					 .variant_count = 1,
					 .offset_count = LENGTH(loose_fields) + 1,
					 .index = 4};
static const uint8_t loose_payload[] = {7, 'p', 0, 8, 'q', 'r', 0, 0xee, 0xff, 't', 0, 5};

static const struct event_class *const classes[] = {&lost_class, &odd, &plain, &far, &loose};
static const struct trace_stream streams[] = {
	{.has_cpu = true},
	{.has_cpu = true, .has_heads = true},
};
static const struct trace_clock clock = {"8d664575-0000-4000-8000-000000000000", "a clock",
					 WALL_NS};
static const struct trace_env env[] = {{.name = "hostname", .text = "a\nb"},
				       {.name = "number", .number = -3}};

struct fixture {
	char path[64];
	struct trace_info info;
	struct select select;
	struct analysis analysis;
	struct event_sink *sink;
	struct event_source *source;
	const struct event *events;
	size_t count;
};

static int set_up(void **state)
{
	static struct fixture fix;

	fix = (struct fixture){.path = "/tmp/test_ctf_sink.XXXXXX"};
	fix.info = (struct trace_info){.class_count = LENGTH(classes),
				       .classes = classes,
				       .env_count = LENGTH(env),
				       .env = env,
				       .stream_count = LENGTH(streams),
				       .streams = streams,
				       .clock = &clock};
	select_init(&fix.select);
	if (!mkdtemp(fix.path) || select_bind(&fix.select, &fix.info, NULL))
		return -1;
	fix.analysis = (struct analysis){.info = &fix.info,
					 .select = &fix.select,
					 .names = task_names_new(&fix.info),
					 .known = known_new(&fix.info)};
	*state = &fix;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fix = *state;

	if (fix->source)
		fix->source->ops->close(fix->source);
	task_names_free(fix->analysis.names);
	known_free(fix->analysis.known);
	select_fini(&fix->select);
	(void)directory_remove(fix->path, NULL);
	return 0;
}

static const struct ctf_sink_config config;

static void open_sink(struct fixture *fix)
{
	struct diag diag = {.text = ""};

	if (ctf_sink_new(&fix->analysis, fix->path, &config, &fix->sink, &diag))
		fail_msg("%s", diag.text);
}

/* Finishes what was written, and begins to read it. */
static void read_back(struct fixture *fix)
{
	struct diag diag = {.text = ""};
	int count;

	assert_int_equal(fix->sink->ops->finish(fix->sink), 0);
	fix->sink->ops->free(fix->sink);
	if (reader_open(fix->path, &fix->source, &diag))
		fail_msg("%s", diag.text);
	count = fix->source->ops->next(fix->source, &fix->events);
	assert_true(count >= 0);
	fix->count = (size_t)count;
}

static struct event odd_event(int64_t time_ns, int32_t cpu)
{
	return (struct event){.class = &odd,
			      .payload = odd_payload,
			      .offsets = odd_offsets,
			      .time_ns = time_ns,
			      .cpu = cpu,
			      .tid = -1};
}

static struct event plain_event(const struct event_class *class, int64_t time_ns, int32_t tid,
				const uint64_t *value)
{
	return (struct event){.class = class,
			      .payload = (const uint8_t *)value,
			      .offsets = plain_offsets,
			      .time_ns = time_ns,
			      .cpu = 1,
			      .tid = tid};
}

static void write_events(struct fixture *fix, const struct event *events, size_t count)
{
	assert_int_equal(fix->sink->ops->batch(fix->sink, events, count), 0);
}

static void expect_same(const struct event *got, const struct event *wanted)
{
	const struct event_class *class = wanted->class;

	assert_string_equal(got->class->name, class->name);
	assert_int_equal(got->time_ns, wanted->time_ns);
	assert_int_equal(got->cpu, wanted->cpu);
	assert_int_equal(got->tid, wanted->tid);
	assert_int_equal(got->level, wanted->level);
	assert_int_equal(got->class->field_count, class->field_count);
	for (size_t i = 0; i < class->field_count; i++) {
		const struct field *field = &got->class->fields[i];

		assert_string_equal(field->name, class->fields[i].name);
		assert_int_equal(field->kind, class->fields[i].kind);
		assert_int_equal(event_has(got, i), event_has(wanted, i));
		if (!event_has(wanted, i))
			continue;
		assert_int_equal(event_count(got, i), event_count(wanted, i));
		if (field->kind == FIELD_LIST) {
			for (uint32_t j = 0; j < event_count(wanted, i); j++) {
				const struct event mine = event_item(got, i, j);
				const struct event theirs = event_item(wanted, i, j);

				expect_same(&mine, &theirs);
			}
			continue;
		}
		if (field->kind == FIELD_STRING) {
			size_t len, wanted_len;
			const char *text = event_text(got, i, &len);

			assert_string_equal(text, event_text(wanted, i, &wanted_len));
			continue;
		}
		assert_int_equal(field->bits, class->fields[i].bits);
		for (uint32_t j = 0; j < event_count(wanted, i); j++)
			assert_int_equal(event_element(got, i, j), event_element(wanted, i, j));
	}
}

/* These and no others, however many batches they come in. */
static void expect_events(struct fixture *fix, const struct event *wanted, size_t count)
{
	size_t seen = 0;

	while (fix->count) {
		for (size_t i = 0; i < fix->count; i++) {
			assert_true(seen < count);
			expect_same(&fix->events[i], &wanted[seen++]);
		}
		fix->count = (size_t)fix->source->ops->next(fix->source, &fix->events);
	}
	assert_int_equal(seen, count);
	assert_null(fix->source->ops->problem(fix->source, 0));
}

static void any_layout_comes_back(void **state)
{
	struct fixture *fix = *state;
	struct event events[3];

	for (size_t i = 0; i < LENGTH(events); i++)
		events[i] = odd_event(WALL_NS + (int64_t)i, (int32_t)i);
	assert_int_equal(event_element(&events[0], 4, 3), (uint64_t)-1); /* as it is meant */
	open_sink(fix);
	write_events(fix, events, LENGTH(events));
	read_back(fix);
	expect_events(fix, events, LENGTH(events));
}

static struct event loose_event(int64_t time_ns, const uint32_t *offsets)
{
	return (struct event){.class = &loose,
			      .payload = loose_payload,
			      .offsets = offsets,
			      .time_ns = time_ns,
			      .cpu = 1,
			      .tid = -1};
}

/* Offsets of the fields, the length of the list, and offsets of its items. */
static void lists_and_variants_come_back(void **state)
{
	static const uint32_t two[] = {5, EVENT_ABSENT, 72, 88, 2, 0, 8, 24, 32};
	static const uint32_t none[] = {5, 56, EVENT_ABSENT, 88, 0};
	static const uint32_t nothing[] = {5, EVENT_ABSENT, EVENT_ABSENT, 88, 1, 24, 40};
	struct fixture *fix = *state;
	struct event events[] = {loose_event(WALL_NS, two), loose_event(WALL_NS + 1, none),
				 loose_event(WALL_NS + 2, nothing)};

	open_sink(fix);
	write_events(fix, events, LENGTH(events));
	read_back(fix);
	expect_events(fix, events, LENGTH(events));
}

static void record_heads_come_back(void **state)
{
	static const uint64_t values[] = {1, UINT64_MAX, 3, 4};
	struct fixture *fix = *state;
	struct event events[] = {
		plain_event(&plain, WALL_NS + 1, 0, &values[0]),
		plain_event(&far, WALL_NS + 2, (1 << 22) - 1, &values[1]),
		plain_event(&plain, WALL_NS + 2 + (1ll << 32), 7, &values[2]), /* extended */
		plain_event(&plain, WALL_NS + 3 + (1ll << 32), 8, &values[3]),
	};

	open_sink(fix);
	write_events(fix, events, LENGTH(events));
	read_back(fix);
	assert_string_equal(fix->events[0].class->fields[0].text, "what it is");
	assert_string_equal(fix->events[0].class->fields[0].unit, "ns");
	expect_events(fix, events, LENGTH(events));
}

/* Each level of a CPU has a stream, as the recorder has it. */
static void levels_stay_apart(void **state)
{
	static const uint64_t values[] = {1, 2, 3};
	struct fixture *fix = *state;
	struct event events[] = {
		plain_event(&plain, WALL_NS + 1, 5, &values[0]),
		plain_event(&plain, WALL_NS + 2, 5, &values[1]),
		plain_event(&plain, WALL_NS + 3, 5, &values[2]),
	};
	char file[96];

	events[1].level = 2;
	open_sink(fix);
	write_events(fix, events, LENGTH(events));
	read_back(fix);
	snprintf(file, sizeof(file), "%s/cpu1_level2", fix->path);
	assert_int_equal(access(file, F_OK), 0);
	expect_events(fix, events, LENGTH(events));
}

static void the_trace_says_what_the_source_said(void **state)
{
	struct fixture *fix = *state;
	const struct trace_info *info;

	open_sink(fix);
	read_back(fix);
	info = fix->source->info;
	assert_int_equal(fix->count, 0);
	assert_int_equal(info->class_count, LENGTH(classes) + 4); /* those that tell names */
	assert_string_equal(trace_info_env(info, "hostname")->text, "a\nb");
	assert_int_equal(trace_info_env(info, "number")->number, -3);
	assert_int_equal(info->clock->offset_ns, WALL_NS);
	assert_string_equal(info->clock->uuid, clock.uuid);
	assert_string_equal(info->clock->text, clock.text);
	assert_int_equal(info->stream_count, 3);
	assert_false(info->streams[0].has_heads);
	assert_true(info->streams[0].has_cpu);
	assert_true(info->streams[1].has_heads);
}

static struct event lost_event(int64_t time_ns, const struct lost_payload *lost)
{
	return (struct event){.class = &lost_class,
			      .payload = (const uint8_t *)lost,
			      .offsets = lost_class.offsets,
			      .time_ns = time_ns,
			      .cpu = 1,
			      .tid = -1};
}

/* Before the first event, twice at one place, in a stream that has nothing else. */
static void losses_stay_where_they_were(void **state)
{
	static const struct lost_payload lost[] = {
		{.count = 3, .nested = 1, .stream = 1},
		{.packets = 2, .stream = 1},
		{.count = 9, .packets = 4, .stream = 1},
		{.count = 5, .level = 2, .nested = 5, .stream = 1},
		{.count = 1, .stream = 0},
	};
	static const uint64_t value = 1;
	struct fixture *fix = *state;
	struct event events[] = {
		lost_event(WALL_NS, &lost[0]),
		plain_event(&plain, WALL_NS + 10, 1, &value),
		lost_event(WALL_NS + 20, &lost[1]),
		lost_event(WALL_NS + 30, &lost[2]),
		plain_event(&plain, WALL_NS + 40, 1, &value),
		lost_event(WALL_NS + 50, &lost[3]),
		lost_event(WALL_NS + 60, &lost[4]),
	};

	open_sink(fix);
	write_events(fix, events, LENGTH(events));
	read_back(fix);
	expect_events(fix, events, LENGTH(events));
}

static void packets_overwritten_before_the_first_event(void **state)
{
	static const struct lost_payload lost = {.packets = 2, .stream = 1};
	struct fixture *fix = *state;
	struct event event = lost_event(WALL_NS + 5, &lost);

	open_sink(fix);
	write_events(fix, &event, 1);
	read_back(fix);
	expect_events(fix, &event, 1);
}

/* A damaged trace may have them; what they say stays true. */
static void times_may_go_back(void **state)
{
	static const uint64_t value = 1;
	struct fixture *fix = *state;
	struct event events[] = {
		plain_event(&plain, WALL_NS + 100, 1, &value),
		plain_event(&plain, WALL_NS + 50, 2, &value),
	};

	open_sink(fix);
	write_events(fix, events, LENGTH(events));
	read_back(fix);
	expect_events(fix, events, LENGTH(events));
}

static void packets_are_bounded(void **state)
{
	static const uint64_t value = 1;
	struct fixture *fix = *state;
	struct event events[512];
	uint64_t total = 0;

	open_sink(fix);
	for (int64_t i = 0; i < 200; i++) {
		for (int64_t j = 0; j < (int64_t)LENGTH(events); j++)
			events[j] = plain_event(&plain, WALL_NS + i * 1000 + j, 1, &value);
		write_events(fix, events, LENGTH(events));
	}
	read_back(fix);
	for (total = fix->count; fix->count; total += fix->count)
		fix->count = (size_t)fix->source->ops->next(fix->source, &fix->events);
	assert_int_equal(total, 200 * LENGTH(events));
	/* 16 bytes each, 256 KiB a packet at most */
	assert_true(fix->source->info->packets >= 200 * LENGTH(events) * 16 >> 18);
}

static void only_what_is_selected(void **state)
{
	static const uint64_t value = 1;
	struct fixture *fix = *state;
	struct event events[] = {odd_event(WALL_NS, 0), plain_event(&plain, WALL_NS, 1, &value)};

	fix->select.shown[plain.index] = false;
	open_sink(fix);
	write_events(fix, events, LENGTH(events));
	read_back(fix);
	assert_int_equal(fix->source->info->class_count, 8); /* without a.plain of id 5 */
	expect_events(fix, &events[0], 1);
}

static void what_is_there_stays(void **state)
{
	struct fixture *fix = *state;
	struct diag diag = {.text = ""};
	char file[96];
	FILE *made;

	snprintf(file, sizeof(file), "%s/precious", fix->path);
	made = fopen(file, "w");
	assert_non_null(made);
	fclose(made);
	assert_int_equal(ctf_sink_new(&fix->analysis, fix->path, &config, &fix->sink, &diag),
			 -EEXIST);
	assert_non_null(strstr(diag.text, "not empty"));
	assert_int_equal(access(file, F_OK), 0);
	assert_int_equal(directory_remove(fix->path, &diag), -EBADMSG); /* no trace */
	assert_int_equal(access(file, F_OK), 0);
	assert_int_equal(unlink(file), 0);
	assert_int_equal(rmdir(fix->path), 0);
}

static void no_parent_no_trace(void **state)
{
	struct fixture *fix = *state;
	struct diag diag = {.text = ""};

	assert_int_equal(ctf_sink_new(&fix->analysis, "/tmp/no/such/parent", &config, &fix->sink,
				      &diag),
			 -ENOENT);
	assert_non_null(strstr(diag.text, "/tmp/no/such/parent"));
	assert_int_equal(rmdir(fix->path), 0);
}

/* Of the sink in the making: what there is of it when it begins to write. */
static struct begun {
	char path[80];
	int calls;
	bool any_metadata;
} begun;

static void note_begin(void)
{
	begun.calls++;
	begun.any_metadata = !access(begun.path, F_OK);
}

static void nothing_is_written_before_it_begins(void **state)
{
	struct fixture *fix = *state;
	const struct ctf_sink_config with_note = {.begin = note_begin};
	struct diag diag = {.text = ""};

	begun = (struct begun){0};
	snprintf(begun.path, sizeof(begun.path), "%s/metadata", fix->path);
	assert_int_equal(ctf_sink_new(&fix->analysis, fix->path, &with_note, &fix->sink, &diag), 0);
	assert_int_equal(begun.calls, 1);
	assert_false(begun.any_metadata);
	assert_int_equal(access(begun.path, F_OK), 0);
	read_back(fix);
}

#define SINK_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		SINK_TEST(any_layout_comes_back),
		SINK_TEST(lists_and_variants_come_back),
		SINK_TEST(record_heads_come_back),
		SINK_TEST(levels_stay_apart),
		SINK_TEST(the_trace_says_what_the_source_said),
		SINK_TEST(losses_stay_where_they_were),
		SINK_TEST(packets_overwritten_before_the_first_event),
		SINK_TEST(times_may_go_back),
		SINK_TEST(packets_are_bounded),
		SINK_TEST(only_what_is_selected),
		SINK_TEST(what_is_there_stays),
		SINK_TEST(nothing_is_written_before_it_begins),
		SINK_TEST(no_parent_no_trace),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
