// SPDX-License-Identifier: BSD-2-Clause
#include "trace/frame.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define FRAMES 100000u

/* However many there are, it is never far, and never behind what is looked for. */
static void a_place_before_is_found(void **state)
{
	static struct frame_map map;

	(void)state;
	frame_map_init(&map);
	assert_int_equal(frame_map_find(&map, 77).plain_at, 0);
	for (uint64_t i = 0; i < FRAMES; i++) {
		const struct frame_place place = {10 * i, 100 * i};

		frame_map_add(&map, &place);
	}
	assert_true(map.count <= FRAME_MAP_PLACES);
	for (uint64_t i = 0; i < FRAMES; i++) {
		struct frame_place place = frame_map_find(&map, 100 * i + 50);

		assert_int_equal(place.file_at * 10, place.plain_at);
		assert_in_range(100 * i - place.plain_at, 0, 100 * map.step - 100);
	}
	assert_true(map.step <= 64);
}

static void every_place_is_known_while_they_are_few(void **state)
{
	static struct frame_map map;

	(void)state;
	frame_map_init(&map);
	for (uint64_t i = 0; i < FRAME_MAP_PLACES; i++)
		frame_map_add(&map, &(struct frame_place){i, 2 * i});
	for (uint64_t i = 0; i < FRAME_MAP_PLACES; i++)
		assert_int_equal(frame_map_find(&map, 2 * i + 1).file_at, i);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_place_before_is_found),
		cmocka_unit_test(every_place_is_known_while_they_are_few),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
