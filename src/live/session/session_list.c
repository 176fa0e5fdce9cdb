// SPDX-License-Identifier: BSD-2-Clause
#include "live/session/session_list.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "live/session/session.h"

#define SUFFIX_BYTES 16u

void session_list_init(struct session_list *list)
{
	*list = (struct session_list){0};
}

void session_list_fini(struct session_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		session_unref(list->sessions[i]);
	free(list->sessions);
	session_list_init(list);
}

static bool is_taken(const struct session_list *list, const char *host, const char *name)
{
	for (size_t i = 0; i < list->count; i++) {
		if (!strcmp(list->sessions[i]->host, host) &&
		    !strcmp(list->sessions[i]->name, name))
			return true;
	}
	return false;
}

static void name_apart(const struct session_list *list, struct session *session)
{
	char name[LIVE_NAME_BYTES];

	memcpy(name, session->name, sizeof(name));
	for (unsigned int i = 2; is_taken(list, session->host, name); i++)
		snprintf(name, sizeof(name), "%.*s-%u", (int)(LIVE_NAME_BYTES - SUFFIX_BYTES),
			 session->name, i);
	memcpy(session->name, name, sizeof(name));
}

int session_list_add(struct session_list *list, struct session *session)
{
	struct session **sessions;

	if (list->count == SESSIONS_MAX)
		return -E2BIG;
	sessions = realloc(list->sessions, (list->count + 1) * sizeof(struct session *));
	if (!sessions)
		return -ENOMEM;
	list->sessions = sessions;
	name_apart(list, session);
	session->id = ++list->last_id;
	sessions[list->count++] = session_ref(session);
	return 0;
}

void session_list_remove(struct session_list *list, struct session *session)
{
	for (size_t i = 0; i < list->count; i++) {
		if (list->sessions[i] != session)
			continue;
		list->count--;
		memmove(list->sessions + i, list->sessions + i + 1,
			(list->count - i) * sizeof(struct session *));
		session_unref(session);
		return;
	}
}

struct session *session_list_find(const struct session_list *list, uint64_t id)
{
	for (size_t i = 0; i < list->count; i++) {
		if (list->sessions[i]->id == id)
			return list->sessions[i];
	}
	return NULL;
}
