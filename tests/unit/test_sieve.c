// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/sieve.h"

#include "analyse/where.h"
#include "view_fixture.h"
#include "wire/note.h"

/* A bit for each of the fixture's events that goes on, by runs as they come: "0 2-3 5". */
static const char *runs(struct fixture *f, const char *text)
{
	static char out[256];
	struct where where = {0};
	struct sieve sieve;
	struct sieve_run run;
	size_t done = 0, len = 0;

	if (text) {
		assert_int_equal(where_parse(&where, text, NULL), 0);
		assert_int_equal(where_bind(&where, &f->info, NULL), 0);
	}
	assert_int_equal(sieve_init(&sieve, &f->view.analysis, text ? &where : NULL), 0);
	out[0] = '\0';
	while (done < f->count) {
		size_t used = sieve_next(&sieve, f->events + done, f->count - done, &run);
		size_t first = (size_t)(run.events - f->events);

		assert_true(used > 0);
		if (run.count)
			assert_true(first >= done && first + run.count <= done + used);
		done += used;
		if (run.count == 1)
			len += (size_t)sprintf(out + len, "%s%zu", len ? " " : "", first);
		else if (run.count)
			len += (size_t)sprintf(out + len, "%s%zu-%zu", len ? " " : "", first,
					       first + run.count - 1);
	}
	assert_int_equal(done, f->count);
	sieve_fini(&sieve);
	where_fini(&where);
	return out;
}

static void nothing_is_asked(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, "sys.exit");
	fixture_enter(&f, 0, 7, 39, false);
	fixture_exit(&f, 1, 7, 39, 0);
	assert_string_equal(runs(&f, NULL), "0-1"); /* the view leaves out what is not shown */
	fixture_fini(&f);
}

/* A measurement that is disabled while others record is news; that all of them begin and end is not. */
static void routine_is_left_out(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, NULL);
	fixture_state(&f, 0, "sys.exit", STATE_START);
	fixture_exit(&f, 1, 7, 39, 1);
	fixture_state(&f, 2, "sys.exit", STATE_BUDGET);
	fixture_task(&f, 3, 7, "visit");
	fixture_exit(&f, 4, 7, 39, 2);
	fixture_state(&f, 5, "sys.exit", STATE_STOP);
	assert_string_equal(runs(&f, NULL), "0-5");
	assert_string_equal(runs(&f, "reason >= 0 || ret > 1"), "0 2 4-5");
	f.select.brief = true;
	assert_int_equal(select_bind(&f.select, &f.info, NULL), 0);
	assert_string_equal(runs(&f, NULL),
			    "1-4"); /* the view leaves out the task, whose class is not shown */
	assert_false(select_shows(&f.select, f.classes[FIXTURE_TASK]));
	assert_string_equal(runs(&f, "reason >= 0 || ret > 1"), "2 4");
	assert_int_equal(select_add_pattern(&f.select, "sonde.*", NULL), 0);
	assert_int_equal(select_bind(&f.select, &f.info, NULL), 0);
	assert_true(select_shows(&f.select, f.classes[FIXTURE_TASK]));
	assert_string_equal(runs(&f, NULL), "0-5");
	fixture_fini(&f);
}

static void runs_of_what_an_expression_takes(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, NULL);
	fixture_exit(&f, 0, 7, 39, 1);
	fixture_exit(&f, 1, 7, 39, 2);
	fixture_enter(&f, 2, 7, 39, false); /* of a class that never satisfies it */
	fixture_exit(&f, 3, 7, 39, 3);
	fixture_exit(&f, 4, 7, 39, 0); /* asked, and does not */
	fixture_exit(&f, 5, 7, 39, 4);
	fixture_lost(&f, 6, 0, 9, 0, 0);
	assert_string_equal(runs(&f, "ret > 0"), "0-1 3 5-6");
	assert_string_equal(runs(&f, "ret == 0"), "4 6");
	assert_string_equal(runs(&f, "ret > 5"), "6");
	assert_string_equal(runs(&f, "ret >= 0"), "0-1 3-6");
	assert_string_equal(runs(&f, "sys.exit"), "0-1 3-6");
	fixture_fini(&f);
}

/* What is not shown is asked where something follows from it, and does not go on. */
static void what_is_not_shown_is_followed(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, "sys.exit");
	fixture_enter(&f, 0, 7, 39, false);
	fixture_exit(&f, 2000000, 7, 39, 0);
	fixture_exit(&f, 2000001, 7, 39, 0); /* without a beginning */
	assert_string_equal(runs(&f, "dur > 1ms"), "1");
	assert_string_equal(runs(&f, "!(dur > 1ms)"), "2");
	fixture_fini(&f);
}

