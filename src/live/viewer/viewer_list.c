// SPDX-License-Identifier: BSD-2-Clause
#include "live/viewer/viewer_list.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/escape.h"
#include "base/nearest.h"
#include "live/proto/live_url.h"
#include "live/viewer/viewer.h"
#include "live/viewer/viewer_dial.h"

int viewer_list_get(struct viewer_list *list, struct viewer *viewer, struct diag *diag)
{
	const struct viewer_request request = {.command = LIVE_LIST_SESSIONS};
	struct viewer_reply reply;
	struct viewer_head head;
	size_t at = LIVE_LIST_HEAD_BYTES;
	int err;

	*list = (struct viewer_list){0};
	err = viewer_call(viewer, &request, &reply, diag);
	if (err)
		return err;
	viewer_unpack_head(LIVE_LIST_SESSIONS, reply.data, &head);
	list->sessions = calloc(head.count ?: 1, sizeof(*list->sessions));
	if (!list->sessions)
		return diag_set(diag, -ENOMEM, "no memory");
	list->count = (size_t)head.count;
	for (size_t i = 0; i < list->count; i++)
		at += viewer_unpack_session(reply.data + at, viewer_minor(viewer),
					    &list->sessions[i]);
	return 0;
}

int viewer_list_fetch(struct viewer_list *list, const struct live_url *url,
		      const struct credentials *credentials, struct diag *diag)
{
	struct viewer *viewer;
	int err = viewer_connect(url, credentials, &viewer, diag);

	*list = (struct viewer_list){0};
	if (err)
		return err;
	err = viewer_list_get(list, viewer, diag);
	viewer_free(viewer);
	return err;
}

void viewer_list_fini(struct viewer_list *list)
{
	free(list->sessions);
	*list = (struct viewer_list){0};
}

static int compare(const void *left, const void *right)
{
	const struct viewer_session *a = left, *b = right;

	return strcmp(a->host, b->host) ?: strcmp(a->name, b->name);
}

void viewer_list_join(struct viewer_list *list)
{
	size_t count = 0;

	qsort(list->sessions, list->count, sizeof(*list->sessions), compare);
	for (size_t i = 0; i < list->count; i++) {
		struct viewer_session *one = &list->sessions[i];
		struct viewer_session *last = count ? &list->sessions[count - 1] : NULL;

		if (!last || compare(last, one)) {
			list->sessions[count++] = *one;
			continue;
		}
		last->streams += one->streams;
		last->clients = one->clients > last->clients ? one->clients : last->clients;
		last->timer_us = one->timer_us ?: last->timer_us;
	}
	list->count = count;
}

bool viewer_session_is(const struct viewer_session *session, const struct live_url *url)
{
	return !strcmp(session->host, url->host) && !strcmp(session->name, url->session);
}

/* "/host/HOST/NAME", with what does not belong on a terminal made harmless. */
static void name_session(const struct viewer_session *session, char *text, size_t room)
{
	(void)snprintf(text, room, "/host/%s/%s", session->host, session->name);
	escape_blank(text);
}

/* ": did you mean ...?", or nothing. */
static const char *find_meant(const struct viewer_list *list, const struct viewer_session *wanted,
			      char meant[LIVE_HOST_BYTES + LIVE_NAME_BYTES + 40])
{
	char name[LIVE_HOST_BYTES + LIVE_NAME_BYTES + 16];
	struct nearest near;

	nearest_init(&near, wanted->name);
	for (size_t i = 0; i < list->count; i++)
		nearest_offer(&near, list->sessions[i].name);
	*meant = '\0';
	for (size_t i = 0; i < list->count && near.name && !*meant; i++) {
		if (list->sessions[i].name != near.name)
			continue;
		name_session(&list->sessions[i], name, sizeof(name));
		(void)snprintf(meant, LIVE_HOST_BYTES + LIVE_NAME_BYTES + 40, ": did you mean %s?",
			       name);
	}
	return meant;
}

int viewer_list_fail(const struct viewer_list *list, const struct live_url *url, struct diag *diag)
{
	char name[LIVE_HOST_BYTES + LIVE_NAME_BYTES + 16], names[300] = "";
	char meant[LIVE_HOST_BYTES + LIVE_NAME_BYTES + 40];
	struct viewer_session wanted = {0};
	size_t len = 0, i;

	memcpy(wanted.host, url->host, sizeof(wanted.host));
	memcpy(wanted.name, url->session, sizeof(wanted.name));
	for (i = 0; i < list->count; i++) {
		int put;

		if (i && !compare(&list->sessions[i], &list->sessions[i - 1]))
			continue;
		name_session(&list->sessions[i], name, sizeof(name));
		put = snprintf(names + len, sizeof(names) - len, "%s%s", len ? ", " : "", name);
		if (put < 0 || (size_t)put >= sizeof(names) - len)
			break;
		len += (size_t)put;
	}
	if (i < list->count) /* no room for all */
		(void)snprintf(names + (len < sizeof(names) - 8 ? len : sizeof(names) - 8), 8,
			       ", ...");
	name_session(&wanted, name, sizeof(name));
	return diag_set(diag, -ENOENT, "the relay has no session %.80s%s; it has %s", name,
			find_meant(list, &wanted, meant), len ? names : "none");
}
