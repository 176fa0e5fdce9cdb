/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sequence: what one TCP connection sent when, what of it was acknowledged, and how far the peer's window
 * went: collected from tcp.* snapshots and, where they are there, from packets (net.ip_send).
 * sequence_draw makes the time-sequence diagram of it.
 *
 * Sequence numbers are counted from the first that was not acknowledged when the connection was first
 * seen, and continue when those on the wire wrap. Memory is bounded: SEQUENCE_CONNS connections,
 * events of those beyond are counted.
 */
#ifndef SONDE_GRAPH_SEQUENCE_H
#define SONDE_GRAPH_SEQUENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyse/conn_id.h"
#include "base/map.h"
#include "graph/series.h"

struct conn_pick;
struct event;
struct sequence_class;
struct analysis;

#define SEQUENCE_CONNS 256u

struct sequence_conn {
	struct conn_id id;
	bool started; /* the next are known */
	uint32_t una; /* the last snd_una, and where that is from the beginning */
	int64_t una_at;
	int64_t next_at; /* all before has been sent */
	int64_t packet_at; /* likewise, as packets tell: where the last began, and ended */
	int64_t packet_end;
	int64_t option_bytes; /* of TCP in each packet, as far as packets that follow each other tell */
	int64_t edge_at; /* the window's right edge, last */
	struct series packets; /* begin and end of each that was sent */
	struct series sent; /* the same by snapshots: data sent since the one before */
	struct series acked;
	struct series
		window; /* its right edge, never left of what was sent: TCP sends nothing beyond it */
	struct series sacked; /* the highest that was acknowledged, where that is not all before it */
	struct series resent; /* begin and end of each segment that was sent again */
	struct series losses; /* when it began to repair one: the data that was not acknowledged */
	uint64_t resent_segments;
	uint64_t events;
};

struct sequence {
	const struct analysis *analysis;
	const struct conn_pick *pick; /* NULL: the connection that sent most */
	struct sequence_class *classes; /* by event_class.index */
	struct map index; /* of connections, by key */
	struct sequence_conn **conns; /* once ended, those that sent most first */
	size_t count;
	uint64_t left_out; /* events of connections beyond the limit */
	uint64_t lost;
};

/* 0 or -ENOMEM; sequence_fini is due in both cases. Borrows @analysis, and @pick, which may be NULL. */
int sequence_init(struct sequence *sequence, const struct analysis *analysis,
		  const struct conn_pick *pick);
void sequence_fini(struct sequence *sequence);
/* 0 or -ENOMEM. */
int sequence_take(struct sequence *sequence, const struct event *event, bool shown);
/* No more will be taken. */
void sequence_end(struct sequence *sequence);
/* The connection that is drawn, once ended; NULL: none. */
const struct sequence_conn *sequence_chosen(const struct sequence *sequence);

#endif /* SONDE_GRAPH_SEQUENCE_H */
