// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/tcp_conn.h"

#include <string.h>

#include "base/clock.h"

static uint64_t since(int64_t from_ns, int64_t to_ns)
{
	return to_ns > from_ns ? (uint64_t)to_ns - (uint64_t)from_ns : 0;
}

/* The states in which both ends know of each other. */
static bool is_connected(uint64_t state)
{
	switch (state) {
	case TCP_STATE_ESTABLISHED:
	case TCP_STATE_FIN_WAIT1:
	case TCP_STATE_FIN_WAIT2:
	case TCP_STATE_CLOSE_WAIT:
	case TCP_STATE_LAST_ACK:
	case TCP_STATE_CLOSING:
		return true;
	}
	return false;
}

/* What the kernel tests before it sends a segment, in its order (tcp_write_xmit); data that was lost and
 * not sent again yet is to be sent, too. */
static enum tcp_wait waits_for(const struct tcp_now *now)
{
	const uint64_t *v = now->v;
	uint32_t unsent = tcp_distance(v[TCP_SND_NXT], v[TCP_WRITE_SEQ]);
	uint32_t window = tcp_distance(v[TCP_SND_NXT], v[TCP_SND_UNA] + v[TCP_SND_WND]);
	uint64_t left = v[TCP_SACKED_OUT] + v[TCP_LOST_OUT];
	uint64_t out = v[TCP_PACKETS_OUT] + v[TCP_RETRANS_OUT];
	bool repairs = v[TCP_LOST_OUT] > v[TCP_RETRANS_OUT];

	if (!unsent && !repairs) {
		if (v[TCP_WMEM_QUEUED] >= v[TCP_SNDBUF])
			return TCP_WAIT_BUFFER;
		return v[TCP_PACKETS_OUT] ? TCP_WAIT_ACK : TCP_WAIT_IDLE;
	}
	if (out >= left + v[TCP_SND_CWND])
		return TCP_WAIT_CWND;
	if (!repairs && window < unsent && window < v[TCP_MSS])
		return TCP_WAIT_RWND;
	return TCP_WAIT_OTHER;
}

/* tcp.cwnd comes when the window has changed already, unless a record in between reported it. */
static uint64_t cwnd_before(const struct tcp_conn *conn, const struct tcp_fields *fields,
			    const struct event *event, const struct tcp_now *now)
{
	uint64_t old;

	if (fields->kind != TCP_CWND || conn->cwnd == now->v[TCP_SND_CWND])
		return now->v[TCP_SND_CWND];
	old = tcp_fields_more(fields, event, TCP_MORE_OLD_CWND);
	return old ?: now->v[TCP_SND_CWND];
}

/* tcp.recv comes when the application has taken its bytes already. */
static uint32_t receive_queue_before(const struct tcp_conn *conn, const struct tcp_fields *fields,
				     const struct tcp_now *now)
{
	return tcp_distance(fields->kind == TCP_RECV ? conn->copied_seq : now->v[TCP_COPIED_SEQ],
			    now->v[TCP_RCV_NXT]);
}

#define BIT(field) (1u << TCP_##field)
/* What waits_for looks at. */
#define WAIT_FIELDS                                                                               \
	(BIT(SND_UNA) | BIT(SND_NXT) | BIT(WRITE_SEQ) | BIT(SND_CWND) | BIT(SND_WND) | BIT(MSS) | \
	 BIT(PACKETS_OUT) | BIT(SACKED_OUT) | BIT(LOST_OUT) | BIT(RETRANS_OUT) | BIT(SNDBUF) |    \
	 BIT(WMEM_QUEUED))

static bool has_all(const struct tcp_now *now, uint32_t fields)
{
	return (now->has & fields) == fields;
}

/* How things were since the event before, for @ns. */
static void count_time(struct tcp_conn *conn, const struct tcp_fields *fields,
		       const struct event *event, const struct tcp_now *now, uint64_t ns)
{
	struct tcp_spread *spread = conn->spread;

	if (tcp_now_has(now, TCP_STATE_NOW) && !is_connected(now->v[TCP_STATE_NOW]))
		return;
	if (has_all(now, WAIT_FIELDS))
		conn->wait_ns[waits_for(now)] += ns;
	if (tcp_now_has(now, TCP_CA_STATE) && now->v[TCP_CA_STATE] < TCP_CA_COUNT)
		conn->ca_ns[now->v[TCP_CA_STATE]] += ns;
	if (tcp_now_has(now, TCP_SND_CWND))
		level_add(&spread->cwnd, cwnd_before(conn, fields, event, now), ns);
	if (has_all(now, BIT(RCV_NXT) | BIT(COPIED_SEQ)))
		level_add(&spread->receive_queue, receive_queue_before(conn, fields, now), ns);
	if (has_all(now, BIT(SND_UNA) | BIT(WRITE_SEQ)))
		level_add(&spread->send_queue,
			  tcp_distance(now->v[TCP_SND_UNA], now->v[TCP_WRITE_SEQ]), ns);
}

