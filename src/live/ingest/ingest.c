// SPDX-License-Identifier: BSD-2-Clause
#include "live/ingest/ingest.h"

#include <errno.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/diag.h"
#include "base/io.h"
#include "base/place.h"
#include "live/access/admission.h"
#include "live/access/listeners.h"
#include "live/access/rights.h"
#include "live/ingest/ingest_packets.h"
#include "live/ingest/ingest_peer.h"
#include "live/ingest/ingest_quota.h"
#include "live/ingest/ingest_session.h"
#include "live/ingest/ingest_store.h"
#include "wire/lttng_relay.h"

struct door {
	struct ingest *ingest;
	enum ingest_port port;
};

struct ingest {
	struct event_base *base;
	struct ingest_config config;
	struct ingest_place place;
	uint8_t *block; /* that data connections are read into (ingest_input) */
	struct admission *admission;
	struct listeners *listeners;
	struct door doors[RELAY_LISTENERS_MAX]; /* of each listener */
	unsigned int door_count;
	struct ingest_peer **peers; /* `connections` of them */
	unsigned int peer_count;
	uint64_t refused;
	bool full; /* that was said */
	uint64_t turned_away;
};

static void say(const struct ingest *ingest, const char *text)
{
	if (ingest->config.log)
		ingest->config.log(ingest->config.ctx, text);
}

static const char *reason(int err)
{
	switch (err) {
	case -EPROTO:
		return "what it sends is out of turn, or not as it was said";
	case -EBADMSG:
		return "what it sends is malformed";
	case -ENOTSUP:
		return "it speaks another version than LTTng's 2.4 or later, or an unknown command";
	case -E2BIG:
		return "what it sends is longer, or more, than is taken";
	case -ENOBUFS:
		return "it does not read what it is answered, or keeps too much waiting";
	case -EDQUOT:
		return "what it sends does not fit into --quota, and nothing more can be dropped";
	case -EPERM:
		return "its certificate's name may not stream such a session (--allow), or it is "
		       "another's";
	case -EUSERS:
		return "there are as many sessions as it takes (--sessions)";
	case -ETIMEDOUT:
		return "it stopped in the middle";
	default:
		return strerror(-err);
	}
}

static void turned_away(void *ctx, int err)
{
	struct ingest *ingest = ctx;
	struct diag diag;

	ingest->turned_away++;
	if (ingest_store_fails(err))
		ingest->place.store_error = err;
	(void)diag_set(&diag, 0, "connection of a streaming client rejected: %s", reason(err));
	say(ingest, diag.text);
}

static void closed(void *ctx, struct ingest_peer *peer)
{
	struct ingest *ingest = ctx;

	for (unsigned int i = 0; i < ingest->peer_count; i++) {
		if (ingest->peers[i] != peer)
			continue;
		ingest->peers[i] = ingest->peers[--ingest->peer_count];
		break;
	}
	ingest_peer_free(peer);
	ingest->full = false;
}

static bool is_full(const struct ingest *ingest)
{
	return ingest->peer_count >= ingest->config.connections;
}

static void refuse(struct ingest *ingest)
{
	ingest->refused++;
	if (!ingest->full)
		say(ingest, "as many stream to us as it takes (--connections): others are refused");
	ingest->full = true;
}

static void let_in(void *ctx, struct bufferevent *link, const char *name)
{
	const struct door *door = ctx;
	struct ingest *ingest = door->ingest;
	const struct ingest_peer_owner owner = {turned_away, closed, ingest};
	struct ingest_peer *peer;

	if (is_full(ingest)) { /* since it was accepted */
		refuse(ingest);
		admission_refuse_link(ingest->admission, link);
		return;
	}
	peer = ingest_peer_new(link, door->port == INGEST_DATA ? ingest->block : NULL, name,
			       &ingest->place, &owner);
	if (peer)
		ingest->peers[ingest->peer_count++] = peer;
}

static void set_keep_alive(int fd, const struct ingest_keep_alive *keep)
{
	const struct {
		int option, value;
	} values[] = {{TCP_KEEPIDLE, keep->idle_s},
		      {TCP_KEEPINTVL, keep->interval_s},
		      {TCP_KEEPCNT, keep->probes}};
	int on = 1;

	(void)setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		if (values[i].value)
			(void)setsockopt(fd, IPPROTO_TCP, values[i].option, &values[i].value,
					 sizeof(values[i].value));
	}
}

