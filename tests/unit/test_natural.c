// SPDX-License-Identifier: BSD-2-Clause
#include "ctf/natural.h"

#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "base/diag.h"
#include "ctf/arena.h"
#include "ctf/metadata.h"
#include "ctf/trace_class.h"
#include "schema/variant.h"

#define HEAD                                                                              \
	"trace { major = 1; minor = 8; byte_order = le; };\n"                             \
	"typealias integer { size = 8; align = 8; signed = false; } := u8;\n"             \
	"typealias integer { size = 8; align = 8; signed = false; encoding = UTF8; } := " \
	"text8;\n"                                                                        \
	"typealias integer { size = 16; align = 8; byte_order = be; } := be16;\n"         \
	"typealias integer { size = 32; align = 32; signed = false; } := u32;\n"          \
	"typealias integer { size = 32; align = 32; signed = true; } := s32;\n"           \
	"typealias enum : u8 { a = 0, b = 1 ... 9, \"_c\" = 10 } := tag;\n"
#define OPTIONS "{ u8 a; string b; struct { u8 n; be16 s[n]; } _c; }"

/* What is written of the only event of @source. */
struct fixture {
	struct ctf_trace_class *trace;
	struct natural natural;
	struct arena arena;
	struct buffer text;
};

static void set_up(struct fixture *fix, const char *source, bool has_heads)
{
	struct diag diag = {.text = ""};

	*fix = (struct fixture){0};
	buffer_init(&fix->text);
	if (metadata_read(source, strlen(source), &fix->trace, &diag))
		fail_msg("%s", diag.text);
	arena_init(&fix->arena);
	assert_int_equal(natural_init(&fix->natural, fix->trace->classes[1], has_heads, &fix->arena,
				      &diag),
			 0);
	assert_int_equal(natural_describe(&fix->natural, &fix->text, 0), 0);
	buffer_char(&fix->text, '\0');
	assert_int_equal(buffer_error(&fix->text), 0);
}

static void tear_down(struct fixture *fix)
{
	arena_fini(&fix->arena);
	ctf_trace_class_free(fix->trace);
	buffer_fini(&fix->text);
}

/* Without comments that say nothing, and with one blank for many. */
static void simplify(char *text)
{
	static const char nothing[] = " /** [; object; decimal]  */";
	char *to = text;

	for (const char *from = text; *from; from++) {
		if (!strncmp(from, nothing, strlen(nothing))) {
			from += strlen(nothing) - 1;
			continue;
		}
		if (*from == '\n' || *from == '\t' || *from == ' ') {
			if (to > text && to[-1] != ' ')
				*to++ = ' ';
			continue;
		}
		*to++ = *from;
	}
	*to = '\0';
}

static void expect_text(struct fixture *fix, const char *wanted)
{
	simplify(fix->text.data);
	if (!strstr(fix->text.data, wanted))
		fail_msg("'%s' is not in '%s'", wanted, fix->text.data);
}

static void expect_event(const char *source, const char *wanted)
{
	struct fixture fix;

	set_up(&fix, source, false);
	expect_text(&fix, wanted);
	tear_down(&fix);
}

static void variants_keep_their_tags(void **state)
{
	(void)state;
	expect_event(HEAD "event { name = e; fields := struct { tag t; variant <t> " OPTIONS
			  " v; }; };",
		     "fields := struct { enum : u8 { \"a\" = 0, \"b\" = 1 ... 9, \"_c\" = 10 } t; "
		     "variant <t> { u8 a; string b; struct { u8 n; u16 s[n]; } _c; } v; };");
}

#define OWN_TAG(called)                                                                       \
	"enum : integer { size = 8; align = 8; signed = false; } { \"none\" = 0, \"a\" = 1, " \
	"\"b\" = 2 } " called "; /** [; object; hidden] */ variant <" called                  \
	"> { struct { } none; u8 a; string b; } "

