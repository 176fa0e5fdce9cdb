// SPDX-License-Identifier: BSD-2-Clause
#include "ctf/metadata_write.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "base/diag.h"
#include "ctf/metadata.h"
#include "ctf/trace_class.h"
#include "wire/record.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

static const struct field_label states[] = {
	{.first = 1, .last = 1, .name = "ESTABLISHED"},
	{.first = 2, .last = 9, .name = "in \"between\""},
	{.first = -3, .last = -3, .name = "below"},
};

/* One of each kind, as the kernel half's records have them: without holes. */
static const struct field kinds[] = {
	{.name = "address",
	 .text = "where",
	 .kind = FIELD_INT,
	 .scope = FIELD_SCOPE_OBJECT,
	 .show = FIELD_SHOW_HEX,
	 .bits = 64,
	 .align_bits = 32,
	 .count = 1},
	{.name = "delta",
	 .text = "how far",
	 .unit = "ns",
	 .kind = FIELD_INT,
	 .is_signed = true,
	 .scope = FIELD_SCOPE_SYSTEM,
	 .bits = 64,
	 .align_bits = 32,
	 .count = 1},
	{.name = "counter",
	 .kind = FIELD_INT,
	 .unit = "events",
	 .bits = 32,
	 .align_bits = 32,
	 .scope = FIELD_SCOPE_MONITOR,
	 .count = 1},
	{.name = "mode",
	 .text = "bits",
	 .kind = FIELD_INT,
	 .show = FIELD_SHOW_OCTAL,
	 .bits = 32,
	 .align_bits = 32,
	 .scope = FIELD_SCOPE_OBJECT,
	 .is_signed = true,
	 .count = 1},
	{.name = "ratio",
	 .text = "of one",
	 .kind = FIELD_FLOAT,
	 .bits = 64,
	 .align_bits = 32,
	 .scope = FIELD_SCOPE_OBJECT,
	 .count = 1},
	{.name = "half",
	 .text = "of one",
	 .kind = FIELD_FLOAT,
	 .bits = 32,
	 .align_bits = 32,
	 .scope = FIELD_SCOPE_OBJECT,
	 .count = 1},
	{.name = "nr",
	 .text = "a call",
	 .kind = FIELD_INT,
	 .show = FIELD_SHOW_SYSCALL,
	 .bits = 31,
	 .is_signed = true,
	 .align_bits = 1,
	 .scope = FIELD_SCOPE_OBJECT,
	 .count = 1},
	{.name = "compat",
	 .text = "a flag",
	 .kind = FIELD_INT,
	 .show = FIELD_SHOW_FLAG,
	 .bits = 1,
	 .align_bits = 1,
	 .scope = FIELD_SCOPE_OBJECT,
	 .count = 1},
	{.name = "peer",
	 .text = "an address",
	 .kind = FIELD_INT,
	 .show = FIELD_SHOW_ADDRESS,
	 .bits = 8,
	 .align_bits = 8,
	 .scope = FIELD_SCOPE_OBJECT,
	 .count = 16},
	{.name = "mask",
	 .text = "flags",
	 .kind = FIELD_INT,
	 .show = FIELD_SHOW_BINARY,
	 .bits = 16,
	 .align_bits = 16,
	 .scope = FIELD_SCOPE_OBJECT,
	 .count = 1},
	{.name = "port",
	 .text = "in network order",
	 .kind = FIELD_INT,
	 .bits = 16,
	 .align_bits = 16,
	 .big_endian = true,
	 .scope = FIELD_SCOPE_OBJECT,
	 .count = 1},
	{.name = "small",
	 .text = "signed",
	 .kind = FIELD_INT,
	 .is_signed = true,
	 .bits = 8,
	 .align_bits = 8,
	 .scope = FIELD_SCOPE_OBJECT,
	 .count = 1},
	{.name = "odd",
	 .text = "of 24 bits",
	 .kind = FIELD_INT,
	 .bits = 24,
	 .align_bits = 8,
	 .scope = FIELD_SCOPE_OBJECT,
	 .count = 1},
	{.name = "low",
	 .text = "aligned to bytes",
	 .kind = FIELD_INT,
	 .bits = 32,
	 .align_bits = 8,
	 .scope = FIELD_SCOPE_OBJECT,
	 .count = 1},
	{.name = "state",
	 .text = "a name",
	 .kind = FIELD_INT,
	 .is_signed = true,
	 .bits = 8,
	 .align_bits = 8,
	 .scope = FIELD_SCOPE_OBJECT,
	 .count = 1,
	 .labels = states,
	 .label_count = LENGTH(states)},
	{.name = "comm",
	 .text = "who",
	 .kind = FIELD_TEXT,
	 .bits = 8,
	 .align_bits = 8,
	 .scope = FIELD_SCOPE_OBJECT,
	 .count = 16},
	{.name = "levels",
	 .text = "as many as there are",
	 .kind = FIELD_INT,
	 .bits = 32,
	 .align_bits = 32,
	 .scope = FIELD_SCOPE_OBJECT,
	 .length = 1},
	{.name = "path",
	 .text = "which",
	 .kind = FIELD_STRING,
	 .bits = 8,
	 .align_bits = 8,
	 .scope = FIELD_SCOPE_OBJECT,
	 .count = 1},
	{.name = "last",
	 .text = "another",
	 .kind = FIELD_STRING,
	 .bits = 8,
	 .align_bits = 8,
	 .scope = FIELD_SCOPE_OBJECT,
	 .count = 1},
};

