// SPDX-License-Identifier: BSD-2-Clause
#include "live/relay/relay.h"

#include <errno.h>
#include <event2/event.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/conduit.h"
#include "base/diag.h"
#include "base/io.h"
#include "live/access/admission.h"
#include "live/access/file_pool.h"
#include "live/access/listeners.h"
#include "live/access/relay_address.h"
#include "live/access/rights.h"
#include "live/relay/relay_view.h"
#include "live/relay/relay_viewer.h"
#include "live/session/session.h"
#include "wire/lttng_live.h"

#define LOOK_US 100000 /* between two looks for stalled viewers */

struct relay {
	struct relay_config config;
	struct event_base *base;
	struct listeners *listeners;
	struct event *call; /* from another thread */
	int call_fd;
	struct event *look;
	struct session_list sessions;
	struct file_pool files;
	struct admission *admission;
	struct conduit *conduit; /* of all viewers */
	struct relay_viewer **viewers; /* `connections` of them */
	unsigned int viewer_count;
	uint64_t last_id; /* of a viewer */
	uint64_t refused; /* since that was last said */
	uint64_t refused_ever;
	uint64_t turned_away;
	unsigned int stop; /* times asked for; atomic, and so is the next: by any thread */
	bool finish;
	uint64_t stop_ns; /* since when, or 0 */
	uint64_t finish_ns; /* likewise */
};

static void say(const struct relay *relay, const char *text)
{
	if (relay->config.log)
		relay->config.log(relay->config.ctx, text);
}

/* The reply to CONNECT of a relay that has no room: our viewer says so, others find the connection closed. */
static const uint8_t no_room[LIVE_CONNECT_BYTES] = {
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, LIVE_MAJOR, 0, 0, 0, LIVE_MINOR, 'f', 'u', 'l', 'l',
};

static bool is_full(const struct relay *relay)
{
	return relay->viewer_count >= relay->config.connections;
}

static void count_refused(struct relay *relay)
{
	relay->refused_ever++;
	if (!relay->refused++)
		say(relay,
		    "there are as many viewers as it serves (--connections): others are refused");
}

static void viewer_closed(void *ctx, struct relay_viewer *viewer, const char *why)
{
	struct relay *relay = ctx;
	char address[RELAY_ADDRESS_BYTES];
	struct diag diag;

	relay_viewer_address(viewer, address);
	for (unsigned int i = 0; i < relay->viewer_count; i++) {
		if (relay->viewers[i] != viewer)
			continue;
		relay->viewers[i] = relay->viewers[--relay->viewer_count];
		break;
	}
	relay_viewer_free(viewer);
	relay_log_say(&relay->config.clients, RELAY_LOG_SESSIONS, "viewer %s leaves", address);
	if (why) {
		relay->turned_away++;
		(void)diag_set(&diag, 0, "connection from %s closed: %s", address, why);
		say(relay, diag.text);
	}
	if (relay->stop_ns && !relay->viewer_count)
		event_base_loopbreak(relay->base);
}

static void let_in(void *ctx, struct bufferevent *link, const char *name)
{
	struct relay *relay = ctx;
	const struct relay_viewer_owner owner = {.closed = viewer_closed, .ctx = relay};
	const struct relay_peer peer = {relay->config.rights, name};
	char address[RELAY_ADDRESS_BYTES];
	struct relay_viewer *viewer;

	if (is_full(relay)) { /* since it was accepted */
		count_refused(relay);
		admission_refuse_link(relay->admission, link);
		return;
	}
	viewer = relay_viewer_new(link, &relay->sessions, relay->conduit, &peer, &owner,
				  ++relay->last_id);
	if (!viewer)
		return;
	relay->viewers[relay->viewer_count++] = viewer;
	relay_viewer_address(viewer, address);
	relay_log_say(&relay->config.clients, RELAY_LOG_SESSIONS, "viewer %s connects", address);
	if (relay->stop_ns) /* it has come too late */
		viewer_closed(relay, viewer, NULL);
}

