// SPDX-License-Identifier: BSD-2-Clause
#include "ctf/walk.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/diag.h"
#include "ctf/decoder.h"
#include "ctf/metadata.h"
#include "ctf/trace_class.h"

#define TEXT_BYTES (1u << 20)
#define DEPTH 25u

static const char types[] = "typealias integer { size = 8; align = 8; } := u8;\n"
			    "typealias integer { size = 32; align = 32; } := u32;\n"
			    "typealias enum : u8 { some = 0 } := tag;\n";

/* Metadata that grows as it is described. */
struct text {
	char bytes[TEXT_BYTES];
	size_t len;
};

static void add(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(struct text *text, const char *format, ...)
{
	va_list args;
	int len;

	va_start(args, format);
	len = vsnprintf(text->bytes + text->len, TEXT_BYTES - text->len, format, args);
	va_end(args);
	assert_true(len >= 0 && (size_t)len < TEXT_BYTES - text->len);
	text->len += (size_t)len;
}

static struct text *begin(void)
{
	static struct text text;

	text.len = 0;
	add(&text, "%s", types);
	return &text;
}

/* t0 is @inner; t1 has two of t0, t2 two of t1, and so on. */
static void add_nest(struct text *text, const char *inner)
{
	add(text, "typealias %s := t0;\n", inner);
	for (unsigned int i = 1; i <= DEPTH; i++)
		add(text, "typedef t%u t%u[2];\n", i - 1, i);
}

static void add_trace(struct text *text, const char *header, const char *fields)
{
	add(text, "trace { major = 1; minor = 8; byte_order = le; packet.header := %s; };\n",
	    header);
	add(text, "event { name = e; fields := %s; };\n", fields);
}

static struct ctf_trace_class *parse(const struct text *text)
{
	struct ctf_trace_class *trace = NULL;
	struct diag diag = {.text = ""};

	if (metadata_read(text->bytes, text->len, &trace, &diag))
		fail_msg("%s", diag.text);
	return trace;
}

/* Walks the packet header over @bytes: the steps that it takes, and where it ends. */
static int walk_header(const struct ctf_trace_class *trace, const uint8_t *data, size_t bytes,
		       struct walk *walk)
{
	static uint64_t slots[CTF_SLOTS_MAX];

	*walk = (struct walk){.data = data, .end = bytes * 8, .slots = slots};
	return walk_type(walk, trace->packet_header);
}

/* Walks a packet header with a nest of @innermost in the middle; returns its steps. @first and @pos: see walk_header. */
static uint64_t walk_nest(const char *innermost, const char *header, uint8_t first, uint64_t pos)
{
	const uint8_t data[8] = {first};
	struct text *text = begin();
	struct ctf_trace_class *trace;
	struct walk walk;

	add_nest(text, innermost);
	add_trace(text, header, "struct { u8 v; }");
	trace = parse(text);
	assert_int_equal(walk_header(trace, data, sizeof(data), &walk), 0);
	assert_int_equal(walk.pos, pos);
	ctf_trace_class_free(trace);
	return walk.steps;
}

/* Arrays of arrays of nothing are nothing, however many there are. */
static void nothing_is_known_once(void **state)
{
	(void)state;
	assert_in_range(walk_nest("struct { }", "struct { u8 first; t25 many; u8 last; }", 1, 16),
			1, 10);
}

/* A type without bits may still have an alignment. */
static void nothing_may_align(void **state)
{
	(void)state;
	walk_nest("struct { u32 none[0]; }", "struct { u8 first; t25 many; u8 last; }", 1, 40);
}

/* A variant has to be looked at, even where it chooses from nothing: the first of many is enough. */
static void the_first_of_many_tells(void **state)
{
	(void)state;
	assert_in_range(walk_nest("struct { variant <which> { struct { } some; } v; }",
				  "struct { tag which; t25 many; u8 last; }", 0, 16),
			1, 4 * DEPTH);
}

static void add_variants(struct text *text, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++)
		add(text, "variant <which> { struct { } some; } v%u; ", i);
}

/* No bit more of the packet, and no end of steps. */
static void steps_are_bounded(void **state)
{
	static const uint8_t data[8] = {0};
	struct text *text = begin();
	struct ctf_trace_class *trace;
	struct walk walk;

	(void)state;
	add(text, "trace { major = 1; minor = 8; byte_order = le; packet.header := struct { "
		  "tag which; ");
	add_variants(text, CTF_STEPS_FREE);
	add(text, "}; };\nevent { name = e; fields := struct { u8 v; }; };\n");
	trace = parse(text);
	assert_int_equal(walk_header(trace, data, sizeof(data), &walk), -E2BIG);
	assert_in_range(walk.steps, CTF_STEPS_FREE, CTF_STEPS_FREE + 8 * CTF_STEPS_PER_BIT + 1);
	ctf_trace_class_free(trace);
}

/* Each byte of the list takes a thousand steps: too many for one event, and far too many for a packet. */
static void steps_of_events_are_bounded(void **state)
{
	static struct event events[4];
	static uint32_t offsets[CTF_OFFSETS_MAX];
	static uint8_t data[100000];
	static struct decoder decoder;
	struct event_batch batch = {
		.events = events, .room = 4, .offsets = offsets, .offset_room = CTF_OFFSETS_MAX};
	struct text *text = begin();
	struct ctf_trace_class *trace;
	struct diag diag = {.text = ""};

	(void)state;
	add(text, "trace { major = 1; minor = 8; byte_order = le; };\n"
		  "event { name = e; fields := struct { tag which; struct { u8 v; ");
	add_variants(text, 1000);
	add(text, "} list[90000]; }; };\n");
	trace = parse(text);
	decoder_init(&decoder, trace);
	decoder_open_events(&decoder, trace->streams[0], 0, 0, data, sizeof(data));
	assert_int_equal(decoder_run(&decoder, INT64_MAX, &batch, &diag), -EBADMSG);
	assert_int_equal(batch.count, 0);
	assert_non_null(strstr(diag.text, "larger than can be read"));
	ctf_trace_class_free(trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_known_once),       cmocka_unit_test(nothing_may_align),
		cmocka_unit_test(the_first_of_many_tells),     cmocka_unit_test(steps_are_bounded),
		cmocka_unit_test(steps_of_events_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
