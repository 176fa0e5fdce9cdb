/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * viewer_feed: fills a viewer_set by one connection: decides what to ask next, and takes what is answered.
 */
#ifndef SONDE_LIVE_VIEWER_VIEWER_FEED_H
#define SONDE_LIVE_VIEWER_VIEWER_FEED_H

#include <stdbool.h>
#include <stdint.h>

/*
 * After a reconnect, finds the new traces and streams that continue the old ones. Numbers
 * are new then: a trace is known again by its metadata, a stream by the name of its channel.
 */

struct viewer_set;
struct viewer_trace;

/* Once what a new trace says is known, it may be one that was attached before: it takes its place then. */
void viewer_heirs_find(struct viewer_set *set, struct viewer_trace *trace);
/* Ends old traces that no new one continues, once it is known that none will. */
void viewer_heirs_end(struct viewer_set *set);

struct diag;
struct live_url;
struct viewer;
struct viewer_feed;
struct viewer_set_config;

/* NULL = no memory. */
struct viewer_feed *viewer_feed_new(const struct viewer_set_config *config);
void viewer_feed_free(struct viewer_feed *feed);
/* What it fills; borrowed. */
struct viewer_set *viewer_feed_set(struct viewer_feed *feed);

/*
 * Attaches the session of @url by @viewer, which has greeted and is borrowed until viewer_feed_break. @seek:
 * enum live_seek. Streams that broke before continue if it is the same trace and stream. 0, -ENOENT: no
 * such session (the diag lists the existing ones), -EBUSY: another viewer has it, -ENOTSUP: it is not live, or
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
/* All sessions are over, and all that they had was received. */
bool viewer_feed_is_over(const struct viewer_feed *feed);

#endif /* SONDE_LIVE_VIEWER_VIEWER_FEED_H */