/* The view writes an event's name before the next one changes it. */
static void names_end_a_run(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, NULL);
	fixture_task(&f, 0, 7, "first");
	fixture_exit(&f, 1, 7, 39, 0);
	fixture_task(&f, 2, 7, "second");
	fixture_exit(&f, 3, 7, 39, 0);
	fixture_switch(&f, 4, 1, 7, "third", 0, "swapper/1");
	fixture_exit(&f, 5, 7, 39, 0);
	assert_string_equal(runs(&f, "comm == first"), "0-1");
	assert_string_equal(runs(&f, "comm == second"), "2-3");
	assert_string_equal(runs(&f, "comm == third"), "4-5");
	assert_string_equal(runs(&f, "tid >= 0 || sonde.task"), "0-1 2-3 4-5");
	fixture_fini(&f);
}

static void of_some_cpus(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, NULL);
	assert_int_equal(select_parse_cpus(&f.select, "1,3-4", NULL), 0);
	fixture_enter(&f, 0, 7, 39, false); /* on CPU 1 */
	fixture_tcp(&f, 1, 1, 1, 1); /* on CPU 0 */
	fixture_misc(&f, 2, 0, ""); /* nobody knows */
	fixture_lost(&f, 3, 0, 9, 0, 0);
	fixture_lost(&f, 4, 4, 9, 0, 0);
	fixture_lost(&f, 5, -1, 9, 0, 0);
	fixture_task(&f, 6, 7, "worker"); /* on CPU 0, and learned from all the same */
	fixture_exit(&f, 7, 7, 39, 0);
	assert_string_equal(runs(&f, "comm == worker"), "4-5 7");
	assert_string_equal(runs(&f, NULL), "0 4-5 7");
	assert_string_equal(runs(&f, "tcp.ack"), "4-5");
	fixture_fini(&f);
}

/* What follows from events of other CPUs follows. */
static void other_cpus_are_followed(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, NULL);
	assert_int_equal(select_parse_cpus(&f.select, "0", NULL), 0);
	fixture_enter(&f, 0, 7, 39, false); /* on CPU 1 */
	fixture_exit(&f, 2000000, 7, 39, 0);
	f.events[1].cpu = 0;
	assert_string_equal(runs(&f, "dur == 2ms"), "1");
	fixture_fini(&f);
}

static void before_the_time_asked_for(void **state)
{
	struct where where;
	struct sieve sieve;
	struct sieve_run run;
	struct fixture f;

	(void)state;
	fixture_init(&f, NULL);
	fixture_task(&f, 0, 7, "worker");
	fixture_enter(&f, 1, 7, 39, false);
	fixture_exit(&f, 2000001, 7, 39, 0);
	assert_int_equal(where_parse(&where, "dur == 2ms && comm == worker", NULL), 0);
	assert_int_equal(where_bind(&where, &f.info, NULL), 0);
	assert_int_equal(sieve_init(&sieve, &f.view.analysis, &where), 0);
	sieve_learn(&sieve, f.events, 2);
	assert_int_equal(sieve_next(&sieve, f.events + 2, 1, &run), 1);
	assert_int_equal(run.count, 1);
	sieve_fini(&sieve);
	where_fini(&where);
	fixture_fini(&f);
}

/* A source that only remembers what it was told. */
struct told {
	struct event_source source;
	struct source_span span;
	unsigned int times;
};

static int remember(struct event_source *source, const struct source_span *span)
{
	struct told *told = (struct told *)source;

	told->span = *span;
	told->times++;
	return 0;
}

static void sources_are_told_what_to_leave_out(void **state)
{
	static const struct source_ops ops = {.seek = remember};
	struct told told = {.source = {.ops = &ops}};
	struct sieve sieve;
	struct fixture f;
	size_t first, end;

	(void)state;
	fixture_init(&f, NULL);
	fixture_enter(&f, 0, 7, 39, false);
	assert_int_equal(select_parse_time("from", "+2s", &f.select.from, NULL), 0);
	assert_int_equal(sieve_init(&sieve, &f.view.analysis, NULL), 0);
	assert_int_equal(sieve_seek(&sieve, &told.source), 0);
	assert_int_equal(told.times, 0); /* nobody knows yet when the first event is */
	select_cut(&f.select, f.events, 1, &first, &end);
	assert_int_equal(sieve_seek(&sieve, &told.source), 0);
	assert_int_equal(sieve_seek(&sieve, &told.source), 0);
	assert_int_equal(told.times, 1);
	assert_int_equal(told.span.from_ns, f.events[0].time_ns + 2000000000);
	assert_int_equal(told.span.to_ns, INT64_MAX);
	assert_true(told.span.taught[FIXTURE_TASK]);
	assert_false(told.span.taught[FIXTURE_EXIT]);
	sieve_fini(&sieve);
	fixture_fini(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_asked),
		cmocka_unit_test(routine_is_left_out),
		cmocka_unit_test(runs_of_what_an_expression_takes),
		cmocka_unit_test(what_is_not_shown_is_followed),
		cmocka_unit_test(names_end_a_run),
		cmocka_unit_test(of_some_cpus),
		cmocka_unit_test(other_cpus_are_followed),
		cmocka_unit_test(before_the_time_asked_for),
		cmocka_unit_test(sources_are_told_what_to_leave_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
