// SPDX-License-Identifier: BSD-2-Clause
#include "ctf/byte_plan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ctf/head_plan.h"
#include "decode_fixture.h"

#define PACKET_BYTES 2048u
#define SHAPES 300u /* traces of random classes */
#define PACKETS 12u /* of each */
#define CLASSES 6u

static const char types[] =
	"/* CTF 1.8 */ trace { major = 1; minor = 8; byte_order = le; };"
	"clock { name = c; freq = 1000000000; offset_s = 5; };"
	"typealias integer { size = 8; align = 8; map = clock.c.value; } := t8;"
	"typealias integer { size = 8; align = 8; } := u8;"
	"typealias integer { size = 8; align = 8; signed = true; } := s8;"
	"typealias integer { size = 16; align = 8; } := u16;"
	"typealias integer { size = 16; align = 8; byte_order = be; } := b16;"
	"typealias integer { size = 16; align = 8; signed = true; } := s16;"
	"typealias integer { size = 32; align = 8; signed = true; } := s32;"
	"typealias integer { size = 32; align = 32; } := a32;"
	"typealias integer { size = 64; align = 8; byte_order = be; } := b64;"
	"typealias integer { size = 64; align = 64; } := a64;"
	"typealias integer { size = 24; align = 8; signed = true; } := s24;"
	"typealias integer { size = 5; align = 1; } := u5;"
	"typealias floating_point { exp_dig = 11; mant_dig = 53; align = 8; } := f64;"
	"typealias integer { size = 8; align = 8; encoding = UTF8; } := c8;";

static const char *const elements[] = {"u8",  "s8",  "u16", "b16", "s32", "a32",
				       "b64", "a64", "s24", "f64", "c8"};
static const char *const lengths[] = {"u8", "u8", "s8", "b16", "u16", "s24", "a32", "b64"};

/* Metadata that grows as it is drawn. */
struct text {
	char bytes[1u << 17];
	size_t len;
};