static bool is_repairing(int64_t ca_state)
{
	return ca_state == TCP_CA_RECOVERY || ca_state == TCP_CA_LOSS;
}

static void set_ca_state(struct tcp_conn *conn, int64_t state, int64_t time_ns)
{
	int64_t old = conn->ca_state;

	if (state == old || state < 0 || state >= TCP_CA_COUNT)
		return;
	conn->ca_state = state;
	conn->entered[state]++;
	if (is_repairing(old) == is_repairing(state))
		return;
	if (is_repairing(state)) {
		conn->episodes++;
		conn->episode_ns = time_ns;
		return;
	}
	if (conn->episode_ns)
		latency_add(&conn->spread->episodes, since(conn->episode_ns, time_ns));
	conn->episode_ns = 0;
}

static uint64_t count(struct kernel_counter *counter, const struct tcp_now *now,
		      enum tcp_field field)
{
	return tcp_now_has(now, field) ? kernel_counter_take(counter, now->v[field]) : 0;
}

static void count_totals(struct tcp_conn *conn, const struct tcp_now *now)
{
	uint64_t acked = count(&conn->sent, now, TCP_BYTES_ACKED);
	uint64_t srtt_ns = now->v[TCP_SRTT_US] * NS_PER_US;

	(void)count(&conn->received, now, TCP_BYTES_RECEIVED);
	(void)count(&conn->resent_segments, now, TCP_TOTAL_RETRANS);
	if (srtt_ns && (acked || srtt_ns != conn->srtt_ns))
		latency_add(&conn->spread->srtt, srtt_ns);
	conn->srtt_ns = srtt_ns;
	conn->mdev_ns = now->v[TCP_MDEV_US] * NS_PER_US;
	conn->rto_ns = now->v[TCP_RTO_US] * 1000;
	if (conn->rto_ns > conn->rto_max_ns)
		conn->rto_max_ns = conn->rto_ns;
}

static void count_resent(struct tcp_conn *conn, const struct tcp_fields *fields,
			 const struct event *event)
{
	uint64_t cause = tcp_fields_more(fields, event, TCP_MORE_CAUSE);

	conn->resent_failed += tcp_fields_more(fields, event, TCP_MORE_ERROR) != 0;
	if (cause >= TCP_CAUSE_COUNT)
		return;
	conn->resent[cause].times++;
	conn->resent[cause].segments += tcp_fields_more(fields, event, TCP_MORE_SEGMENTS);
	conn->resent[cause].bytes += tcp_fields_more(fields, event, TCP_MORE_LENGTH);
}

static void count_change(struct tcp_conn *conn, int64_t old, int64_t state, int64_t time_ns)
{
	if (conn->change_count < TCP_CONN_CHANGES)
		conn->changes[conn->change_count++] = (struct tcp_change){time_ns, state};
	conn->state = state;
	conn->listens |= state == TCP_STATE_LISTEN;
	conn->opened |= state == TCP_STATE_SYN_SENT || state == TCP_STATE_SYN_RECV;
	conn->closed |= state == TCP_STATE_CLOSE;
	if (state == TCP_STATE_SYN_SENT)
		conn->syn_ns = time_ns;
	if (state == TCP_STATE_ESTABLISHED && old == TCP_STATE_SYN_SENT && conn->syn_ns)
		conn->handshake_ns = since(conn->syn_ns, time_ns);
}

static void count_reset(struct tcp_conn *conn, const struct tcp_fields *fields,
			const struct event *event)
{
	if (tcp_fields_more(fields, event, TCP_MORE_DIRECTION) == TCP_RESET_RECEIVED) {
		conn->resets_received++;
		return;
	}
	conn->resets_sent++;
	conn->reason_field = &event->class->fields[fields->more[TCP_MORE_REASON]];
	conn->reason = (int64_t)tcp_fields_more(fields, event, TCP_MORE_REASON);
}

/* Counts the event itself; the snapshot is from before it. */
static void count_kind(struct tcp_conn *conn, const struct tcp_fields *fields,
		       const struct event *event, const struct tcp_now *now)
{
	switch (fields->kind) {
	case TCP_RETRANSMIT:
		count_resent(conn, fields, event);
		break;
	case TCP_LOSS:
		set_ca_state(conn, (int64_t)tcp_fields_more(fields, event, TCP_MORE_NEW_CA),
			     event->time_ns);
		break;
	case TCP_STATE:
		count_change(conn, (int64_t)now->v[TCP_STATE_NOW],
			     (int64_t)tcp_fields_more(fields, event, TCP_MORE_NEW_STATE),
			     event->time_ns);
		break;
	case TCP_RESET:
		count_reset(conn, fields, event);
		break;
	case TCP_CLOSE:
		conn->closed = true;
		break;
	default:
		break;
	}
}

