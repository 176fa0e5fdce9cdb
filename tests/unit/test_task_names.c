// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/task_names.h"

#include "view_fixture.h"

static void check(struct fixture *f, int32_t tid, const char *expected)
{
	const struct task_name *name =
		task_names_get(f->view.analysis.names, f->classes[FIXTURE_SWITCH], tid);

	assert_int_equal(TASK_NAME_LEN(name), strlen(expected));
	assert_memory_equal(name->text, expected, strlen(expected));
}

static void test_learns_from_events(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, NULL);
	fixture_task(&f, 0, 42, "nginx");
	fixture_switch(&f, 0, 0, 43, "bash", 44, "exactly15bytes!");
	fixture_switch(&f, 0, 0, 44, "renamed", 0, "swapper/0");
	fixture_exit(&f, 0, 45, 39, 0);
	analysis_learn_batch(&f.view.analysis, f.events, f.count);
	check(&f, 42, "nginx");
	check(&f, 43, "bash");
	check(&f, 44, "renamed");
	check(&f, 45, "");
	check(&f, 0, "swapper");
	check(&f, -1, "");
	check(&f, INT32_MAX, "");
	assert_true(task_names_has(f.view.analysis.names, f.classes[FIXTURE_SWITCH]));
	assert_false(task_names_has(f.view.analysis.names, f.classes[FIXTURE_EXIT]));
	fixture_fini(&f);
}

static void test_many_tasks_and_odd_names(void **state)
{
	struct fixture f;
	char text[16];
	int32_t tid;

	(void)state;
	fixture_init(&f, NULL);
	for (tid = 1; tid < 5000; tid++)
		task_names_set(f.view.analysis.names, 0, tid * 800, text,
			       (size_t)snprintf(text, sizeof(text), "t%d", tid));
	check(&f, 800, "t1");
	check(&f, 4999 * 800, "t4999");
	task_names_set(f.view.analysis.names, 0, 7, "\x1b[2J", 4);
	assert_true(task_names_get(f.view.analysis.names, NULL, 7)->len & TASK_NAME_ODD);
	task_names_set(f.view.analysis.names, 0, 7, "fine", 4);
	check(&f, 7, "fine");
	assert_false(task_names_get(f.view.analysis.names, NULL, 7)->len & TASK_NAME_ODD);
	task_names_set(f.view.analysis.names, 0, 7, "longer than a name can be", 25);
	check(&f, 7, "longer than a n");
	fixture_fini(&f);
}

/* Its beginning may be before the recording. */
static void test_interrupts_have_numbers_until_they_have_names(void **state)
{
	static const struct field fields[] = {{.name = "irq", .bits = 32, .count = 1}};
	static const uint32_t offsets[] = {0};
	const struct event_class class = {
		.name = "irq.exit", .field_count = 1, .fields = fields, .offsets = offsets};
	const struct event_class *const classes[] = {&class};
	const struct trace_info info = {.classes = classes, .class_count = 1};
	struct task_names *names = task_names_new(&info);
	const uint32_t numbers[] = {27, 0, UINT32_MAX};

	(void)state;
	assert_non_null(names);
	assert_true(task_names_has(names, &class));
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		task_names_learn(names, &(struct event){.class = &class,
							.payload = (const uint8_t *)&numbers[i],
							.offsets = offsets});
	assert_string_equal(task_names_get(names, &class, OWNER_IRQ(27))->text, "irq 27");
	assert_string_equal(task_names_get(names, &class, OWNER_IRQ(0))->text, "irq 0");
	task_names_set(names, 0, OWNER_IRQ(27), "eth0", 5);
	task_names_learn(names, &(struct event){.class = &class,
						.payload = (const uint8_t *)&numbers[0],
						.offsets = offsets});
	assert_string_equal(task_names_get(names, &class, OWNER_IRQ(27))->text, "eth0");
	task_names_free(names);
}

static void test_processes(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, NULL);
	fixture_task(&f, 0, 42, "nginx");
	fixture_event(&f, FIXTURE_TASK, 0, 0, -1);
	fixture_uint(&f, 43, 4);
	fixture_uint(&f, 42, 4);
	fixture_text16(&f, "worker");
	fixture_event(&f, FIXTURE_TASK, 0, 0, -1);
	fixture_uint(&f, 44, 4);
	fixture_uint(&f, TID_LIMIT, 4); /* no process has that number */
	fixture_text16(&f, "odd");
	analysis_learn_batch(&f.view.analysis, f.events, f.count);
	assert_int_equal(task_names_pid(f.view.analysis.names, NULL, 42), 42);
	assert_int_equal(task_names_pid(f.view.analysis.names, NULL, 43), 42);
	assert_int_equal(task_names_pid(f.view.analysis.names, NULL, 44), 0);
	assert_int_equal(task_names_pid(f.view.analysis.names, NULL, 45), 0);
	assert_int_equal(task_names_pid(f.view.analysis.names, NULL, -1), 0);
	fixture_fini(&f);
}

/* The fixture's class of switches once more, as another host's. */
static void test_each_trace_has_its_own_tasks(void **state)
{
	static const struct trace_stream streams[] = {{.trace = 1}, {.trace = 2}};
	const struct event_class *classes[FIXTURE_CLASSES + 1];
	struct event_class other;
	const struct trace_info info = {.class_count = FIXTURE_CLASSES + 1,
					.classes = classes,
					.stream_count = 2,
					.streams = streams};
	struct task_names *names;
	struct fixture f;

	(void)state;
	fixture_init(&f, NULL);
	memcpy(classes, f.classes, sizeof(f.classes));
	other = *f.classes[FIXTURE_SWITCH];
	other.stream = 1;
	other.index = FIXTURE_CLASSES;
	classes[FIXTURE_CLASSES] = &other;
	names = task_names_new(&info);
	fixture_switch(&f, 0, 0, 43, "bash", 44, "nginx");
	fixture_switch(&f, 0, 0, 43, "sshd", 45, "cron");
	f.events[1].class = &other;
	task_names_learn(names, &f.events[0]);
	task_names_learn(names, &f.events[1]);
	assert_memory_equal(task_names_get(names, classes[FIXTURE_EXIT], 43)->text, "bash", 5);
	assert_memory_equal(task_names_get(names, &other, 43)->text, "sshd", 5);
	assert_int_equal(task_names_get(names, &other, 44)->len, 0);
	assert_memory_equal(task_names_get(names, &other, 0)->text, "swapper", 7);
	/* Whoever knows it. */
	assert_memory_equal(task_names_get(names, NULL, 43)->text, "bash", 5);
	assert_memory_equal(task_names_get(names, NULL, 45)->text, "cron", 5);
	task_names_set_pid(names, 2, 43, 40);
	task_names_set_cgroup(names, 1, 43, 9);
	assert_int_equal(task_names_pid(names, &other, 43), 40);
	assert_int_equal(task_names_pid(names, classes[FIXTURE_EXIT], 43), 0);
	assert_int_equal(task_names_cgroup(names, &other, 43), 0);
	assert_int_equal(task_names_cgroup(names, classes[FIXTURE_EXIT], 43), 9);
	task_names_free(names);
	fixture_fini(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_learns_from_events),
		cmocka_unit_test(test_many_tasks_and_odd_names),
		cmocka_unit_test(test_processes),
		cmocka_unit_test(test_interrupts_have_numbers_until_they_have_names),
		cmocka_unit_test(test_each_trace_has_its_own_tasks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
