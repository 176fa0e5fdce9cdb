/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * viewer_list: which sessions a relay has. It is one relay session for each domain (kernel, user space of
 * 64 bits, of 32) that people call one session: those of equal host and name belong together.
 */
#ifndef SONDE_LIVE_VIEWER_VIEWER_LIST_H
#define SONDE_LIVE_VIEWER_VIEWER_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "live/proto/viewer_codec.h"

struct credentials;
struct diag;
struct live_url;
struct viewer;

struct viewer_list {
	struct viewer_session *sessions;
	size_t count;
};

/* Asks @viewer, which has greeted. 0, or as viewer_call; finished by the caller in either case. */
int viewer_list_get(struct viewer_list *list, struct viewer *viewer, struct diag *diag);
/* Connects to the relay of @url, as live_conn_open, asks, and closes. */
int viewer_list_fetch(struct viewer_list *list, const struct live_url *url,
		      const struct credentials *credentials, struct diag *diag);
void viewer_list_fini(struct viewer_list *list);
/* By host and name, domains of one session made one: streams added up, the most clients of any. */
void viewer_list_join(struct viewer_list *list);

/* Whether @session is (of) the one that @url names. */
bool viewer_session_is(const struct viewer_session *session, const struct live_url *url);
/* -ENOENT, and in the diag that @url's session is not among those of @list, which it names. */
int viewer_list_fail(const struct viewer_list *list, const struct live_url *url, struct diag *diag);

#endif /* SONDE_LIVE_VIEWER_VIEWER_LIST_H */
