// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/layer_stats.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct packet_way make_way(uint32_t from, enum way_end end)
{
	struct packet_way way = {
		.key = {.protocol = NET_PROTOCOL_UDP},
		.from_netns = from,
		.to_netns = 2,
		.end = end,
		.count = 3,
		.steps = {{.time_ns = 100, .crossing = NET_IP_SEND},
			  {.time_ns = 130, .crossing = NET_DEV_XMIT},
			  {.time_ns = 200, .crossing = NET_DEV_RECV}},
	};

	return way;
}

static void test_layers(void **state)
{
	struct packet_way way = make_way(1, WAY_READ);
	const struct layer_direction *direction;
	enum net_crossing from, to;
	struct layer_stats stats;
	size_t at = 0;

	(void)state;
	layer_stats_init(&stats);
	layer_stats_add(&stats, &way);
	way.steps[2].time_ns = 230;
	way.end = WAY_INCOMPLETE;
	layer_stats_add(&stats, &way);
	assert_int_equal(stats.count, 1);
	direction = stats.directions[0];
	assert_int_equal(direction->packets, 2);
	assert_true(layer_stats_next(direction, &at, &from, &to));
	assert_int_equal(from, NET_IP_SEND);
	assert_int_equal(to, NET_DEV_XMIT);
	assert_int_equal(direction->layers[from][to]->count, 2);
	assert_true(layer_stats_next(direction, &at, &from, &to));
	assert_int_equal(direction->layers[from][to]->total_ns, 170);
	assert_false(layer_stats_next(direction, &at, &from, &to));
	/* What was not seen whole has no total. */
	assert_int_equal(direction->totals[WAY_READ].count, 1);
	assert_int_equal(direction->totals[WAY_READ].total_ns, 100);
	assert_int_equal(direction->totals[WAY_INCOMPLETE].count, 0);
	layer_stats_fini(&stats);
}

static void test_gone(void **state)
{
	struct packet_way way = make_way(1, WAY_VANISHED);
	struct layer_direction *direction;
	struct layer_stats stats;
	int64_t i;

	(void)state;
	layer_stats_init(&stats);
	layer_stats_add(&stats, &way);
	way.end = WAY_DROPPED;
	way.steps[2].crossing = NET_DROPPED;
	for (i = 0; i < (int64_t)LAYER_REASONS + 5; i++) {
		way.reason = i;
		layer_stats_add(&stats, &way);
	}
	way.reason = 0;
	layer_stats_add(&stats, &way);
	direction = stats.directions[0];
	assert_int_equal(direction->vanished[NET_DEV_RECV], 1);
	assert_int_equal(direction->drop_count, LAYER_REASONS);
	assert_int_equal(direction->drops[0].count, 2);
	assert_int_equal(direction->drops[0].last, NET_DEV_XMIT);
	assert_int_equal(direction->other_drops, 5);
	layer_stats_fini(&stats);
}

static void test_bounded(void **state)
{
	const struct layer_direction *others;
	struct layer_stats stats;
	struct packet_way way;
	uint32_t i;

	(void)state;
	layer_stats_init(&stats);
	for (i = 0; i < LAYER_DIRECTIONS + 5; i++) {
		way = make_way(i + 1, WAY_READ);
		layer_stats_add(&stats, &way);
	}
	assert_int_equal(stats.count, LAYER_DIRECTIONS);
	others = stats.directions[LAYER_DIRECTIONS - 1];
	assert_int_equal(others->packets, 6);
	assert_int_equal(others->protocol, 0);
	assert_int_equal(others->from_netns, 0);
	layer_stats_sort(&stats);
	assert_ptr_equal(stats.directions[0], others);
	assert_int_equal(stats.directions[1]->from_netns, 1);
	assert_int_equal(stats.directions[2]->from_netns, 2);
	layer_stats_fini(&stats);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layers),
		cmocka_unit_test(test_gone),
		cmocka_unit_test(test_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
