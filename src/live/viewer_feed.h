/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * viewer_feed: all that is attached at a relay for one reading: sessions, the traces in them, the
 * streams of these. It decides what to ask next, takes what is answered, and hands streams to a merge.
 *
 * Once viewer_feed_has_grown, nothing is decoded before viewer_feed_describe.
 */
#ifndef SONDE_LIVE_VIEWER_FEED_H
#define SONDE_LIVE_VIEWER_FEED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct diag;
struct live_url;
struct merge;
struct problem_list;
struct symbols;
struct viewer;
struct viewer_feed;
struct viewer_trace;

struct viewer_feed_config {
	struct problem_list *problems; /* borrowed */
	struct symbols *symbols; /* borrowed: where what addresses mean is put; NULL = nowhere */
	uint64_t retry_ns; /* until a relay that had nothing is asked again; 0 = by its timer */
	bool keep; /* what was received, so that it can be read from the begin again */
};

/* NULL = no memory. */
struct viewer_feed *viewer_feed_new(const struct viewer_feed_config *config);
void viewer_feed_free(struct viewer_feed *feed);

/*
 * Attaches the session of @url by @viewer, which has greeted and is borrowed until viewer_feed_break. @seek:
 * enum live_seek. What broke before goes on where it is the same trace and stream. 0, -ENOENT: there is no
 * such session (the diag has those that there are), -EBUSY: another viewer has it, -ENOTSUP: it is not live, or
 * as viewer_call; with the diag.
 */
int viewer_feed_attach(struct viewer_feed *feed, struct viewer *viewer, const struct live_url *url,
		       uint32_t seek, struct diag *diag);
/* The connection is gone, and the viewer with it. */
void viewer_feed_break(struct viewer_feed *feed);
/* Tells the relay that nothing more is wanted, as far as that can be done at once. */
void viewer_feed_detach(struct viewer_feed *feed);

/*
 * Asks what is to be asked, and takes what comes within @timeout_ns. 0; -EINTR; errors of viewer_next, by which
 * the connection is lost; with the diag.
 */
int viewer_feed_step(struct viewer_feed *feed, uint64_t timeout_ns, struct diag *diag);
/* Whether there is more to describe than is in use. */
bool viewer_feed_has_grown(const struct viewer_feed *feed);
/* Puts it to use. 0 or -ENOMEM. */
int viewer_feed_describe(struct viewer_feed *feed);
/* Streams that have become described go into @merge. 0 or -ENOMEM. */
int viewer_feed_open(struct viewer_feed *feed, struct merge *merge);
/* What was kept of those that were in a merge, now gone, goes into @merge, from its begin. 0 or -errno. */
int viewer_feed_rewind(struct viewer_feed *feed, struct merge *merge);
/* Nothing earlier is still to come. */
int64_t viewer_feed_until(struct viewer_feed *feed);
/* All sessions are over, and all that they had was received. */
bool viewer_feed_is_over(const struct viewer_feed *feed);
/* Lets go of streams that were read to their end. */
void viewer_feed_drop(struct viewer_feed *feed, struct merge *merge);

/* The traces that are described, in the order in which they were met; NULL behind the last. */
struct viewer_trace *viewer_feed_trace(const struct viewer_feed *feed, size_t i);

#endif /* SONDE_LIVE_VIEWER_FEED_H */
