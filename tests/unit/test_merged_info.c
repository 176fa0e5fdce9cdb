// SPDX-License-Identifier: BSD-2-Clause
#include "trace/merged_info.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "schema/lost.h"

static const struct event_class one = {.id = 1, .name = "same", .stream = 0, .index = 1};
static const struct event_class two = {.id = 2, .name = "other", .stream = 1, .index = 2};
static const struct event_class three = {.id = 1, .name = "same", .stream = 0, .index = 1};

static const struct event_class *const first_classes[] = {&lost_class, &one, &two};
static const struct event_class *const second_classes[] = {&lost_class, &three};
static const struct trace_stream first_streams[] = {{.id = 7, .has_cpu = true}, {.id = 9}};
static const struct trace_clock clocks[] = {{"boot", NULL, 5},
					    {"boot", NULL, 5},
					    {"boot", NULL, 6}};

static const struct trace_env first_env[] = {
	{.name = "hostname", .text = "a"},	{.name = "tracer", .text = "t"},
	{.name = "number", .number = 1},	{.name = "machine", .text = "m"},
	{.name = "syscalls", .text = "0 read"}, {.name = "sonde_filtered", .number = 1},
};
static const struct trace_env second_env[] = {
	{.name = "hostname", .text = "b"},
	{.name = "tracer", .text = "t"},
	{.name = "number", .number = 2},
	{.name = "machine", .text = "m"},
	{.name = "syscalls", .text = "0 read,1 write"},
};

static struct trace_info first_info(void)
{
	return (struct trace_info){.class_count = 3,
				   .classes = first_classes,
				   .env_count = 6,
				   .env = first_env,
				   .stream_count = 2,
				   .streams = first_streams,
				   .clock = &clocks[0],
				   .bytes = 10,
				   .packets = 1};
}

/* It does not tell of streams. */
static struct trace_info second_info(void)
{
	return (struct trace_info){.class_count = 2,
				   .classes = second_classes,
				   .env_count = 5,
				   .env = second_env,
				   .clock = &clocks[1],
				   .bytes = 20,
				   .packets = 2};
}

struct fixture {
	struct trace_info infos[2];
	struct merged_info merged;
};

static int set_up(void **state)
{
	static struct fixture fix;
	const struct trace_info *infos[] = {&fix.infos[0], &fix.infos[1]};

	fix.infos[0] = first_info();
	fix.infos[1] = second_info();
	*state = &fix;
	return merged_info_init(&fix.merged, infos, 2);
}

static int tear_down(void **state)
{
	merged_info_fini(&((struct fixture *)*state)->merged);
	return 0;
}

static void classes_stay_apart(void **state)
{
	struct merged_info *merged = &((struct fixture *)*state)->merged;

	assert_int_equal(merged->info.class_count, 4);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(merged->info.classes[i]->index, i);
	assert_ptr_equal(merged->info.classes[0], &lost_class);
	assert_string_equal(merged->info.classes[1]->name, "same");
	assert_string_equal(merged->info.classes[3]->name, "same");
	assert_ptr_equal(merged->parts[1].classes[0], &lost_class);
	assert_ptr_equal(merged->parts[1].classes[1], merged->info.classes[3]);
}

static void streams_stay_apart(void **state)
{
	struct merged_info *merged = &((struct fixture *)*state)->merged;

	assert_int_equal(merged->info.stream_count, 3);
	assert_int_equal(merged->info.streams[1].id, 9);
	assert_true(merged->info.streams[0].has_cpu);
	assert_false(merged->info.streams[2].has_cpu);
	assert_int_equal(merged->info.streams[0].trace, 1);
	assert_int_equal(merged->info.streams[2].trace, 2);
	assert_int_equal(merged->info.classes[2]->stream, 1);
	assert_int_equal(merged->info.classes[3]->stream, 2);
	assert_int_equal(merged->parts[1].first_stream, 2);
}

static void expect_text(const struct merged_info *merged, const char *name, const char *text)
{
	const struct trace_env *env = trace_info_env(&merged->info, name);

	if (!text)
		assert_null(env);
	else
		assert_string_equal(env->text, text);
}

static void what_all_say_is_said_once(void **state)
{
	struct merged_info *merged = &((struct fixture *)*state)->merged;

	expect_text(merged, "tracer", "t");
	expect_text(merged, "trace1_tracer", NULL);
	expect_text(merged, "hostname", NULL);
	expect_text(merged, "trace1_hostname", "a");
	expect_text(merged, "trace2_hostname", "b");
	expect_text(merged, "syscalls", "0 read,1 write"); /* who knows more */
	assert_int_equal(trace_info_env(&merged->info, "trace2_number")->number, 2);
	assert_true(trace_info_is_filtered(&merged->info));
	assert_int_equal(merged->info.env_count, 9);
}