/* Written and read again: the reader's class for each of ours. */
struct fixture {
	struct buffer text;
	struct ctf_trace_class *trace;
	struct field fields[LENGTH(kinds)];
};

static int set_up(void **state)
{
	static struct fixture fix;

	fix = (struct fixture){0};
	buffer_init(&fix.text);
	*state = &fix;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fix = *state;

	buffer_fini(&fix->text);
	ctf_trace_class_free(fix->trace);
	return 0;
}

static void write_and_read(struct fixture *fix, const struct metadata_spec *spec)
{
	struct diag diag = {.text = ""};

	assert_int_equal(metadata_write(spec, &fix->text), 0);
	if (metadata_read(fix->text.data, fix->text.len, &fix->trace, &diag))
		fail_msg("line %u: %s", diag.line, diag.text);
	assert_false(fix->trace->cut);
}

/* Class "a.b" with @fields, their offsets filled in. */
static const struct event_class *round_trip(struct fixture *fix, const struct field *fields,
					    size_t count, const char *text)
{
	struct event_class class = {.id = 77, .name = "a.b", .text = text, .field_count = count};
	const struct event_class *classes[] = {&class};
	struct metadata_spec spec = {.classes = classes, .class_count = 1};
	uint32_t at = 0;

	for (size_t i = 0; i < count; i++) {
		fix->fields[i] = fields[i];
		fix->fields[i].offset_bits = at;
		at += (uint32_t)fields[i].bits * fields[i].count;
	}
	class.fields = fix->fields;
	write_and_read(fix, &spec);
	assert_int_equal(fix->trace->class_count, 2);
	return fix->trace->classes[1];
}

static void expect_text(const char *got, const char *wanted)
{
	if (!wanted)
		assert_null(got);
	else
		assert_string_equal(got, wanted);
}