static void accepted(void *ctx, int fd)
{
	struct relay *relay = ctx;
	int on = 1;

	if (is_full(relay)) {
		count_refused(relay);
		admission_refuse(relay->admission, fd);
		return;
	}
	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	admission_take(relay->admission, fd, let_in, relay);
}

static void drop_stuck(struct relay *relay, uint64_t now_ns)
{
	uint64_t patience_ns = relay->config.patience_ns;

	if (relay->stop_ns && patience_ns > RELAY_FINISH_NS)
		patience_ns = RELAY_FINISH_NS;
	for (unsigned int i = relay->viewer_count; i--;) {
		const char *why = relay_viewer_stuck(relay->viewers[i], now_ns, patience_ns);

		if (why)
			viewer_closed(relay, relay->viewers[i], why);
	}
}

static bool may_finish(const struct relay *relay, uint64_t now_ns)
{
	uint64_t since_ns = now_ns - RELAY_FINISH_NS;

	if (since_ns < relay->finish_ns)
		since_ns = 0; /* viewers have not had that time yet */
	for (unsigned int i = 0; i < relay->viewer_count; i++) {
		if (relay_viewer_is_behind(relay->viewers[i], since_ns))
			return false;
	}
	return true;
}

static void look(evutil_socket_t fd, short what, void *ctx)
{
	struct relay *relay = ctx;
	uint64_t now_ns = clock_monotonic_ns();

	(void)fd;
	(void)what;
	drop_stuck(relay, now_ns);
	if (relay->stop_ns) {
		if (relay->stop_ns + relay->config.patience_ns < now_ns)
			event_base_loopbreak(relay->base);
		return;
	}
	if (!is_full(relay))
		relay->refused = 0;
	if (relay->finish_ns && may_finish(relay, now_ns))
		event_base_loopbreak(relay->base);
}

/* Nobody is cut off in the middle of a packet. Who asks again does not want to wait for that. */
static void stop(struct relay *relay, bool again)
{
	relay->stop_ns = clock_monotonic_ns();
	listeners_stop(relay->listeners);
	for (unsigned int i = relay->viewer_count; i--;) {
		if (!relay_viewer_leave(relay->viewers[i], NULL))
			viewer_closed(relay, relay->viewers[i], NULL);
	}
	if (again || !relay->viewer_count)
		event_base_loopbreak(relay->base);
}

static void called(evutil_socket_t fd, short what, void *ctx)
{
	struct relay *relay = ctx;
	uint64_t times;

	(void)what;
	(void)!read(fd, &times, sizeof(times));
	times = __atomic_load_n(&relay->stop, __ATOMIC_ACQUIRE);
	if (times)
		stop(relay, times > 1);
	if (__atomic_load_n(&relay->finish, __ATOMIC_ACQUIRE) && !relay->finish_ns)
		relay->finish_ns = clock_monotonic_ns();
}

static int add_events(struct relay *relay)
{
	const struct admission_config admission = {.rights = relay->config.rights,
						   .patience_ns = relay->config.patience_ns,
						   .refusal = no_room,
						   .refusal_len = sizeof(no_room),
						   .log = relay->config.log,
						   .ctx = relay->config.ctx};
	const struct timeval every = {.tv_usec = LOOK_US};

	relay->base = event_base_new();
	relay->call_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (!relay->base || relay->call_fd < 0)
		return -ENOMEM;
	relay->admission = admission_new(relay->base, &admission);
	relay->listeners = listeners_new(relay->base, &relay->files);
	relay->call = event_new(relay->base, relay->call_fd, EV_READ | EV_PERSIST, called, relay);
	relay->look = event_new(relay->base, -1, EV_PERSIST, look, relay);
	if (!relay->admission || !relay->listeners || !relay->call || !relay->look ||
	    event_add(relay->call, NULL) || event_add(relay->look, &every))
		return -ENOMEM;
	return 0;
}

