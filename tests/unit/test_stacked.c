// SPDX-License-Identifier: BSD-2-Clause
/* Events and the stacks that they have by an id: known, lost, not taken; which frames are shown; what stays as it is. */
#include "source/stacked.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/diag.h"
#include "schema/source.h"
#include "schema/stack.h"
#include "symbol/symbols.h"
#include "wire/stack.h"

#define KERNEL 0xffffffff81000000ull
#define ID 0x1234567890abcdefull

static const struct field note_fields[] = {
	{.name = "id", .bits = 64, .count = 1},
	{.name = "cut", .bits = 32, .count = 1, .offset_bits = 64},
	{.name = "kernel_depth", .bits = 16, .count = 1, .offset_bits = 96},
	{.name = "user_depth", .bits = 16, .count = 1, .offset_bits = 112},
	{.name = "kernel_stack", .bits = 64, .length = 3, .offset_bits = 128},
	{.name = "user_stack", .bits = 64, .length = 4, .offset_bits = 128},
};
static const uint32_t note_offsets[] = {0, 64, 96, 112, 128, 128};
/* With a text, so that only the event knows where it ends. */
static const struct field call_fields[] = {
	{.name = STACK_FIELD, .bits = 64, .count = 1},
	{.name = "number", .bits = 32, .count = 1, .offset_bits = 64},
	{.name = "text", .kind = FIELD_STRING, .bits = 8, .count = 1, .offset_bits = 96},
};
static const uint32_t call_offsets[] = {0, 64, 96};
static const struct event_class note_class = {
	.name = "sonde.stack",
	.role = EVENT_ROLE_STACK,
	.field_count = 6,
	.fields = note_fields,
	.offsets = note_offsets,
	.offset_count = 6,
};
static const struct event_class call_class = {
	.name = "sys.openat",
	.field_count = 3,
	.fields = call_fields,
	.offsets = call_offsets,
	.offset_count = 3,
	.index = 1,
};
/* The same without an id. */
static const struct event_class plain_class = {
	.name = "sys.close",
	.field_count = 2,
	.fields = call_fields + 1,
	.offsets = call_offsets + 1,
	.offset_count = 2,
	.index = 2,
};
static const struct event_class *const classes[] = {&note_class, &call_class, &plain_class};

#define EVENTS_MAX 16u
#define BYTES_MAX 512u

/* A source of one batch. */
struct given {
	struct event_source source; /* first */
	struct trace_info info;
	struct trace_stream stream;
	struct event events[EVENTS_MAX];
	uint8_t payloads[EVENTS_MAX][BYTES_MAX];
	uint32_t offsets[EVENTS_MAX][6];
	size_t count;
	size_t asked;
	bool closed;
};

static int given_next(struct event_source *source, const struct event **ret)
{
	struct given *given = (struct given *)source;

	*ret = given->events;
	return given->asked++ ? 0 : (int)given->count;
}

static void given_close(struct event_source *source)
{
	((struct given *)source)->closed = true;
}

static const struct source_ops given_ops = {.next = given_next, .close = given_close};

static void given_init(struct given *given)
{
	*given = (struct given){.source = {&given_ops, &given->info}};
	given->info = (struct trace_info){
		.class_count = 3,
		.classes = classes,
		.stream_count = 1,
		.streams = &given->stream,
		.symbols = symbols_new(),
	};
	assert_non_null(given->info.symbols);
}

static void given_fini(struct given *given)
{
	symbols_free(given->info.symbols);
}

static uint8_t *give(struct given *given, const struct event_class *class)
{
	size_t i = given->count++;

	assert_true(i < EVENTS_MAX);
	memcpy(given->offsets[i], class->offsets, class->field_count * sizeof(uint32_t));
	given->events[i] = (struct event){
		.class = class,
		.payload = given->payloads[i],
		.offsets = given->offsets[i],
		.time_ns = (int64_t)i,
		.cpu = 1,
		.tid = 7,
	};
	return given->payloads[i];
}

static void give_note(struct given *given, uint64_t id, uint32_t cut, const uint64_t *kernel,
		      uint16_t kernel_depth, const uint64_t *user, uint16_t user_depth)
{
	uint8_t *to = give(given, &note_class);

	memcpy(to, &id, 8);
	memcpy(to + 8, &cut, 4);
	memcpy(to + 12, &kernel_depth, 2);
	memcpy(to + 14, &user_depth, 2);
	memcpy(to + 16, kernel, kernel_depth * 8u);
	memcpy(to + 16 + kernel_depth * 8u, user, user_depth * 8u);
	given->offsets[given->count - 1][5] = 128 + kernel_depth * 64u;
}

static void give_call(struct given *given, uint64_t id, const char *text)
{
	uint8_t *to = give(given, &call_class);

	memcpy(to, &id, 8);
	memcpy(to + 8, &(uint32_t){42}, 4);
	memcpy(to + 12, text, strlen(text) + 1);
}

static size_t field(const struct event *event, const char *name)
{
	int i = event_class_find(event->class, name);

	assert_true(i >= 0);
	return (size_t)i;
}

static uint64_t number(const struct event *event, const char *name)
{
	return event_uint(event, field(event, name));
}

static void assert_frames(const struct event *event, const char *name, const uint64_t *frames,
			  uint32_t count)
{
	size_t i = field(event, name);

	assert_int_equal(event_count(event, i), count);
	for (uint32_t n = 0; n < count; n++)
		assert_int_equal(event_element_fast(event, i, n), frames[n]);
}

static void assert_call(const struct event *event, uint64_t id, const char *text)
{
	size_t len;
	const char *got = event_text(event, field(event, "text"), &len);

	assert_int_equal(number(event, STACK_FIELD), id);
	assert_int_equal(number(event, "number"), 42);
	assert_int_equal(len, strlen(text));
	assert_memory_equal(got, text, len);
	assert_int_equal(event->tid, 7);
}

