// SPDX-License-Identifier: BSD-2-Clause
#include "ctf/metadata.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/diag.h"
#include "ctf/trace_class.h"
#include "schema/variant.h"

#define TRACE "trace { major = 1; minor = 8; byte_order = le; };\n"
#define U8 "typealias integer { size = 8; } := u8;\n"

static struct ctf_trace_class *read_text(const char *text)
{
	struct ctf_trace_class *trace = NULL;
	struct diag diag = {.text = ""};

	if (metadata_read(text, strlen(text), &trace, &diag))
		fail_msg("%s", diag.text);
	return trace;
}

static void expect_error(const char *text, int err, unsigned int line, const char *words)
{
	struct ctf_trace_class *trace = NULL;
	struct diag diag = {.text = ""};

	assert_int_equal(metadata_read(text, strlen(text), &trace, &diag), err);
	assert_null(trace);
	assert_int_equal(diag.line, line);
	if (!strstr(diag.text, words))
		fail_msg("'%s' is not in '%s'", words, diag.text);
}

static void doc_comments_describe_members_and_events(void **state)
{
	struct ctf_trace_class *trace = read_text(
		TRACE U8
		"event { /** what happens */ id = 7; name = \"a.b\"; fields := struct {"
		" u8 n; /** [bytes; system; hex] how much */ u8 m; /** only words */ u8 k; }; };");
	const struct event_class *class = trace->classes[1];

	(void)state;
	assert_int_equal(class->id, 7);
	assert_string_equal(class->text, "what happens");
	assert_string_equal(class->fields[0].unit, "bytes");
	assert_string_equal(class->fields[0].text, "how much");
	assert_int_equal(class->fields[0].scope, FIELD_SCOPE_SYSTEM);
	assert_int_equal(class->fields[0].show, FIELD_SHOW_HEX);
	assert_string_equal(class->fields[1].text, "only words");
	assert_null(class->fields[1].unit);
	assert_null(class->fields[2].text);
	ctf_trace_class_free(trace);
}

static void structures_are_flattened_and_aligned(void **state)
{
	struct ctf_trace_class *trace = read_text(
		TRACE U8
		"typealias integer { size = 32; align = 32; signed = true; } := long int;\n"
		"struct pair { u8 a; long int b; } align(64);\n"
		"event { name = e; fields := struct { u8 x; struct pair p; u8 t[4]; }; };");
	const struct event_class *class = trace->classes[1];

	(void)state;
	assert_true(class->fixed);
	assert_int_equal(class->field_count, 4);
	assert_string_equal(class->fields[1].name, "p.a");
	assert_int_equal(class->fields[1].offset_bits, 64);
	assert_string_equal(class->fields[2].name, "p.b");
	assert_int_equal(class->fields[2].offset_bits, 96);
	assert_true(class->fields[2].is_signed);
	assert_int_equal(class->fields[3].count, 4);
	assert_int_equal(class->payload_bytes, 20);
	ctf_trace_class_free(trace);
}

static void strings_make_the_layout_move(void **state)
{
	struct ctf_trace_class *trace = read_text(
		TRACE U8
		"typealias integer { size = 8; encoding = UTF8; } := text8;\n"
		"event { name = e; fields := struct { text8 comm[16]; string s; u8 last; }; };");
	const struct event_class *class = trace->classes[1];

	(void)state;
	assert_false(class->fixed);
	assert_int_equal(class->fields[0].kind, FIELD_TEXT);
	assert_int_equal(class->fields[0].count, 16);
	assert_int_equal(class->fields[1].kind, FIELD_STRING);
	ctf_trace_class_free(trace);
}

static void enumerations_count_on(void **state)
{
	struct ctf_trace_class *trace =
		read_text(TRACE U8 "event { name = e; fields := struct {"
				   " enum : u8 { A, B = 5 ... 0x7, \"C d\", E = 017 } v; }; };");
	const struct field *field = &trace->classes[1]->fields[0];

	(void)state;
	assert_int_equal(field->label_count, 4);
	assert_int_equal(field->labels[0].first, 0);
	assert_int_equal(field->labels[1].last, 7);
	assert_int_equal(field->labels[2].first, 8);
	assert_string_equal(field->labels[2].name, "C d");
	assert_int_equal(field->labels[3].first, 15);
	ctf_trace_class_free(trace);
}

