// SPDX-License-Identifier: BSD-2-Clause
#include "graph/timeline.h"

#include "view_fixture.h"

#define STEP 1000000ll /* ns: stretches of time are shorter */

enum { LOST, SWITCH, WAKING, EXIT, CALL, RETURN, CLASSES };

static const struct field sched_switch_fields[] = {{U(32, "next_tid")}, {U(32, "prev_state")}};
static const struct field waking_fields[] = {{U(32, "wake_tid")}};
static const struct field call_fields[] = {{U(32, "nr")}};
static const struct field return_fields[] = {{U(32, "nr")}, {U(32, "ret")}};
static const uint32_t offsets[] = {0, 32};

#define CLASS(index_, name_, fields_)                                             \
	{                                                                         \
		.name = name_, .field_count = sizeof(fields_) / sizeof(*fields_), \
		.fields = fields_, .offsets = offsets, .index = index_,           \
	}

static const struct event_class made[CLASSES] = {
	[SWITCH] = CLASS(SWITCH, "sched.switch", sched_switch_fields),
	[WAKING] = CLASS(WAKING, "sched.waking", waking_fields),
	[EXIT] = {.name = "sched.exit", .index = EXIT},
	[CALL] = CLASS(CALL, "sys.enter", call_fields),
	[RETURN] = CLASS(RETURN, "sys.exit", return_fields),
};
static const struct event_class *const classes[CLASSES] = {
	&lost_class, &made[SWITCH], &made[WAKING], &made[EXIT], &made[CALL], &made[RETURN]};

struct scene {
	struct trace_info info;
	struct analysis analysis;
	struct timeline timeline;
};

static void init(struct scene *s)
{
	s->info = (struct trace_info){.class_count = CLASSES, .classes = classes};
	s->analysis = (struct analysis){.info = &s->info};
	assert_int_equal(timeline_init(&s->timeline, &s->analysis, NULL), 0);
}

static void take(struct scene *s, int class, int64_t step, int32_t cpu, int32_t tid, uint32_t first,
		 uint32_t second)
{
	const uint32_t payload[] = {first, second};
	const struct event event = {
		.class = classes[class],
		.payload = (const uint8_t *)payload,
		.offsets = offsets,
		.time_ns = FIXTURE_EPOCH_NS + step * STEP,
		.cpu = cpu,
		.tid = tid,
	};

	assert_int_equal(timeline_take(&s->timeline, &event, true), 0);
}

/* @sleeps: the one that leaves. */
static void switches(struct scene *s, int64_t step, int32_t cpu, int32_t from, bool sleeps,
		     int32_t to)
{
	take(s, SWITCH, step, cpu, from, (uint32_t)to, sleeps);
}

static const struct timeline_task *task(const struct scene *s, int32_t tid)
{
	for (size_t i = 0; i < s->timeline.task_count; i++)
		if (s->timeline.tasks[i].tid == tid)
			return &s->timeline.tasks[i];
	fail();
	return NULL;
}

static void assert_task(const struct scene *s, int32_t tid, int64_t running, int64_t runnable,
			int64_t blocked)
{
	const uint64_t *ns = task(s, tid)->lane.total_ns;

	assert_int_equal(ns[LANE_RUNNING], running * STEP);
	assert_int_equal(ns[LANE_RUNNABLE], runnable * STEP);
	assert_int_equal(ns[LANE_BLOCKED], blocked * STEP);
}

static void test_states(void **state)
{
	struct scene s;

	(void)state;
	init(&s);
	switches(&s, 0, 0, 0, false, 7);
	switches(&s, 10, 0, 7, true, 8); /* 7 sleeps */
	take(&s, WAKING, 15, 1, 8, 7, 0);
	take(&s, WAKING, 16, 1, 8, 7, 0); /* it waits already */
	switches(&s, 18, 0, 8, false, 7); /* 8 could have run on */
	switches(&s, 20, 0, 7, true, 0);
	switches(&s, 22, 1, 0, false, 8); /* on another CPU */
	take(&s, EXIT, 24, 1, 8, 0, 0);
	switches(&s, 25, 1, 8, true, 0);
	switches(&s, 30, 1, 0, false, 0);
	assert_int_equal(timeline_end(&s.timeline), 0);
	assert_task(&s, 7, 12, 3, 15);
	assert_task(&s, 8, 11, 4, 0); /* it has ended */
	assert_int_equal(s.timeline.tasks[0].tid, 7);
	assert_int_equal(s.timeline.cpu_count, 2);
	assert_int_equal(s.timeline.cpus[0].lane.total_ns[LANE_RUNNING], 20 * STEP);
	assert_int_equal(s.timeline.cpus[1].lane.total_ns[LANE_RUNNING], 3 * STEP);
	timeline_fini(&s.timeline);
}

