// SPDX-License-Identifier: BSD-2-Clause
#include "live/ingest/ingest_packets.h"

#include <errno.h>
#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/bufferevent_ssl.h>
#include <event2/event.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "live/ingest/ingest_session.h"

#define READ_AHEAD (256u << 10) /* of a bufferevent */

static const struct timeval patience = {INGEST_PATIENCE_S, 0};

struct ingest_input {
	struct bufferevent *link; /* has the socket */
	struct event *readable; /* of a plain one, whose link reads nothing; else NULL */
	uint8_t *block;
	struct ingest_input_owner owner;
	bool is_within; /* a message: the time limit applies */
};

void ingest_input_free(struct ingest_input *input)
{
	if (!input)
		return;
	if (input->readable)
		event_free(input->readable);
	bufferevent_free(input->link);
	free(input);
}

static int set_patience(struct ingest_input *input, bool is_within)
{
	if (is_within == input->is_within)
		return 0;
	input->is_within = is_within;
	if (!input->readable) {
		bufferevent_set_timeouts(input->link, is_within ? &patience : NULL, NULL);
		return 0;
	}
	if (is_within ? event_add(input->readable, &patience) : event_remove_timer(input->readable))
		return -ENOMEM;
	return 0;
}

static int pass_on(struct ingest_input *input, const uint8_t *bytes, size_t len)
{
	ssize_t missing = input->owner.came(input->owner.ctx, bytes, len);

	return missing < 0 ? (int)missing : set_patience(input, missing);
}

/* What the link has. */
static int read_link(struct ingest_input *input)
{
	struct evbuffer *buffer = bufferevent_get_input(input->link);
	struct evbuffer_iovec part;
	int err = 0;

	while (!err && evbuffer_peek(buffer, -1, NULL, &part, 1) > 0) {
		err = pass_on(input, part.iov_base, part.iov_len);
		evbuffer_drain(buffer, part.iov_len);
	}
	return err;
}

static void link_has(struct bufferevent *link, void *ctx)
{
	struct ingest_input *input = ctx;
	int err = read_link(input);

	(void)link;
	if (err)
		input->owner.ended(input->owner.ctx, err);
}

static void link_ended(struct bufferevent *link, short what, void *ctx)
{
	struct ingest_input *input = ctx;

	(void)link;
	input->owner.ended(input->owner.ctx, what & BEV_EVENT_TIMEOUT ? -ETIMEDOUT : 0);
}

/* 1 = the connection has ended, 0 = it has not, or -errno. */
static int receive(struct ingest_input *input, int fd, bool is_late)
{
	ssize_t got = recv(fd, input->block, INGEST_BLOCK_BYTES, MSG_DONTWAIT);

	if (got > 0)
		return pass_on(input, input->block, (size_t)got);
	if (!got || (errno != EAGAIN && errno != EINTR))
		return 1;
	return is_late ? -ETIMEDOUT : 0;
}

static void can_read(evutil_socket_t fd, short what, void *ctx)
{
	struct ingest_input *input = ctx;
	int err = read_link(input); /* from before it was admitted */

	err = err ?: receive(input, fd, what & EV_TIMEOUT);
	if (err)
		input->owner.ended(input->owner.ctx, err < 0 ? err : 0);
}

/* Data in the link's buffer reaches its callback, so both have theirs. */
struct ingest_input *ingest_input_new(struct bufferevent *link, uint8_t *block,
				      const struct ingest_input_owner *owner)
{
	struct ingest_input *input = calloc(1, sizeof(*input));

	if (!input) {
		bufferevent_free(link);
		return NULL;
	}
	*input = (struct ingest_input){.link = link, .block = block, .owner = *owner};
	bufferevent_setcb(link, link_has, NULL, link_ended, input);
	if (bufferevent_openssl_get_ssl(link)) {
		bufferevent_setwatermark(link, EV_READ, 0, READ_AHEAD);
		(void)bufferevent_enable(link, EV_READ);
		return input;
	}
	(void)bufferevent_disable(link, EV_READ | EV_WRITE);
	input->readable = event_new(bufferevent_get_base(link), bufferevent_getfd(link),
				    EV_READ | EV_PERSIST, can_read, input);
	if (input->readable && !event_add(input->readable, NULL))
		return input;
	ingest_input_free(input);
	return NULL;
}

/* Its head is complete. */
static int begin_packet(struct ingest_packets *packets)
{
	struct ingest_data *packet = &packets->packet;
	int got;

	packets->head_len = 0;
	got = ingest_data_unpack(packets->head, packet) ?:
		      ingest_session_data(packets->place, packets->peer, packet);
	if (got >= 0)
		packets->left = packet->len;
	return got < 0 ? got : 0;
}

/* How much of it was of the head, or -errno. */
static ssize_t take_head(struct ingest_packets *packets, const uint8_t *bytes, size_t len)
{
	size_t missing = sizeof(packets->head) - packets->head_len;
	int err = 0;

	len = len < missing ? len : missing;
	memcpy(packets->head + packets->head_len, bytes, len);
	packets->head_len += len;
	if (packets->head_len == sizeof(packets->head))
		err = begin_packet(packets);
	return err ?: (ssize_t)len;
}

/* How much of it was of the packet, or -errno. */
static ssize_t take_packet(struct ingest_packets *packets, const uint8_t *bytes, size_t len)
{
	int got;

	len = len < packets->left ? len : packets->left;
	got = ingest_session_bytes(packets->place, &packets->packet, bytes, len);
	packets->left -= (uint32_t)len;
	return got < 0 ? got : (ssize_t)len;
}

ssize_t ingest_packets_take(struct ingest_packets *packets, const uint8_t *bytes, size_t len)
{
	while (len) {
		ssize_t took = packets->left ? take_packet(packets, bytes, len) :
					       take_head(packets, bytes, len);

		if (took < 0)
			return took;
		bytes += took;
		len -= (size_t)took;
	}
	if (packets->left)
		return packets->left;
	return packets->head_len ? (ssize_t)(sizeof(packets->head) - packets->head_len) : 0;
}

void ingest_packets_end(struct ingest_packets *packets)
{
	if (packets->left)
		ingest_session_abort(packets->place, packets->packet.stream);
	packets->left = 0;
}