static void environment_and_clock_are_kept(void **state)
{
	struct ctf_trace_class *trace =
		read_text(TRACE "env { host = \"a\\\"b\\x41\\n\"; n = -3; };\n"
				"clock { name = m; freq = 1000; offset_s = 2; offset = 500; };\n"
				"event { name = e; };");

	(void)state;
	assert_int_equal(trace->env_count, 2);
	assert_string_equal(trace->env[0].text, "a\"bA\n");
	assert_null(trace->env[1].text);
	assert_int_equal(trace->env[1].number, -3);
	assert_int_equal(ctf_clock_ns(trace->clocks[0], 1250), 3750000000);
	ctf_trace_class_free(trace);
}

static void byte_order_may_come_late(void **state)
{
	struct ctf_trace_class *trace =
		read_text(U8 "typealias integer { size = 16; byte_order = le; } := le16;\n"
			     "trace { byte_order = be; };\n"
			     "event { name = e; fields := struct { u8 a; le16 b; }; };");

	(void)state;
	assert_true(trace->classes[1]->fields[0].big_endian);
	assert_false(trace->classes[1]->fields[1].big_endian);
	ctf_trace_class_free(trace);
}

static void errors_name_the_line(void **state)
{
	(void)state;
	expect_error(TRACE "event { name = e; fields := struct {\n u9 x; }; };", -EBADMSG, 3, "u9");
	expect_error(TRACE "bogus ", -EBADMSG, 2, "bogus");
	expect_error(TRACE "\n\n@", -EBADMSG, 4, "0x40");
	expect_error(TRACE "typealias integer { size = 65; } := x;", -EBADMSG, 2, "64 bits");
	expect_error(TRACE "trace { minor = 9; };", -ENOTSUP, 2, "1.8");
	expect_error("event { name = e; };", -EBADMSG, 0, "byte order");
	expect_error(TRACE "event { name = e; };\nevent { name = f; };", -EBADMSG, 3, "f");
	expect_error("\x1e{}", -EBADMSG, 1, "fragment 1");
	expect_error("", -ENODATA, 0, "empty");
}

static void sequences_know_the_field_that_counts_them(void **state)
{
	struct ctf_trace_class *trace = read_text(
		TRACE U8 "event { name = e; fields := struct { u8 _n; u8 data[_n];"
			 " struct { u8 m; u8 inner[m]; u8 outer[n]; u8 far[event.fields.n]; } in;"
			 " u8 last; }; };");
	const struct event_class *class = trace->classes[1];

	(void)state;
	assert_int_equal(class->field_count, 7);
	assert_false(class->fixed);
	assert_string_equal(class->fields[1].name, "data");
	assert_int_equal(class->fields[1].length, 1);
	assert_int_equal(class->fields[1].count, 0);
	assert_string_equal(class->fields[3].name, "in.inner");
	assert_int_equal(class->fields[3].length, 3);
	assert_int_equal(class->fields[4].length, 1);
	assert_int_equal(class->fields[5].length, 1);
	assert_int_equal(class->fields[6].length, 0);
	ctf_trace_class_free(trace);
}

static void lists_have_items_with_fields_of_their_own(void **state)
{
	struct ctf_trace_class *trace = read_text(
		TRACE U8 "event { name = e; fields := struct { u8 n; u8 z[2][3];"
			 " struct { u8 m; string s[m]; u8 o[n]; } list[n]; u8 last; }; };");
	const struct event_class *class = trace->classes[1];
	const struct field *list = &class->fields[2];

	(void)state;
	assert_false(class->fixed);
	assert_int_equal(class->field_count, 4);
	assert_int_equal(class->fields[1].kind, FIELD_LIST);
	assert_int_equal(class->fields[1].count, 2);
	assert_string_equal(class->fields[1].items->fields[0].name, "");
	assert_int_equal(class->fields[1].items->fields[0].count, 3);
	assert_int_equal(list->kind, FIELD_LIST);
	assert_int_equal(list->length, 1);
	assert_int_equal(list->items->field_count, 3);
	assert_string_equal(list->items->fields[1].name, "s");
	assert_int_equal(list->items->fields[1].kind, FIELD_LIST);
	assert_int_equal(list->items->fields[1].length, 1);
	/* Its length is no field of the item. */
	assert_int_equal(list->items->fields[2].length, 0);
	assert_int_equal(list->items->fields[2].count_at, 4);
	assert_int_equal(list->items->offset_count, 4);
	ctf_trace_class_free(trace);
}

