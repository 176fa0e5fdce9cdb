// SPDX-License-Identifier: BSD-2-Clause
#include "ctf/head_plan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "decode_fixture.h"

#define PACKET_BYTES 4096u

/* What comes in front of the forms of headers: types, clock, two classes of events. */
#define METADATA(order, header, context)                                             \
	"/* CTF 1.8 */ trace { major = 1; minor = 8; byte_order = " order "; };"     \
	"clock { name = c; freq = 1000000000; offset_s = 5; };"                      \
	"typealias integer { size = 8; align = 8; } := u8;"                          \
	"typealias integer { size = 16; align = 8; } := u16;"                        \
	"typealias integer { size = 32; align = 8; } := u32;"                        \
	"typealias integer { size = 32; align = 8; signed = true; } := s32;"         \
	"typealias integer { size = 5; align = 1; } := u5;"                          \
	"typealias integer { size = 27; align = 1; map = clock.c.value; } := t27;"   \
	"typealias integer { size = 32; align = 8; map = clock.c.value; } := t32;"   \
	"typealias integer { size = 32; align = 32; map = clock.c.value; } := t32a;" \
	"typealias integer { size = 64; align = 8; map = clock.c.value; } := t64;"   \
	"stream { event.header := " header "; " context " };"                        \
	"event { id = 0; name = \"none\"; };"                                        \
	"event { id = 1; name = \"fixed\"; fields := struct { u32 a; u8 b; }; };"    \
	"event { id = 2; name = \"text\"; fields := struct { string s; u8 n; u16 q[n]; }; };"

#define EXTENDED "struct { u32 id; t64 timestamp; } extended; } v; } align(8)"
#define COMPACT                                                                       \
	"struct { enum : u5 { compact = 0 ... 30, extended = 31 } id; variant <id> {" \
	" struct { t27 timestamp; } compact; " EXTENDED
#define LARGE                                                                                \
	"struct { enum : u16 { compact = 0 ... 65534, extended = 65535 } id; variant <id> {" \
	" struct { t32 timestamp; } compact; " EXTENDED
#define APART                                                                                \
	"struct { enum : u16 { compact = 0 ... 65534, extended = 65535 } id; variant <id> {" \
	" struct { t32a timestamp; } compact; struct { u32 id; t64 timestamp; } extended; } v; }"
#define ALIGNED APART " align(32)"
#define PLAIN "struct { u8 id; t64 timestamp; }"
#define TASK "event.context := struct { s32 vpid; s32 vtid; };"

/* Zeros, and ids as they lie in the first byte, or in the last or the first bits of it. */
static void fill(uint8_t *data, unsigned int seed)
{
	static const uint8_t often[64] = {1, 2, 1, 2, 8, 16, 33, 66};

	srand(seed);
	for (size_t i = 0; i < PACKET_BYTES; i++)
		data[i] = rand() % 512 ? often[rand() % 64] : (uint8_t)rand();
}

/* Any bytes mean the same with the plan and without it, through any window. */
static void compare(const char *metadata, const char *what)
{
	static struct decoded planned, walked;
	struct ctf_trace_class *trace = trace_of(metadata);
	struct ctf_head_plan *plan = trace->streams[0]->plan;
	uint8_t data[PACKET_BYTES];
	size_t total = 0;

	assert_non_null(plan);
	for (unsigned int seed = 0; seed < 400; seed++) {
		fill(data, seed);
		trace->streams[0]->plan = NULL;
		decode_all(trace, data, PACKET_BYTES, PACKET_BYTES, &walked);
		trace->streams[0]->plan = plan;
		decode_all(trace, data, PACKET_BYTES, seed % 3 ? 64 + seed : PACKET_BYTES,
			   &planned);
		assert_same_decoded(&planned, &walked, what, seed);
		total += planned.count;
	}
	if (total < 500)
		fail_msg("%s: only %zu events", what, total);
	ctf_trace_class_free(trace);
}