static void accepted(void *ctx, int fd)
{
	struct door *door = ctx;
	struct ingest *ingest = door->ingest;
	int on = 1;

	if (!is_full(ingest)) {
		(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
		set_keep_alive(fd, &ingest->config.keep_alive);
		admission_take(ingest->admission, fd, let_in, door);
		return;
	}
	refuse(ingest);
	admission_refuse(ingest->admission, fd);
}

int ingest_new(struct event_base *base, const struct ingest_config *config, struct ingest **ret,
	       struct diag *diag)
{
	const struct admission_config admission = {
		.rights = config->rights, .log = config->log, .ctx = config->ctx};
	struct ingest *ingest = calloc(1, sizeof(*ingest));
	bool made;
	int err;

	if (!ingest)
		return diag_set(diag, -ENOMEM, "no memory");
	ingest->base = base;
	ingest->config = *config;
	ingest->config.connections = config->connections ?: INGEST_CONNECTIONS;
	ingest->place.files = config->files;
	ingest->place.list = config->list;
	ingest->place.group_by_session = config->group_by_session;
	ingest->place.disallow_clear = config->disallow_clear;
	ingest->place.rights = config->rights;
	ingest->place.log = config->clients;
	ingest->place.warn = config->log;
	ingest->place.ctx = config->ctx;
	ingest->place.sessions_most = config->sessions ?: INGEST_SESSIONS;
	ingest->place.quota_bytes = config->quota;
	ingest->peers = calloc(ingest->config.connections, sizeof(struct ingest_peer *));
	ingest->block = malloc(INGEST_BLOCK_BYTES);
	ingest->admission = admission_new(base, &admission);
	ingest->listeners = listeners_new(base, config->files);
	ingest->place.output = place_directory(config->output, &made, diag);
	err = ingest->place.output < 0 ?
		      ingest->place.output :
		      place_give(ingest->place.output, config->output, config->group, diag);
	if (!err && (ingest_place_init(&ingest->place) || !ingest->peers || !ingest->block ||
		     !ingest->admission || !ingest->listeners))
		err = diag_set(diag, -ENOMEM, "no memory");
	if (err) {
		ingest_free(ingest);
		return err;
	}
	err = ingest_quota_count(ingest->place.quota);
	if (err) {
		ingest_free(ingest);
		return diag_set(diag, err, "%s: cannot list the files that are stored there: %s",
				config->output, strerror(-err));
	}
	*ret = ingest;
	return 0;
}

int ingest_listen_fd(struct ingest *ingest, enum ingest_port port, int fd, struct diag *diag)
{
	if (listeners_add(ingest->listeners, fd, accepted, &ingest->doors[ingest->door_count]))
		return diag_set(diag, -EINVAL,
				"it cannot listen at so many addresses, or not there");
	ingest->doors[ingest->door_count++] = (struct door){.ingest = ingest, .port = port};
	return 0;
}

int ingest_listen(struct ingest *ingest, enum ingest_port port, const char *address, bool insecure,
		  struct diag *diag)
{
	uint16_t otherwise = port == INGEST_CONTROL ? RELAY_CONTROL_PORT : RELAY_DATA_PORT;
	int fd = -1;
	int err = relay_address_bind(address, otherwise,
				     insecure || rights_ask(ingest->config.rights), &fd, diag);

	return err ?: ingest_listen_fd(ingest, port, fd, diag);
}

int ingest_start(struct ingest *ingest, struct diag *diag)
{
	return listeners_start(ingest->listeners, diag);
}

void ingest_free(struct ingest *ingest)
{
	if (!ingest)
		return;
	admission_free(ingest->admission);
	while (ingest->peer_count)
		closed(ingest, ingest->peers[0]);
	listeners_free(ingest->listeners);
	fd_close(ingest->place.output);
	ingest_place_fini(&ingest->place);
	free(ingest->block);
	free(ingest->peers);
	free(ingest);
}

/* The socket of door @i for @port, or -1. */
static int door_fd(const struct ingest *ingest, enum ingest_port port, unsigned int i)
{
	for (unsigned int at = 0; at < ingest->door_count; at++) {
		if (ingest->doors[at].port == port && !i--)
			return listeners_fd(ingest->listeners, at);
	}
	return -1;
}

uint16_t ingest_port(const struct ingest *ingest, enum ingest_port port)
{
	int fd = door_fd(ingest, port, 0);

	return fd < 0 ? 0 : relay_address_port(fd);
}

bool ingest_address(const struct ingest *ingest, enum ingest_port port, unsigned int i,
		    char text[RELAY_ADDRESS_BYTES])
{
	int fd = door_fd(ingest, port, i);

	if (fd >= 0)
		relay_address_format(fd, text);
	return fd >= 0;
}

void ingest_totals(const struct ingest *ingest, struct ingest_totals *ret)
{
	*ret = (struct ingest_totals){
		.connections = ingest->peer_count,
		.connections_most = ingest->config.connections,
		.sessions = ingest->place.sessions,
		.sessions_most = ingest->place.sessions_most,
		.refused = ingest->refused,
		.turned_away = ingest->turned_away,
		.losses = ingest->place.losses,
		.quota = ingest_quota_totals(ingest->place.quota),
	};
}

bool ingest_is_paused(const struct ingest *ingest)
{
	return listeners_are_paused(ingest->listeners);
}

int ingest_store_error(const struct ingest *ingest)
{
	return ingest->place.store_error;
}

const struct ingest_session *ingest_session_at(const struct ingest *ingest, unsigned int i)
{
	for (unsigned int at = 0; at < ingest->peer_count; at++) {
		const struct ingest_session *session = ingest_peer_session(ingest->peers[at]);

		if (session && !i--)
			return session;
	}
	return NULL;
}
