// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/tcp_fields.h"

#include "tcp_fixture.h"

static void test_find(void **state)
{
	struct tcp_fields fields;
	struct tcp_fixture t;
	size_t i;

	(void)state;
	tcp_fixture_init(&t);
	for (i = TCP_PLAIN; i <= TCP_CLOSE; i++) {
		tcp_fields_find(&fields, t.classes[i]);
		assert_int_equal(fields.kind, i);
	}
	/* Others of the group have the snapshot, too. */
	t.made[TCP_PLAIN].name = "tcp.poll";
	tcp_fields_find(&fields, t.classes[TCP_PLAIN]);
	assert_int_equal(fields.kind, TCP_PLAIN);
	t.made[TCP_PLAIN].name = "net.tcp_send";
	tcp_fields_find(&fields, t.classes[TCP_PLAIN]);
	assert_int_equal(fields.kind, TCP_NONE);
}

/* A class that lacks a field, or has an array or text in its place, is none of ours. */
static void test_foreign(void **state)
{
	struct tcp_fields fields;
	struct tcp_fixture t;

	(void)state;
	tcp_fixture_init(&t);
	t.made[TCP_LOSS].field_count--;
	tcp_fields_find(&fields, t.classes[TCP_LOSS]);
	assert_int_equal(fields.kind, TCP_NONE);
	t.fields[TCP_STATE][TCP_FIXTURE_IDS + TCP_SND_NXT].count = 2;
	tcp_fields_find(&fields, t.classes[TCP_STATE]);
	assert_int_equal(fields.kind, TCP_NONE);
}

/* Snapshots of another format have what that has. */
static void test_partial(void **state)
{
	struct tcp_fields fields;
	struct tcp_fixture t;
	struct tcp_now now;

	(void)state;
	tcp_fixture_init(&t);
	t.made[TCP_PLAIN].name = TCP_PARTIAL_NAME;
	t.fields[TCP_PLAIN][TCP_FIXTURE_IDS + TCP_SRTT_US].name = "something_else";
	t.fields[TCP_PLAIN][TCP_FIXTURE_IDS + TCP_SND_CWND].unit = "bytes";
	tcp_fields_find(&fields, t.classes[TCP_PLAIN]);
	assert_int_equal(fields.kind, TCP_PLAIN);
	assert_true(fields.cwnd_bytes);
	t.now.v[TCP_SRTT_US] = 100;
	t.now.v[TCP_MSS] = 1460;
	tcp_fields_read(&fields, tcp_fixture_add(&t, TCP_PLAIN, 1), &now);
	assert_false(tcp_now_has(&now, TCP_SRTT_US));
	assert_int_equal(now.v[TCP_SRTT_US], 0);
	assert_true(tcp_now_has(&now, TCP_MSS));
	assert_int_equal(now.v[TCP_MSS], 1460);
}

static void test_read(void **state)
{
	struct tcp_fields fields;
	struct tcp_fixture t;
	struct tcp_now now;
	size_t i;

	(void)state;
	tcp_fixture_init(&t);
	tcp_fields_find(&fields, t.classes[TCP_RETRANSMIT]);
	for (i = 0; i < TCP_FIELD_COUNT; i++)
		t.now.v[i] = 100 + i;
	for (i = 0; i < TCP_MORE_FIELDS; i++)
		t.now.more[i] = 200 + i;
	tcp_fields_read(&fields, tcp_fixture_add(&t, TCP_RETRANSMIT, 1), &now);
	for (i = 0; i < TCP_FIELD_COUNT; i++)
		assert_int_equal(now.v[i], 100 + i);
	assert_int_equal(tcp_fields_more(&fields, &t.events[0], TCP_MORE_CAUSE), 200);
	assert_int_equal(tcp_fields_more(&fields, &t.events[0], TCP_MORE_ERROR), 203);
}

static void test_distance(void **state)
{
	(void)state;
	assert_int_equal(tcp_distance(5, 5), 0);
	assert_int_equal(tcp_distance(0xfffffff0u, 0x10), 0x20);
	assert_int_equal(tcp_distance(0x10, 0xfffffff0u), 0);
	assert_int_equal(tcp_distance(1, 1000), 999);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_find),	 cmocka_unit_test(test_foreign),
		cmocka_unit_test(test_partial),	 cmocka_unit_test(test_read),
		cmocka_unit_test(test_distance),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