/* In a call is who waits in it, too; who is in nothing but calls is nowhere. */
static void test_calls(void **state)
{
	struct scene s;

	(void)state;
	init(&s);
	take(&s, RETURN, 0, 0, 7, 3, 0); /* whose beginning was not seen */
	take(&s, CALL, 1, 0, 7, 39, 0);
	take(&s, CALL, 1, 1, 9, 39, 0);
	switches(&s, 4, 0, 7, true, 0);
	switches(&s, 8, 0, 0, false, 7);
	take(&s, RETURN, 11, 0, 7, 39, 0);
	take(&s, CALL, 15, 0, 7, 60, 0);
	switches(&s, 18, 0, 7, false, 7);
	take(&s, EXIT, 19, 0, 7, 0, 0);
	switches(&s, 20, 0, 7, true, 0); /* and never returns from it */
	switches(&s, 30, 0, 0, false, 0);
	assert_int_equal(timeline_end(&s.timeline), 0);
	assert_int_equal(task(&s, 7)->calls.total_ns[LANE_RUNNING], 15 * STEP);
	assert_task(&s, 7, 12, 0, 4);
	assert_int_equal(s.timeline.task_count, 1);
	assert_int_equal(s.timeline.calls, 3);
	timeline_fini(&s.timeline);
}

/* Behind a loss nobody knows who runs. */
static void test_loss(void **state)
{
	struct lost_payload payload = {.count = 5};
	struct event lost = {.class = &lost_class,
			     .payload = (const uint8_t *)&payload,
			     .offsets = lost_class.offsets,
			     .time_ns = FIXTURE_EPOCH_NS + 10 * STEP,
			     .cpu = 0};
	struct scene s;

	(void)state;
	init(&s);
	switches(&s, 0, 0, 0, false, 7);
	assert_int_equal(timeline_take(&s.timeline, &lost, true), 0);
	switches(&s, 20, 0, 8, true, 0);
	assert_int_equal(timeline_end(&s.timeline), 0);
	assert_task(&s, 7, 10, 0, 0);
	assert_task(&s, 8, 0, 0, 0);
	assert_int_equal(s.timeline.lost, 5);
	timeline_fini(&s.timeline);
}

/* More than there are columns, and entries: sums stay. */
static void test_reduced(void **state)
{
	struct scene s;

	(void)state;
	init(&s);
	for (int i = 0; i < 200000; i++)
		switches(&s, i, 0, 100 + i % 500, false, 100 + (i + 1) % 500);
	assert_int_equal(timeline_end(&s.timeline), 0);
	assert_int_equal(s.timeline.task_count, 500);
	for (int32_t tid = 101; tid < 600; tid++)
		assert_int_equal(task(&s, tid)->lane.total_ns[LANE_RUNNING] +
					 task(&s, tid)->lane.total_ns[LANE_RUNNABLE],
				 (200000 - (tid - 100)) * STEP);
	assert_in_range(s.timeline.cpus[0].lane.count, 1, TIMELINE_COLUMNS);
	timeline_fini(&s.timeline);
}

/* Of chosen CPUs: who ran there, with what it did elsewhere. */
static void test_cpus(void **state)
{
	struct cpu_set chosen = {0};
	struct scene s;

	(void)state;
	init(&s);
	cpu_set_add(&chosen, 1);
	s.timeline.chosen = &chosen;
	switches(&s, 0, 0, 0, true, 100);
	switches(&s, 0, 1, 0, true, 101);
	switches(&s, 10, 1, 101, true, 0);
	switches(&s, 20, 0, 100, true, 101); /* it goes there */
	switches(&s, 40, 0, 101, false, 0);
	switches(&s, 40, 2, 0, true, 102);
	assert_int_equal(timeline_end(&s.timeline), 0);
	assert_int_equal(s.timeline.task_count, 1);
	assert_int_equal(s.timeline.cpu_count, 1);
	assert_int_equal(s.timeline.cpus[0].number, 1);
	assert_int_equal(task(&s, 101)->lane.total_ns[LANE_RUNNING], 30 * STEP);
	timeline_fini(&s.timeline);
	cpu_set_fini(&chosen);
}

/* Tasks that nobody has, times that go back, CPUs that are not told. */
static void test_hostile(void **state)
{
	uint64_t random = 1;
	struct scene s;

	(void)state;
	init(&s);
	for (int i = 0; i < 10000; i++) {
		random = random * 6364136223846793005u + 1442695040888963407u;
		take(&s, 1 + i % 3, (int64_t)(random >> 13) % 4000 - 2000,
		     (int32_t)(random >> 60) - 3, (int32_t)(random >> 40) - 1000,
		     (uint32_t)(random >> 20), random & 1);
	}
	assert_int_equal(timeline_end(&s.timeline), 0);
	timeline_fini(&s.timeline);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_states), cmocka_unit_test(test_calls),
		cmocka_unit_test(test_loss),   cmocka_unit_test(test_reduced),
		cmocka_unit_test(test_cpus),   cmocka_unit_test(test_hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
