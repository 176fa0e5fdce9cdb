// SPDX-License-Identifier: BSD-2-Clause
#include "record/trigger.h"

#include <errno.h>

#include "base/diag.h"
#include "probe/catalogue.h"
#include "record/watch.h"
#include "view_fixture.h"

#define GAP_NS 1000u

static struct triggers *triggers;
static struct fixture fixture;
static struct catalogue *cat;

static int set_up_all(void **state)
{
	(void)state;
	return catalogue_open(&cat, NULL);
}

static int tear_down_all(void **state)
{
	(void)state;
	catalogue_close(cat);
	return 0;
}

static int set_up(void **state)
{
	(void)state;
	fixture_init(&fixture, NULL);
	triggers = triggers_new(GAP_NS);
	return triggers ? 0 : -ENOMEM;
}

static int tear_down(void **state)
{
	(void)state;
	triggers_free(triggers);
	fixture_fini(&fixture);
	return 0;
}

static void add(enum trigger_action action, const char *text)
{
	assert_int_equal(triggers_add(triggers, action, text, NULL), 0);
}

static void describe(void)
{
	assert_int_equal(triggers_watch_ops.describe(triggers, &fixture.info, NULL), 0);
}

/* All events of the fixture pass. */
static void see(void)
{
	for (size_t i = 0; i < fixture.count; i++)
		triggers_watch_ops.see(triggers, &fixture.events[i]);
	fixture.count = 0;
}

static void expect(size_t i, uint64_t matched, uint64_t fired)
{
	struct trigger_state trigger;

	assert_true(triggers_get(triggers, i, &trigger));
	assert_int_equal(trigger.matched, matched);
	assert_int_equal(trigger.fired, fired);
}

static void the_first_that_matches_fires(void **state)
{
	struct trigger_event events[TRIGGERS_MAX];

	(void)state;
	add(TRIGGER_STOP, "sys.exit && dur > 1us");
	describe();
	fixture_enter(&fixture, 0, 7, 39, false);
	fixture_exit(&fixture, 500, 7, 39, 0);
	fixture_enter(&fixture, 600, 8, 39, false);
	fixture_enter(&fixture, 700, 9, 39, false);
	fixture_exit(&fixture, 5000, 8, 39, 0);
	fixture_exit(&fixture, 6000, 9, 39, 0);
	see();
	expect(0, 2, 0);
	assert_int_equal(triggers_take(triggers, 1, events), 1);
	assert_int_equal(events[0].action, TRIGGER_STOP);
	assert_int_equal(events[0].time_ns, FIXTURE_EPOCH_NS + 5000);
	assert_int_equal(events[0].tid, 8);
	assert_string_equal(events[0].event, "sys.exit");
	assert_string_equal(events[0].text, "sys.exit && dur > 1us");
	assert_int_equal(events[0].matched, 2);
	expect(0, 2, 1);
	assert_int_equal(triggers_take(triggers, 2, events), 0);
}

static void snapshots_keep_their_distance(void **state)
{
	struct trigger_event events[TRIGGERS_MAX];

	(void)state;
	add(TRIGGER_SNAPSHOT, "sys.exit");
	add(TRIGGER_SNAPSHOT, "tcp.ack");
	describe();
	for (int round = 0; round < 4; round++) {
		fixture_exit(&fixture, round, 7, 39, 0);
		fixture_exit(&fixture, round, 7, 39, 0);
		fixture_tcp(&fixture, round, 1, 1, 1);
		see();
		/* Both in the first round and in that behind the gap. */
		assert_int_equal(triggers_take(triggers, 5000 + (uint64_t)round * GAP_NS / 3,
					       events),
				 round == 0 || round == 3 ? 2 : 0);
	}
	expect(0, 8, 2);
	expect(1, 4, 2);
}

/* The gap is of snapshots: the end does not wait. */
static void the_end_comes_at_once(void **state)
{
	struct trigger_event events[TRIGGERS_MAX];

	(void)state;
	add(TRIGGER_SNAPSHOT, "sys.exit");
	add(TRIGGER_STOP, "tcp.ack");
	describe();
	fixture_exit(&fixture, 0, 7, 39, 0);
	see();
	assert_int_equal(triggers_take(triggers, 5000, events), 1);
	fixture_exit(&fixture, 1, 7, 39, 0);
	fixture_tcp(&fixture, 2, 1, 1, 1);
	see();
	assert_int_equal(triggers_take(triggers, 5001, events), 1);
	assert_int_equal(events[0].action, TRIGGER_STOP);
}

static void names_are_learnt(void **state)
{
	(void)state;
	add(TRIGGER_STOP, "sys.exit && comm == made");
	describe();
	assert_true(triggers_watch_ops.wants(triggers, fixture.classes[FIXTURE_TASK]));
	fixture_exit(&fixture, 0, 4194300, 39, 0);
	fixture_task(&fixture, 1, 4194300, "made");
	fixture_exit(&fixture, 2, 4194300, 39, 0);
	see();
	expect(0, 1, 0);
}

/* Of a task that has said nothing, the kernel knows the name: this one is called like its file. */
static void names_of_before_are_found(void **state)
{
	(void)state;
	add(TRIGGER_STOP, "sys.exit && comm ~ \"test_trigger*\"");
	describe();
	fixture_exit(&fixture, 0, getpid(), 39, 0);
	see();
	expect(0, 1, 0);
}

