// SPDX-License-Identifier: BSD-2-Clause
#include "live/ingest_peer.h"

#include <errno.h>
#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "live/ingest_control.h"
#include "live/ingest_message.h"
#include "live/ingest_place.h"
#include "live/ingest_session.h"
#include "live/ingest_stream.h"

#define PATIENCE_S 30 /* with who does not go on within a message, or does not read */
#define LATE_S 1 /* data that is still on its way when its control connection has gone */
#define READ_AHEAD (256u << 10)
#define STRANGER_MAX (64u << 10) /* bytes of a command, before there is a session */

struct ingest_peer {
	struct bufferevent *link; /* NULL: a session whose control connection has gone */
	struct event *late; /* of the last of these */
	struct event_base *base;
	struct ingest_peer_owner owner;
	bool is_data;
	struct ingest_control control;
	uint64_t stream; /* the data connection is within a packet of it; 0 = within none */
};

static struct ingest_stream *find_stream(const struct ingest_peer *peer, uint64_t handle)
{
	struct ingest_stream **found = map_get(&peer->control.place->streams, &handle);

	return found ? *found : NULL;
}

void ingest_peer_free(struct ingest_peer *peer)
{
	if (!peer)
		return;
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

/* The session lasts a moment longer: data comes by another way. */
static void close_peer(struct ingest_peer *peer)
{
	const struct timeval late = {LATE_S, 0};
	const struct ingest_session *session = peer->control.session;
	struct ingest_stream *stream = peer->stream ? find_stream(peer, peer->stream) : NULL;

	if (stream)
		ingest_stream_abort(stream);
	if (!session || !session->stream_count) {
		peer->owner.closed(peer->owner.ctx, peer);
		return;
	}
	bufferevent_free(peer->link);
	peer->link = NULL;
	peer->late = evtimer_new(peer->base, too_late, peer);
	if (!peer->late || evtimer_add(peer->late, &late))
		peer->owner.closed(peer->owner.ctx, peer);
}

/* @need: bytes of the message that has begun; 0 = none has. */
static void wait_for(struct ingest_peer *peer, size_t need)
{
	const struct timeval patience = {PATIENCE_S, 0};

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

/* All of a packet is there. */
static int end_packet(struct ingest_peer *peer, const struct ingest_stream *stream)
{
	struct ingest_session *session = stream->session;

	peer->stream = 0;
	session->packets++;
	session->bytes += (uint64_t)stream->got + stream->padding;
	return ingest_session_settle(session);
}

static int begin_packet(struct ingest_peer *peer, struct evbuffer *input)
{
	uint8_t bytes[RELAY_DATA_HEAD_BYTES];
	struct ingest_stream *stream;
	struct ingest_data data;
	int err;

	evbuffer_remove(input, bytes, sizeof(bytes));
	err = ingest_data_unpack(bytes, &data);
	if (err)
		return err;
	stream = find_stream(peer, data.stream);
	if (!stream)
		return -EPROTO;
	if (strcmp(stream->session->peer, peer->control.peer) != 0)
		return -EPERM; /* who has made the session sends its data */
	err = ingest_stream_data(stream, &data);
	if (!err && data.len)
		peer->stream = data.stream;
	return err ?: data.len ? err : end_packet(peer, stream);
}

static int go_on(struct ingest_peer *peer, struct evbuffer *input)
{
	struct ingest_stream *stream = find_stream(peer, peer->stream);
	struct evbuffer_iovec part;
	size_t len;
	int err;

	if (!stream || !stream->receiving)
		return -EPROTO;
	if (evbuffer_peek(input, -1, NULL, &part, 1) < 1)
		return 0;
	len = part.iov_len < stream->left ? part.iov_len : stream->left;
	err = ingest_stream_bytes(stream, part.iov_base, len);
	evbuffer_drain(input, len);
	return err ?: stream->receiving ? 0 : end_packet(peer, stream);
}

static int read_data(struct ingest_peer *peer, struct evbuffer *input)
{
	int err = 0;

	while (!err && evbuffer_get_length(input) >= (peer->stream ? 1 : RELAY_DATA_HEAD_BYTES))
		err = peer->stream ? go_on(peer, input) : begin_packet(peer, input);
	if (!err)
		wait_for(peer, peer->stream || evbuffer_get_length(input) ? 1 : 0);
	return err;
}

static void can_read(struct bufferevent *link, void *ctx)
{
	struct ingest_peer *peer = ctx;
	struct evbuffer *input = bufferevent_get_input(link);
	int err = peer->is_data ? read_data(peer, input) : read_commands(peer, input);

	if (!err)
		return;
	peer->owner.turned_away(peer->owner.ctx, err);
	(void)bufferevent_flush(link, EV_WRITE, BEV_FINISHED);
	close_peer(peer);
}

static void has_ended(struct bufferevent *link, short what, void *ctx)
{
	struct ingest_peer *peer = ctx;

	(void)link;
	if (what & BEV_EVENT_TIMEOUT)
		peer->owner.turned_away(peer->owner.ctx, -ETIMEDOUT);
	close_peer(peer);
}

struct ingest_peer *ingest_peer_new(struct bufferevent *link, bool is_data, const char *name,
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
	peer->link = link;
	peer->base = bufferevent_get_base(link);
	peer->owner = *owner;
	peer->is_data = is_data;
	peer->control.place = place;
	bufferevent_setcb(link, can_read, NULL, has_ended, peer);
	wait_for(peer, 0);
	(void)bufferevent_enable(link, EV_READ | EV_WRITE);
	return peer;
}

const struct ingest_session *ingest_peer_session(const struct ingest_peer *peer)
{
	return peer->control.session;
}
