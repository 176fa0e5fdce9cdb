/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * viewer_dial: a connection to a relay that has greeted; made in a thread of its own if the caller
 * has other work to do: a host that does not answer takes a while.
 */
#ifndef SONDE_LIVE_VIEWER_VIEWER_DIAL_H
#define SONDE_LIVE_VIEWER_VIEWER_DIAL_H

#include <stdbool.h>

struct credentials;
struct diag;
struct live_url;
struct viewer;
struct viewer_dial;

/* Connects, and waits for that. 0, or as live_conn_open and viewer_greet with the diag. The caller frees *@ret. */
int viewer_connect(const struct live_url *url, const struct credentials *credentials,
		   struct viewer **ret, struct diag *diag);

/* The same, by a thread. Both are borrowed until it is taken or freed. NULL = no memory, or no thread. */
struct viewer_dial *viewer_dial_new(const struct live_url *url,
				    const struct credentials *credentials);
/* Whether it has come to an end. */
bool viewer_dial_is_done(struct viewer_dial *dial);
/* Waits for that, and frees it: as viewer_connect. */
int viewer_dial_take(struct viewer_dial *dial, struct viewer **ret, struct diag *diag);
/* The same, of no use to anybody. NULL is fine. */
void viewer_dial_free(struct viewer_dial *dial);

#endif /* SONDE_LIVE_VIEWER_VIEWER_DIAL_H */