static void variants_make_optional_fields(void **state)
{
	struct ctf_trace_class *trace = read_text(
		TRACE U8 "event { name = e; fields := struct { enum : u8 { a, b = 3 ... 5 } tag;"
			 " variant <tag> { u8 a; struct { u8 x; } b; } v; u8 last; }; };");
	const struct event_class *class = trace->classes[1];

	(void)state;
	assert_true(class->optional);
	assert_int_equal(class->field_count, 4);
	assert_false(class->fields[0].optional);
	assert_string_equal(class->fields[1].name, "v.a");
	assert_true(class->fields[1].optional);
	assert_string_equal(class->fields[2].name, "v.b.x");
	assert_true(class->fields[2].optional);
	assert_false(class->fields[3].optional);
	assert_int_equal(event_class_find(class, "v.a"), -1);
	assert_int_equal(event_class_find_any(class, "v.a"), 1);
	ctf_trace_class_free(trace);
}

/* Which fields are alternatives, how they are called, and what chooses: lists further out count. */
static void variants_tell_what_chooses(void **state)
{
	struct ctf_trace_class *trace = read_text(
		TRACE U8
		"event { name = e; fields := struct { enum : u8 { a, b = 5 ... 9, _c } t; u8 n;"
		" struct { u8 x; variant <t> { u8 a; struct { string p; u8 q[n]; } b; struct { } c;"
		" } v; } list[n]; }; };");
	const struct event_class *items = trace->classes[1]->fields[2].items;
	const struct event_variant *variant = items->variants;

	(void)state;
	assert_int_equal(trace->classes[1]->variant_count, 0);
	assert_int_equal(items->variant_count, 1);
	assert_int_equal(variant->first, 1);
	assert_int_equal(variant->end, 4);
	assert_int_equal(variant->name_len, 1);
	assert_false(variant->optional);
	assert_int_equal(variant->tag.index, 1);
	assert_int_equal(variant->tag.lists, 1);
	assert_int_equal(variant->option_count, 3);
	assert_string_equal(variant->options[1].name, "b");
	assert_int_equal(variant->options[1].first, 2);
	assert_int_equal(variant->options[1].end, 4);
	assert_int_equal(variant->options[2].first, variant->options[2].end);
	assert_int_equal(variant->choice_count, 3);
	assert_int_equal(variant->choices[1].last, 9);
	assert_int_equal(variant->choices[2].option, 2);
	/* "v.b.q" has the length of the list that it is in. */
	assert_int_equal(items->fields[3].count_of.index, 2);
	assert_int_equal(items->fields[3].count_of.lists, 1);
	ctf_trace_class_free(trace);
}

/* What sonde convert adds for other readers. */
static void what_is_hidden_is_no_field(void **state)
{
	struct ctf_trace_class *trace = read_text(
		TRACE U8
		"event { name = e; fields := struct { u8 n; /** [; object; hidden] */ u8 s[n];"
		" enum : u8 { none, some } t; /** [; object; hidden] */ variant <t> {"
		" struct { } none; u8 some; /** [ns; object; hex] how long */ } o;"
		" /** [; object; optional] */ variant <t> { struct { } none; u8 some; } v; }; };");
	const struct event_class *class = trace->classes[1];

	(void)state;
	assert_int_equal(class->field_count, 3);
	assert_string_equal(class->fields[0].name, "s");
	assert_int_equal(class->fields[0].length, 0);
	assert_int_equal(class->fields[0].count_at, 4);
	assert_int_equal(class->fields[0].count_of.index, 0);
	assert_string_equal(class->fields[1].name, "o");
	assert_string_equal(class->fields[1].unit, "ns");
	assert_int_equal(class->fields[1].show, FIELD_SHOW_HEX);
	assert_true(class->fields[1].optional);
	assert_string_equal(class->fields[2].name, "v.some");
	assert_true(class->variants[0].optional);
	assert_int_equal(class->variants[0].tag.index, 0);
	assert_false(class->variants[1].optional);
	ctf_trace_class_free(trace);
}