int relay_new(const struct relay_config *config, struct relay **ret, struct diag *diag)
{
	struct relay *relay = calloc(1, sizeof(*relay));
	int err = -ENOMEM;

	if (!relay)
		return diag_set(diag, err, "no memory");
	relay->call_fd = -1;
	relay->config = *config;
	relay->config.connections = config->connections ?: RELAY_CONNECTIONS;
	relay->config.patience_ns = config->patience_ns ?: RELAY_PATIENCE_NS;
	session_list_init(&relay->sessions);
	file_pool_init(&relay->files);
	relay->files.log = config->log;
	relay->files.ctx = config->ctx;
	relay->viewers = calloc(relay->config.connections, sizeof(struct relay_viewer *));
	if (relay->viewers)
		err = conduit_new(&relay->conduit) ?: add_events(relay);
	if (err) {
		relay_free(relay);
		return diag_set(diag, err, "no memory or files for a relay");
	}
	*ret = relay;
	return 0;
}

void relay_free(struct relay *relay)
{
	if (!relay)
		return;
	admission_free(relay->admission);
	for (unsigned int i = 0; i < relay->viewer_count; i++)
		relay_viewer_free(relay->viewers[i]);
	listeners_free(relay->listeners);
	if (relay->call)
		event_free(relay->call);
	if (relay->look)
		event_free(relay->look);
	session_list_fini(&relay->sessions);
	file_pool_fini(&relay->files);
	conduit_free(relay->conduit);
	if (relay->base)
		event_base_free(relay->base);
	(void)fd_close(relay->call_fd);
	free(relay->viewers);
	free(relay);
}

int relay_listen_fd(struct relay *relay, int fd, struct diag *diag)
{
	if (listeners_add(relay->listeners, fd, accepted, relay))
		return diag_set(diag, -EINVAL,
				"it cannot listen at so many addresses, or not there");
	relay_address_do_not_pace(fd);
	return 0;
}

int relay_listen(struct relay *relay, const char *address, bool insecure, struct diag *diag)
{
	int fd = -1;
	int err = relay_address_bind(address, LIVE_PORT,
				     insecure || rights_ask(relay->config.rights), &fd, diag);

	return err ?: relay_listen_fd(relay, fd, diag);
}

int relay_start(struct relay *relay, struct diag *diag)
{
	return listeners_start(relay->listeners, diag);
}

uint16_t relay_port(const struct relay *relay)
{
	int fd = listeners_fd(relay->listeners, 0);

	return fd < 0 ? 0 : relay_address_port(fd);
}

struct event_base *relay_base(struct relay *relay)
{
	return relay->base;
}

struct session_list *relay_sessions(struct relay *relay)
{
	return &relay->sessions;
}

struct file_pool *relay_files(struct relay *relay)
{
	return &relay->files;
}

unsigned int relay_connections(const struct relay *relay)
{
	return relay->viewer_count;
}

bool relay_address(const struct relay *relay, unsigned int i, char text[RELAY_ADDRESS_BYTES])
{
	int fd = listeners_fd(relay->listeners, i);

	if (fd >= 0)
		relay_address_format(fd, text);
	return fd >= 0;
}

void relay_totals(const struct relay *relay, struct relay_totals *ret)
{
	*ret = (struct relay_totals){
		.viewers = relay->viewer_count,
		.viewers_most = relay->config.connections,
		.refused = relay->refused_ever + admission_refused(relay->admission),
		.turned_away = relay->turned_away,
	};
}

bool relay_is_paused(const struct relay *relay)
{
	return listeners_are_paused(relay->listeners);
}

int relay_run(struct relay *relay)
{
	sigset_t pipe;

	/* A viewer that has gone is an error of its connection, and nothing else. */
	sigemptyset(&pipe);
	sigaddset(&pipe, SIGPIPE);
	(void)pthread_sigmask(SIG_BLOCK, &pipe, NULL);
	return event_base_dispatch(relay->base) < 0 ? -EIO : 0;
}

static void call(struct relay *relay)
{
	uint64_t one = 1;

	(void)!write(relay->call_fd, &one, sizeof(one));
}

void relay_stop(struct relay *relay)
{
	(void)__atomic_add_fetch(&relay->stop, 1, __ATOMIC_RELEASE);
	call(relay);
}

void relay_finish(struct relay *relay)
{
	__atomic_store_n(&relay->finish, true, __ATOMIC_RELEASE);
	call(relay);
}