/* It was made of two, which the environment tells as well. */
static void a_source_of_several_traces_stays_several(void **state)
{
	static const struct trace_stream streams[] = {{.trace = 2}, {.trace = 1}, {.trace = 0}};
	static const struct trace_env env[] = {{.name = "trace2_hostname", .text = "c"},
					       {.name = "trace2_", .text = "d"},
					       {.name = "sonde_stream_traces", .text = "0 2,1 1"}};
	struct fixture *fix = *state;
	struct trace_info both = {
		.stream_count = 3, .streams = streams, .env_count = 3, .env = env};
	const struct trace_info *infos[] = {&fix->infos[1], &both, &fix->infos[1]};
	const struct trace_stream *got;

	merged_info_fini(&fix->merged);
	assert_int_equal(merged_info_init(&fix->merged, infos, 3), 0);
	got = fix->merged.info.streams;
	assert_int_equal(fix->merged.info.stream_count, 5);
	assert_int_equal(got[0].trace, 1);
	assert_int_equal(got[1].trace, 3);
	assert_int_equal(got[2].trace, 2);
	assert_int_equal(got[3].trace, 2);
	assert_int_equal(got[4].trace, 4);
	expect_text(&fix->merged, "trace1_hostname", "b");
	expect_text(&fix->merged, "trace3_hostname", "c");
	expect_text(&fix->merged, "trace4_hostname", "b");
	expect_text(&fix->merged, "trace3_", "d");
	expect_text(&fix->merged, "sonde_stream_traces", NULL);
	expect_text(&fix->merged, "trace2_sonde_stream_traces", NULL);
}

/* What was learnt of a trace is kept by its number. */
static void numbers_stay_when_a_source_has_more_traces(void **state)
{
	static const struct trace_stream streams[] = {{.trace = 1}, {.trace = 2}, {.trace = 3}};
	struct fixture *fix = *state;
	struct trace_info more = fix->infos[0];
	const struct trace_info *infos[] = {&more, &fix->infos[1]};
	const struct trace_stream *got;

	more.streams = streams;
	assert_int_equal(merged_info_renew(&fix->merged, infos, 2), 0); /* its first two streams */
	got = fix->merged.info.streams;
	assert_int_equal(got[0].trace, 1);
	assert_int_equal(got[1].trace, 3);
	assert_int_equal(got[2].trace, 2);
	more.stream_count = 3;
	assert_int_equal(merged_info_renew(&fix->merged, infos, 2), 0);
	got = fix->merged.info.streams;
	assert_int_equal(got[0].trace, 1);
	assert_int_equal(got[1].trace, 3);
	assert_int_equal(got[2].trace, 4);
	assert_int_equal(got[3].trace, 2);
}

static void the_clock_is_that_of_all(void **state)
{
	struct fixture *fix = *state;
	const struct trace_info *infos[] = {&fix->infos[0], &fix->infos[1]};

	assert_int_equal(fix->merged.info.clock->offset_ns, 5);
	fix->infos[1].clock = &clocks[2]; /* it was set in between */
	merged_info_fini(&fix->merged);
	assert_int_equal(merged_info_init(&fix->merged, infos, 2), 0);
	assert_null(fix->merged.info.clock);
}

static void sizes_are_summed_up(void **state)
{
	struct fixture *fix = *state;

	assert_int_equal(fix->merged.info.bytes, 30);
	fix->infos[1].packets = 40;
	merged_info_count(&fix->merged);
	assert_int_equal(fix->merged.info.packets, 41);
}

#define INFO_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

/* Two kernels, or two processes of one number, have different code at one address. */
static void each_trace_keeps_its_symbols(void **state)
{
	struct fixture *fix = *state;
	struct symbols *const mine = (struct symbols *)&fix->infos[0];
	struct symbols *const other = (struct symbols *)&fix->infos[1];
	struct merged_info again;
	const struct trace_info *whole = &again.info;
	const struct trace_info *infos[] = {&fix->infos[0], &fix->infos[1]};

	fix->infos[0].symbols = mine;
	fix->infos[1].symbols = other;
	assert_int_equal(merged_info_init(&again, infos, 2), 0);
	assert_ptr_equal(trace_info_symbols(whole, whole->classes[1]->stream), mine);
	assert_ptr_equal(trace_info_symbols(whole, whole->classes[2]->stream), mine);
	assert_ptr_equal(trace_info_symbols(whole, whole->classes[3]->stream), other);
	assert_null(trace_info_symbols(whole, 99));
	assert_ptr_equal(trace_info_symbols(infos[1], 99), other);
	merged_info_fini(&again);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		INFO_TEST(classes_stay_apart),
		INFO_TEST(streams_stay_apart),
		INFO_TEST(what_all_say_is_said_once),
		INFO_TEST(the_clock_is_that_of_all),
		INFO_TEST(sizes_are_summed_up),
		INFO_TEST(a_source_of_several_traces_stays_several),
		INFO_TEST(each_trace_keeps_its_symbols),
		INFO_TEST(numbers_stay_when_a_source_has_more_traces),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
