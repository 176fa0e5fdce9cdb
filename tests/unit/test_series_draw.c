// SPDX-License-Identifier: BSD-2-Clause
#include "graph/series_draw.h"

#include "graph_fixture.h"

#include "graph/scale.h"
#include "graph/series.h"

/* A pixel for 10 ns, and ten for a value, up the page. */
static const struct scale x_scale = {SCALE_LINEAR, 0, 1000, 0, 100, 0, false};
static const struct scale y_scale = {SCALE_LINEAR, 0, 10, 100, 0, 0, false};

static const char *draw(struct paper *paper, const double (*points)[2], size_t count,
			enum series_style style)
{
	struct series_look look = {style, {.ink = INK_SERIES, .width = 1}, 1, 1000};
	struct series series = {0};

	paper_init(paper, 100, 100);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(
			series_add(&series, 1000 + (int64_t)(points[i][0] * 10), points[i][1]), 0);
	}
	series_draw(&series, &look, &x_scale, &y_scale, &paper->canvas);
	series_fini(&series);
	return paper_text_of(paper);
}

static void a_line_goes_from_point_to_point(void **state)
{
	static const double points[][2] = {{10, 1}, {20, 5}, {40, 2}};
	struct paper paper;

	(void)state;
	assert_string_equal(draw(&paper, points, 3, SERIES_LINE),
			    "M 10 90 L 20 50 L 40 80 stroke 6\n");
	buffer_fini(&paper.log);
}

static void a_step_holds_until_the_next(void **state)
{
	static const double points[][2] = {{10, 1}, {20, 5}, {40, 5}};
	struct paper paper;

	(void)state;
	assert_string_equal(draw(&paper, points, 3, SERIES_STEP),
			    "M 10 90 L 20 90 L 20 50 L 40 50 stroke 6\n");
	buffer_fini(&paper.log);
}

/* First 1, last 2; 9 and 0 in between. */
static void a_column_shows_its_first_least_greatest_and_last(void **state)
{
	static const double points[][2] = {{10.1, 1}, {10.2, 4}, {10.3, 9}, {10.4, 3},
					   {10.5, 0}, {10.6, 3}, {10.7, 2}, {30, 2}};
	struct paper paper;

	(void)state;
	assert_string_equal(draw(&paper, points, 8, SERIES_LINE),
			    "M 10.1 90 L 10.4 100 L 10.4 10 L 10.7 80 L 30 80 stroke 6\n");
	buffer_fini(&paper.log);
}

static void dots_of_a_column_are_joined_behind(void **state)
{
	static const double points[][2] = {{10.1, 1}, {10.2, 4}, {10.3, 9}, {30, 2}};
	struct paper paper;

	(void)state;
	assert_string_equal(draw(&paper, points, 4, SERIES_DOTS),
			    "M 10.1 10 L 10.1 90 stroke 6\n"
			    "M 10.1 90 L 10.1 90 M 10.3 10 L 10.3 10 M 30 80 L 30 80 stroke 6\n");
	buffer_fini(&paper.log);
}

static void one_point_shows(void **state)
{
	static const double points[][2] = {{50, 5}};
	struct paper paper;

	(void)state;
	assert_string_equal(draw(&paper, points, 1, SERIES_LINE), "M 50 50 L 50 50 stroke 6\n");
	buffer_fini(&paper.log);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_goes_from_point_to_point),
		cmocka_unit_test(a_step_holds_until_the_next),
		cmocka_unit_test(a_column_shows_its_first_least_greatest_and_last),
		cmocka_unit_test(dots_of_a_column_are_joined_behind),
		cmocka_unit_test(one_point_shows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