static void contexts_are_fields_in_front(void **state)
{
	struct ctf_trace_class *trace =
		read_text(TRACE U8 "stream { event.context := struct { u8 tid; u8 a; u8 n; }; };"
				   "event { name = e; context := struct { u8 b[n]; };"
				   " fields := struct { u8 a; u8 c[stream.event.context.n]; }; };");
	const struct event_class *class = trace->classes[1];

	(void)state;
	assert_int_equal(class->context_count, 3);
	assert_int_equal(class->field_count, 5);
	assert_string_equal(class->fields[0].name, "context.a");
	assert_string_equal(class->fields[2].name, "b");
	assert_int_equal(class->fields[2].length, 2);
	assert_string_equal(class->fields[3].name, "a");
	assert_int_equal(class->fields[4].length, 2);
	ctf_trace_class_free(trace);
}

static void sequences_without_a_form_are_told(void **state)
{
	(void)state;
	expect_error(TRACE U8 "event { name = e; fields := struct { u8 n;\n u8 data[m]; }; };",
		     -EBADMSG, 4, "not an integer before it");
	expect_error(TRACE U8 "event { name = e; fields := struct {\n u8 data[n]; u8 n; }; };",
		     -EBADMSG, 4, "not an integer before it");
	expect_error(TRACE U8 "event { name = e; fields := struct { string n;\n u8 data[n]; }; };",
		     -EBADMSG, 4, "not an integer before it");
	expect_error(TRACE U8 "event { name = e; fields := struct { u8 n;\n"
			      " variant <n> { u8 a; } v; }; };",
		     -EBADMSG, 4, "not an enumeration");
	expect_error(TRACE U8 "event { name = e; fields := struct { struct { u8 n; } l[2];\n"
			      " u8 s[l.n]; }; };",
		     -EBADMSG, 4, "not an integer");
}

static void deep_nesting_is_refused(void **state)
{
	char text[4096] = TRACE;

	(void)state;
	for (int i = 0; i < 60; i++)
		strcat(text, "struct { ");
	expect_error(text, -E2BIG, 2, "nested");
	strcpy(text, TRACE "struct s0 { integer { size = 8; } x; };\n");
	for (int i = 1; i < 60; i++) {
		size_t len = strlen(text);

		(void)snprintf(text + len, sizeof(text) - len, "struct s%d { struct s%d a; };\n", i,
			       i - 1);
	}
	expect_error(text, -E2BIG, 33, "nested");
}

/* Inside words, numbers and marks of several characters too. */
static void a_text_breaks_off_anywhere(void **state)
{
	static const char whole[] = TRACE "event { name = e; };",
			  rest[] =
				  "event { name = \"f\\x41\"; id = 0x12; /* f */ fields := struct { "
				  "enum : integer { size = 8; } { a = 0 ... 3, b } x; }; };";
	char text[sizeof(whole) + sizeof(rest)];

	(void)state;
	for (size_t cut = 1; cut < strlen(rest); cut++) {
		struct ctf_trace_class *trace;

		(void)snprintf(text, sizeof(text), "%s%.*s", whole, (int)cut, rest);
		trace = read_text(text);
		assert_true(trace->cut);
		assert_int_equal(trace->event_count, 1);
		ctf_trace_class_free(trace);
	}
}

/* Its event classes are neither read nor checked, but text that breaks off before one is complete is too short. */
static void a_head_has_no_events(void **state)
{
	static const char text[] = TRACE "event { name = e; fields := bogus { { } }; };\n"
					 "env { hostname = \"h\"; };\nevent { name";
	struct ctf_trace_class *trace = NULL;
	struct diag diag = {.text = ""};

	(void)state;
	assert_int_equal(metadata_read_head(text, strlen(text), &trace, &diag), 0);
	assert_int_equal(trace->event_count, 0);
	assert_int_equal(trace->env_count, 1);
	assert_true(trace->cut);
	ctf_trace_class_free(trace);
	trace = NULL;
	assert_int_equal(metadata_read_head(text, sizeof(TRACE) + 30, &trace, &diag), -ENODATA);
	assert_null(trace);
}