static void only_what_matters_is_wanted(void **state)
{
	(void)state;
	add(TRIGGER_STOP, "sys.exit && dur > 1us");
	add(TRIGGER_STOP, "lport == 80");
	describe();
	assert_true(triggers_watch_ops.wants(triggers, fixture.classes[FIXTURE_ENTER]));
	assert_true(triggers_watch_ops.wants(triggers, fixture.classes[FIXTURE_EXIT]));
	assert_true(triggers_watch_ops.wants(triggers, fixture.classes[FIXTURE_TCP]));
	assert_true(triggers_watch_ops.wants(triggers, fixture.classes[FIXTURE_LOST]));
	assert_false(triggers_watch_ops.wants(triggers, fixture.classes[FIXTURE_SWITCH]));
	assert_false(triggers_watch_ops.wants(triggers, fixture.classes[FIXTURE_TASK]));
}

static void order_is_asked_for_where_it_matters(void **state)
{
	(void)state;
	add(TRIGGER_STOP, "sys.exit && ret == -13");
	add(TRIGGER_STOP, "lport == 80");
	describe();
	assert_false(triggers_watch_ops.needs_order(triggers));
	add(TRIGGER_STOP, "dur > 1us");
	describe();
	assert_true(triggers_watch_ops.needs_order(triggers));
}

static size_t index_of(const char *name)
{
	for (size_t i = 0; i < cat->count; i++) {
		if (!strcmp(cat->items[i].name, name))
			return i;
	}
	fail_msg("no %s", name);
	return 0;
}

static size_t count_of(const bool *flags)
{
	size_t count = 0;

	for (size_t i = 0; i < cat->count; i++)
		count += flags[i];
	return count;
}

static void what_is_asked_for_is_added(void **state)
{
	bool *wanted = calloc(cat->count, sizeof(*wanted));
	bool *added = calloc(cat->count, sizeof(*added));

	(void)state;
	wanted[index_of("disk.issue")] = true;
	add(TRIGGER_STOP, "disk.complete && service > 100ms");
	add(TRIGGER_STOP, "tcp.retransmit || dur > 1s");
	triggers_choose(triggers, cat, wanted, added);
	assert_true(added[index_of("disk.complete")]);
	assert_true(added[index_of("tcp.retransmit")]);
	assert_true(added[index_of("sys.enter")]);
	assert_true(added[index_of("sys.exit")]);
	assert_int_equal(count_of(added), 4); /* disk.issue is there */
	free(wanted);
	free(added);
}

static void what_cannot_fire_is_refused(void **state)
{
	bool *wanted = calloc(cat->count, sizeof(*wanted));
	struct diag diag = {0};
	size_t which = 9;

	(void)state;
	wanted[index_of("sched.switch")] = true;
	add(TRIGGER_STOP, "next_tid == 5");
	assert_int_equal(triggers_check(triggers, cat, wanted, &which, &diag), 0);
	triggers_free(triggers);
	triggers = triggers_new(0);
	add(TRIGGER_STOP, "sonde.lost && count > 5");
	assert_int_equal(triggers_check(triggers, cat, wanted, &which, &diag), 0);
	add(TRIGGER_STOP, "snd_cwnd > 5");
	assert_int_equal(triggers_check(triggers, cat, wanted, &which, &diag), -ENOENT);
	assert_int_equal(which, 1);
	assert_non_null(strstr(diag.text, "snd_cwnd"));
	triggers_free(triggers);
	triggers = triggers_new(0);
	add(TRIGGER_STOP, "event ~ \"tcp.*\"");
	assert_int_equal(triggers_check(triggers, cat, wanted, &which, &diag), -ENOENT);
	assert_int_equal(which, 0);
	free(wanted);
}

static void limits(void **state)
{
	struct trigger_state trigger;
	struct diag diag = {0};

	(void)state;
	assert_int_equal(triggers_add(triggers, TRIGGER_STOP, "a &&", &diag), -EINVAL);
	assert_int_equal(diag.offset, 4);
	assert_int_equal(triggers_count(triggers), 0);
	for (size_t i = 0; i < TRIGGERS_MAX; i++)
		add(TRIGGER_STOP, "tcp.ack");
	assert_int_equal(triggers_add(triggers, TRIGGER_STOP, "tcp.ack", &diag), -E2BIG);
	assert_int_equal(triggers_count(triggers), TRIGGERS_MAX);
	assert_false(triggers_get(triggers, TRIGGERS_MAX, &trigger));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_first_that_matches_fires, set_up, tear_down),
		cmocka_unit_test_setup_teardown(snapshots_keep_their_distance, set_up, tear_down),
		cmocka_unit_test_setup_teardown(the_end_comes_at_once, set_up, tear_down),
		cmocka_unit_test_setup_teardown(names_are_learnt, set_up, tear_down),
		cmocka_unit_test_setup_teardown(names_of_before_are_found, set_up, tear_down),
		cmocka_unit_test_setup_teardown(only_what_matters_is_wanted, set_up, tear_down),
		cmocka_unit_test_setup_teardown(order_is_asked_for_where_it_matters, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(what_is_asked_for_is_added, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_cannot_fire_is_refused, set_up, tear_down),
		cmocka_unit_test_setup_teardown(limits, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, set_up_all, tear_down_all);
}
