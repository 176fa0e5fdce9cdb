// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/sample_stats.h"

#include "view_fixture.h"

#include "output/folded.h"
#include "schema/class_table.h"

#define INNER 0xffffffff81002010ull
#define OUTER 0xffffffff81001010ull
#define PROGRAM 0x400100ull

static struct sample_stats stats;
static struct fixture f;

static int set_up(void **state)
{
	(void)state;
	fixture_init(&f, NULL);
	fixture_symbols(&f);
	return sample_stats_init(&stats, true);
}

static int tear_down(void **state)
{
	(void)state;
	sample_stats_fini(&stats);
	fixture_fini(&f);
	return 0;
}

/* Counts the fixture's samples, all of a task called "a b". */
static void count_all(void)
{
	static const struct task_name name = {"a b", 3};
	struct sample_fields fields;

	assert_true(sample_fields_find(&fields, f.classes[FIXTURE_SAMPLE]));
	for (size_t i = 0; i < f.count; i++)
		sample_stats_count(&stats, &fields, &f.info, &name, &f.events[i]);
}

static const struct function_count *function(const char *name)
{
	for (size_t i = 0; i < stats.function_count; i++) {
		const char *one = stats.functions[i].function;

		if (one ? !strcmp(one, name) : !*name && !stats.functions[i].module)
			return &stats.functions[i];
	}
	fail_msg("no function '%s'", name);
	return NULL;
}

static void only_samples_are_samples(void **state)
{
	struct sample_fields fields;

	(void)state;
	for (enum fixture_class class = FIXTURE_ENTER; class < FIXTURE_SAMPLE; class ++)
		assert_false(sample_fields_find(&fields, f.classes[class]));
}

static void states_and_processes_are_counted_and_idle_is_no_process(void **state)
{
	const struct process_count **list;
	size_t count;

	(void)state;
	fixture_sample(&f, 0, 7, SAMPLE_USER, PROGRAM);
	fixture_sample(&f, 1, 7, SAMPLE_SYS, INNER);
	fixture_sample(&f, 2, 8, SAMPLE_NICE, PROGRAM);
	fixture_sample(&f, 3, 0, SAMPLE_IDLE, OUTER);
	fixture_sample(&f, 4, 9, 12345, OUTER); /* no state that we know: it did run */
	count_all();
	assert_int_equal(stats.samples, 5);
	assert_int_equal(stats.states[SAMPLE_SYS], 2);
	assert_int_equal(sample_stats_busy(&stats), 4);
	list = sample_stats_rank_processes(&stats, &count);
	assert_int_equal(count, 3);
	assert_int_equal(list[0]->pid, 7);
	assert_int_equal(list[0]->samples, 2);
	assert_int_equal(list[0]->states[SAMPLE_USER], 1);
	assert_int_equal(list[1]->pid, 8);
	assert_int_equal(list[2]->pid, 9);
	free(list);
	assert_int_equal(function("outer")->self, 1);
	assert_int_equal(function("")->self, 1); /* nothing is known of process 8 */
	assert_false(stats.stacks);
}

#define NUMBER(name_, slot)                                                \
	{                                                                  \
		.name = (name_), .bits = 64, .align_bits = 64, .count = 1, \
		.offset_bits = 64 * (slot)                                 \
	}

/* The timer of an idle CPU rests: one event stands for those samples too. */
static void samples_of_an_idle_cpu_are_counted(void **state)
{
	static const struct field list[] = {NUMBER("pc", 0), NUMBER("pid", 1), NUMBER("state", 2),
					    NUMBER("idle", 3)};
	const struct class_plan plan = {
		.name = "cpu.sample", .fields = list, .field_count = 4, .payload_bytes = 32};
	static const uint64_t payloads[][4] = {{PROGRAM, 7, SAMPLE_USER, 40},
					       {0, 0, SAMPLE_IDLE, 58}};
	static const struct task_name name = {"a", 1};
	struct class_table *table = class_table_new();
	const struct event_class *class = class_table_add(table, &plan);
	struct sample_fields fields;

	(void)state;
	assert_true(sample_fields_find(&fields, class));
	for (size_t i = 0; i < 2; i++) {
		const struct event event = {
			.class = class,
			.payload = (const uint8_t *)payloads[i],
			.offsets = class->offsets,
		};

		sample_stats_count(&stats, &fields, &f.info, &name, &event);
	}
	assert_int_equal(stats.samples, 100);
	assert_int_equal(stats.states[SAMPLE_IDLE], 99);
	assert_int_equal(sample_stats_busy(&stats), 1);
	class_table_free(table);
}

static void who_calls_is_counted_once_a_sample(void **state)
{
	const uint64_t deep[] = {INNER, OUTER, INNER, OUTER}, user[] = {PROGRAM};
	const struct function_count **list;
	size_t count;

	(void)state;
	fixture_stacks(&f, 0, 7, SAMPLE_SYS, deep, 4, user, 1, INNER);
	fixture_stacks(&f, 1, 7, SAMPLE_SYS, deep + 1, 1, user, 1, OUTER);
	count_all();
	assert_true(stats.stacks);
	assert_int_equal(function("in\"ner")->self, 1);
	assert_int_equal(function("in\"ner")->total, 1);
	assert_int_equal(function("outer")->self, 1);
	assert_int_equal(function("outer")->total, 2);
	assert_true(function("outer")->kernel);
	list = sample_stats_rank_functions(&stats, &count);
	assert_int_equal(count, 3);
	assert_string_equal(list[0]->function, "outer");
	assert_null(list[2]->function);
	assert_string_equal(list[2]->module, "program");
	assert_int_equal(list[2]->self, 0);
	assert_int_equal(list[2]->total, 2);
	free(list);
}

static void stacks_are_folded(void **state)
{
	const uint64_t kernel[] = {INNER, OUTER}, user[] = {PROGRAM, 5};
	struct buffer out;

	(void)state;
	fixture_stacks(&f, 0, 7, SAMPLE_SYS, kernel, 2, user, 2, INNER);
	fixture_stacks(&f, 1, 7, SAMPLE_SYS, kernel, 2, user, 2, INNER);
	fixture_stacks(&f, 2, 7, SAMPLE_USER, NULL, 0, user, 2, PROGRAM);
	fixture_sample(&f, 3, 7, SAMPLE_SYS, OUTER);
	fixture_sample(&f, 4, 0, SAMPLE_IDLE, OUTER);
	count_all();
	buffer_init(&out);
	assert_int_equal(folded_write(&stats, &out), 0);
	buffer_char(&out, '\0');
	assert_string_equal(out.data, "a_b;[unknown];[program] 1\n"
				      "a_b;[unknown];[program];outer_[k];in\"ner_[k] 2\n"
				      "a_b;outer_[k] 1\n");
	buffer_fini(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(only_samples_are_samples, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			states_and_processes_are_counted_and_idle_is_no_process, set_up, tear_down),
		cmocka_unit_test_setup_teardown(samples_of_an_idle_cpu_are_counted, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(who_calls_is_counted_once_a_sample, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(stacks_are_folded, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
