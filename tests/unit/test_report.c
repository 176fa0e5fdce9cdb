// SPDX-License-Identifier: BSD-2-Clause
#include "output/report.h"

#include "view_fixture.h"

#include "output/report_kind.h"

enum kind {
	KIND_SYSCALLS = 1u << 0,
	KIND_SCHED = 1u << 1,
};

/* The fixture's switches do not say why a task leaves, and nobody is woken there. */
static void init(struct fixture *f, const char *pattern)
{
	static const struct field state_fields[] = {{U(32, "next_tid")},
						    {TEXT16("prev_comm")},
						    {TEXT16("next_comm")},
						    {U(32, "prev_state")}};
	static const struct field wake_fields[] = {{U(32, "wake_tid")}};

	fixture_init(f, pattern);
	f->made[FIXTURE_SWITCH].fields = state_fields;
	f->made[FIXTURE_SWITCH].field_count = 4;
	f->offsets[FIXTURE_SWITCH][3] = 32 + 128 + 128;
	f->made[FIXTURE_MISC].name = "sched.wakeup";
	f->made[FIXTURE_MISC].fields = wake_fields;
	f->made[FIXTURE_MISC].field_count = 1;
	f->offsets[FIXTURE_MISC][0] = 0;
}

static void put_switch(struct fixture *f, int64_t ns, int32_t cpu, int32_t prev, uint32_t state,
		       int32_t next)
{
	fixture_switch(f, ns, cpu, prev, prev == 42 ? "nginx" : "", next,
		       next == 42 ? "nginx" : "");
	fixture_uint(f, state, 4);
}

static void put_wakeup(struct fixture *f, int64_t ns, int32_t tid)
{
	fixture_event(f, FIXTURE_MISC, ns, 0, 0);
	fixture_uint(f, (uint32_t)tid, 4);
}

static void add_calls(struct fixture *f)
{
	fixture_enter(f, 1000, 42, 39, false);
	fixture_exit(f, 3000, 42, 39, 42);
	fixture_enter(f, 4000, 42, 0, false);
	fixture_enter(f, 5000, 43, 0, false);
	fixture_exit(f, 8000, 42, 0, -11);
	fixture_lost(f, 8500, 1, 7, 2, 0);
	fixture_exit(f, 9000, 43, 0, 10); /* across a loss: not matched */
	fixture_exit(f, 9500, 44, 5000, -1); /* never began, no such number */
}

static void add_switches(struct fixture *f)
{
	put_wakeup(f, 10000, 42);
	put_switch(f, 10100, 0, 0, 0, 42);
	put_switch(f, 10300, 0, 42, 0, 43); /* 42 is preempted, by a task that nobody woke */
	put_switch(f, 10700, 1, 0, 0, 42);
	put_switch(f, 10800, 1, 42, 1, 0);
	put_wakeup(f, 11000, 42);
	fixture_lost(f, 11050, 1, 1, 0, 0);
	put_switch(f, 11100, 0, 43, 1, 42); /* across a loss */
}

static const char *run(struct fixture *f, const struct report_options *options)
{
	return fixture_run(f, report_new(&f->view, options));
}