static void a_cut_text_keeps_whole_events(void **state)
{
	struct ctf_trace_class *trace =
		read_text(TRACE "event { name = e; };\nevent { name = f; id = ");

	(void)state;
	assert_true(trace->cut);
	assert_int_equal(trace->class_count, 2);
	ctf_trace_class_free(trace);
}

/* More than a first table of them, of aliases and of members; of two of one name the first is found. */
static void many_names_are_found(void **state)
{
	enum { NAMES = 1000 };
	static char text[100 * NAMES];
	struct ctf_trace_class *trace = NULL;
	const struct event_class *class;
	struct diag diag = {.text = ""};
	size_t len = 0;

	(void)state;
	len += (size_t)snprintf(text + len, sizeof(text) - len, TRACE);
	for (int i = 0; i < NAMES; i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len,
					"typealias integer { size = %d; align = 8; } := t%d;\n",
					i % 64 + 1, i);
	len += (size_t)snprintf(text + len, sizeof(text) - len,
				"event { name = e; fields := struct { t7 n; t7 n; ");
	for (int i = 0; i < NAMES; i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len, "t%d m%d; ", i, i);
	len += (size_t)snprintf(text + len, sizeof(text) - len, "t7 a[m7]; t7 b[m999]; }; };\n");
	if (metadata_read(text, len, &trace, &diag))
		fail_msg("%s", diag.text);
	class = trace->classes[1];
	for (int i = 0; i < NAMES; i++)
		assert_int_equal(class->fields[2 + i].bits, i % 64 + 1);
	assert_string_equal(class->fields[1].name, "n_2");
	assert_int_equal(class->fields[2 + NAMES].length, 1 + 2 + 7);
	assert_int_equal(class->fields[3 + NAMES].length, 1 + 2 + 999);
	ctf_trace_class_free(trace);
}

/* To bring them into order would take longer than their number. */
static void many_labels_that_overlap_are_refused(void **state)
{
	static char text[64 * 1024];
	size_t len = 0;

	(void)state;
	len += (size_t)snprintf(text + len, sizeof(text) - len,
				TRACE "event { name = e; fields := struct { "
				      "enum : integer { size = 32; } { x = 0 ... 9");
	for (unsigned int i = 0; i <= CTF_CHOICES_MAX; i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len, ", x = %u ... %u", i,
					i + 5);
	(void)snprintf(text + len, sizeof(text) - len,
		       " } t; variant <t> { integer { size = 8; } x; } v; }; };\n");
	expect_error(text, -E2BIG, 2, "overlap");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(doc_comments_describe_members_and_events),
		cmocka_unit_test(structures_are_flattened_and_aligned),
		cmocka_unit_test(strings_make_the_layout_move),
		cmocka_unit_test(enumerations_count_on),
		cmocka_unit_test(environment_and_clock_are_kept),
		cmocka_unit_test(byte_order_may_come_late),
		cmocka_unit_test(errors_name_the_line),
		cmocka_unit_test(sequences_know_the_field_that_counts_them),
		cmocka_unit_test(lists_have_items_with_fields_of_their_own),
		cmocka_unit_test(variants_make_optional_fields),
		cmocka_unit_test(variants_tell_what_chooses),
		cmocka_unit_test(what_is_hidden_is_no_field),
		cmocka_unit_test(contexts_are_fields_in_front),
		cmocka_unit_test(sequences_without_a_form_are_told),
		cmocka_unit_test(deep_nesting_is_refused),
		cmocka_unit_test(a_text_breaks_off_anywhere),
		cmocka_unit_test(a_head_has_no_events),
		cmocka_unit_test(a_cut_text_keeps_whole_events),
		cmocka_unit_test(many_names_are_found),
		cmocka_unit_test(many_labels_that_overlap_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
