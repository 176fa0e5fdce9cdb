// SPDX-License-Identifier: BSD-2-Clause
#include "live/ingest.h"

#include <errno.h>
#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <event2/listener.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/buffer.h"
#include "base/diag.h"
#include "base/io.h"
#include "live/ingest_control.h"
#include "live/ingest_message.h"
#include "live/ingest_session.h"
#include "live/ingest_stream.h"
#include "live/relay_address.h"

#define LISTENERS_MAX 16u
#define BACKLOG 1024
#define PATIENCE_S 30 /* with who does not go on within a message, or does not read */
#define LATE_S 1 /* data that is still on its way when its control connection has gone */
#define READ_AHEAD (256u << 10)

/* A control or a data connection, or a session whose control connection has gone. */
struct peer {
	struct ingest *ingest;
	struct bufferevent *link;
	struct event *late; /* of the last of these */
	bool is_data;
	struct ingest_control control;
	uint64_t stream; /* the data connection is within a packet of it; 0 = within none */
};

struct ingest {
	struct event_base *base;
	struct ingest_config config;
	struct ingest_place place;
	struct evconnlistener *listeners[LISTENERS_MAX];
	unsigned int listener_count;
	struct peer *peers[INGEST_CONNECTIONS];
	unsigned int peer_count;
};

static void say(const struct ingest *ingest, const char *what, int err)
{
	struct diag diag;

	if (!ingest->config.log)
		return;
	(void)diag_set(&diag, 0, "%s: %s", what, strerror(-err));
	ingest->config.log(ingest->config.ctx, diag.text);
}

static struct ingest_stream *find_stream(const struct ingest *ingest, uint64_t handle,
					 struct ingest_session **session)
{
	for (unsigned int i = 0; i < ingest->peer_count; i++) {
		struct ingest_stream *stream = NULL;

		*session = ingest->peers[i]->control.session;
		if (*session)
			stream = ingest_session_find(*session, handle);
		if (stream)
			return stream;
	}
	return NULL;
}

static void free_peer(struct peer *peer)
{
	struct ingest *ingest = peer->ingest;

	for (unsigned int i = 0; i < ingest->peer_count; i++) {
		if (ingest->peers[i] == peer)
			ingest->peers[i] = ingest->peers[--ingest->peer_count];
	}
	if (peer->link)
		bufferevent_free(peer->link);
	if (peer->late)
		event_free(peer->late);
	ingest_session_free(peer->control.session);
	free(peer);
}

static void too_late(evutil_socket_t fd, short what, void *ctx)
{
	(void)fd;
	(void)what;
	free_peer(ctx);
}

/* The session lasts a moment longer: data comes by another way. */
static void close_peer(struct peer *peer)
{
	const struct timeval late = {LATE_S, 0};
	struct ingest_session *session = peer->control.session;
	struct ingest_stream *stream =
		peer->stream ? find_stream(peer->ingest, peer->stream, &session) : NULL;

	if (stream)
		ingest_stream_abort(stream);
	if (peer->is_data || !session || !session->stream_count) {
		free_peer(peer);
		return;
	}
	bufferevent_free(peer->link);
	peer->link = NULL;
	peer->late = evtimer_new(peer->ingest->base, too_late, peer);
	if (!peer->late || evtimer_add(peer->late, &late))
		free_peer(peer);
}

/* @need: bytes of the message that has begun; 0 = none has. */
static void wait_for(struct peer *peer, size_t need)
{
	const struct timeval patience = {PATIENCE_S, 0};

	bufferevent_setwatermark(peer->link, EV_READ, 0, need > READ_AHEAD ? need : READ_AHEAD);
	bufferevent_set_timeouts(peer->link, need ? &patience : NULL, &patience);
}

static int reply_to(struct peer *peer, uint32_t command, const void *bytes, size_t len)
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
static int read_commands(struct peer *peer, struct evbuffer *input)
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

static int begin_packet(struct peer *peer, struct evbuffer *input)
{
	uint8_t bytes[RELAY_DATA_HEAD_BYTES];
	struct ingest_session *session;
	struct ingest_stream *stream;
	struct ingest_data data;
	int err;

	evbuffer_remove(input, bytes, sizeof(bytes));
	err = ingest_data_unpack(bytes, &data);
	if (err)
		return err;
	stream = find_stream(peer->ingest, data.stream, &session);
	if (!stream)
		return -EPROTO;
	err = ingest_stream_data(stream, &data);
	if (!err)
		peer->stream = data.len ? data.stream : 0;
	return err ?: ingest_session_settle(session);
}

static int go_on(struct peer *peer, struct evbuffer *input)
{
	struct ingest_session *session;
	struct ingest_stream *stream = find_stream(peer->ingest, peer->stream, &session);
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
	if (!err && !stream->receiving) {
		peer->stream = 0;
		err = ingest_session_settle(session);
	}
	return err;
}

