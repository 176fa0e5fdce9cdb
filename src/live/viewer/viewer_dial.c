// SPDX-License-Identifier: BSD-2-Clause
#include "live/viewer/viewer_dial.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/diag.h"
#include "live/access/live_conn.h"
#include "live/viewer/viewer.h"

#define DIAL_NS (2 * NS_PER_SEC) /* for a connection: ending waits for it at most so long */

struct viewer_dial {
	const struct live_url *url;
	const struct credentials *credentials;
	pthread_t thread;
	atomic_bool stop; /* it is not wanted any more */
	atomic_bool done; /* the members below belong to the thread until then */
	int err;
	struct viewer *viewer;
	struct diag diag;
};

/* @stop: as viewer_stop_by. */
static int connect_to(const struct live_url *url, const struct credentials *credentials,
		      uint64_t timeout_ns, const atomic_bool *stop, struct viewer **ret,
		      struct diag *diag)
{
	struct live_conn *conn;
	struct viewer *viewer;
	int err = live_conn_open(url, credentials, timeout_ns, &conn, diag);

	if (err)
		return err;
	viewer = viewer_new(conn);
	if (!viewer)
		return diag_set(diag, -ENOMEM, "no memory");
	viewer_stop_by(viewer, stop);
	err = viewer_greet(viewer, diag);
	viewer_stop_by(viewer, NULL);
	if (err)
		viewer_free(viewer);
	else
		*ret = viewer;
	return err;
}

int viewer_connect(const struct live_url *url, const struct credentials *credentials,
		   struct viewer **ret, struct diag *diag)
{
	return connect_to(url, credentials, LIVE_CONNECT_NS, NULL, ret, diag);
}

static void *work(void *arg)
{
	struct viewer_dial *dial = arg;

	dial->err = connect_to(dial->url, dial->credentials, DIAL_NS, &dial->stop, &dial->viewer,
			       &dial->diag);
	atomic_store(&dial->done, true);
	return NULL;
}

/* Signals go to the threads that wait for events. */
static int start(struct viewer_dial *dial)
{
	sigset_t all, before;
	int err;

	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(&dial->thread, NULL, work, dial);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	return err;
}

struct viewer_dial *viewer_dial_new(const struct live_url *url,
				    const struct credentials *credentials)
{
	struct viewer_dial *dial = calloc(1, sizeof(*dial));

	if (!dial)
		return NULL;
	dial->url = url;
	dial->credentials = credentials;
	atomic_init(&dial->done, false);
	atomic_init(&dial->stop, false);
	if (start(dial)) {
		free(dial);
		return NULL;
	}
	return dial;
}

bool viewer_dial_is_done(struct viewer_dial *dial)
{
	return atomic_load(&dial->done);
}

int viewer_dial_take(struct viewer_dial *dial, struct viewer **ret, struct diag *diag)
{
	int err;

	(void)pthread_join(dial->thread, NULL);
	err = dial->err;
	if (err)
		*diag = dial->diag;
	else
		*ret = dial->viewer;
	free(dial);
	return err;
}

void viewer_dial_free(struct viewer_dial *dial)
{
	if (!dial)
		return;
	atomic_store(&dial->stop, true);
	(void)pthread_join(dial->thread, NULL);
	viewer_free(dial->viewer);
	free(dial);
}
