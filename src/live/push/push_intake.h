/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * push_intake: where a recording puts what is to be pushed: a packet_sink that never waits, and counts what does not
 * fit into the queue. All calls come from the recorder's thread, but for push_intake_take_text, wake_fd, and the
 * reader's side of the queue.
 */
#ifndef SONDE_LIVE_PUSH_PUSH_INTAKE_H
#define SONDE_LIVE_PUSH_PUSH_INTAKE_H

#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "live/push/push_queue.h"
#include "trace/packet_sink.h"

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

#endif /* SONDE_LIVE_PUSH_PUSH_INTAKE_H */
