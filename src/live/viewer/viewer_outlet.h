/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * viewer_outlet: passes received data to readers: streams that are described into a merge, metadata that has
 * grown into use, and how far the merge may go.
 *
 * Once viewer_outlet_has_grown, nothing is decoded before viewer_outlet_describe.
 */
#ifndef SONDE_LIVE_VIEWER_VIEWER_OUTLET_H
#define SONDE_LIVE_VIEWER_VIEWER_OUTLET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct merge;
struct trace_end;
struct viewer_set;
struct viewer_trace;

/* Whether there is more to describe than is in use. */
bool viewer_outlet_has_grown(const struct viewer_set *set);
/* Puts it to use. 0 or -ENOMEM. */
int viewer_outlet_describe(struct viewer_set *set);
/* Streams that have become described go into @merge. 0 or -ENOMEM. */
int viewer_outlet_open(struct viewer_set *set, struct merge *merge);
/* What was kept of those that were in a merge, now gone, goes into @merge, from its begin. 0 or -errno. */
int viewer_outlet_rewind(struct viewer_set *set, struct merge *merge);
/* Nothing earlier is still to come. */
int64_t viewer_outlet_until(struct viewer_set *set);
/* Lets go of streams that were read to their end. */
void viewer_outlet_drop(struct viewer_set *set, struct merge *merge);

/* The traces that are described, in the order in which they were met; NULL behind the last. */
struct viewer_trace *viewer_outlet_trace(const struct viewer_set *set, size_t i);

/*
 * All was received that the relay has: what the end marks of traces say that is not there goes to @end. @whole: from
 * the begin on, without a gap.
 */
void viewer_outlet_judge(struct viewer_set *set, bool whole, struct trace_end *end);

#endif /* SONDE_LIVE_VIEWER_VIEWER_OUTLET_H */