/* In another structure, or with labels that choose two: readers disagree about those. */
static void tags_that_are_not_found_are_added(void **state)
{
	(void)state;
	expect_event(HEAD "event { name = e; fields := struct { struct { tag t; } in; u8 v_tag; "
			  "variant <in.t> { u8 a; string b; } v; }; };",
		     OWN_TAG("v_tag_") "v; };");
	expect_event(HEAD "event { name = e; fields := struct { "
			  "enum : u8 { a = 0 ... 5, b = 3 } t; variant <t> { u8 a; string b; } v; "
			  "}; };",
		     OWN_TAG("v_tag") "v; };");
	expect_event(HEAD "event { name = e; context := struct { tag t; }; fields := struct { "
			  "variant <t> { u8 a; string b; } v; }; };",
		     "fields := struct { " OWN_TAG("v_tag") "v; };");
}

static void a_name_between_hides_the_tag(void **state)
{
	(void)state;
	expect_event(HEAD "event { name = e; fields := struct { tag t; struct { variant <t> "
			  "{ u8 a; string b; } v; u8 t; } in; }; };",
		     "struct { " OWN_TAG("v_tag") "v; u8 t; } in; };");
}

/* Where elements are no structures, what is added stands in front of all. */
static void items_that_are_variants(void **state)
{
	(void)state;
	expect_event(HEAD "event { name = e; fields := struct { struct { tag t; u8 n; } in; "
			  "variant <in.t> { u8 a; string b; } v[2][in.n]; }; };",
		     OWN_TAG("v_tag") "v[2][event.fields.in.n]; };");
}

static void lengths_are_found_or_added(void **state)
{
	(void)state;
	expect_event(
		HEAD "event { name = e; fields := struct { u8 n; struct { u8 m; } in; "
		     "struct { u8 m; be16 a[n]; string b[m]; u8 c[in.m]; string d[3]; "
		     "} list[in.m]; }; };",
		"fields := struct { u8 n; struct { u8 m; } in; struct { u8 m; u16 a[n]; string b[m]; "
		"u8 c[event.fields.in.m]; string d[3]; } list[event.fields.in.m]; };");
	/* A length with a sign is none to others. */
	expect_event(HEAD "event { name = e; fields := struct { s32 n; struct { u8 x; } list[n]; "
			  "}; };",
		     "s32 n; u32 list_length; /** [; object; hidden] */ "
		     "struct { u8 x; } list[list_length]; };");
}

/* babeltrace2 2.0 takes lengths and tags in contexts of streams alone. */
static void contexts_that_a_stream_has(void **state)
{
	struct fixture fix;

	(void)state;
	set_up(&fix,
	       HEAD "stream { event.context := struct { u8 tid; u8 n; u8 s[n]; u8 x; }; };\n"
		    "event { name = e; fields := struct { u8 x; be16 far[stream.event.context.n]; "
		    "}; };",
	       false);
	expect_text(&fix,
		    "name = \"e\"; fields := struct { u8 x; u16 far[stream.event.context.n]; };");
	buffer_reset(&fix.text);
	natural_describe_shared(&fix.natural, &fix.text);
	buffer_char(&fix.text, '\0');
	expect_text(&fix, "struct { s32 tid; u8 n; u8 s[n]; u8 x; }");
	tear_down(&fix);
}

/* Two contexts have become one, in which each name is there twice. */
static void contexts_that_share_names(void **state)
{
	struct fixture fix;

	(void)state;
	set_up(&fix,
	       HEAD "stream { event.context := struct { struct { u8 a; } in; u8 n; }; };\n"
		    "event { name = e; context := struct { u8 n; struct { u8 a; } in; }; "
		    "fields := struct { u8 x; }; };",
	       false);
	expect_text(&fix, "context := struct { struct { u8 a_2; } in; }; fields");
	buffer_reset(&fix.text);
	natural_describe_shared(&fix.natural, &fix.text);
	buffer_char(&fix.text, '\0');
	expect_text(&fix, "struct { struct { u8 a; } in; u8 n; u8 n_2; }");
	tear_down(&fix);
}

static void what_needs_no_tree_has_none(void **state)
{
	struct fixture fix;

	(void)state;
	set_up(&fix, HEAD "event { name = e; fields := struct { u8 n; u32 s[n]; string t; }; };",
	       false);
	assert_null(fix.natural.trees.payload);
	expect_text(&fix, "fields := struct { u8 n; u32 s[n]; string t; };");
	tear_down(&fix);
}

