// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/tcp_conn.h"

#include "tcp_fixture.h"

struct made {
	struct tcp_fixture t;
	struct tcp_fields fields[TCP_CLOSE + 1];
	struct tcp_spread spread;
	struct tcp_conn conn;
};

static void init(struct made *m)
{
	size_t i;

	memset(m, 0, sizeof(*m));
	tcp_fixture_init(&m->t);
	for (i = TCP_PLAIN; i <= TCP_CLOSE; i++)
		tcp_fields_find(&m->fields[i], m->t.classes[i]);
	m->conn.spread = &m->spread;
}

static void add(struct made *m, enum tcp_kind kind, int64_t ns)
{
	tcp_conn_count(&m->conn, &m->fields[kind], tcp_fixture_add(&m->t, kind, ns), true);
}

static void add_change(struct made *m, int64_t ns, uint64_t old, uint64_t state)
{
	m->t.now.v[TCP_STATE_NOW] = old;
	m->t.now.more[TCP_MORE_NEW_STATE] = state;
	add(m, TCP_STATE, ns);
	m->t.now.v[TCP_STATE_NOW] = state;
}

static void test_life(void **state)
{
	struct made m;

	(void)state;
	init(&m);
	add_change(&m, 0, TCP_STATE_CLOSE, TCP_STATE_SYN_SENT);
	m.t.now.v[TCP_BYTES_ACKED] = 1;
	add_change(&m, 30000, TCP_STATE_SYN_SENT, TCP_STATE_ESTABLISHED);
	m.t.now.v[TCP_BYTES_ACKED] = 1001;
	m.t.now.v[TCP_BYTES_RECEIVED] = 50;
	add_change(&m, MS, TCP_STATE_ESTABLISHED, TCP_STATE_FIN_WAIT1);
	add_change(&m, 2 * MS, TCP_STATE_FIN_WAIT1, TCP_STATE_CLOSE);
	add(&m, TCP_CLOSE, 2 * MS + 1);
	assert_true(m.conn.opened);
	assert_true(m.conn.closed);
	assert_false(m.conn.listens);
	assert_int_equal(m.conn.handshake_ns, 30000);
	assert_int_equal(m.conn.sent.grown, 1001);
	assert_int_equal(m.conn.received.grown, 50);
	assert_int_equal(tcp_conn_lasted(&m.conn), 2 * MS + 1);
	assert_int_equal(m.conn.state, TCP_STATE_CLOSE);
	assert_int_equal(m.conn.change_count, 4);
	assert_int_equal(m.conn.changes[2].state, TCP_STATE_FIN_WAIT1);
	assert_int_equal(m.conn.netns, 77);
	assert_true(tcp_conn_rate(&m.conn, 2000001) == 1e9);
}

/* Of one that was there before, only what comes counts; the kernel's totals are another thing. */
static void test_was_there_before(void **state)
{
	struct made m;

	(void)state;
	init(&m);
	m.t.now.v[TCP_BYTES_ACKED] = 5000;
	m.t.now.v[TCP_TOTAL_RETRANS] = 7;
	add(&m, TCP_PLAIN, 0);
	m.t.now.v[TCP_BYTES_ACKED] = 6500;
	m.t.now.v[TCP_TOTAL_RETRANS] = 9;
	add(&m, TCP_PLAIN, MS);
	m.t.now.v[TCP_BYTES_ACKED] = 6000; /* from another CPU, a little earlier */
	add(&m, TCP_PLAIN, MS);
	assert_int_equal(m.conn.sent.grown, 1500);
	assert_int_equal(m.conn.sent.last, 6500);
	assert_int_equal(m.conn.resent_segments.grown, 2);
	assert_false(m.conn.opened);
	assert_int_equal(m.conn.handshake_ns, 0);
}

