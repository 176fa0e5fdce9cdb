/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tcp_conn: what the snapshots of one connection tell together: bytes, round trips, how long its
 * windows and queues were how large, what its sender waited for, losses, resets.
 *
 * A snapshot is taken before its event takes effect, so it shows how things were since the one
 * before: that time is what it is weighed with. Time from which events are missing is not.
 */
#ifndef SONDE_ANALYSE_TCP_CONN_H
#define SONDE_ANALYSE_TCP_CONN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyse/conn_id.h"
#include "analyse/kernel_counter.h"
#include "analyse/latency.h"
#include "analyse/level.h"
#include "analyse/tcp_fields.h"

#define TCP_CONN_CHANGES 12u /* of state that are kept; no connection goes through more */

/* What a sender waits for: the first that holds. */
enum tcp_wait {
	TCP_WAIT_IDLE, /* there is nothing to send, and all is acknowledged */
	TCP_WAIT_ACK, /* all is sent: acknowledgements, or the application */
	TCP_WAIT_BUFFER, /* all is sent, and the send buffer has no room for more */
	TCP_WAIT_CWND, /* the congestion window is full */
	TCP_WAIT_RWND, /* the next segment does not fit into the window of the receiver */
	TCP_WAIT_OTHER, /* pacing, Nagle, more for a larger segment, the queues below */
	TCP_WAIT_COUNT,
};

struct tcp_change {
	int64_t time_ns;
	int64_t state;
};

struct tcp_resent {
	uint64_t times;
	uint64_t segments;
	uint64_t bytes;
};

/* 39 KiB, so not every connection has one. */
struct tcp_spread {
	struct latency srtt; /* each time that one was measured */
	struct latency episodes; /* from the first loss until all is repaired */
	struct level cwnd;
	struct level receive_queue;
	struct level send_queue;
};

struct tcp_conn {
	struct conn_id id;
	uint32_t netns;
	uint32_t epoch; /* the caller's: when it was last seen */
	uint64_t events;
	int64_t first_ns;
	int64_t last_ns;
	bool snapshots; /* the rest comes from these; a refused segment has none */
	bool listens;
	bool opened; /* its beginning was seen, and its end */
	bool closed;

	const struct field *state_field; /* which labels the states */
	int64_t state; /* the last */
	struct tcp_change changes[TCP_CONN_CHANGES];
	size_t change_count;
	int64_t syn_ns; /* when the SYN was sent; 0 = not seen */
	uint64_t handshake_ns; /* from there until established; 0 = not seen */

	struct kernel_counter sent; /* bytes that were acknowledged */
	struct kernel_counter received;
	struct kernel_counter resent_segments;
	uint64_t srtt_ns; /* these at the last snapshot */
	uint64_t mdev_ns;
	uint64_t rto_ns;
	uint64_t rto_max_ns;
	uint64_t copied_seq;
	uint64_t cwnd;

	struct tcp_resent resent[TCP_CAUSE_COUNT];
	uint64_t resent_failed; /* of these: dropped here, or not sent */
	int64_t ca_state;
	int64_t episode_ns; /* since when it repairs a loss; 0 = it does not, or that was not seen */
	uint64_t episodes;
	uint64_t entered[TCP_CA_COUNT];
	uint64_t ca_ns[TCP_CA_COUNT]; /* time in each state of congestion control */

	uint64_t wait_ns[TCP_WAIT_COUNT];
	uint64_t unknown_ns; /* time from which events are missing */

	uint64_t resets_sent;
	uint64_t resets_received;
	const struct field *reason_field; /* NULL: none was sent */
	int64_t reason; /* of the last one that was sent */

	struct tcp_spread *spread; /* borrowed; set before the first event */
};

/* @continues: nothing is missing since the event before. */
void tcp_conn_count(struct tcp_conn *conn, const struct tcp_fields *fields,
		    const struct event *event, bool continues);
/* Adds up what can be added up: @all is of all connections. Its distributions are another matter:
 * connections may share them. */
void tcp_conn_merge(struct tcp_conn *all, const struct tcp_conn *conn);
void tcp_spread_merge(struct tcp_spread *all, const struct tcp_spread *spread);
/* "cwnd": as in JSON. */
const char *tcp_wait_name(enum tcp_wait wait);

static inline uint64_t tcp_conn_lasted(const struct tcp_conn *conn)
{
	return (uint64_t)conn->last_ns - (uint64_t)conn->first_ns;
}

/* Bytes per second, 0 where no time passed. */
static inline double tcp_conn_rate(const struct tcp_conn *conn, uint64_t bytes)
{
	uint64_t ns = tcp_conn_lasted(conn);

	return ns ? (double)bytes * 1e9 / (double)ns : 0;
}

#endif /* SONDE_ANALYSE_TCP_CONN_H */
