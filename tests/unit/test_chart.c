// SPDX-License-Identifier: BSD-2-Clause
#include "graph/chart.h"

#include "view_fixture.h"

#include "base/buffer.h"
#include "graph/conn_pick.h"

#define MS 1000000ll

struct scene {
	struct fixture fixture;
	struct field_pick pick;
	struct chart_options options;
	struct buffer out;
};

static void init(struct scene *s, enum chart_kind kind, const char *field)
{
	fixture_init(&s->fixture, NULL);
	s->fixture.select.origin_ns = FIXTURE_EPOCH_NS;
	buffer_init(&s->out);
	s->options = (struct chart_options){
		.kind = kind,
		.measure = {.pick = &s->pick, .by = {GROUP_NONE, NULL}},
		.picture = {.format = PICTURE_TEXT, .width = 60, .height = 14, .ascii = true},
	};
	if (!field)
		return;
	assert_int_equal(field_pick_parse(&s->pick, field, NULL), 0);
	assert_int_equal(field_pick_bind(&s->pick, &s->fixture.info, &s->fixture.select, NULL), 0);
}

static void fini(struct scene *s)
{
	buffer_fini(&s->out);
	fixture_fini(&s->fixture);
}

/* What is drawn; "" where there is nothing. */
static const char *run(struct scene *s)
{
	struct event_sink *sink = chart_new(&s->fixture.view.analysis, &s->options, &s->out, NULL);
	struct chart_told told;

	assert_non_null(sink);
	assert_int_equal(sink->ops->batch(sink, s->fixture.events, s->fixture.count), 0);
	assert_int_equal(sink->ops->finish(sink), 0);
	chart_tell(sink, &told);
	sink->ops->free(sink);
	assert_int_equal(told.drawn, s->out.len > 0);
	buffer_char(&s->out, '\0');
	return s->out.data;
}

static void test_histogram(void **state)
{
	struct scene s;

	(void)state;
	init(&s, CHART_HIST, "dur");
	for (int i = 0; i < 20; i++) {
		fixture_enter(&s.fixture, i * MS, 42, 39, false);
		fixture_exit(&s.fixture, i * MS + 1000 * (1 + i % 5), 42, 39, 0);
	}
	assert_string_equal(run(&s),
			    "time in the system call\n"
			    "** p50 3.01 us  ** p90 5 us  ** p99 5 us\n"
			    "events\n"
			    "4+**            **            *             **            *\n"
			    " |**            **            *             **            **\n"
			    " |**            **            *             **            **\n"
			    "2+**            **           ***            **            **\n"
			    " |**            **           ***            **            **\n"
			    " |**            **           ***            **           ***\n"
			    " |**            **           ***            **           ***\n"
			    "0++-------------+-------------+-------------+-------------+-\n"
			    "  1             2             3             4             5\n"
			    "                           dur (us)\n"
			    "20 values from 1 us to 5 us\n");
	fini(&s);
}

static void test_heat_map(void **state)
{
	struct scene s;

	(void)state;
	init(&s, CHART_HEAT, "snd_cwnd");
	for (int i = 0; i < 20; i++)
		fixture_tcp(&s.fixture, i * MS, 1, 0, 0);
	assert_string_equal(run(&s),
			    "snd_cwnd\n"
			    "snd_cwnd\n"
			    "  |\n"
			    "  |\n"
			    "15+\n"
			    "  |\n"
			    "  |\n"
			    "  |\n"
			    "  |\n"
			    "10+@ @  @   @  @ @  @   @  @ @  @  @@  @  @ @  @   @  @ @  @\n"
			    "  ++--------------+--------------+--------------+-----------\n"
			    "   0              5             10             15\n"
			    "                           time (ms)            events: 1@ 1\n"
			    "20 values from 10 to 10\n");
	fini(&s);
}

/* No value, or one, or none that is a number: no harm, and no picture of nothing. */
static void test_little(void **state)
{
	static const double ratios[] = {0.0, -1e300, 1e300, 5e-324, 0.0 / 0.0, 1e308};
	struct scene s;

	(void)state;
	for (enum chart_kind kind = CHART_HIST; kind <= CHART_HEAT; kind++) {
		init(&s, kind, "ratio");
		assert_string_equal(run(&s), "");
		fini(&s);
		for (size_t i = 0; i < sizeof(ratios) / sizeof(*ratios); i++) {
			for (enum spacing spacing = SPACING_AUTO; spacing <= SPACING_LOG;
			     spacing++) {
				init(&s, kind, "ratio");
				s.options.values = spacing;
				s.options.log_counts = i % 2;
				fixture_misc(&s.fixture, 5, ratios[i], "");
				assert_int_equal(*run(&s) != '\0', i < 4);
				fini(&s);
			}
		}
	}
}

/* All of them together, and time that goes back. */
static void test_hostile(void **state)
{
	static const double ratios[] = {0.0, -1e300, 1e300, 5e-324, 0.0 / 0.0, 1.0 / 0.0, -7, 1e-9};
	static const enum picture_format formats[] = {PICTURE_SVG, PICTURE_PNG, PICTURE_PDF};
	struct scene s;

	(void)state;
	for (enum chart_kind kind = CHART_HIST; kind <= CHART_HEAT; kind++) {
		for (size_t i = 0; i < 3; i++) {
			init(&s, kind, "ratio");
			s.options.picture.format = formats[i];
			s.options.picture.width = 80 + 300 * (double)i;
			s.options.picture.height = 80;
			for (size_t k = 0; k < sizeof(ratios) / sizeof(*ratios); k++)
				fixture_misc(&s.fixture, k % 2 ? -(int64_t)k * MS : (int64_t)k,
					     ratios[k], "");
			assert_true(*run(&s) != '\0');
			fini(&s);
		}
	}
}

static void test_nothing_to_follow(void **state)
{
	struct scene s;

	(void)state;
	for (enum chart_kind kind = CHART_TIMELINE; kind <= CHART_SEQUENCE; kind++) {
		init(&s, kind, NULL);
		fixture_enter(&s.fixture, 5, 42, 39, false);
		assert_string_equal(run(&s), "");
		fini(&s);
	}
}

/* Times that are farther apart than a number counts. */
static void test_any_time(void **state)
{
	struct scene s;

	(void)state;
	for (enum chart_kind kind = CHART_HIST; kind <= CHART_TIMELINE; kind++) {
		init(&s, kind, kind == CHART_TIMELINE ? NULL : "ratio");
		for (int i = 0; i < 6; i++) {
			fixture_misc(&s.fixture, 0, i, "");
			s.fixture.events[s.fixture.count - 1].time_ns = i % 2 ? INT64_MAX :
										INT64_MIN;
			fixture_switch(&s.fixture, 0, 0, 7 + i, "a", 8 + i, "b");
			s.fixture.events[s.fixture.count - 1].time_ns = i % 2 ? INT64_MAX :
										INT64_MIN;
		}
		s.fixture.select.origin_ns = INT64_MIN;
		assert_true(*run(&s) != '\0');
		fini(&s);
	}
}

/* One switch is a moment, of which there is nothing to see but that it was. */
static void test_one_switch(void **state)
{
	struct scene s;

	(void)state;
	init(&s, CHART_TIMELINE, NULL);
	fixture_switch(&s.fixture, 5, 0, 7, "a", 8, "b");
	assert_non_null(strstr(run(&s), "1 switch"));
	fini(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_histogram),
		cmocka_unit_test(test_heat_map),
		cmocka_unit_test(test_little),
		cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_nothing_to_follow),
		cmocka_unit_test(test_any_time),
		cmocka_unit_test(test_one_switch),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
