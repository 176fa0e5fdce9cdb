/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * session_list: the sessions that a relay publishes, each under an id and a name of its own.
 */
#ifndef SONDE_LIVE_SESSION_SESSION_LIST_H
#define SONDE_LIVE_SESSION_SESSION_LIST_H

#include <stddef.h>
#include <stdint.h>

struct session;

#define SESSIONS_MAX 65536u

struct session_list {
	struct session **sessions;
	size_t count;
	uint64_t last_id;
};

void session_list_init(struct session_list *list);
void session_list_fini(struct session_list *list);
/* Takes a reference. Where the host has one of that name, the session's name gets a suffix: "-2". -E2BIG:
 * there are too many; -ENOMEM. */
int session_list_add(struct session_list *list, struct session *session);
/* Who is attached to it keeps it to the end. */
void session_list_remove(struct session_list *list, struct session *session);
/* Borrowed; NULL = not found. */
struct session *session_list_find(const struct session_list *list, uint64_t id);

#endif /* SONDE_LIVE_SESSION_SESSION_LIST_H */