/* A connection that a listener makes begins as a copy of it. */
static bool is_listener(const struct tcp_fields *fields, const struct event *event,
			const struct tcp_now *now)
{
	return now->v[TCP_STATE_NOW] == TCP_STATE_LISTEN &&
	       (fields->kind != TCP_STATE ||
		tcp_fields_more(fields, event, TCP_MORE_NEW_STATE) != TCP_STATE_SYN_RECV);
}

static void count_snapshot(struct tcp_conn *conn, const struct tcp_fields *fields,
			   const struct event *event, bool continues)
{
	uint64_t ns = since(conn->last_ns, event->time_ns);
	struct tcp_now now;

	tcp_fields_read(fields, event, &now);
	conn->netns = (uint32_t)now.v[TCP_NETNS];
	if (tcp_now_has(&now, TCP_STATE_NOW))
		conn->state_field = &event->class->fields[fields->at[TCP_STATE_NOW]];
	conn->state = (int64_t)now.v[TCP_STATE_NOW];
	conn->listens |= is_listener(fields, event, &now);
	if (conn->snapshots && continues) {
		count_time(conn, fields, event, &now, ns);
		set_ca_state(conn, (int64_t)now.v[TCP_CA_STATE], event->time_ns);
	} else {
		conn->unknown_ns += conn->snapshots ? ns : 0;
		conn->ca_state = (int64_t)now.v[TCP_CA_STATE];
		conn->episode_ns = 0;
	}
	count_totals(conn, &now);
	count_kind(conn, fields, event, &now);
	conn->copied_seq = now.v[TCP_COPIED_SEQ];
	conn->cwnd = now.v[TCP_SND_CWND];
	conn->snapshots = true;
}

void tcp_conn_count(struct tcp_conn *conn, const struct tcp_fields *fields,
		    const struct event *event, bool continues)
{
	conn_id_learn(&conn->id, &fields->id, event);
	if (!conn->events++)
		conn->first_ns = conn->last_ns = event->time_ns;
	/* A segment that belongs to no socket was refused: but for its ends all is zero. */
	if (fields->id.cookie < 0 || event_uint(event, (size_t)fields->id.cookie))
		count_snapshot(conn, fields, event, continues);
	else if (fields->kind == TCP_RESET)
		count_reset(conn, fields, event);
	if (event->time_ns > conn->last_ns)
		conn->last_ns = event->time_ns;
}

void tcp_spread_merge(struct tcp_spread *all, const struct tcp_spread *spread)
{
	latency_merge(&all->srtt, &spread->srtt);
	latency_merge(&all->episodes, &spread->episodes);
	level_merge(&all->cwnd, &spread->cwnd);
	level_merge(&all->receive_queue, &spread->receive_queue);
	level_merge(&all->send_queue, &spread->send_queue);
}

void tcp_conn_merge(struct tcp_conn *all, const struct tcp_conn *conn)
{
	size_t i;

	all->events += conn->events;
	all->sent.grown += conn->sent.grown;
	all->received.grown += conn->received.grown;
	all->resent_segments.grown += conn->resent_segments.grown;
	for (i = 0; i < TCP_CAUSE_COUNT; i++) {
		all->resent[i].times += conn->resent[i].times;
		all->resent[i].segments += conn->resent[i].segments;
		all->resent[i].bytes += conn->resent[i].bytes;
	}
	all->resent_failed += conn->resent_failed;
	all->episodes += conn->episodes;
	for (i = 0; i < TCP_CA_COUNT; i++) {
		all->entered[i] += conn->entered[i];
		all->ca_ns[i] += conn->ca_ns[i];
	}
	for (i = 0; i < TCP_WAIT_COUNT; i++)
		all->wait_ns[i] += conn->wait_ns[i];
	all->unknown_ns += conn->unknown_ns;
	all->resets_sent += conn->resets_sent;
	all->resets_received += conn->resets_received;
}

const char *tcp_wait_name(enum tcp_wait wait)
{
	static const char *const names[TCP_WAIT_COUNT] = {
		[TCP_WAIT_IDLE] = "idle",
		[TCP_WAIT_ACK] = "acknowledgement",
		[TCP_WAIT_BUFFER] = "send_buffer",
		[TCP_WAIT_CWND] = "cwnd",
		[TCP_WAIT_RWND] = "receiver_window",
		[TCP_WAIT_OTHER] = "other",
	};

	return names[wait];
}