static void test_syscalls(void **state)
{
	const struct report_options options = {.form = REPORT_JSON};
	struct fixture f;

	(void)state;
	init(&f, NULL);
	add_calls(&f);
	assert_string_equal(
		run(&f, &options),
		"{\"duration_ns\":8500,\"lost\":0,\"packets_overwritten\":0,\"reports\":{"
		"\"syscalls\":{\"calls\":4,\"errors\":2,\"unmatched\":3,\"count\":2,"
		"\"total_ns\":6000,\"min_ns\":2000,\"avg_ns\":3000,\"p50_ns\":2047,"
		"\"p90_ns\":4000,\"p99_ns\":4000,\"max_ns\":4000,\"histogram\":["
		"{\"from_ns\":1984,\"to_ns\":2048,\"count\":1},"
		"{\"from_ns\":3968,\"to_ns\":4096,\"count\":1}],\"by_call\":["
		"{\"compat\":false,\"nr\":0,\"name\":\"read\",\"calls\":2,\"errors\":1,"
		"\"unmatched\":2,\"count\":1,\"total_ns\":4000,\"min_ns\":4000,\"avg_ns\":4000,"
		"\"p50_ns\":4000,\"p90_ns\":4000,\"p99_ns\":4000,\"max_ns\":4000,\"histogram\":["
		"{\"from_ns\":3968,\"to_ns\":4096,\"count\":1}]},"
		"{\"compat\":false,\"nr\":39,\"name\":\"getpid\",\"calls\":1,\"errors\":0,"
		"\"unmatched\":0,\"count\":1,\"total_ns\":2000,\"min_ns\":2000,\"avg_ns\":2000,"
		"\"p50_ns\":2000,\"p90_ns\":2000,\"p99_ns\":2000,\"max_ns\":2000,\"histogram\":["
		"{\"from_ns\":1984,\"to_ns\":2048,\"count\":1}]},"
		"{\"compat\":false,\"calls\":1,\"errors\":1,\"unmatched\":1,\"count\":0,"
		"\"total_ns\":0,\"histogram\":[]}]}}}\n");
	fixture_fini(&f);
}

static void test_sched(void **state)
{
	const struct report_options options = {.form = REPORT_JSON};
	struct fixture f;

	(void)state;
	init(&f, NULL);
	add_switches(&f);
	assert_string_equal(
		run(&f, &options),
		"{\"duration_ns\":1100,\"lost\":0,\"packets_overwritten\":0,\"reports\":{\"sched\":{"
		"\"cpu_ns\":1100,\"switches\":3,\"voluntary\":2,\"involuntary\":1,\"cpus\":[0,1],"
		"\"unmatched\":2,\"woken\":{\"count\":1,\"total_ns\":100,\"min_ns\":100,"
		"\"avg_ns\":100,\"p50_ns\":100,\"p90_ns\":100,\"p99_ns\":100,\"max_ns\":100,"
		"\"histogram\":[{\"from_ns\":100,\"to_ns\":104,\"count\":1}]},"
		"\"preempted\":{\"count\":1,\"total_ns\":400,\"min_ns\":400,\"avg_ns\":400,"
		"\"p50_ns\":400,\"p90_ns\":400,\"p99_ns\":400,\"max_ns\":400,"
		"\"histogram\":[{\"from_ns\":400,\"to_ns\":416,\"count\":1}]},\"tasks\":["
		"{\"tid\":42,\"comm\":\"nginx\",\"cpu_ns\":300,\"switches\":2,\"voluntary\":1,"
		"\"involuntary\":1,\"cpus\":[0,1],\"unmatched\":1,\"woken\":{\"count\":1,"
		"\"total_ns\":100,\"min_ns\":100,\"avg_ns\":100,\"p50_ns\":100,\"p90_ns\":100,"
		"\"p99_ns\":100,\"max_ns\":100,\"histogram\":["
		"{\"from_ns\":100,\"to_ns\":104,\"count\":1}]},"
		"\"preempted\":{\"count\":1,\"total_ns\":400,\"max_ns\":400}},"
		"{\"tid\":43,\"cpu_ns\":800,\"switches\":1,\"voluntary\":1,\"involuntary\":0,"
		"\"cpus\":[0],\"unmatched\":1,\"woken\":{\"count\":0,\"total_ns\":0,"
		"\"histogram\":[]},\"preempted\":{\"count\":0,\"total_ns\":0}}]}}}\n");
	fixture_fini(&f);
}