static void expect_field(const struct field *got, const struct field *wanted)
{
	assert_string_equal(got->name, wanted->name);
	expect_text(got->text, wanted->text);
	expect_text(got->unit, wanted->unit);
	assert_int_equal(got->kind, wanted->kind);
	assert_int_equal(got->scope, wanted->scope);
	assert_int_equal(got->show, wanted->show);
	assert_int_equal(got->is_signed, wanted->is_signed);
	if (wanted->kind == FIELD_INT && wanted->bits > 8)
		assert_int_equal(got->big_endian, wanted->big_endian);
	assert_int_equal(got->count, wanted->count);
	assert_int_equal(got->length, wanted->length);
	if (wanted->kind != FIELD_STRING)
		assert_int_equal(got->bits, wanted->bits);
	assert_int_equal(got->label_count, wanted->label_count);
	for (size_t i = 0; i < wanted->label_count; i++) {
		assert_string_equal(got->labels[i].name, wanted->labels[i].name);
		assert_int_equal(got->labels[i].first, wanted->labels[i].first);
		assert_int_equal(got->labels[i].last, wanted->labels[i].last);
	}
}

static void every_kind_of_field_comes_back(void **state)
{
	const struct event_class *class = round_trip(*state, kinds, LENGTH(kinds), "what happens");

	assert_int_equal(class->id, 77);
	assert_string_equal(class->name, "a.b");
	assert_string_equal(class->text, "what happens");
	assert_false(class->fixed);
	assert_int_equal(class->field_count, LENGTH(kinds));
	for (size_t i = 0; i < LENGTH(kinds); i++)
		expect_field(&class->fields[i], &kinds[i]);
}

static void fixed_layouts_stay_where_they_are(void **state)
{
	struct fixture *fix = *state;
	size_t count = LENGTH(kinds) - 3; /* all but the sequence and the strings */
	const struct event_class *class = round_trip(fix, kinds, count, "what happens");

	assert_true(class->fixed);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(class->fields[i].offset_bits, fix->fields[i].offset_bits);
}

static void any_name_comes_back(void **state)
{
	static const char *const names[] = {"event", "__syscall_nr", "_key",
					    "align", "stream",	     "_"};
	struct field fields[LENGTH(names) + 1];
	const struct event_class *class;
	size_t i;

	for (i = 0; i < LENGTH(names); i++)
		fields[i] = (struct field){.name = names[i],
					   .bits = 8,
					   .align_bits = 8,
					   .scope = FIELD_SCOPE_OBJECT,
					   .count = 1};
	fields[i] = fields[0];
	fields[i].name = "string";
	fields[i].count = 0;
	fields[i].length = 1; /* "event" */
	class = round_trip(*state, fields, LENGTH(fields), "what happens");
	assert_int_equal(class->field_count, LENGTH(fields));
	for (i = 0; i < LENGTH(fields); i++)
		assert_string_equal(class->fields[i].name, fields[i].name);
	assert_int_equal(class->fields[LENGTH(names)].length, 1);
}

/* Dots are structures; a structure begins on its widest member's alignment. */
/* A type that fields of several classes share is declared once, with what they mean; and a field may have its name. */
static void shared_types_come_back(void **state)
{
	static const char name[] = "state_t";
	struct fixture *fix = *state;
	const struct field fields[] = {
		{.name = "state_t",
		 .text = "where",
		 .unit = "steps",
		 .kind = FIELD_INT,
		 .scope = FIELD_SCOPE_SYSTEM,
		 .show = FIELD_SHOW_FLAGS,
		 .bits = 32,
		 .align_bits = 32,
		 .count = 1,
		 .labels = states,
		 .label_count = 2,
		 .shared_type = name},
		{.name = "plain",
		 .kind = FIELD_INT,
		 .scope = FIELD_SCOPE_OBJECT,
		 .bits = 32,
		 .align_bits = 32,
		 .offset_bits = 32,
		 .count = 1},
	};
	const struct event_class one = {.id = 1, .name = "one", .fields = fields, .field_count = 2};
	const struct event_class two = {.id = 2, .name = "two", .fields = fields, .field_count = 1};
	const struct event_class *classes[] = {&one, &two};
	struct metadata_spec spec = {.classes = classes, .class_count = 2};

	write_and_read(fix, &spec);
	buffer_char(&fix->text, '\0');
	assert_null(strstr(strstr(fix->text.data, "ESTABLISHED") + 1, "ESTABLISHED"));
	for (size_t i = 0; i < 2; i++) {
		const struct event_class *got = fix->trace->classes[1 + i];

		assert_string_equal(got->name, classes[i]->name);
		assert_int_equal(got->field_count, classes[i]->field_count);
		assert_string_equal(got->fields[0].name, "state_t");
		expect_text(got->fields[0].text, "where");
		expect_text(got->fields[0].unit, "steps");
		assert_int_equal(got->fields[0].scope, FIELD_SCOPE_SYSTEM);
		assert_int_equal(got->fields[0].show, FIELD_SHOW_FLAGS);
		assert_string_equal(field_label(&got->fields[0], 5), "in \"between\"");
	}
	expect_text(fix->trace->classes[1]->fields[1].text, NULL);
	expect_text(fix->trace->classes[1]->fields[1].unit, NULL);
}

