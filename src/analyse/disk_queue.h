/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * disk_queue: what waits in the queue of each disk at the moment that the reading has come to, in
 * the order of arrival: HP-UX's timeshare_insert (seed 003, release 2.0), rebuilt from disk.queue,
 * disk.issue and the rest, so that it costs nothing in the kernel.
 *
 * Exact where nothing was lost: a loss empties the queues, and a waiting request is not known until
 * it has left. Requests queued before the trace began are not seen either.
 */
#ifndef SONDE_ANALYSE_DISK_QUEUE_H
#define SONDE_ANALYSE_DISK_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct disk_queues;
struct event;
struct trace_info;

/* timeshare_insert has at most 1000 entries. */
#define DISK_QUEUE_SHOWN 1000u

/* A request as the seed gives it: the place on the disk, negative where it is of the real-time
 * class. A request of that class to sector 0 looks like one of the other class. */
struct disk_waiting {
	size_t count; /* how many wait, the new one included */
	size_t shown; /* of these in @sectors: at most DISK_QUEUE_SHOWN */
	const int64_t *sectors;
};

/* NULL: no memory. Borrows the classes of @info. */
struct disk_queues *disk_queues_new(const struct trace_info *info);
void disk_queues_free(struct disk_queues *queues);
/* The same for @info, which has more classes than @old was made for; waiting requests stay. Frees @old, which
 * may be NULL, in any case. */
struct disk_queues *disk_queues_renew(struct disk_queues *old, const struct trace_info *info);

/* Every event has to pass, in order. */
void disk_queues_follow(struct disk_queues *queues, const struct event *event);
/*
 * Where @event, which has just passed, has put a request into a queue: true, and what waits there
 * now. Borrowed until the next event.
 */
bool disk_queues_inserted(struct disk_queues *queues, const struct event *event,
			  struct disk_waiting *ret);

#endif /* SONDE_ANALYSE_DISK_QUEUE_H */
