// SPDX-License-Identifier: BSD-2-Clause
#include "trace/packet_map.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "base/io.h"
#include "wire/index.h"

#define STEP PACKET_MAP_STEP_BYTES

/* Packets of one step each, @count of them, at 0, 100, 200 ... ns. */
static void fill(struct packet_map *map, uint64_t count)
{
	*map = (struct packet_map){0};
	for (uint64_t i = 0; i < count; i++)
		assert_int_equal(packet_map_add(map, i * STEP, STEP, (int64_t)i * 100,
						(int64_t)i * 100 + 90),
				 0);
}

static uint64_t found(const struct packet_map *map, int64_t from_ns)
{
	const struct packet_place *place = packet_map_find(map, from_ns);

	return place ? place->offset / STEP : UINT64_MAX;
}

static void finds_the_last_that_is_early_enough(void **state)
{
	struct packet_map map;

	(void)state;
	fill(&map, 10);
	assert_int_equal(found(&map, 0), UINT64_MAX);
	assert_int_equal(found(&map, 1), 0);
	assert_int_equal(found(&map, 100), 0);
	assert_int_equal(found(&map, 101), 1);
	assert_int_equal(found(&map, 550), 5);
	assert_int_equal(found(&map, INT64_MAX), 9);
	packet_map_fini(&map);
}

static void packets_that_reach_far_hold_it_back(void **state)
{
	struct packet_map map = {0};

	(void)state;
	assert_int_equal(packet_map_add(&map, 0, STEP, 0, 10), 0);
	assert_int_equal(packet_map_add(&map, STEP, STEP, 10, 500), 0);
	assert_int_equal(packet_map_add(&map, 2 * STEP, STEP, 20, 30), 0);
	assert_int_equal(packet_map_add(&map, 3 * STEP, STEP, 600, 700), 0);
	assert_int_equal(found(&map, 400), 1);
	assert_int_equal(found(&map, 501), 2);
	assert_int_equal(found(&map, 601), 3);
	packet_map_fini(&map);
}

static void gaps_and_overlaps_are_refused(void **state)
{
	struct packet_map map;

	(void)state;
	fill(&map, 2);
	assert_int_equal(packet_map_add(&map, 2 * STEP + 8, STEP, 300, 400), -EBADMSG);
	assert_int_equal(packet_map_add(&map, 2 * STEP - 8, STEP, 300, 400), -EBADMSG);
	assert_int_equal(packet_map_add(&map, 2 * STEP, 0, 300, 400), -EBADMSG);
	assert_int_equal(packet_map_add(&map, 2 * STEP, UINT64_MAX, 300, 400), -EBADMSG);
	assert_int_equal(packet_map_add(&map, 2 * STEP, STEP, 300, 400), 0);
	packet_map_fini(&map);
}

static void stays_small(void **state)
{
	const uint64_t packets = 5 * PACKET_MAP_PLACES_MAX;
	struct packet_map map;

	(void)state;
	fill(&map, packets);
	assert_true(map.count <= PACKET_MAP_PLACES_MAX);
	assert_int_equal(map.places[0].offset, 0);
	for (size_t i = 1; i < map.count; i++) {
		const struct packet_place *place = &map.places[i];
		int64_t packet = (int64_t)(place->offset / STEP);

		assert_true(place->offset > place[-1].offset);
		assert_int_equal(place->begin_ns, packet * 100);
		assert_int_equal(place->reach_ns, packet * 100 - 10);
	}
	assert_true(found(&map, INT64_MAX) > packets - 2 * map.step / STEP);
	packet_map_fini(&map);
}

static void put64(uint8_t *at, uint64_t value)
{
	for (int i = 0; i < 8; i++)
		at[i] = (uint8_t)(value >> (56 - 8 * i));
}

/* An index of two packets, the second at @second. */
static int load(uint64_t second, uint64_t size, struct packet_map *map)
{
	uint8_t bytes[INDEX_HEAD_BYTES + 2 * INDEX_ENTRY_BYTES] = {
		0xc1, 0xf1, 0xdc, 0xc1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 72};
	int fd = memfd_create("index", MFD_CLOEXEC), err;

	assert_true(fd >= 0);
	for (unsigned int i = 0; i < 2; i++) {
		uint8_t *entry = bytes + INDEX_HEAD_BYTES + (size_t)i * INDEX_ENTRY_BYTES;

		put64(entry, i ? second : 0);
		put64(entry + 8, STEP * 8ull);
		put64(entry + 16, STEP * 8ull);
		put64(entry + 24, 1000 * i);
		put64(entry + 32, 1000 * i + 500);
	}
	assert_int_equal(write_all(fd, bytes, sizeof(bytes)), 0);
	*map = (struct packet_map){0};
	err = packet_map_load(map, fd, NULL, size);
	assert_int_equal(fd_close(fd), 0);
	return err;
}

static void index_files_are_taken_where_they_are_whole(void **state)
{
	struct packet_map map;
	int fd;

	(void)state;
	assert_int_equal(load(STEP, 2ull * STEP, &map), 0);
	assert_int_equal(map.count, 2);
	assert_int_equal(map.places[1].begin_ns, 1000);
	assert_int_equal(map.places[1].reach_ns, 500);
	packet_map_fini(&map);
	/* What the stream has lost of its end is left out. */
	assert_int_equal(load(STEP, STEP, &map), 0);
	assert_int_equal(map.count, 1);
	packet_map_fini(&map);
	assert_int_equal(load(STEP + 1, 9ull * STEP, &map), -EBADMSG);
	packet_map_fini(&map);
	assert_int_equal(load(0, 9ull * STEP, &map), -EBADMSG);
	packet_map_fini(&map);

	fd = memfd_create("empty", MFD_CLOEXEC);
	map = (struct packet_map){0};
	assert_int_equal(packet_map_load(&map, fd, NULL, STEP), -EBADMSG);
	packet_map_fini(&map);
	assert_int_equal(fd_close(fd), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_the_last_that_is_early_enough),
		cmocka_unit_test(packets_that_reach_far_hold_it_back),
		cmocka_unit_test(gaps_and_overlaps_are_refused),
		cmocka_unit_test(stays_small),
		cmocka_unit_test(index_files_are_taken_where_they_are_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