static const uint64_t kernel[] = {KERNEL + 0x10, KERNEL + 0x110, KERNEL + 0x210};
static const uint64_t user[] = {0x401000, 0x402000};

static struct event_source *open_stacked(struct given *given)
{
	struct event_source *source = &given->source;

	assert_int_equal(stacked_add(&source), 0);
	return source;
}

/* Its own fields stay, and what the note has comes behind them; a note of that id counts until the end. */
static void test_events_get_their_stack(void **state)
{
	const struct event *events;
	struct event_source *source;
	struct given given;

	(void)state;
	given_init(&given);
	give_note(&given, ID, 2, kernel, 3, user, 2);
	give_call(&given, ID, "/etc/passwd");
	give_call(&given, ID, "");
	memcpy(give(&given, &plain_class) + 8, &(uint32_t){5}, 4);
	source = open_stacked(&given);
	assert_int_equal(source->info->class_count, 3);
	assert_ptr_equal(source->info->classes[0], &note_class);
	assert_ptr_equal(source->info->classes[2], &plain_class);
	assert_int_equal(source->ops->next(source, &events), 4);
	for (int i = 1; i <= 2; i++) {
		assert_ptr_equal(events[i].class, source->info->classes[1]);
		assert_call(&events[i], ID, i == 1 ? "/etc/passwd" : "");
		assert_int_equal(number(&events[i], STACK_STATE), STACK_STATE_USER_CUT);
		assert_frames(&events[i], STACK_KERNEL_STACK, kernel, 3);
		assert_frames(&events[i], STACK_USER_STACK, user, 2);
	}
	assert_ptr_equal(events[3].payload, given.events[3].payload);
	assert_int_equal(source->ops->next(source, &events), 0);
	source->ops->close(source);
	assert_true(given.closed);
	given_fini(&given);
}

/* A stack that is not there is never another's. */
static void test_unknown_stacks_have_no_frames(void **state)
{
	static const struct {
		uint64_t id;
		enum stack_state state;
	} wanted[] = {
		{STACK_NONE, STACK_STATE_NONE},
		{STACK_FAILED, STACK_STATE_FAILED},
		{ID + 1, STACK_STATE_LOST},
	};
	const struct event *events;
	struct event_source *source;
	struct given given;

	(void)state;
	given_init(&given);
	give_note(&given, ID, 0, kernel, 3, user, 2);
	/* These ids are none of a stack, whatever a trace says. */
	give_note(&given, STACK_NONE, 0, kernel, 3, user, 2);
	give_note(&given, STACK_FAILED, 0, kernel, 3, user, 2);
	for (size_t i = 0; i < 3; i++)
		give_call(&given, wanted[i].id, "x");
	source = open_stacked(&given);
	assert_int_equal(source->ops->next(source, &events), 6);
	for (size_t i = 0; i < 3; i++) {
		assert_call(&events[3 + i], wanted[i].id, "x");
		assert_int_equal(number(&events[3 + i], STACK_STATE), wanted[i].state);
		assert_frames(&events[3 + i], STACK_KERNEL_STACK, NULL, 0);
		assert_frames(&events[3 + i], STACK_USER_STACK, NULL, 0);
	}
	source->ops->close(source);
	given_fini(&given);
}

static void name(struct given *given, uint64_t start, const char *text)
{
	assert_int_equal(symbols_add_kernel(given->info.symbols, start, 0x100, text, strlen(text)),
			 0);
}

/* What took the stack is left out, and no function of that name further out. */
static void test_tracing_is_left_out(void **state)
{
	uint64_t deep[STACK_FRAMES_OVER + 2];
	const struct event *events;
	struct event_source *source;
	struct given given;

	(void)state;
	given_init(&given);
	name(&given, KERNEL, "bpf_trace_run2");
	name(&given, KERNEL + 0x100, "__traceiter_sched_waking");
	name(&given, KERNEL + 0x200, "pipe_write");
	for (size_t i = 0; i < STACK_FRAMES_OVER + 2; i++)
		deep[i] = KERNEL + 0x210;
	deep[STACK_FRAMES_OVER + 1] = KERNEL + 0x10;
	give_note(&given, ID, 0, kernel, 3, user, 2);
	give_note(&given, ID + 1, 0, deep, STACK_FRAMES_OVER + 2, user, 0);
	give_call(&given, ID, "x");
	give_call(&given, ID + 1, "x");
	source = open_stacked(&given);
	assert_int_equal(source->ops->next(source, &events), 4);
	assert_frames(&events[2], STACK_KERNEL_STACK, kernel + 2, 1);
	assert_int_equal(number(&events[2], STACK_KERNEL_DEPTH), 1);
	assert_frames(&events[2], STACK_USER_STACK, user, 2);
	assert_frames(&events[3], STACK_KERNEL_STACK, deep, STACK_FRAMES_OVER + 2);
	source->ops->close(source);
	given_fini(&given);
}

/* Nothing is put over a source that has no such events, nor over a class that has these fields already. */
static void test_other_sources_stay(void **state)
{
	static const struct event_class *const plain[] = {&note_class, &plain_class};
	struct event_source *source;
	struct given given;

	(void)state;
	given_init(&given);
	given.info.classes = plain;
	given.info.class_count = 2;
	source = open_stacked(&given);
	assert_ptr_equal(source, &given.source);
	given_fini(&given);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_events_get_their_stack),
		cmocka_unit_test(test_unknown_stacks_have_no_frames),
		cmocka_unit_test(test_tracing_is_left_out),
		cmocka_unit_test(test_other_sources_stay),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
