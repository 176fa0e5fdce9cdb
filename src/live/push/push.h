/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * push: streams a recording to a relay, LTTng's or ours, while it is made. The recorder puts packets
 * into a queue (push_queue) and never waits; a thread sends them on, connects again when the relay has
 * gone, and then sends what is still in the queue, into a new session there.
 *
 * What does not fit into the queue is lost: readers see a gap in the numbers of packets.
 *
 * Viewers of a live session put all its streams into one order as they go, so a stream must be known
 * before anything that is later than its first packet goes out. So packets go out when it is certain
 * that what is still to come begins behind them (packet_sink, complete), or when the queue is half full.
 */
#ifndef SONDE_LIVE_PUSH_PUSH_H
#define SONDE_LIVE_PUSH_PUSH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "live/proto/live_url.h"
#include "live/push/push_sender.h"
#include "trace/packet_sink.h"

/*
 * Where a recording puts what is to be pushed: a packet_sink that never waits, and counts what does not
 * fit into the queue. All calls come from the recorder's thread, but for push_intake_take_text, wake_fd, and the
 * reader's side of the queue.
 */

struct push_text;

struct push_intake {
	struct packet_sink sink; /* first */
	struct push_queue queue;
	struct map gaps; /* by stream: losses since its last packet */
	uint64_t lost_packets;
	uint64_t lost_bytes;
	struct push_text *text; /* newer metadata; atomic */
	int wake_fd; /* readable: there is more in the queue */
};

/* @room: as of a push_queue. 0 or -errno; push_intake_fini in either case. */
int push_intake_init(struct push_intake *intake, size_t room);
void push_intake_fini(struct push_intake *intake);
/* The current metadata, NULL = it is not newer than what was taken before; the caller frees it. */
struct push_text *push_intake_take_text(struct push_intake *intake);
/* Wakes the reader. */
void push_intake_wake(const struct push_intake *intake);
/* After the last packet: reports losses that no later packet can report. */
void push_intake_end(struct push_intake *intake);

struct credentials;
struct diag;
struct packet_sink;
struct push;

/* What may wait for the relay, and is asked for at least and at most. */
#define PUSH_BUFFER_BYTES (64ull << 20)
#define PUSH_BUFFER_MIN (2ull << 20) /* twice the longest packet */
#define PUSH_BUFFER_MAX (16ull << 30)

/* A relay that takes or answers nothing for so long is left, and tried again: what may be asked for, and what
 * is sensible. */
#define PUSH_STALL_MIN_NS 100000000ull
#define PUSH_STALL_MAX_NS 3600000000000ull
#define PUSH_STALL_NS 30000000000ull

/* Without any progress for so long at the end, the remaining data is given up. */
#define PUSH_PATIENCE_NS 10000000000ull

struct push_config {
	struct push_url url;
	const struct credentials *credentials; /* shown to the relay; NULL = none */
	const char *host; /* this one's name */
	const char *name; /* of the session */
	uint64_t period_ns; /* how often the recording says what is complete */
	uint64_t buffer_bytes; /* rounded up to a power of two */
	uint64_t stall_ns;
	/* What people should know of the connection, a sentence; from another thread. */
	void (*say)(void *ctx, const char *text);
	void *ctx;
};

struct push_totals {
	uint64_t packets; /* that the relay has */
	uint64_t bytes;
	uint64_t lost_packets; /* that it does not have */
	uint64_t lost_bytes;
	uint64_t sessions; /* there, one after the other */
};

/* Texts and credentials are borrowed until it is closed. The relay need not be there yet. 0, -errno with the diag. */
int push_open(const struct push_config *config, struct push **ret, struct diag *diag);
/* Borrowed from @push. */
struct packet_sink *push_sink(struct push *push);
/* Behind the last packet: waits until the relay has all of it, or does not take any more. */
void push_finish(struct push *push);
/* Complete after push_finish. */
void push_totals(const struct push *push, struct push_totals *ret);
/* Always frees @push; NULL is fine. */
void push_close(struct push *push);

#endif /* SONDE_LIVE_PUSH_PUSH_H */
