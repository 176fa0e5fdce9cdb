// SPDX-License-Identifier: BSD-2-Clause
#include "live/ingest/ingest_peer.h"

#include <errno.h>
#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/buffer.h"
#include "live/access/relay_address.h"
#include "live/ingest/ingest_control.h"
#include "live/ingest/ingest_packets.h"
#include "live/ingest/ingest_session.h"
#include "live/proto/ingest_message.h"

#define LATE_S 1 /* data that is still on its way when its control connection has gone */
#define LINGER_S 2 /* for the last reply to arrive, which a reset would overtake */
#define READ_AHEAD (256u << 10)
#define STRANGER_MAX (64u << 10) /* bytes of a command, before there is a session */

struct ingest_peer {
	struct ingest_input *input; /* of data, and what comes there; or */
	struct ingest_packets packets;
	struct bufferevent *link; /* of control; both NULL: a session whose connection has gone */
	struct event *late; /* ends the last of these, and a connection that is rejected */
	struct event_base *base;
	struct ingest_peer_owner owner;
	struct ingest_control control;
	char address[RELAY_ADDRESS_BYTES];
	bool is_data;
};

static void log_peer(const struct ingest_peer *peer, const char *what)
{
	const char *name = peer->control.peer;

	relay_log_say(&peer->control.place->log, RELAY_LOG_SESSIONS, "%s connection of %s%s%s %s",
		      peer->is_data ? "data" : "control", peer->address, *name ? ", " : "", name,
		      what);
}

void ingest_peer_free(struct ingest_peer *peer)
{
	if (!peer)
		return;
	log_peer(peer, "ends");
	ingest_input_free(peer->input);
	if (peer->link)
		bufferevent_free(peer->link);
	if (peer->late)
		event_free(peer->late);
	ingest_session_free(peer->control.session);
	free(peer->control.peer);
	free(peer);
}

static void too_late(evutil_socket_t fd, short what, void *ctx)
{
	struct ingest_peer *peer = ctx;

	(void)fd;
	(void)what;
	peer->owner.closed(peer->owner.ctx, peer);
}

/* Ends it in @seconds. 0 or -ENOMEM. */
static int end_in(struct ingest_peer *peer, int seconds)
{
	const struct timeval late = {seconds, 0};

	if (!peer->late)
		peer->late = evtimer_new(peer->base, too_late, peer);
	return !peer->late || evtimer_add(peer->late, &late) ? -ENOMEM : 0;
}

/* The session lasts a moment longer: its data comes on another connection. */
static void close_peer(struct ingest_peer *peer)
{
	struct ingest_session_info session = {0};

	if (peer->control.session)
		ingest_session_info(peer->control.session, &session);
	ingest_packets_end(&peer->packets);
	if (peer->link)
		bufferevent_free(peer->link);
	peer->link = NULL;
	if (!session.streams || end_in(peer, LATE_S))
		peer->owner.closed(peer->owner.ctx, peer);
}

/* @need: bytes of the message that has begun; 0 = none has. */
static void wait_for(struct ingest_peer *peer, size_t need)
{
	const struct timeval patience = {INGEST_PATIENCE_S, 0};

	bufferevent_setwatermark(peer->link, EV_READ, 0, need > READ_AHEAD ? need : READ_AHEAD);
	bufferevent_set_timeouts(peer->link, need ? &patience : NULL, &patience);
}

static int reply_to(struct ingest_peer *peer, uint32_t command, const void *bytes, size_t len)
{
	struct buffer reply;
	int err;

	buffer_init(&reply);
	err = ingest_control_do(&peer->control, command, bytes, len, &reply);
	if (reply.len && bufferevent_write(peer->link, reply.data, reply.len))
		err = err ?: -ENOMEM;
	buffer_fini(&reply);
	if (evbuffer_get_length(bufferevent_get_output(peer->link)) > READ_AHEAD)
		err = err ?: -ENOBUFS; /* it asks, and does not read what is answered */
	return err;
}

