/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * viewer: a client of a relay: asks, as often as it likes before the first reply has come, and gives the
 * replies in the order in which was asked.
 *
 * It waits only with a time limit, and keeps the data that has come by then; so a signal or a
 * slow relay interrupts nothing.
 */
#ifndef SONDE_LIVE_VIEWER_VIEWER_H
#define SONDE_LIVE_VIEWER_VIEWER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "live/proto/viewer_codec.h"

struct diag;
struct live_conn;
struct viewer;

#define VIEWER_PATIENCE_NS 10000000000ull /* without a byte of a reply that is due */
#define VIEWER_SECOND_NS 2000000000ull /* for the second of two requests that were sent together */

struct viewer_reply {
	struct viewer_request request; /* that it is to */
	const uint8_t *data; /* the whole of it; borrowed until the next call */
	size_t len;
};

/* Takes @conn. NULL = no memory: then it is closed. */
struct viewer *viewer_new(struct live_conn *conn);
/* Closes the connection. NULL is fine. */
void viewer_free(struct viewer *viewer);

/* From here on viewer_call, and functions that use it, end with -EINTR soon after *@stop becomes
 * true; borrowed. NULL: as before. */
void viewer_stop_by(struct viewer *viewer, const atomic_bool *stop);

/* Tells the version and learns the relay's, within VIEWER_PATIENCE_NS: 0, -EPROTO: it speaks another
 * protocol, -EBUSY: it has no room for another viewer, or as viewer_next. To be called first. */
int viewer_greet(struct viewer *viewer, struct diag *diag);
/* What the lesser of both speaks, and what the relay does. */
uint32_t viewer_minor(const struct viewer *viewer);
uint32_t viewer_relay_minor(const struct viewer *viewer);

/* Asks; it goes out with the next viewer_next. 0 or -ENOMEM. */
int viewer_ask(struct viewer *viewer, const struct viewer_request *request);
/* Requests without reply so far. */
size_t viewer_due(const struct viewer *viewer);
/*
 * The next reply: 1; 0 = none is due; -EAGAIN = it has not come within @timeout_ns, nor as long as
 * VIEWER_PATIENCE_NS allows; -EINTR = a signal came first; else the connection is of no more use:
 * -ECONNRESET = the relay has closed it, -ETIMEDOUT = the relay is silent, -EBADMSG, -E2BIG = it lies,
 * or -errno; with the diag.
 */
int viewer_next(struct viewer *viewer, uint64_t timeout_ns, struct viewer_reply *ret,
		struct diag *diag);
/* Asks, and waits for the reply, where no other is due: 0, or as viewer_next. */
int viewer_call(struct viewer *viewer, const struct viewer_request *request,
		struct viewer_reply *ret, struct diag *diag);
/*
 * Sends LIVE_CREATE_SESSION twice in one write, to find out whether the relay reads the second request as well, and
 * gives the status of the reply (enum live_create). If no reply to the second comes within VIEWER_SECOND_NS, the relay
 * reads one request at a time and drops the bytes after it: from then on each request goes out after the reply
 * to the one before. 0, or as viewer_call.
 */
int viewer_create_session(struct viewer *viewer, uint32_t *ret_status, struct diag *diag);
/* Whether requests are sent one at a time, so that none is to be asked early. */
bool viewer_is_one_at_a_time(const struct viewer *viewer);

#endif /* SONDE_LIVE_VIEWER_VIEWER_H */
