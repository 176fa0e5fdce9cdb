// SPDX-License-Identifier: BSD-2-Clause
#include "graph/panel.h"

#include <math.h>

#include "graph_fixture.h"

static const struct legend_entry entries[] = {
	{"first", LEGEND_LINE, INK_SERIES, DASH_NONE},
	{"the second, which is so long that it needs a row", LEGEND_DOT, INK_SERIES + 1, DASH_NONE},
};

static struct panel make(void)
{
	return (struct panel){
		.title = "title",
		.caption = "caption",
		.legend = {entries, 2},
		.x = {.scale = {.low = 0, .high = 9e9},
		      .unit = unit_find("ns"),
		      .title = "time",
		      .tight = true},
		.y = {.scale = {.low = 0, .high = 90},
		      .unit = unit_find("segments"),
		      .title = "window",
		      .grid = true},
	};
}

static void inside(const struct panel *panel, const struct canvas *canvas)
{
	assert_true(panel->area.x > 0 && panel->area.y > 0);
	assert_true(panel->area.width > 0 && panel->area.height > 0);
	assert_true(panel->area.x + panel->area.width <= canvas->width);
	assert_true(panel->area.y + panel->area.height <= canvas->height);
}

static void everything_has_its_place(void **state)
{
	struct panel panel = make();
	struct paper paper;
	const char *text;

	(void)state;
	paper_init(&paper, 300, 260);
	panel_layout(&panel, &paper.canvas);
	inside(&panel, &paper.canvas);
	panel_begin(&panel, &paper.canvas);
	panel_end(&panel, &paper.canvas);
	text = paper_text_of(&paper);
	assert_non_null(strstr(text, "'title'"));
	assert_non_null(strstr(text, "'caption'"));
	assert_non_null(strstr(text, "'time (s)'"));
	assert_non_null(strstr(text, "'window (segments)'"));
	assert_non_null(strstr(text, "'100'"));
	/* The second entry does not fit beside the first. */
	assert_true(legend_height(&panel.legend, &paper.canvas, 272) == 36);
	assert_true(legend_height(&panel.legend, &paper.canvas, 1000) == 18);
	buffer_fini(&paper.log);
}

static void values_lie_where_the_axes_say(void **state)
{
	struct panel panel = make();
	struct paper paper;

	(void)state;
	paper_init(&paper, 720, 420);
	panel_layout(&panel, &paper.canvas);
	assert_true(scale_at(&panel.x.scale, 0) == panel.area.x);
	assert_true(scale_at(&panel.x.scale, 9e9) == panel.area.x + panel.area.width);
	assert_true(scale_at(&panel.y.scale, 0) == panel.area.y + panel.area.height);
	assert_true(scale_at(&panel.y.scale, 100) == panel.area.y);
	buffer_fini(&paper.log);
}

static void several_stand_one_below_the_other(void **state)
{
	struct panel panels[3] = {make(), make(), make()};
	struct paper paper;

	(void)state;
	panels[0].caption = panels[1].caption = NULL;
	panels[1].title = panels[2].title = NULL;
	panels[0].x.bare = panels[1].x.bare = true;
	panels[1].y.scale.high = 123456789; /* its labels are wider */
	panels[2].has_right = true;
	panels[2].right = panels[2].y;
	paper_init(&paper, 720, 900);
	panel_layout_stack(panels, 3, &paper.canvas);
	for (size_t i = 0; i < 3; i++) {
		const struct canvas_rect *area = &panels[i].area, *room = &panels[i].room;

		inside(&panels[i], &paper.canvas);
		assert_true(area->x == panels[0].area.x && area->width == panels[0].area.width);
		assert_true(fabs(area->height - panels[0].area.height) <= 1);
		assert_true(area->height > 150);
		assert_true(area->y > room->y && area->y + area->height < room->y + room->height);
		assert_int_equal(panels[i].x.ticks.count, panels[0].x.ticks.count);
		/* Between two plots there is room for the legend of the lower one. */
		if (i)
			assert_true(area->y - panels[i - 1].area.y - panels[i - 1].area.height >=
				    legend_height(&panels[i].legend, &paper.canvas, 692));
	}
	assert_true(fabs(panels[2].room.y + panels[2].room.height - 900) < 1);
	for (size_t i = 0; i < 3; i++) {
		panel_begin(&panels[i], &paper.canvas);
		panel_end(&panels[i], &paper.canvas);
	}
	/* The axis of time is described once, at the bottom. */
	assert_non_null(strstr(paper_text_of(&paper), "'time (s)'"));
	assert_null(strstr(strstr(paper_text_of(&paper), "'time (s)'") + 1, "'time (s)'"));
	buffer_fini(&paper.log);
}

/* An upright title that is longer than the plot would lie on the legend. */
static void a_long_title_is_the_unit_alone(void **state)
{
	struct panel panel = make();
	struct paper paper;

	(void)state;
	panel.y.title = "a title that is a good deal longer than the plot is high";
	paper_init(&paper, 720, 260);
	panel_layout(&panel, &paper.canvas);
	panel_begin(&panel, &paper.canvas);
	panel_end(&panel, &paper.canvas);
	assert_null(strstr(paper_text_of(&paper), "a good deal"));
	assert_non_null(strstr(paper_text_of(&paper), "'segments'"));
	buffer_fini(&paper.log);
}

static void a_second_axis_takes_room_on_the_right(void **state)
{
	struct panel one = make(), two = make();
	struct paper paper;

	(void)state;
	two.has_right = true;
	two.right = (struct axis){
		.scale = {.low = 0, .high = 3e6}, .unit = unit_find("bytes"), .title = "buffer"};
	paper_init(&paper, 720, 420);
	panel_layout(&one, &paper.canvas);
	panel_layout(&two, &paper.canvas);
	assert_true(two.area.width < one.area.width);
	assert_int_equal(two.y.ticks.count, two.right.ticks.count);
	for (size_t i = 0; i < two.y.ticks.count; i++) {
		double left = scale_at(&two.y.scale, two.y.ticks.ticks[i].value);

		assert_true(left - scale_at(&two.right.scale, two.right.ticks.ticks[i].value) <
			    0.01);
	}
	buffer_fini(&paper.log);
}

static void a_small_page_still_has_a_plot(void **state)
{
	struct panel panel = make();
	struct paper paper;

	(void)state;
	paper_init(&paper, 80, 80);
	panel_layout(&panel, &paper.canvas);
	assert_true(panel.area.width >= 32 && panel.area.height >= 32);
	panel_begin(&panel, &paper.canvas);
	panel_end(&panel, &paper.canvas);
	buffer_fini(&paper.log);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(everything_has_its_place),
		cmocka_unit_test(values_lie_where_the_axes_say),
		cmocka_unit_test(a_second_axis_takes_room_on_the_right),
		cmocka_unit_test(several_stand_one_below_the_other),
		cmocka_unit_test(a_long_title_is_the_unit_alone),
		cmocka_unit_test(a_small_page_still_has_a_plot),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
