// SPDX-License-Identifier: BSD-2-Clause
#include "base/map.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct long_key {
	char bytes[37];
};

static void test_empty_map(void **state)
{
	uint32_t key = 1;
	const void *k;
	struct map map;
	size_t at = 0;
	void *v;

	(void)state;
	map_init(&map, sizeof(key), 8, 0);
	assert_null(map_get(&map, &key));
	map_remove(&map, &key);
	assert_false(map_next(&map, &at, &k, &v));
	map_fini(&map);
	map_fini(&map);
}

static void test_new_values_are_zero(void **state)
{
	uint64_t key = 5, *value;
	struct map map;

	(void)state;
	map_init(&map, sizeof(key), sizeof(*value), 0);
	value = map_at(&map, &key);
	assert_int_equal(*value, 0);
	*value = 77;
	map_remove(&map, &key);
	assert_null(map_get(&map, &key));
	value = map_at(&map, &key);
	assert_int_equal(*value, 0);
	map_fini(&map);
}

static void test_limit(void **state)
{
	struct map map;
	uint32_t key;

	(void)state;
	map_init(&map, sizeof(key), 4, 100);
	for (key = 0; key < 100; key++)
		assert_non_null(map_at(&map, &key));
	assert_null(map_at(&map, &key));
	key = 50;
	assert_non_null(map_at(&map, &key));
	map_remove(&map, &key);
	key = 100;
	assert_non_null(map_at(&map, &key));
	map_fini(&map);
}

#define KEYS 5000u

/* Random inserts and removals against a plain array. */
static void check_against_array(size_t key_bytes)
{
	uint8_t key[64] = {0};
	uint32_t *truth = calloc(KEYS, sizeof(*truth));
	size_t count = 0, at = 0;
	const void *k;
	struct map map;
	uint32_t i, n;
	void *v;

	assert_non_null(truth);
	map_init(&map, key_bytes, sizeof(uint32_t), 0);
	srandom(1);
	for (i = 0; i < 100000; i++) {
		n = (uint32_t)random() % KEYS;
		memcpy(key, &n, sizeof(n));
		if (random() % 2) {
			truth[n] = i + 1;
			v = map_at(&map, key);
			assert_non_null(v);
			memcpy(v, &truth[n], sizeof(n));
		} else {
			truth[n] = 0;
			map_remove(&map, key);
		}
	}
	for (n = 0; n < KEYS; n++) {
		memcpy(key, &n, sizeof(n));
		v = map_get(&map, key);
		assert_int_equal(v != NULL, truth[n] != 0);
		if (v)
			assert_memory_equal(v, &truth[n], sizeof(n));
		count += truth[n] != 0;
	}
	assert_int_equal(map.count, count);
	while (map_next(&map, &at, &k, &v)) {
		memcpy(&n, k, sizeof(n));
		assert_memory_equal(v, &truth[n], sizeof(n));
		count--;
	}
	assert_int_equal(count, 0);
	map_fini(&map);
	free(truth);
}

static void test_against_array(void **state)
{
	(void)state;
	check_against_array(4);
	check_against_array(8);
	check_against_array(12);
	check_against_array(sizeof(struct long_key));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty_map),
		cmocka_unit_test(test_new_values_are_zero),
		cmocka_unit_test(test_limit),
		cmocka_unit_test(test_against_array),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
