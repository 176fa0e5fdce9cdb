// SPDX-License-Identifier: BSD-2-Clause
#include "live/viewer/viewer_attach.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>

#include "base/clock.h"
#include "base/diag.h"
#include "live/proto/live_url.h"
#include "live/viewer/viewer.h"
#include "live/viewer/viewer_heirs.h"
#include "live/viewer/viewer_list.h"
#include "live/viewer/viewer_set.h"

#define DETACH_NS \
	(200 *    \
	 NS_PER_MS) /* for the replies: a relay may call a connection that closes before an error */

static int fail_attach(uint32_t status, const struct live_url *url, struct diag *diag)
{
	switch (status) {
	case LIVE_ATTACH_ALREADY:
		return diag_set(
			diag, -EBUSY,
			"another viewer is attached to session '%s', and this relay lets in one at a time",
			url->session);
	case LIVE_ATTACH_UNKNOWN:
		return diag_set(diag, -ENOENT, "the relay does not know session '%s' any more",
				url->session);
	case LIVE_ATTACH_NOT_LIVE:
		return diag_set(diag, -ENOTSUP,
				"session '%s' is not live: it was created without --live",
				url->session);
	default:
		return diag_set(diag, -EPROTO,
				"the relay refuses session '%s' with status %" PRIu32, url->session,
				status);
	}
}

static int attach_one(struct viewer_set *set, struct viewer *viewer,
		      const struct viewer_session *session, const struct live_url *url,
		      uint32_t seek, struct diag *diag)
{
	const struct viewer_request request = {
		.command = LIVE_ATTACH_SESSION,
		.handle = session->id,
		.seek = seek,
	};
	struct viewer_reply reply;
	struct viewer_head head;
	int err = viewer_call(viewer, &request, &reply, diag);

	if (err)
		return err;
	viewer_unpack_head(LIVE_ATTACH_SESSION, reply.data, &head);
	if (head.status != LIVE_ATTACH_OK)
		return fail_attach(head.status, url, diag);
	if (viewer_set_add_session(set, session))
		return diag_set(diag, -ENOMEM, "no memory");
	return viewer_set_take(set, session->id, &head, diag);
}

static int create(struct viewer *viewer, struct diag *diag)
{
	uint32_t status;
	int err = viewer_create_session(viewer, &status, diag);

	if (!err && status != LIVE_CREATE_OK)
		err = diag_set(diag, -EPROTO,
			       "the relay refuses a viewer session, with status %" PRIu32, status);
	return err;
}

int viewer_attach(struct viewer_set *set, struct viewer *viewer, const struct live_url *url,
		  uint32_t seek, struct diag *diag)
{
	struct viewer_list list = {0};
	bool found = false;
	int err = create(viewer, diag);

	err = err ?: viewer_list_get(&list, viewer, diag);
	for (size_t i = 0; i < list.count && !err; i++) {
		if (!viewer_session_is(&list.sessions[i], url))
			continue;
		found = true;
		err = attach_one(set, viewer, &list.sessions[i], url, seek, diag);
	}
	if (!err && !found)
		err = viewer_list_fail(&list, url, diag);
	viewer_list_fini(&list);
	if (!err)
		viewer_heirs_end(set);
	return err;
}

void viewer_detach(struct viewer_set *set, struct viewer *viewer)
{
	struct viewer_request request = {.command = LIVE_DETACH_SESSION};
	struct viewer_reply reply;
	struct diag diag;
	uint64_t until_ns, now_ns = clock_monotonic_ns();

	if (viewer_due(viewer) || viewer_minor(viewer) < LIVE_MINOR_DETACH)
		return;
	for (size_t i = 0; i < set->session_count; i++) {
		request.handle = set->sessions[i].id;
		if (set->sessions[i].detached)
			return;
		set->sessions[i].detached = true;
		if (viewer_ask(viewer, &request))
			return;
	}
	for (until_ns = now_ns + DETACH_NS; now_ns < until_ns; now_ns = clock_monotonic_ns()) {
		if (viewer_next(viewer, until_ns - now_ns, &reply, &diag) <= 0)
			return;
	}
}