/* All commands that are there. */
static int read_commands(struct ingest_peer *peer, struct evbuffer *input)
{
	for (;;) {
		uint8_t bytes[RELAY_HEAD_BYTES];
		struct ingest_head head;
		size_t there = evbuffer_get_length(input), need;
		const uint8_t *message;
		int err;

		if (there < sizeof(bytes)) {
			wait_for(peer, there ? sizeof(bytes) : 0);
			return 0;
		}
		evbuffer_copyout(input, bytes, sizeof(bytes));
		err = ingest_head_unpack(bytes, &head);
		if (!err && !peer->control.session && head.len > STRANGER_MAX)
			err = -E2BIG;
		if (err)
			return err;
		need = sizeof(bytes) + head.len;
		if (there < need) {
			wait_for(peer, need);
			return 0;
		}
		message = evbuffer_pullup(input, (ev_ssize_t)need);
		if (!message)
			return -ENOMEM;
		err = reply_to(peer, head.command, message + sizeof(bytes), head.len);
		evbuffer_drain(input, need);
		if (err)
			return err;
	}
}

/* Why: -errno, or 0, it or the network has ended it. */
static void end_peer(void *ctx, int err)
{
	struct ingest_peer *peer = ctx;

	if (err)
		peer->owner.turned_away(peer->owner.ctx, err);
	close_peer(peer);
}

/* If a socket is closed while input waits in it, the kernel sends a reset, and the peer loses replies that it
 * has not read. */
static void discard(struct bufferevent *link, void *ctx)
{
	struct evbuffer *input = bufferevent_get_input(link);

	(void)ctx;
	(void)evbuffer_drain(input, evbuffer_get_length(input));
}

static void replies_went(struct bufferevent *link, void *ctx)
{
	(void)shutdown(bufferevent_getfd(link), SHUT_WR);
	if (end_in(ctx, LINGER_S))
		close_peer(ctx);
}

static void left(struct bufferevent *link, short what, void *ctx)
{
	(void)link;
	(void)what;
	close_peer(ctx);
}

/* It is rejected; the replies that it is owed go first, if it reads them. */
static void reject(struct ingest_peer *peer, int err)
{
	size_t owed = evbuffer_get_length(bufferevent_get_output(peer->link));

	peer->owner.turned_away(peer->owner.ctx, err);
	discard(peer->link, NULL);
	if (owed > READ_AHEAD || end_in(peer, INGEST_PATIENCE_S)) {
		close_peer(peer);
		return;
	}
	bufferevent_setcb(peer->link, discard, replies_went, left, peer);
	bufferevent_setwatermark(peer->link, EV_READ, 0, READ_AHEAD);
	bufferevent_set_timeouts(peer->link, NULL, NULL);
	if (!owed)
		replies_went(peer->link, peer);
}

static void can_read(struct bufferevent *link, void *ctx)
{
	int err = read_commands(ctx, bufferevent_get_input(link));

	if (err)
		reject(ctx, err);
}

static void has_ended(struct bufferevent *link, short what, void *ctx)
{
	(void)link;
	end_peer(ctx, what & BEV_EVENT_TIMEOUT ? -ETIMEDOUT : 0);
}

static ssize_t data_came(void *ctx, const uint8_t *bytes, size_t len)
{
	struct ingest_peer *peer = ctx;

	return ingest_packets_take(&peer->packets, bytes, len);
}

static bool open_data(struct ingest_peer *peer, struct bufferevent *link, uint8_t *block)
{
	const struct ingest_input_owner owner = {data_came, end_peer, peer};

	peer->packets.place = peer->control.place;
	peer->packets.peer = peer->control.peer;
	peer->input = ingest_input_new(link, block, &owner);
	return peer->input;
}

static void open_control(struct ingest_peer *peer, struct bufferevent *link)
{
	peer->link = link;
	bufferevent_setcb(link, can_read, NULL, has_ended, peer);
	wait_for(peer, 0);
	(void)bufferevent_enable(link, EV_READ | EV_WRITE);
}

struct ingest_peer *ingest_peer_new(struct bufferevent *link, uint8_t *block, const char *name,
				    struct ingest_place *place,
				    const struct ingest_peer_owner *owner)
{
	struct ingest_peer *peer = calloc(1, sizeof(*peer));

	if (peer)
		peer->control.peer = strdup(name);
	if (!peer || !peer->control.peer) {
		free(peer);
		bufferevent_free(link);
		return NULL;
	}
	peer->base = bufferevent_get_base(link);
	peer->owner = *owner;
	peer->control.place = place;
	peer->is_data = block;
	(void)relay_address_of_peer(bufferevent_getfd(link), peer->address);
	log_peer(peer, "begins");
	if (!block) {
		open_control(peer, link);
	} else if (!open_data(peer, link, block)) {
		ingest_peer_free(peer);
		return NULL;
	}
	return peer;
}

const struct ingest_session *ingest_peer_session(const struct ingest_peer *peer)
{
	return peer->control.session;
}
