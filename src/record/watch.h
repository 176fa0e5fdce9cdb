/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * watch: shows a running recording's events to code that waits for one of them, in the order of time,
 * some milliseconds after they were made.
 *
 * Each ring is in order by itself; between them, an event may come into its ring a moment after a later
 * one into another. So, for users that need them in order, found events are kept until no earlier one can
 * come, and shown merged. Only events of classes that are wanted are kept.
 */
#ifndef SONDE_RECORD_WATCH_H
#define SONDE_RECORD_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct diag;
struct event;
struct event_class;
struct ring;
struct trace_info;
struct watch;

struct watch_ops {
	/* What there is to see, from now on; 0 or -errno. */
	int (*describe)(void *ctx, const struct trace_info *info, struct diag *diag);
	/* Whether events of @class are wanted. */
	bool (*wants)(void *ctx, const struct event_class *class);
	/* Whether they have to come in the order of time: else each is shown as soon as found. */
	bool (*needs_order)(void *ctx);
	/* One of them, borrowed for the call. Where some were lost or not seen, it is one of
	 * lost_class, if that is wanted. */
	void (*see)(void *ctx, const struct event *event);
};

/* @ring: NULL = none. NULL: no memory. Borrows all of it. */
struct watch *watch_new(const struct ring *ring, const struct watch_ops *ops, void *ctx);
/* NULL is fine. */
void watch_free(struct watch *watch);

/* The trace's metadata, at the start and whenever it has grown. 0 or -errno. */
int watch_describe(struct watch *watch, const char *metadata, size_t len, struct diag *diag);

/* Looks at what was written to the rings, and shows what was made until @until_ns (CLOCK_MONOTONIC):
 * some time ago, so that programs that began before have ended. */
void watch_look(struct watch *watch, uint64_t until_ns);
/* Keeps the events of one of the recorder's own packets for the next look. */
void watch_packet(struct watch *watch, const void *packet, size_t len);

/* Records that were overwritten before they could be seen, or could not be kept. */
uint64_t watch_unseen(const struct watch *watch);
/* CLOCK_REALTIME of the trace minus CLOCK_MONOTONIC: of an event's time. */
int64_t watch_clock_offset(const struct watch *watch);

#endif /* SONDE_RECORD_WATCH_H */