/* What was written is read, and written the same again. */
static void what_is_hidden_stays_so(void **state)
{
	static const char source[] = HEAD
		"event { name = e; fields := struct { u8 v_length; struct { tag t; } in; "
		"variant <in.t> { u8 a; struct { s32 n; string s[n]; } b; } v; "
		"enum : u8 { none, some } o_tag; /** [; object; hidden] */ "
		"variant <o_tag> { struct { } none; u32 some; /** [ns; object; hex] how long */ "
		"} o; /** [; object; optional] */ }; };";
	struct fixture fix, again;
	char text[8192];

	(void)state;
	set_up(&fix, source, false);
	assert_int_equal(fix.natural.class.field_count, 6);
	assert_string_equal(fix.natural.class.fields[5].name, "o");
	assert_string_equal(fix.natural.class.fields[5].text, "how long");
	assert_int_equal(fix.natural.class.fields[5].show, FIELD_SHOW_HEX);
	assert_true(fix.natural.class.fields[5].optional);
	assert_int_equal(fix.natural.class.variant_count, 2);
	assert_true(fix.natural.class.variants[1].optional);
	(void)snprintf(text, sizeof(text), "%sstream { id = 0; };\n%s", HEAD, fix.text.data);
	set_up(&again, text, false);
	assert_string_equal(again.text.data, fix.text.data);
	tear_down(&again);
	tear_down(&fix);
}

/* Bytes of the heap in use; 0 where another allocator (of a sanitizer) has it. */
static size_t heap_bytes(void)
{
	const struct mallinfo2 info = mallinfo2();

	return info.uordblks + info.hblkhd;
}

#define MANY_CLASSES 2000
#define CLASS_BYTES_MAX 5120

/* Metadata may have a hundred thousand classes, and what it takes has to be freed when a signal ends a program. */
static void a_class_takes_few_bytes(void **state)
{
	static struct natural naturals[MANY_CLASSES + 1];
	struct ctf_trace_class *trace;
	struct buffer text;
	struct arena arena;
	struct diag diag = {.text = ""};
	size_t before;

	(void)state;
	buffer_init(&text);
	buffer_string(&text, HEAD "stream { id = 0; };\n");
	for (unsigned int i = 0; i < MANY_CLASSES; i++) {
		buffer_format(&text,
			      "event { name = \"provider:event_%u\"; id = %u; stream_id = 0;\n"
			      "\tfields := struct {\n",
			      i, i);
		for (unsigned int j = 0; j < 12; j++)
			buffer_format(&text, "\t\tu32 _field_%u;\n", j);
		buffer_string(&text, "\t};\n};\n");
	}
	assert_int_equal(buffer_error(&text), 0);
	arena_init(&arena);
	before = heap_bytes();
	if (metadata_read(text.data, text.len, &trace, &diag))
		fail_msg("%s", diag.text);
	assert_int_equal(trace->class_count, MANY_CLASSES + 1);
	for (size_t i = 1; i <= MANY_CLASSES; i++)
		assert_int_equal(
			natural_init(&naturals[i], trace->classes[i], false, &arena, &diag), 0);
	if (before && (heap_bytes() - before) / MANY_CLASSES > CLASS_BYTES_MAX)
		fail_msg("a class takes %zu bytes", (heap_bytes() - before) / MANY_CLASSES);
	arena_fini(&arena);
	ctf_trace_class_free(trace);
	buffer_fini(&text);
	if (!before)
		skip();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(variants_keep_their_tags),
		cmocka_unit_test(tags_that_are_not_found_are_added),
		cmocka_unit_test(a_name_between_hides_the_tag),
		cmocka_unit_test(items_that_are_variants),
		cmocka_unit_test(lengths_are_found_or_added),
		cmocka_unit_test(contexts_that_a_stream_has),
		cmocka_unit_test(contexts_that_share_names),
		cmocka_unit_test(what_needs_no_tree_has_none),
		cmocka_unit_test(what_is_hidden_stays_so),
		cmocka_unit_test(a_class_takes_few_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