static void every_form_means_what_its_types_say(void **state)
{
	(void)state;
	compare(METADATA("le", COMPACT, ""), "compact, little");
	compare(METADATA("be", COMPACT, ""), "compact, big");
	compare(METADATA("le", LARGE, ""), "large, little");
	compare(METADATA("be", LARGE, TASK), "large, big, with tasks");
	compare(METADATA("le", ALIGNED, TASK), "large, aligned, with tasks");
	compare(METADATA("be", ALIGNED, ""), "large, aligned, big");
	compare(METADATA("le", PLAIN, TASK), "id and time, with tasks");
	compare(METADATA("be", PLAIN, ""), "id and time, big");
	compare(METADATA("le", COMPACT, "event.context := struct { string name; s32 vtid; };"),
		"compact, with a context of any length");
}

static struct ctf_head_plan *plan_of(const char *metadata, struct ctf_trace_class **trace)
{
	*trace = trace_of(metadata);
	return (*trace)->streams[0]->plan;
}

static void fixed_events_have_a_stride(void **state)
{
	struct ctf_trace_class *trace = NULL;
	const struct ctf_head_plan *plan = plan_of(METADATA("le", COMPACT, TASK), &trace);

	(void)state;
	assert_int_equal(plan->last_id, 30);
	assert_int_equal(plan->slot_count, 3);
	assert_int_equal(plan->slots[0].stride, 12);
	assert_int_equal(plan->slots[1].stride, 17);
	assert_int_equal(plan->slots[1].bytes, 4);
	assert_int_equal(plan->slots[1].task.byte, 8);
	assert_int_equal(plan->slots[2].stride, 0);
	assert_non_null(plan->slots[2].class);
	ctf_trace_class_free(trace);
}

static void other_headers_are_left_alone(void **state)
{
	static const char *const headers[] = {
		"struct { u8 id; string s; t64 timestamp; }",
		"struct { u8 id; u8 n; u8 skip[n]; t64 timestamp; }",
		"struct { t64 timestamp; t32 again; u8 id; }",
		"struct { u8 id; u5 odd; }",
		/* Where the time lies depends on where the event begins. */
		APART,
	};

	(void)state;
	for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++) {
		struct ctf_trace_class *trace = NULL;
		char text[4096];

		(void)snprintf(text, sizeof(text), METADATA("le", "%s", ""), headers[i]);
		assert_null(plan_of(text, &trace));
		ctf_trace_class_free(trace);
	}
}

/* A load that goes beyond the window reads what is not the packet's. */
static void every_load_is_within_reach(void **state)
{
	static const char *const contexts[] = {"", TASK, "event.context := struct { u8 vtid; };"};

	(void)state;
	for (size_t i = 0; i < sizeof(contexts) / sizeof(contexts[0]); i++) {
		struct ctf_trace_class *trace = NULL;
		const struct ctf_head_plan *plan;
		char text[4096];

		(void)snprintf(text, sizeof(text), METADATA("le", "struct { u8 flags; }", "%s"),
			       contexts[i]);
		plan = plan_of(text, &trace);
		assert_true(plan->reach >= plan->id.byte + 8);
		assert_true(plan->reach >= plan->time.byte + 8);
		for (size_t j = 0; j < plan->slot_count; j++)
			assert_true(plan->slots[j].task.byte + 4 <= plan->reach ||
				    plan->slots[j].task.byte + 4 <= plan->slots[j].stride);
		ctf_trace_class_free(trace);
	}
}

static void far_ids_get_no_table(void **state)
{
	struct ctf_trace_class *trace = NULL;

	(void)state;
	assert_null(plan_of(METADATA("le", "struct { u32 id; t64 timestamp; }",
				     "") "event { id = 4000000000; name = \"far\"; };",
			    &trace));
	ctf_trace_class_free(trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_form_means_what_its_types_say),
		cmocka_unit_test(fixed_events_have_a_stride),
		cmocka_unit_test(other_headers_are_left_alone),
		cmocka_unit_test(every_load_is_within_reach),
		cmocka_unit_test(far_ids_get_no_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
