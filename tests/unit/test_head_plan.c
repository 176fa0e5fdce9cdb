// SPDX-License-Identifier: BSD-2-Clause
#include "ctf/head_plan.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/diag.h"
#include "ctf/decoder.h"
#include "ctf/metadata.h"
#include "ctf/trace_class.h"

#define PACKET_BYTES 4096u
#define EVENTS_MAX 1500u

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

/* What one reading has seen. */
struct seen {
	struct {
		const struct event_class *class;
		size_t payload; /* from the start of the packet */
		int64_t time_ns;
		int32_t tid;
		uint32_t bytes;
		uint32_t offsets[4];
	} events[EVENTS_MAX];
	size_t count;
	int end;
};

static void see(struct seen *seen, const struct event *event, const uint8_t *data)
{
	size_t i = seen->count++;

	assert_true(i < EVENTS_MAX);
	memset(&seen->events[i], 0, sizeof(seen->events[i]));
	seen->events[i].class = event->class;
	seen->events[i].payload = (size_t)(event->payload - data);
	seen->events[i].time_ns = event->time_ns;
	seen->events[i].tid = event->tid;
	seen->events[i].bytes = event->bytes;
	memcpy(seen->events[i].offsets, event->offsets,
	       event->class->field_count * sizeof(*event->offsets));
}

/* Through windows of @window bytes of the packet itself. */
static void read_all(const struct ctf_trace_class *trace, const uint8_t *data, size_t window,
		     struct seen *seen)
{
	static struct event events[32];
	static uint32_t offsets[CTF_OFFSETS_MAX];
	static struct decoder decoder;
	struct event_batch batch = {
		.events = events, .room = 32, .offsets = offsets, .offset_room = CTF_OFFSETS_MAX};
	size_t at = 0;

	memset(seen, 0, sizeof(*seen));
	decoder_init(&decoder, trace);
	decoder_open_events(&decoder, trace->streams[0], 0, 1000, data, PACKET_BYTES);
	decoder_set_window(&decoder, 0, data, window);
	do {
		batch.count = batch.offset_count = 0;
		batch.full = false;
		seen->end = decoder_run(&decoder, INT64_MAX, &batch, NULL);
		for (size_t i = 0; i < batch.count; i++)
			see(seen, &events[i], data);
		if (seen->end == -EAGAIN) {
			size_t next = (size_t)decoder_byte(&decoder);

			window = next == at ? window * 2 : window;
			at = next;
			decoder_set_window(&decoder, at, data + at,
					   at + window > PACKET_BYTES ? PACKET_BYTES - at : window);
		}
	} while (seen->end == 1 || seen->end == -EAGAIN);
}

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
	static struct seen planned, walked;
	struct ctf_trace_class *trace = NULL;
	struct diag diag = {.text = ""};
	uint8_t data[PACKET_BYTES];
	struct ctf_head_plan *plan;
	size_t total = 0;

	if (metadata_read(metadata, strlen(metadata), &trace, &diag))
		fail_msg("%s: %s", what, diag.text);
	plan = trace->streams[0]->plan;
	assert_non_null(plan);
	for (unsigned int seed = 0; seed < 400; seed++) {
		fill(data, seed);
		trace->streams[0]->plan = NULL;
		read_all(trace, data, PACKET_BYTES, &walked);
		trace->streams[0]->plan = plan;
		read_all(trace, data, seed % 3 ? 64 + seed : PACKET_BYTES, &planned);
		if (planned.count != walked.count || planned.end != walked.end)
			fail_msg("%s, seed %u: %zu events and %d, not %zu and %d", what, seed,
				 planned.count, planned.end, walked.count, walked.end);
		assert_memory_equal(planned.events, walked.events,
				    planned.count * sizeof(planned.events[0]));
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
	assert_int_equal(metadata_read(metadata, strlen(metadata), trace, NULL), 0);
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
		cmocka_unit_test(far_ids_get_no_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
