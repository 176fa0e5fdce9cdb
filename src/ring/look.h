/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * look: sees what is written to the rings while it is there, and takes nothing out: each record is
 * shown once, soon after it was made. Neither the writer nor the drainer is disturbed; a ring that was
 * overwritten since the last look is counted as not seen.
 *
 * In lossless rings it has to look before each drain, since a packet's header goes over records that
 * went out before.
 */
#ifndef SONDE_RING_LOOK_H
#define SONDE_RING_LOOK_H

#include <stddef.h>
#include <stdint.h>

struct look;
struct ring;

/* Whole records, in the order of time. */
struct look_span {
	uint32_t cpu;
	uint32_t level;
	const uint8_t *records; /* borrowed for the call */
	size_t len;
	uint64_t clock_ns; /* CLOCK_MONOTONIC: not after the first, and less than 2^32 ns before it
			      or it says so itself */
};

/* How many records there were in it; *@clock_ns: when the last of them was made. */
typedef uint64_t (*look_viewer)(void *ctx, const struct look_span *span, uint64_t *clock_ns);

/* -ENOMEM. Borrows @ring. */
int look_open(const struct ring *ring, struct look **ret);
/* NULL is fine. */
void look_close(struct look *look);

/* Shows what was written since the last time. */
void look_run(struct look *look, look_viewer view, void *ctx);
/* Records that were overwritten before they could be shown. */
uint64_t look_unseen(const struct look *look);

#endif /* SONDE_RING_LOOK_H */