/* Each interval counts for what its end shows. */
static void test_waits(void **state)
{
	uint64_t *v;
	struct made m;

	(void)state;
	init(&m);
	v = m.t.now.v;
	add(&m, TCP_PLAIN, 0);
	add(&m, TCP_PLAIN, 1 * MS); /* nothing to do for 1 ms */
	v[TCP_PACKETS_OUT] = 4;
	add(&m, TCP_PLAIN, 3 * MS); /* all sent, for 2 */
	v[TCP_WMEM_QUEUED] = v[TCP_SNDBUF];
	add(&m, TCP_PLAIN, 6 * MS); /* and no room for more, for 3 */
	v[TCP_SND_UNA] = 0xffffff00u; /* numbers wrap */
	v[TCP_SND_NXT] = 0x1000;
	v[TCP_WRITE_SEQ] = 0x9000;
	v[TCP_PACKETS_OUT] = 10;
	add(&m, TCP_PLAIN, 10 * MS); /* congestion window, for 4 */
	v[TCP_SACKED_OUT] = 2;
	v[TCP_SND_WND] = 0x1100 + 999; /* one byte less than a segment is left */
	add(&m, TCP_PLAIN, 15 * MS); /* receiver, for 5 */
	v[TCP_SND_WND]++;
	add(&m, TCP_PLAIN, 21 * MS); /* neither, for 6 */
	v[TCP_WRITE_SEQ] = v[TCP_SND_NXT];
	v[TCP_LOST_OUT] = 1; /* to be sent again: there is something to do, and a window */
	add(&m, TCP_PLAIN, 28 * MS);
	assert_int_equal(m.conn.wait_ns[TCP_WAIT_IDLE], 1 * MS);
	assert_int_equal(m.conn.wait_ns[TCP_WAIT_ACK], 2 * MS);
	assert_int_equal(m.conn.wait_ns[TCP_WAIT_BUFFER], 3 * MS);
	assert_int_equal(m.conn.wait_ns[TCP_WAIT_CWND], 4 * MS);
	assert_int_equal(m.conn.wait_ns[TCP_WAIT_RWND], 5 * MS);
	assert_int_equal(m.conn.wait_ns[TCP_WAIT_OTHER], 6 * MS + 7 * MS);
	assert_int_equal(m.spread.send_queue.spread.max_ns, 0x9100);
}

/* Where nobody is at the other end there is no sender to wait. */
static void test_not_connected(void **state)
{
	struct made m;

	(void)state;
	init(&m);
	m.t.now.v[TCP_STATE_NOW] = TCP_STATE_SYN_SENT;
	add(&m, TCP_PLAIN, 0);
	add(&m, TCP_PLAIN, MS);
	assert_int_equal(m.conn.wait_ns[TCP_WAIT_IDLE], 0);
	assert_int_equal(m.spread.cwnd.spread.count, 0);
}

/* tcp.cwnd and tcp.recv show how things are after their event. */
static void test_levels(void **state)
{
	uint64_t *v;
	struct made m;

	(void)state;
	init(&m);
	v = m.t.now.v;
	add(&m, TCP_PLAIN, 0);
	v[TCP_SND_CWND] = 20;
	m.t.now.more[TCP_MORE_OLD_CWND] = 10;
	v[TCP_RCV_NXT] = 3000;
	add(&m, TCP_CWND, 2 * MS); /* it was 10 for 2 ms */
	v[TCP_COPIED_SEQ] = 3000;
	add(&m, TCP_RECV, 3 * MS); /* 3000 bytes waited for another ms */
	add(&m, TCP_PLAIN, 7 * MS); /* and none for 4 */
	assert_int_equal(latency_percentile(&m.spread.cwnd.spread, 200), 10);
	assert_int_equal(latency_percentile(&m.spread.cwnd.spread, 300), 20);
	assert_int_equal(m.spread.cwnd.spread.count, 7 * MS);
	assert_int_equal(latency_percentile(&m.spread.receive_queue.spread, 400), 0);
	assert_int_equal(m.spread.receive_queue.spread.max_ns, 3000);
	/* A record between that has the new window already: nothing is left to correct. */
	v[TCP_SND_CWND] = 30;
	add(&m, TCP_PLAIN, 8 * MS);
	m.t.now.more[TCP_MORE_OLD_CWND] = 20;
	add(&m, TCP_CWND, 9 * MS);
	assert_int_equal(m.spread.cwnd.spread.max_ns, 30);
	assert_int_equal(latency_percentile(&m.spread.cwnd.spread, 777), 20);
	assert_int_equal(latency_percentile(&m.spread.cwnd.spread, 778), 30);
}

