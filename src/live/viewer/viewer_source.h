/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * viewer_source: a live session at a relay as a source of events, in the order of time, as they come.
 *
 * ops->next gives -EAGAIN within a tenth of a second where nothing has come, and -ESTALE where there are new
 * classes: ops->renew then. The end is the session's. A connection that breaks is made again; what
 * was missed is reported as losses and by ops->problem.
 */
#ifndef SONDE_LIVE_VIEWER_VIEWER_SOURCE_H
#define SONDE_LIVE_VIEWER_VIEWER_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "live/access/credentials.h"

struct diag;
struct event_source;

struct viewer_options {
	bool now; /* from what comes next; else from the first that the relay still has */
	bool no_reconnect; /* where the connection breaks, that is the end */
	/* Asked now and then while there is nothing to describe yet: true = -EINTR. NULL: never. */
	bool (*is_stopped)(void);
	struct credential_files credentials; /* that the relay asks for; the names are borrowed */
	uint64_t await_ns; /* for something to describe, when it is opened; 0 = as long as it takes */
	bool keep; /* so that ops->renew can begin again: in a file without a name */
};

/*
 * Attaches the session that @url names, and waits until something in it is described, or it ends. -EINVAL:
 * no such URL; -ENOENT: the relay has no such session, the diag has those that it has; others as
 * viewer_feed_attach. The caller closes *@ret by its ops.
 */
int viewer_source_open(const char *url, const struct viewer_options *options,
		       struct event_source **ret, struct diag *diag);

#endif /* SONDE_LIVE_VIEWER_VIEWER_SOURCE_H */