static void nested_names_come_back(void **state)
{
	static const char *const names[] = {"a.u8", "a.event.x", "a.event.len", "a._z",
					    "len",  "b.len",	 "b.c.d.e",	"f"};
	struct field fields[LENGTH(names) + 1];
	const struct event_class *class;
	size_t i;

	for (i = 0; i < LENGTH(names); i++)
		fields[i] = (struct field){.name = names[i],
					   .bits = 32,
					   .align_bits = 32,
					   .scope = FIELD_SCOPE_OBJECT,
					   .count = 1};
	fields[i] = fields[0];
	fields[i].name = "g.list";
	fields[i].count = 0;
	fields[i].length = 3; /* "a.event.len", not another of that name */
	class = round_trip(*state, fields, LENGTH(fields), "what happens");
	assert_int_equal(class->field_count, LENGTH(fields));
	for (i = 0; i < LENGTH(fields); i++)
		assert_string_equal(class->fields[i].name, fields[i].name);
	assert_int_equal(class->fields[LENGTH(names)].length, 3);
}

static void labels_of_the_upper_half(void **state)
{
	static const struct field_label labels[] = {
		{.first = INT64_MIN, .last = -1, .name = "upper"},
		{.first = 1, .last = 1, .name = "one"},
	};
	struct field field = kinds[0];
	const struct event_class *class;

	field.show = FIELD_SHOW_DECIMAL;
	field.labels = labels;
	field.label_count = LENGTH(labels);
	class = round_trip(*state, &field, 1, "what happens");
	expect_field(&class->fields[0], &field);
}

static void texts_cannot_end_their_comment(void **state)
{
	static const char *const texts[][2] = {
		{"a */ b", "a * / b"},
		{"a **/ b", "a ** / b"},
		{"a /* b", "a /* b"},
		{"two\nlines", "two lines"},
		{"[brackets; at; front] b", "[brackets; at; front] b"},
		{"10 \xc2\xb5s", "10 \xc2\xb5s"},
	};

	for (size_t i = 0; i < LENGTH(texts); i++) {
		struct field field = kinds[0];
		const struct event_class *class;

		field.text = texts[i][0];
		set_up(state);
		class = round_trip(*state, &field, 1, texts[i][0]);
		assert_string_equal(class->fields[0].text, texts[i][1]);
		assert_string_equal(class->text, texts[i][1]);
		tear_down(state);
	}
	set_up(state);
}

static void environments_come_back(void **state)
{
	static const struct trace_env env[] = {
		{.name = "hostname", .text = "a \"b\" \\ c"},
		{.name = "lines", .text = "one\ntwo\t\x01\x7f"},
		{.name = "empty", .text = ""},
		{.name = "number", .number = -5},
	};
	struct event_class class = {.id = 1, .name = "e"};
	const struct event_class *classes[] = {&class};
	struct metadata_spec spec = {
		.classes = classes, .class_count = 1, .env = env, .env_count = LENGTH(env)};
	struct fixture *fix = *state;

	write_and_read(fix, &spec);
	assert_int_equal(fix->trace->env_count, LENGTH(env));
	for (size_t i = 0; i < LENGTH(env); i++) {
		assert_string_equal(fix->trace->env[i].name, env[i].name);
		expect_text(fix->trace->env[i].text, env[i].text);
		assert_int_equal(fix->trace->env[i].number, env[i].number);
	}
}