static void test_round_trips(void **state)
{
	uint64_t *v;
	struct made m;

	(void)state;
	init(&m);
	v = m.t.now.v;
	add(&m, TCP_PLAIN, 0); /* none measured yet */
	v[TCP_SRTT_US] = 100;
	v[TCP_MDEV_US] = 10;
	v[TCP_RTO_US] = 204000;
	add(&m, TCP_PLAIN, 1);
	add(&m, TCP_PLAIN, 2); /* nothing new was acknowledged */
	v[TCP_BYTES_ACKED] = 100; /* now it was, and took as long */
	add(&m, TCP_PLAIN, 3);
	v[TCP_RTO_US] = 100000;
	add(&m, TCP_PLAIN, 4);
	assert_int_equal(m.spread.srtt.count, 2);
	assert_int_equal(m.spread.srtt.max_ns, 100000);
	assert_int_equal(m.conn.mdev_ns, 10000);
	assert_int_equal(m.conn.rto_ns, 100 * MS);
	assert_int_equal(m.conn.rto_max_ns, 204 * MS);
}

static void add_loss(struct made *m, int64_t ns, uint64_t state)
{
	m->t.now.more[TCP_MORE_NEW_CA] = state;
	add(m, TCP_LOSS, ns);
	m->t.now.v[TCP_CA_STATE] = state;
}

static void test_losses(void **state)
{
	struct made m;

	(void)state;
	init(&m);
	add(&m, TCP_PLAIN, 0);
	add_loss(&m, 1 * MS, TCP_CA_RECOVERY);
	m.t.now.more[TCP_MORE_CAUSE] = TCP_CAUSE_FAST;
	m.t.now.more[TCP_MORE_SEGMENTS] = 2;
	m.t.now.more[TCP_MORE_LENGTH] = 2000;
	m.t.now.more[TCP_MORE_ERROR] = 1;
	add(&m, TCP_RETRANSMIT, 2 * MS);
	m.t.now.more[TCP_MORE_CAUSE] = 9; /* of a later version */
	add(&m, TCP_RETRANSMIT, 2 * MS);
	add_loss(&m, 4 * MS, TCP_CA_LOSS); /* the same episode */
	add_loss(&m, 9 * MS, TCP_CA_OPEN);
	m.t.now.v[TCP_CA_STATE] = TCP_CA_RECOVERY; /* without tcp.loss it shows, too */
	add(&m, TCP_PLAIN, 10 * MS);
	assert_int_equal(m.conn.episodes, 2);
	assert_int_equal(m.spread.episodes.count, 1);
	assert_int_equal(m.spread.episodes.max_ns, 8 * MS);
	assert_int_equal(m.conn.entered[TCP_CA_LOSS], 1);
	assert_int_equal(m.conn.entered[TCP_CA_RECOVERY], 2);
	assert_int_equal(m.conn.ca_ns[TCP_CA_OPEN], 1 * MS);
	assert_int_equal(m.conn.ca_ns[TCP_CA_RECOVERY], 3 * MS + 1 * MS);
	assert_int_equal(m.conn.ca_ns[TCP_CA_LOSS], 5 * MS);
	assert_int_equal(m.conn.resent[TCP_CAUSE_FAST].times, 1);
	assert_int_equal(m.conn.resent[TCP_CAUSE_FAST].segments, 2);
	assert_int_equal(m.conn.resent[TCP_CAUSE_FAST].bytes, 2000);
	assert_int_equal(m.conn.resent_failed, 2);
}

