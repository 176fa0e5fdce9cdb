// SPDX-License-Identifier: BSD-2-Clause
#include "graph/flame.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analyse/stack_weights.h"
#include "base/buffer.h"
#include "graph/picture.h"

static struct stack_weights weights;

static int set_up(void **state)
{
	(void)state;
	weights = (struct stack_weights){.event = "cpu.sample", .unit = "samples"};
	return stack_tree_init(&weights.tree);
}

static int tear_down(void **state)
{
	(void)state;
	stack_tree_fini(&weights.tree);
	return 0;
}

/* A stack of two frames. */
static void add(const char *outer, const char *inner, uint64_t first, uint64_t second)
{
	struct stack_tree *tree = &weights.tree;
	int64_t label = stack_tree_label(tree, STACK_PROGRAM, outer, "a.out", NULL);
	uint32_t node = stack_tree_child(tree, 0, (uint32_t)label);

	label = stack_tree_label(tree, STACK_KERNEL, inner, NULL, NULL);
	node = stack_tree_child(tree, node, (uint32_t)label);
	tree->nodes[node].self[0] += first;
	tree->nodes[node].self[1] += second;
}

static const struct flame_box *box_of(const struct flame *flame, const char *name)
{
	for (size_t i = 0; i < flame->count; i++) {
		if (!strcmp(flame_name(flame, &flame->boxes[i]), name))
			return &flame->boxes[i];
	}
	fail_msg("no box '%s'", name);
	return NULL;
}

static void boxes_stand_on_their_callers_by_name(void **state)
{
	char text[FLAME_TEXT_BYTES];
	struct flame flame;

	(void)state;
	add("main", "write", 30, 0);
	add("main", "read", 10, 0);
	add("idle", "read", 60, 0);
	add("main", "rare", 0, 0);
	stack_tree_sum(&weights.tree);
	assert_int_equal(flame_init(&flame, &weights), 0);
	assert_int_equal(flame.count, 6);
	assert_int_equal(flame.rows, 3);
	assert_float_equal(box_of(&flame, "main")->x, 0.6, 1e-9);
	assert_float_equal(box_of(&flame, "main")->width, 0.4, 1e-9);
	assert_float_equal(box_of(&flame, "write")->x, 0.7, 1e-9);
	flame_describe(&flame, box_of(&flame, "write"), text);
	assert_string_equal(text, "30 samples, 30.00 %, kernel");
	flame_describe(&flame, box_of(&flame, "main"), text);
	assert_string_equal(text, "40 samples, 40.00 %, a.out");
	assert_int_equal(flame_ink(&flame, flame.boxes), INK_PLAIN);
	assert_in_range(flame_ink(&flame, box_of(&flame, "write")), INK_KERNEL, INK_MORE - 1);
	flame_fini(&flame);
}

/* As wide as the mean of both shares: what is gone is there as well as what is new. */
static void of_two_traces_what_grew_is_red_and_what_shrank_is_blue(void **state)
{
	struct flame flame;

	(void)state;
	weights.request.diff = true;
	add("same", "a", 50, 5);
	add("gone", "b", 50, 0);
	add("new", "c", 0, 5);
	stack_tree_sum(&weights.tree);
	assert_int_equal(flame_init(&flame, &weights), 0);
	assert_float_equal(box_of(&flame, "same")->width, 0.5, 1e-9);
	assert_float_equal(box_of(&flame, "gone")->width, 0.25, 1e-9);
	assert_int_equal(flame_ink(&flame, box_of(&flame, "same")), INK_PLAIN);
	assert_int_equal(flame_ink(&flame, box_of(&flame, "gone")), INK_LESS + PALETTE_FLAME - 1);
	assert_int_equal(flame_ink(&flame, box_of(&flame, "new")), INK_MORE + PALETTE_FLAME - 1);
	flame_fini(&flame);
}