static void the_clock_comes_back(void **state)
{
	static const int64_t offsets[] = {0, 1, -1, 1700000000123456789, -1500000000};
	struct event_class class = {.id = 1, .name = "e"};
	const struct event_class *classes[] = {&class};

	for (size_t i = 0; i < LENGTH(offsets); i++) {
		struct metadata_spec spec = {.classes = classes, .class_count = 1};
		struct fixture *fix;

		set_up(state);
		fix = *state;
		spec.wall_offset_ns = offsets[i];
		spec.clock_uuid = "12345678-1234-1234-1234-123456789abc";
		write_and_read(fix, &spec);
		assert_int_equal(fix->trace->clock_count, 1);
		assert_int_equal(fix->trace->clocks[0]->freq, 1000000000);
		assert_int_equal(fix->trace->clocks[0]->offset_ns, offsets[i]);
		tear_down(state);
	}
	set_up(state);
}

static void notes_are_in_a_stream_of_their_own(void **state)
{
	struct event_class class = {.id = 1, .name = "e"}, note = {.id = 2, .name = "n"};
	const struct event_class *classes[] = {&class}, *notes[] = {&note};
	struct metadata_spec spec = {
		.classes = classes, .class_count = 1, .notes = notes, .note_count = 1};
	struct fixture *fix = *state;
	const struct ctf_stream_class *kernel, *recorder;

	spec.uuid[0] = 0xab;
	spec.uuid[15] = 1;
	write_and_read(fix, &spec);
	assert_memory_equal(fix->trace->uuid, spec.uuid, 16);
	kernel = ctf_trace_class_stream(fix->trace, STREAM_CLASS_KERNEL);
	recorder = ctf_trace_class_stream(fix->trace, STREAM_CLASS_RECORDER);
	assert_non_null(ctf_stream_class_event(kernel, 1));
	assert_null(ctf_stream_class_event(kernel, 2));
	assert_non_null(ctf_stream_class_event(recorder, 2));
	assert_null(ctf_stream_class_event(recorder, 1));
	/* Both are read by the fast path. */
	assert_non_null(kernel->plan);
	assert_non_null(recorder->plan);
}

static void expect_no_place(struct fixture *fix, uint32_t offset_bits, uint16_t align_bits)
{
	struct field fields[2] = {kinds[2], kinds[2]};
	struct event_class class = {.id = 1, .name = "e", .fields = fields, .field_count = 2};
	const struct event_class *classes[] = {&class};
	struct metadata_spec spec = {.classes = classes, .class_count = 1};

	fields[1].offset_bits = offset_bits;
	fields[1].align_bits = align_bits;
	assert_int_equal(metadata_write(&spec, &fix->text), -EINVAL);
}

static void holes_and_overlaps_are_refused(void **state)
{
	expect_no_place(*state, 64, 32);
	expect_no_place(*state, 0, 32);
	expect_no_place(*state, 33, 1);
	expect_no_place(*state, 32, 64);
}

#define WRITE_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WRITE_TEST(every_kind_of_field_comes_back),
		WRITE_TEST(fixed_layouts_stay_where_they_are),
		WRITE_TEST(any_name_comes_back),
		WRITE_TEST(shared_types_come_back),
		WRITE_TEST(nested_names_come_back),
		WRITE_TEST(labels_of_the_upper_half),
		WRITE_TEST(texts_cannot_end_their_comment),
		WRITE_TEST(environments_come_back),
		WRITE_TEST(the_clock_comes_back),
		WRITE_TEST(notes_are_in_a_stream_of_their_own),
		WRITE_TEST(holes_and_overlaps_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