/* Time from which events are missing counts for nothing, and an episode may be two. */
static void test_gap(void **state)
{
	struct made m;

	(void)state;
	init(&m);
	add(&m, TCP_PLAIN, 0);
	add_loss(&m, 1 * MS, TCP_CA_RECOVERY);
	tcp_conn_count(&m.conn, &m.fields[TCP_PLAIN], tcp_fixture_add(&m.t, TCP_PLAIN, 5 * MS),
		       false);
	add_loss(&m, 6 * MS, TCP_CA_OPEN);
	assert_int_equal(m.conn.unknown_ns, 4 * MS);
	assert_int_equal(m.conn.ca_ns[TCP_CA_RECOVERY], 1 * MS);
	assert_int_equal(m.conn.episodes, 1);
	assert_int_equal(m.spread.episodes.count, 0);
}

static void test_resets(void **state)
{
	struct made m;

	(void)state;
	init(&m);
	m.t.now.more[TCP_MORE_DIRECTION] = TCP_RESET_SENT;
	m.t.now.more[TCP_MORE_REASON] = 17;
	add(&m, TCP_RESET, 0);
	m.t.now.more[TCP_MORE_DIRECTION] = TCP_RESET_RECEIVED;
	m.t.now.more[TCP_MORE_REASON] = 0;
	add(&m, TCP_RESET, 1);
	assert_int_equal(m.conn.resets_sent, 1);
	assert_int_equal(m.conn.resets_received, 1);
	assert_int_equal(m.conn.reason, 17);
	assert_string_equal(field_label(m.conn.reason_field, m.conn.reason), "TCP_ABORT_ON_DATA");
}

/* A segment to a port where nobody listens: but for the ends nothing is known. */
static void test_refused(void **state)
{
	struct made m;

	(void)state;
	init(&m);
	m.t.now.cookie = 0;
	memset(m.t.now.v, 0, sizeof(m.t.now.v));
	m.t.now.more[TCP_MORE_REASON] = 3;
	add(&m, TCP_RESET, 0);
	assert_false(m.conn.snapshots);
	assert_int_equal(m.conn.resets_sent, 1);
	assert_null(m.conn.state_field);
	assert_string_equal(conn_id_text(&m.conn.id).text, "10.0.0.1:40000 -> 10.0.0.2:80");
}

/* A connection that a listener makes begins as a copy of it. */
static void test_listener(void **state)
{
	struct made listener, child;

	(void)state;
	init(&listener);
	init(&child);
	add_change(&listener, 0, TCP_STATE_CLOSE, TCP_STATE_LISTEN);
	add_change(&child, 0, TCP_STATE_LISTEN, TCP_STATE_SYN_RECV);
	assert_true(listener.conn.listens);
	assert_false(child.conn.listens);
	assert_true(child.conn.opened);
	init(&listener);
	add_change(&listener, 0, TCP_STATE_LISTEN, TCP_STATE_CLOSE);
	assert_true(listener.conn.listens);
}

static void test_merge(void **state)
{
	struct tcp_spread spread = {0};
	struct tcp_conn all = {0};
	struct made m;

	(void)state;
	init(&m);
	add(&m, TCP_PLAIN, 0);
	m.t.now.v[TCP_BYTES_ACKED] = 10;
	m.t.now.v[TCP_SRTT_US] = 8;
	add(&m, TCP_PLAIN, MS);
	tcp_conn_merge(&all, &m.conn);
	tcp_conn_merge(&all, &m.conn);
	tcp_spread_merge(&spread, &m.spread);
	assert_int_equal(all.sent.grown, 20);
	assert_int_equal(all.events, 4);
	assert_int_equal(all.wait_ns[TCP_WAIT_IDLE], 2 * MS);
	assert_int_equal(spread.srtt.count, 1);
	assert_int_equal(spread.cwnd.spread.count, MS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_life),	 cmocka_unit_test(test_was_there_before),
		cmocka_unit_test(test_waits),	 cmocka_unit_test(test_not_connected),
		cmocka_unit_test(test_levels),	 cmocka_unit_test(test_round_trips),
		cmocka_unit_test(test_losses),	 cmocka_unit_test(test_gap),
		cmocka_unit_test(test_resets),	 cmocka_unit_test(test_refused),
		cmocka_unit_test(test_listener), cmocka_unit_test(test_merge),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