static void narrow_frames_are_counted(void **state)
{
	struct flame flame;

	(void)state;
	add("main", "read", 1000000, 0);
	add("rare", "read", 1, 0);
	stack_tree_sum(&weights.tree);
	assert_int_equal(flame_init(&flame, &weights), 0);
	assert_int_equal(flame.count, 3);
	assert_int_equal(flame.narrow, 1);
	assert_non_null(strstr(flame.about, "1 frames narrower than 0.02 % are left out"));
	flame_fini(&flame);
}

/* Names come from foreign files. */
static void an_svg_escapes_names_and_cuts_them_to_the_box(void **state)
{
	const struct picture picture = {.format = PICTURE_SVG, .width = 160, .theme = THEME_LIGHT};
	struct flame flame;
	struct buffer out;

	(void)state;
	buffer_init(&out);
	add("std::vector<int>", "a&b]]>", 3, 0);
	add("std::vector<int>", "\xff", 1, 0);
	add("std::vector<int>",
	    "\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac"
	    "\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac",
	    4, 0);
	stack_tree_sum(&weights.tree);
	assert_int_equal(flame_init(&flame, &weights), 0);
	flame.title = "<title>";
	assert_int_equal(flame_draw(&flame, &picture, &out), 0);
	buffer_char(&out, '\0');
	assert_non_null(strstr(
		out.data, "<title>std::vector&lt;int&gt;\n8 samples, 100.00 %, a.out</title>"));
	assert_non_null(strstr(out.data, ">std::vector&lt;int&gt;</text>"));
	assert_non_null(strstr(out.data, "<title>a&amp;b]]&gt;\n"));
	assert_non_null(strstr(out.data, "<title>\xef\xbf\xbd\n")); /* U+FFFD */
	/* 70 pixels: nine letters of 6.63 and a margin; all eight fit, and of "std..." too. */
	assert_non_null(strstr(out.data,
			       ">\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac"
			       "\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac</text>"));
	assert_null(strstr(out.data, "vector<int>"));
	flame_fini(&flame);
	buffer_fini(&out);
}

static void text_shows_the_widest_first(void **state)
{
	const struct picture picture = {.format = PICTURE_TEXT};
	struct flame flame;
	struct buffer out;

	(void)state;
	buffer_init(&out);
	add("main", "a", 1, 0);
	add("main", "b\033[m", 2, 0);
	add("z", "a", 1, 0);
	stack_tree_sum(&weights.tree);
	assert_int_equal(flame_init(&flame, &weights), 0);
	assert_int_equal(flame_draw(&flame, &picture, &out), 0);
	buffer_char(&out, '\0');
	assert_string_equal(out.data, "100.00 %  all\n"
				      " 75.00 %   main\n"
				      " 50.00 %    b\xef\xbf\xbd[m\n"
				      " 25.00 %    a\n"
				      " 25.00 %   z\n"
				      " 25.00 %    a\n"
				      "4 samples\n");
	flame_fini(&flame);
	buffer_fini(&out);
}

static void pngs_of_any_height_are_drawn(void **state)
{
	static const double heights[] = {80, 400, PICTURE_SIDE_MAX};

	(void)state;
	add("main", "a", 1, 0);
	stack_tree_sum(&weights.tree);
	for (size_t i = 0; i < 3; i++) {
		const struct picture picture = {.format = PICTURE_PNG,
						.width = 80,
						.height = heights[i],
						.has_height = i < 2};
		struct flame flame;
		struct buffer out;

		buffer_init(&out);
		assert_int_equal(flame_init(&flame, &weights), 0);
		assert_int_equal(flame_draw(&flame, &picture, &out), 0);
		assert_true(out.len > 100);
		assert_memory_equal(out.data, "\x89PNG", 4);
		flame_fini(&flame);
		buffer_fini(&out);
	}
}

#define FLAME_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		FLAME_TEST(boxes_stand_on_their_callers_by_name),
		FLAME_TEST(of_two_traces_what_grew_is_red_and_what_shrank_is_blue),
		FLAME_TEST(narrow_frames_are_counted),
		FLAME_TEST(an_svg_escapes_names_and_cuts_them_to_the_box),
		FLAME_TEST(text_shows_the_widest_first),
		FLAME_TEST(pngs_of_any_height_are_drawn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
