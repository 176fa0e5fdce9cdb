/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ingest_pending: the packets of a received stream of which one half is missing: the data, which comes on the data
 * connection, or the index entry, which comes on the control connection. ingest_stream uses it, and nothing else
 * changes these numbers.
 *
 * Peers choose all of the numbers, so every call checks them. Each half comes in order and without gaps, from the number of the
 * first packet on; that number need not be 0 (the snapshots of a session share one count). So one half is ahead of
 * the other, and the packets between both are kept. Between two calls this holds:
 *
 *	done == the lesser of next_data and next_index
 *	done + count == the greater of both, and count <= INGEST_PENDING_MAX
 */
#ifndef SONDE_LIVE_INGEST_INGEST_PENDING_H
#define SONDE_LIVE_INGEST_INGEST_PENDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "live/proto/ingest_message.h"

#define INGEST_PENDING_MAX 65536u /* packets of which half is missing; of a stream, and */
#define INGEST_PENDING_ALL (4 * INGEST_PENDING_MAX) /* of a session */

struct ingest_packet {
	uint64_t number;
	uint64_t offset; /* of the data in its file */
	uint64_t bytes; /* of the data, with padding */
	uint32_t len; /* without */
	struct ingest_index index;
};

struct ingest_pending {
	struct ingest_packet *packets; /* a ring of @room, which is a power of two, or 0 */
	size_t room;
	size_t head; /* where packet `done` is, if there is one */
	size_t count;
	uint64_t done; /* the packets before it are complete */
	uint64_t next_data; /* number of the packet whose data comes next */
	uint64_t next_index; /* and of the one whose index entry does */
	bool has_first; /* the number of the first packet is known: the above are valid */
	bool has_index; /* an index entry came */
	bool given_up; /* no index entry came for too many packets: none is taken any more */
	size_t *total; /* of all streams of the session; borrowed */
};

void ingest_pending_init(struct ingest_pending *pending, size_t *total);
void ingest_pending_fini(struct ingest_pending *pending);

/* The data of packet @number begins. -EPROTO: another packet comes next. */
int ingest_pending_begin(struct ingest_pending *pending, uint64_t number);
/* The data of the packet that has begun is here: @data, but for its index. 1: with its index entry, *@whole;
 * 0: the entry is still to come; -EPROTO: the entry gives another length; -ENOBUFS, -ENOMEM. */
int ingest_pending_data(struct ingest_pending *pending, const struct ingest_packet *data,
			struct ingest_packet *whole);
/* The same when the index entry comes. -EPROTO: also if another one comes next. */
int ingest_pending_index(struct ingest_pending *pending, const struct ingest_index *index,
			 struct ingest_packet *whole);

/* Packet @i of those that wait for their index entry, the first is `done`; NULL = no more. Borrowed until the
 * next call of those above. */
struct ingest_packet *ingest_pending_get(struct ingest_pending *pending, uint64_t i);
/* Nothing waits any more for index entries, if none ever came. */
void ingest_pending_give_up(struct ingest_pending *pending);
/* All packets up to @last are here, with their index entries if the stream has these. */
bool ingest_pending_has(const struct ingest_pending *pending, uint64_t last);
/* The invariant above holds. Every change asserts it; tests ask. */
bool ingest_pending_is_sound(const struct ingest_pending *pending);

#endif /* SONDE_LIVE_INGEST_INGEST_PENDING_H */
