// SPDX-License-Identifier: BSD-2-Clause
#include "probe/netfilter.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define ROOM 4

static void expect(const struct netns_held *held, size_t count, const uint32_t *wanted,
		   size_t wanted_count)
{
	uint32_t inodes[ROOM];

	assert_int_equal(netns_held_lonely(held, count, inodes, ROOM), wanted_count);
	for (size_t i = 0; i < wanted_count; i++)
		assert_int_equal(inodes[i], wanted[i]);
}

static void held_by_links_alone_is_lonely(void **state)
{
	const struct netns_held held[] = {{7, 3}, {8, 2}, {7, 3}, {8, 2}, {9, 1}, {7, 3}, {10, 2}};
	const uint32_t wanted[] = {7, 8, 9};

	(void)state;
	expect(held, 7, wanted, 3);
}

static void held_by_somebody_else_too_is_not(void **state)
{
	const struct netns_held held[] = {{7, 3}, {7, 3}};

	(void)state;
	expect(held, 2, NULL, 0);
	expect(held, 0, NULL, 0);
}

static void there_are_no_more_than_there_is_room_for(void **state)
{
	const struct netns_held held[] = {{1, 1}, {2, 1}, {3, 1}, {4, 1}, {5, 1}};
	const uint32_t wanted[] = {1, 2, 3, 4};

	(void)state;
	expect(held, 5, wanted, 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(held_by_links_alone_is_lonely),
		cmocka_unit_test(held_by_somebody_else_too_is_not),
		cmocka_unit_test(there_are_no_more_than_there_is_room_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