static void test_text(void **state)
{
	const struct report_options options = {.rows = 1, .histograms = true};
	const char *text, *line;
	struct fixture f;

	(void)state;
	init(&f, NULL);
	add_calls(&f);
	add_switches(&f);
	text = run(&f, &options);
	assert_non_null(strstr(text, "System calls: 2 timed, 6.00 us\n"));
	assert_non_null(strstr(text, "... and 2 more\n3 beginnings or ends of calls"));
	assert_non_null(strstr(text, "\nread\n    2.05 us - 4.10 us "));
	assert_null(strstr(text, "\ngetpid\n"));
	assert_non_null(strstr(text, "Scheduler: 1 wait of woken tasks, 100 ns; "
				     "1 wait of preempted tasks, 400 ns\n"));
	assert_non_null(strstr(text, "\nnginx:42\n      64 ns - 128 ns "));
	assert_non_null(strstr(text, "\n2 times since when a task had waited is not known: not "
				     "counted (1 of nginx:42)\n"));
	for (line = text; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
		assert_true(strcspn(line, "\n") <= 100);
	fixture_fini(&f);
}

/* What was asked for, and of that what has events that are shown. */
static void test_choice(void **state)
{
	const struct report_options both = {.form = REPORT_JSON};
	const struct report_options calls = {.form = REPORT_JSON, .kinds = KIND_SYSCALLS};
	const struct report_options sched = {.form = REPORT_JSON, .kinds = KIND_SCHED};
	const char *text;
	struct fixture f;

	(void)state;
	init(&f, NULL);
	add_calls(&f);
	assert_null(strstr(run(&f, &both), "\"sched\""));
	fixture_fini(&f);
	init(&f, NULL);
	add_calls(&f);
	add_switches(&f);
	assert_null(strstr(run(&f, &calls), "\"sched\""));
	fixture_fini(&f);
	init(&f, NULL);
	add_calls(&f);
	assert_non_null(strstr(run(&f, &sched), "\"reports\":{}}\n"));
	fixture_fini(&f);
	init(&f, "sys.exit");
	add_calls(&f);
	add_switches(&f);
	text = run(&f, &both);
	assert_null(strstr(text, "\"sched\""));
	assert_non_null(strstr(text, "\"calls\":4,\"errors\":2,\"unmatched\":4,\"count\":0"));
	fixture_fini(&f);
}

static void test_has(void **state)
{
	const struct report_options options = {.form = REPORT_JSON};
	struct event_sink *sink;
	struct fixture f;
	size_t i;

	(void)state;
	init(&f, NULL);
	add_calls(&f);
	sink = report_new(&f.view, &options);
	assert_non_null(sink);
	assert_false(report_has(sink, 0));
	assert_int_equal(sink->ops->batch(sink, f.events, f.count), 0);
	assert_true(report_has(sink, 0));
	assert_false(report_has(sink, 1));
	assert_string_equal(report_kind_get(0)->name, "syscalls");
	assert_string_equal(report_kind_get(1)->name, "sched");
	for (i = 0; report_kind_get(i); i++) {
		/* Those without a model of their own group. */
		assert_true(report_kind_get(i)->new || report_kind_get(i)->only_named);
		assert_true(report_kind_get(i)->part_count); /* else it would have no CSV */
	}
	assert_false(report_has(sink, i));
	sink->ops->free(sink);
	fixture_fini(&f);
}

static void test_empty(void **state)
{
	const struct report_options text = {.rows = 10}, json = {.form = REPORT_JSON};
	struct fixture f;

	(void)state;
	init(&f, NULL);
	assert_string_equal(run(&f, &text), "");
	fixture_fini(&f);
	init(&f, NULL);
	assert_string_equal(run(&f, &json), "{\"duration_ns\":0,\"lost\":0,"
					    "\"packets_overwritten\":0,\"reports\":{}}\n");
	fixture_fini(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_syscalls), cmocka_unit_test(test_sched),
		cmocka_unit_test(test_text),	 cmocka_unit_test(test_choice),
		cmocka_unit_test(test_has),	 cmocka_unit_test(test_empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
