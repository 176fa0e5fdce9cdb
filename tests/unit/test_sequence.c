// SPDX-License-Identifier: BSD-2-Clause
#include "graph/sequence.h"

#include "tcp_fixture.h"

#include "graph/conn_pick.h"

struct scene {
	struct tcp_fixture tcp;
	struct trace_info info;
	struct select select;
	struct analysis analysis;
	struct sequence sequence;
};

static void init(struct scene *s, const struct conn_pick *pick)
{
	tcp_fixture_init(&s->tcp);
	s->info = (struct trace_info){.class_count = TCP_CLOSE + 1, .classes = s->tcp.classes};
	select_init(&s->select);
	s->analysis = (struct analysis){.info = &s->info, .select = &s->select};
	assert_int_equal(sequence_init(&s->sequence, &s->analysis, pick), 0);
}

static void add(struct scene *s, enum tcp_kind kind, int64_t ns, uint32_t una, uint32_t next)
{
	s->tcp.now.v[TCP_SND_UNA] = una;
	s->tcp.now.v[TCP_SND_NXT] = next;
	assert_int_equal(sequence_take(&s->sequence, tcp_fixture_add(&s->tcp, kind, ns), true), 0);
}

/* Numbers are counted from the first, also where those on the wire begin anew. */
static void test_unwrapped(void **state)
{
	const struct sequence_conn *conn;
	struct scene s;

	(void)state;
	init(&s, NULL);
	add(&s, TCP_PLAIN, 1, 0xfffff000, 0xfffff000);
	add(&s, TCP_PLAIN, 2, 0xfffff000, 0x00002000);
	add(&s, TCP_PLAIN, 3, 0x00001000, 0x00003000);
	/* More than 4 GiB in all. */
	add(&s, TCP_PLAIN, 4, 0x70000000, 0x70000000);
	add(&s, TCP_PLAIN, 5, 0xe0000000, 0xe0000000);
	add(&s, TCP_PLAIN, 6, 0x50000000, 0x50000000);
	sequence_end(&s.sequence);
	conn = sequence_chosen(&s.sequence);
	assert_non_null(conn);
	assert_true(conn->acked.low == 0);
	assert_true(conn->acked.high == 0x150001000ll);
	assert_true(conn->sent.high == 0x150001000ll);
	assert_true(conn->window.low == 65536);
	assert_int_equal(conn->sent.bins[0].first_ns, FIXTURE_EPOCH_NS + 2);
	assert_true(conn->sent.bins[0].low == 0 && conn->sent.bins[0].high == 0x3000);
	sequence_fini(&s.sequence);
}

/* The window's edge is never left of what was sent, whose snapshot may have the window of before. */
static void test_window(void **state)
{
	const struct sequence_conn *conn;
	struct scene s;

	(void)state;
	init(&s, NULL);
	s.tcp.now.v[TCP_SND_WND] = 10000;
	add(&s, TCP_PLAIN, 1, 1000, 1000);
	add(&s, TCP_PLAIN, 2000000000, 1000, 16000);
	s.tcp.now.v[TCP_SND_WND] = 30000;
	add(&s, TCP_PLAIN, 4000000000, 2000, 16000);
	sequence_end(&s.sequence);
	conn = sequence_chosen(&s.sequence);
	assert_int_equal(conn->window.count, 3);
	assert_true(conn->window.bins[0].high == 10000);
	assert_true(conn->window.bins[1].high == 15000);
	assert_true(conn->window.bins[2].high == 31000);
	assert_true(conn->sent.high == 15000);
	sequence_fini(&s.sequence);
}

static void test_losses(void **state)
{
	const struct sequence_conn *conn;
	struct scene s;

	(void)state;
	init(&s, NULL);
	add(&s, TCP_PLAIN, 1, 1000, 9000);
	s.tcp.now.more[0] = TCP_CA_DISORDER;
	add(&s, TCP_LOSS, 2, 2000, 9000);
	s.tcp.now.more[0] = TCP_CA_RECOVERY;
	add(&s, TCP_LOSS, 3, 2000, 9000);
	s.tcp.now.more[TCP_MORE_SEGMENTS] = 2;
	s.tcp.now.more[TCP_MORE_LENGTH] = 2000;
	add(&s, TCP_RETRANSMIT, 4, 2000, 9000);
	sequence_end(&s.sequence);
	conn = sequence_chosen(&s.sequence);
	assert_int_equal(conn->losses.points, 1);
	assert_true(conn->losses.low == 1000);
	/* Without a field that tells which segment it was, there is nothing to mark. */
	assert_int_equal(conn->resent.points, 0);
	sequence_fini(&s.sequence);
}

static void test_chosen(void **state)
{
	struct conn_pick pick;
	struct scene s;

	(void)state;
	init(&s, NULL);
	assert_null(sequence_chosen(&s.sequence));
	add(&s, TCP_PLAIN, 1, 1000, 2000);
	s.tcp.now.cookie = 6;
	s.tcp.now.lport = 40001;
	add(&s, TCP_PLAIN, 2, 1000, 5000);
	s.tcp.now.cookie = 7;
	s.tcp.now.v[TCP_STATE_NOW] = TCP_STATE_LISTEN;
	add(&s, TCP_PLAIN, 3, 1000, 500000);
	sequence_end(&s.sequence);
	assert_int_equal(s.sequence.count, 2);
	assert_int_equal(sequence_chosen(&s.sequence)->id.lport, 40001);
	sequence_fini(&s.sequence);

	assert_int_equal(conn_pick_parse("40000.80", &pick, NULL), 0);
	init(&s, &pick);
	add(&s, TCP_PLAIN, 1, 1000, 2000);
	s.tcp.now.cookie = 6;
	s.tcp.now.lport = 40001;
	add(&s, TCP_PLAIN, 2, 1000, 5000);
	sequence_end(&s.sequence);
	assert_int_equal(s.sequence.count, 1);
	assert_int_equal(sequence_chosen(&s.sequence)->id.lport, 40000);
	sequence_fini(&s.sequence);
}

/* Numbers that jump about are those of nobody's connection, and do no harm. */
static void test_hostile_numbers(void **state)
{
	uint64_t random = 1;
	struct scene s;

	(void)state;
	init(&s, NULL);
	for (int i = 0; i < 60; i++) {
		random = random * 6364136223846793005u + 1442695040888963407u;
		s.tcp.now.v[TCP_SND_WND] = random;
		add(&s, i % 7 ? TCP_PLAIN : TCP_RETRANSMIT, (int64_t)random % 1000,
		    (uint32_t)(random >> 32), (uint32_t)(random >> 7));
	}
	sequence_end(&s.sequence);
	assert_non_null(sequence_chosen(&s.sequence));
	sequence_fini(&s.sequence);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unwrapped),	cmocka_unit_test(test_window),
		cmocka_unit_test(test_losses),		cmocka_unit_test(test_chosen),
		cmocka_unit_test(test_hostile_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