static void add(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(struct text *text, const char *format, ...)
{
	va_list args;
	int len;

	va_start(args, format);
	len = vsnprintf(text->bytes + text->len, sizeof(text->bytes) - text->len, format, args);
	va_end(args);
	assert_true(len >= 0 && (size_t)len < sizeof(text->bytes) - text->len);
	text->len += (size_t)len;
}

#define draw(from) ((from)[(size_t)rand() % (sizeof(from) / sizeof((from)[0]))])

/* The member number @i, and what it needs in front of it. */
static void add_member(struct text *text, unsigned int i, bool has_context)
{
	switch (rand() % 8) {
	case 0:
	case 1:
		add(text, "string m%u; ", i);
		break;
	case 2:
	case 3:
		add(text, "%s n%u; %s m%u[n%u]; ", draw(lengths), i, draw(elements), i, i);
		break;
	case 4:
		add(text, "%s m%u[%d]; ", draw(elements), i, rand() % 4);
		break;
	case 5:
		add(text, "struct { %s v; string w; } align(%d) m%u; ", draw(elements),
		    rand() % 4 ? 8 : 32, i);
		break;
	case 6:
		if (has_context)
			add(text, "%s m%u[stream.event.context.n]; ", draw(elements), i);
		else
			add(text, "u5 m%u; ", i);
		break;
	default:
		add(text, "%s m%u; ", draw(elements), i);
		break;
	}
}

static void draw_trace(struct text *text, unsigned int seed)
{
	static const char *const contexts[] = {
		"", "event.context := struct { s32 vtid; c8 procname[3]; u8 n; };",
		"event.context := struct { string procname; s16 vtid; b16 n; };",
		"event.context := struct { u8 n; a32 vtid; };"};
	const int context = (srand(seed), rand() % 4);

	text->len = 0;
	add(text, "%s stream { event.header := struct { u8 id; t8 timestamp; } align(%d); %s };",
	    types, 8 << rand() % 4, contexts[context]);
	for (unsigned int id = 0; id < CLASSES; id++) {
		add(text, "event { id = %u; name = \"e%u\"; fields := struct { ", id, id);
		for (unsigned int i = 0, count = 1 + (unsigned int)rand() % 4; i < count; i++)
			add_member(text, i, context > 0);
		add(text, "}; };");
	}
}

/* Small numbers: they are ids, lengths and ends of texts. */
static void fill(uint8_t *data, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		data[i] = rand() % 256 ? (uint8_t)(rand() % (rand() % 4 ? 2 : (int)CLASSES)) :
					 (uint8_t)rand();
}

/* Takes the plans of a trace's classes away, and gives them back; how many there are. */
static size_t swap_plans(const struct ctf_trace_class *trace, const struct ctf_byte_plan **plans)
{
	struct ctf_head_plan *head = trace->streams[0]->plan;
	size_t count = 0;

	assert_non_null(head);
	for (size_t i = 0; i < head->slot_count; i++) {
		const struct ctf_byte_plan *plan = head->slots[i].bytes_plan;

		head->slots[i].bytes_plan = plans[i];
		plans[i] = plan;
		count += plan != NULL;
	}
	return count;
}

/* Events that a plan has taken, in packets that end anywhere. */
static size_t compare_packets(const struct ctf_trace_class *trace, const char *what)
{
	static struct decoded planned, stepped;
	const struct ctf_byte_plan *plans[CLASSES] = {NULL};
	size_t total = 0;

	for (unsigned int i = 0; i < PACKETS; i++) {
		const size_t bytes = 1 + (size_t)rand() % (i % 2 ? 64 : PACKET_BYTES);
		uint8_t *data =
			malloc(bytes); /* of this size, so that valgrind and ASan see its end */

		assert_non_null(data);
		fill(data, bytes);
		decode_all(trace, data, bytes, i % 3 ? 16 + (size_t)rand() % 200 : bytes, &planned);
		(void)swap_plans(trace, plans);
		decode_all(trace, data, bytes, bytes, &stepped);
		(void)swap_plans(trace, plans);
		assert_same_decoded(&planned, &stepped, what, i);
		for (size_t j = 0; j < planned.count; j++)
			total += trace->streams[0]
					 ->plan->slots[planned.events[j].class->id]
					 .bytes_plan != NULL;
		free(data);
	}
	return total;
}

static void plans_find_what_the_steps_find(void **state)
{
	size_t total = 0;

	(void)state;
	for (unsigned int seed = 0; seed < SHAPES; seed++) {
		static struct text text;
		struct ctf_trace_class *trace;

		draw_trace(&text, seed);
		trace = trace_of(text.bytes);
		total += compare_packets(trace, text.bytes + sizeof(types) - 1);
		ctf_trace_class_free(trace);
	}
	if (total < 10000)
		fail_msg("only %zu events", total);
}

static const struct ctf_head_slot *slot_of(struct ctf_trace_class **trace, const char *fields)
{
	static struct text text;

	text.len = 0;
	add(&text,
	    "%s typealias enum : u8 { a = 0, b = 1 } := tag;"
	    "stream { event.header := struct { u8 id; t8 timestamp; }; };"
	    "event { id = 0; name = e; fields := struct { %s }; };",
	    types, fields);
	*trace = trace_of(text.bytes);
	return &(*trace)->streams[0]->plan->slots[0];
}

static void whole_bytes_have_a_plan(void **state)
{
	static const char *const planned[] = {
		"string s;",
		"u8 n; u16 q[n];",
		"f64 load; string text; b64 n; s32 items[n];",
		"struct { b16 n; c8 text[9]; } in; struct { u8 q[in.n]; string s; } last;",
	};
	static const char *const others[] = {
		"u8 a; u8 b;", /* fixed: it has a stride */
		"u5 a; string s;",
		"u8 n; u5 q[n];",
		"s24 n; u8 q[n];", /* no load of 3 bytes */
		"tag t; variant <t> { u8 a; u16 b; } v;",
		"u8 n; string q[n];",
		"u8 n; struct { u8 a; u16 b; } q[n];",
		"u8 q[stream.event.header.id];",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(planned) / sizeof(planned[0]); i++) {
		struct ctf_trace_class *trace;

		if (!slot_of(&trace, planned[i])->bytes_plan)
			fail_msg("no plan for %s", planned[i]);
		ctf_trace_class_free(trace);
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		struct ctf_trace_class *trace;

		if (slot_of(&trace, others[i])->bytes_plan)
			fail_msg("a plan for %s", others[i]);
		ctf_trace_class_free(trace);
	}
}

/* Members without bits cost steps all the same: a packet has only so many. */
static void steps_are_counted(void **state)
{
	static struct decoded planned, stepped;
	static const uint8_t data[PACKET_BYTES];
	const struct ctf_byte_plan *plans[CLASSES] = {NULL};
	struct ctf_trace_class *trace;
	static struct text fields;

	(void)state;
	fields.len = 0;
	add(&fields, "string s; ");
	for (unsigned int i = 0; i < 2000; i++)
		add(&fields, "u8 e%u[0]; ", i);
	assert_non_null(slot_of(&trace, fields.bytes)->bytes_plan);
	decode_all(trace, data, sizeof(data), sizeof(data), &planned);
	assert_int_equal(swap_plans(trace, plans), 1);
	decode_all(trace, data, sizeof(data), sizeof(data), &stepped);
	assert_same_decoded(&planned, &stepped, "many steps", 0);
	assert_int_equal(planned.steps, stepped.steps);
	assert_int_equal(planned.end, -EBADMSG);
	assert_int_equal(planned.count, 17);
	ctf_trace_class_free(trace);
}

/* 2^61 elements of 8 bytes are 0 bytes in 64 bits. */
static void lengths_are_bounded(void **state)
{
	static struct decoded decoded;
	static const uint8_t data[64] = {0, 0, 0x20}, swapped[64] = {0, 0, 1};
	struct ctf_trace_class *trace;

	(void)state;
	assert_non_null(slot_of(&trace, "b64 n; f64 q[n];")->bytes_plan);
	decode_all(trace, data, sizeof(data), sizeof(data), &decoded);
	assert_int_equal(decoded.count, 0);
	assert_int_equal(decoded.end, -EBADMSG);
	/* 2^56, and 1 in the other byte order. */
	decode_all(trace, swapped, sizeof(swapped), sizeof(swapped), &decoded);
	assert_int_equal(decoded.count, 0);
	assert_int_equal(decoded.end, -EBADMSG);
	decode_all(trace, data + 3, 60, 60, &decoded);
	assert_int_equal(decoded.count, 6);
	ctf_trace_class_free(trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plans_find_what_the_steps_find),
		cmocka_unit_test(whole_bytes_have_a_plan),
		cmocka_unit_test(steps_are_counted),
		cmocka_unit_test(lengths_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