static int read_data(struct peer *peer, struct evbuffer *input)
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
	struct peer *peer = ctx;
	struct evbuffer *input = bufferevent_get_input(link);
	int err = peer->is_data ? read_data(peer, input) : read_commands(peer, input);

	if (!err)
		return;
	say(peer->ingest, "a peer that streams to us is turned away", err);
	(void)bufferevent_flush(link, EV_WRITE, BEV_FINISHED);
	close_peer(peer);
}

static void has_ended(struct bufferevent *link, short what, void *ctx)
{
	struct peer *peer = ctx;

	(void)link;
	if (what & BEV_EVENT_TIMEOUT)
		say(peer->ingest, "a peer that streams to us is turned away", -ETIMEDOUT);
	close_peer(peer);
}

static void add_peer(struct ingest *ingest, int fd, bool is_data)
{
	struct peer *peer = calloc(1, sizeof(*peer));
	int on = 1;

	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	(void)setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
	if (peer)
		peer->link = bufferevent_socket_new(ingest->base, fd, BEV_OPT_CLOSE_ON_FREE);
	if (!peer || !peer->link) {
		free(peer);
		(void)fd_close(fd);
		return;
	}
	peer->ingest = ingest;
	peer->is_data = is_data;
	peer->control.place = &ingest->place;
	ingest->peers[ingest->peer_count++] = peer;
	bufferevent_setcb(peer->link, can_read, NULL, has_ended, peer);
	wait_for(peer, 0);
	(void)bufferevent_enable(peer->link, EV_READ | EV_WRITE);
}

static void accepted(struct ingest *ingest, evutil_socket_t fd, bool is_data)
{
	if (ingest->peer_count == INGEST_CONNECTIONS)
		(void)fd_close(fd);
	else
		add_peer(ingest, fd, is_data);
}

static void accept_control(struct evconnlistener *listener, evutil_socket_t fd,
			   struct sockaddr *address, int len, void *ctx)
{
	(void)listener;
	(void)address;
	(void)len;
	accepted(ctx, fd, false);
}

static void accept_data(struct evconnlistener *listener, evutil_socket_t fd,
			struct sockaddr *address, int len, void *ctx)
{
	(void)listener;
	(void)address;
	(void)len;
	accepted(ctx, fd, true);
}

int ingest_new(struct event_base *base, const struct ingest_config *config, struct ingest **ret,
	       struct diag *diag)
{
	struct ingest *ingest = calloc(1, sizeof(*ingest));

	if (!ingest)
		return diag_set(diag, -ENOMEM, "no memory");
	ingest->base = base;
	ingest->config = *config;
	ingest->place.list = config->list;
	ingest->place.output = open(config->output, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (ingest->place.output < 0) {
		int err = diag_set(diag, -errno, "%s: %s", config->output, strerror(errno));

		ingest_free(ingest);
		return err;
	}
	*ret = ingest;
	return 0;
}

static int listen_at(struct ingest *ingest, const char *address, uint16_t otherwise,
		     evconnlistener_cb accept, bool insecure, uint16_t *port, struct diag *diag)
{
	struct evconnlistener *listener;
	int fd, err;

	if (ingest->listener_count == LISTENERS_MAX)
		return diag_set(diag, -E2BIG, "at most %u addresses", LISTENERS_MAX);
	err = relay_address_listen(address, otherwise, insecure, &fd, diag);
	if (err)
		return err;
	*port = relay_address_port(fd);
	listener = evconnlistener_new(ingest->base, accept, ingest,
				      LEV_OPT_CLOSE_ON_FREE | LEV_OPT_CLOSE_ON_EXEC, BACKLOG, fd);
	if (!listener) {
		fd_close(fd);
		return diag_set(diag, -ENOMEM, "no memory");
	}
	ingest->listeners[ingest->listener_count++] = listener;
	return 0;
}

int ingest_listen_control(struct ingest *ingest, const char *address, bool insecure, uint16_t *port,
			  struct diag *diag)
{
	return listen_at(ingest, address, RELAY_CONTROL_PORT, accept_control, insecure, port, diag);
}

int ingest_listen_data(struct ingest *ingest, const char *address, bool insecure, uint16_t *port,
		       struct diag *diag)
{
	return listen_at(ingest, address, RELAY_DATA_PORT, accept_data, insecure, port, diag);
}

void ingest_free(struct ingest *ingest)
{
	if (!ingest)
		return;
	while (ingest->peer_count)
		free_peer(ingest->peers[0]);
	for (unsigned int i = 0; i < ingest->listener_count; i++)
		evconnlistener_free(ingest->listeners[i]);
	fd_close(ingest->place.output);
	free(ingest);
}
