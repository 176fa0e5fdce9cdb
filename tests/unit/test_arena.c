// SPDX-License-Identifier: BSD-2-Clause
#include "ctf/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

struct item {
	uint64_t number;
	uint64_t zero[3];
};

/* Pushes until there are @count. */
static void push_items(struct arena *arena, struct item **items, size_t *count, size_t until)
{
	void *array = *items;

	while (*count < until) {
		struct item *item = arena_push(arena, &array, count, sizeof(*item));

		assert_non_null(item);
		assert_int_equal(item->number, 0);
		assert_int_equal(item->zero[0], 0);
		assert_int_equal(item->zero[1], 0);
		assert_int_equal(item->zero[2], 0);
		item->number = 1000 + *count;
	}
	*items = array;
}

static void fit_items(struct arena *arena, struct item **items, size_t count)
{
	void *array = *items;

	arena_fit(arena, &array, count, sizeof(**items));
	*items = array;
}

static void check_items(const struct item *items, size_t count)
{
	for (size_t i = 0; i < count; i++)
		assert_int_equal(items[i].number, 1001 + i);
}

static void arrays_grow_where_others_were(void **state)
{
	struct item *first = NULL, *second = NULL, *outgrown;
	size_t first_count = 0, second_count = 0;
	struct arena arena;

	(void)state;
	arena_init(&arena);
	push_items(&arena, &first, &first_count, 4);
	outgrown = first;
	push_items(&arena, &first, &first_count, 100);
	push_items(&arena, &second, &second_count, 1);
	assert_ptr_equal(second, outgrown);
	push_items(&arena, &second, &second_count, 100);
	check_items(first, 100);
	check_items(second, 100);
	arena_fini(&arena);
}

static void fitted_arrays_give_their_room_back(void **state)
{
	struct item *first = NULL, *second = NULL, *wide;
	size_t first_count = 0, second_count = 0;
	struct arena arena;

	(void)state;
	arena_init(&arena);
	push_items(&arena, &first, &first_count, 12);
	wide = first;
	fit_items(&arena, &first, first_count);
	assert_ptr_not_equal(first, wide);
	push_items(&arena, &second, &second_count, 12);
	assert_ptr_equal(second, wide);
	check_items(first, 12);
	check_items(second, 12);
	/* All of it is used, and stays. */
	wide = second;
	push_items(&arena, &second, &second_count, 16);
	fit_items(&arena, &second, second_count);
	assert_ptr_equal(second, wide);
	arena_fini(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arrays_grow_where_others_were),
		cmocka_unit_test(fitted_arrays_give_their_room_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
