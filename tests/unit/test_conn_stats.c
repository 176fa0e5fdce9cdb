// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/conn_stats.h"

#include "view_fixture.h"

#include "analyse/tcp_conn.h"

static void test_keys(void **state)
{
	struct conn_fields fields;
	struct conn_stats stats;
	struct fixture f;
	uint64_t key = 77;
	struct conn_count *conn;
	size_t i;

	(void)state;
	fixture_init(&f, NULL);
	assert_true(conn_fields_find(&fields, f.classes[FIXTURE_TCP]));
	assert_false(conn_fields_find(&(struct conn_fields){0}, f.classes[FIXTURE_ENTER]));
	fixture_tcp(&f, 0, 77, 10, 800);
	fixture_tcp(&f, 1, 78, 20, 0);
	fixture_tcp(&f, 2, 77, 5, 2400); /* an older snapshot, from another CPU */
	fixture_tcp(&f, 3, 0, 5, 80);
	fixture_tcp(&f, 4, 0, 6, 80);
	conn_stats_init(&stats);
	for (i = 0; i < f.count; i++)
		conn_stats_count(&stats, &fields, &f.events[i]);
	assert_int_equal(stats.map.count, 3);
	conn = map_get(&stats.map, &key);
	assert_non_null(conn);
	assert_int_equal(conn->events, 2);
	assert_int_equal(conn->sent.last, 10);
	assert_int_equal(conn->srtt_min_ns, 800000);
	assert_int_equal(conn->srtt_ns, 2400000);
	assert_int_equal(conn->srtt_count, 2);
	assert_int_equal(conn->id.lport, 5000);
	assert_int_equal(stats.others, 0);
	conn_stats_fini(&stats);
	fixture_fini(&f);
}

/* The same bytes as a report of the same events, whether the beginning was seen or not. */
static void test_as_in_the_report(void **state)
{
	static const uint64_t seen[][3] = {{0, 1, 83}, {1, 83, 40}};
	static struct tcp_spread spread;
	struct tcp_fields tcp = {.kind = TCP_PLAIN, .has = 1u << TCP_BYTES_ACKED};
	struct conn_fields fields;
	uint64_t key = 77;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct tcp_conn conn = {.spread = &spread};
		struct conn_stats stats;
		struct fixture f;

		fixture_init(&f, NULL);
		assert_true(conn_fields_find(&fields, f.classes[FIXTURE_TCP]));
		tcp.id = fields.id;
		tcp.at[TCP_BYTES_ACKED] = (size_t)fields.bytes_acked;
		conn_stats_init(&stats);
		for (int j = 0; j < 3; j++) {
			fixture_tcp(&f, j, key, seen[i][j], 0);
			conn_stats_count(&stats, &fields, &f.events[j]);
			tcp_conn_count(&conn, &tcp, &f.events[j], true);
		}
		assert_int_equal(conn.sent.grown, i ? 82 : 83);
		assert_int_equal(((struct conn_count *)map_get(&stats.map, &key))->sent.grown,
				 conn.sent.grown);
		conn_stats_fini(&stats);
		fixture_fini(&f);
	}
}

static void test_bounded(void **state)
{
	struct conn_fields fields;
	struct conn_stats stats;
	struct fixture f;
	uint64_t i;

	(void)state;
	fixture_init(&f, NULL);
	assert_true(conn_fields_find(&fields, f.classes[FIXTURE_TCP]));
	fixture_tcp(&f, 0, 0, 10, 800);
	conn_stats_init(&stats);
	for (i = 1; i <= CONN_STATS_LIMIT + 5; i++) {
		memcpy(f.payloads[0], &i, sizeof(i)); /* the cookie */
		conn_stats_count(&stats, &fields, &f.events[0]);
	}
	assert_int_equal(stats.map.count, CONN_STATS_LIMIT);
	assert_int_equal(stats.others, 5);
	conn_stats_fini(&stats);
	fixture_fini(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_keys),
		cmocka_unit_test(test_as_in_the_report),
		cmocka_unit_test(test_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
