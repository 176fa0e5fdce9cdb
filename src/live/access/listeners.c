// SPDX-License-Identifier: BSD-2-Clause
#include "live/access/listeners.h"

#include <errno.h>
#include <event2/event.h>
#include <event2/listener.h>
#include <event2/util.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/diag.h"
#include "base/io.h"
#include "live/access/file_pool.h"

#define BACKLOG 1024

struct listener {
	struct listeners *all;
	struct evconnlistener *socket;
	listeners_accepted accepted;
	void *ctx;
};

struct listeners {
	struct event_base *base;
	struct file_pool *files;
	struct event *resume; /* the end of a pause */
	bool stopped;
	struct listener each[RELAY_LISTENERS_MAX];
	unsigned int count;
};

static void accepted(struct evconnlistener *socket, evutil_socket_t fd, struct sockaddr *address,
		     int len, void *ctx)
{
	const struct listener *listener = ctx;

	(void)socket;
	(void)address;
	(void)len;
	listener->accepted(listener->ctx, file_pool_settle(listener->all->files, fd));
}

/* No file descriptor is left, or no memory. */
static void not_accepted(struct evconnlistener *socket, void *ctx)
{
	const struct listener *listener = ctx;
	const struct timeval pause = {.tv_usec = LISTENERS_PAUSE_US};

	if (file_pool_make_room(listener->all->files))
		return;
	(void)evconnlistener_disable(socket);
	(void)event_add(listener->all->resume, &pause);
}

static void resume(evutil_socket_t fd, short what, void *ctx)
{
	struct listeners *listeners = ctx;

	(void)fd;
	(void)what;
	for (unsigned int i = 0; !listeners->stopped && i < listeners->count; i++)
		(void)evconnlistener_enable(listeners->each[i].socket);
}

struct listeners *listeners_new(struct event_base *base, struct file_pool *files)
{
	struct listeners *listeners = calloc(1, sizeof(*listeners));

	if (!listeners)
		return NULL;
	listeners->base = base;
	listeners->files = files;
	listeners->resume = evtimer_new(base, resume, listeners);
	if (listeners->resume)
		return listeners;
	free(listeners);
	return NULL;
}

void listeners_free(struct listeners *listeners)
{
	if (!listeners)
		return;
	for (unsigned int i = 0; i < listeners->count; i++)
		evconnlistener_free(listeners->each[i].socket);
	event_free(listeners->resume);
	free(listeners);
}

int listeners_add(struct listeners *listeners, int fd, listeners_accepted accept, void *ctx)
{
	struct listener *listener = &listeners->each[listeners->count];
	int err = listeners->count < RELAY_LISTENERS_MAX ? 0 : -E2BIG;

	if (!err && evutil_make_socket_nonblocking(fd))
		err = -EINVAL;
	if (!err) {
		*listener = (struct listener){.all = listeners, .accepted = accept, .ctx = ctx};
		listener->socket = evconnlistener_new(
			listeners->base, accepted, listener,
			LEV_OPT_CLOSE_ON_FREE | LEV_OPT_CLOSE_ON_EXEC | LEV_OPT_DISABLED, 0, fd);
		err = listener->socket ? 0 : -EINVAL;
	}
	if (err) {
		(void)fd_close(fd);
		return err;
	}
	evconnlistener_set_error_cb(listener->socket, not_accepted);
	listeners->count++;
	return 0;
}

int listeners_start(struct listeners *listeners, struct diag *diag)
{
	for (unsigned int i = 0; i < listeners->count; i++) {
		const int fd = listeners_fd(listeners, i);
		char text[RELAY_ADDRESS_BYTES];
		int err = listen(fd, BACKLOG) ? -errno : 0;

		if (!err && evconnlistener_enable(listeners->each[i].socket))
			err = -ENOMEM;
		if (!err)
			continue;
		relay_address_format(fd, text);
		return diag_set(diag, err, "cannot listen at %s: %s", text, strerror(-err));
	}
	return 0;
}

bool listeners_are_paused(const struct listeners *listeners)
{
	return evtimer_pending(listeners->resume, NULL);
}

void listeners_stop(struct listeners *listeners)
{
	listeners->stopped = true;
	for (unsigned int i = 0; i < listeners->count; i++)
		(void)evconnlistener_disable(listeners->each[i].socket);
}

int listeners_fd(const struct listeners *listeners, unsigned int i)
{
	return i < listeners->count ? evconnlistener_get_fd(listeners->each[i].socket) : -1;
}
