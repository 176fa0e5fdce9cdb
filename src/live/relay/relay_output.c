// SPDX-License-Identifier: BSD-2-Clause
#include "live/relay/relay_output.h"

#include <errno.h>
#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/bufferevent_ssl.h>
#include <event2/event.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "base/buffer.h"
#include "base/conduit.h"
#include "live/session/session_file.h"

#define KEPT_BYTES (1u << 20) /* that wait to be sent: above, the output is full */
#define KEPT_LOW_BYTES (256u << 10)
#define TURN_BYTES (4u << 20) /* sent to one viewer before others have their turn */
#define COPY_BYTES \
	(64u << 10) /* of a packet are copied at most; longer ones are sent from the file */
#define REPLY_KEPT_BYTES (16u << 10) /* of memory for replies: there are many viewers */
#define PIECES 128 /* of replies, sent at once */

struct relay_output {
	struct bufferevent *link;
	struct conduit *conduit; /* NULL: not past the link */
	struct event *writable;
	void (*ready)(void *ctx);
	void *ctx;
	struct evbuffer *replies; /* that are not at the link yet */
	/* Of the last of these, the bytes that follow. */
	struct session_file *file;
	uint64_t offset;
	uint32_t left;
	size_t sent; /* past the link, in this turn */
};

static void is_writable(evutil_socket_t fd, short what, void *ctx)
{
	struct relay_output *output = ctx;

	(void)fd;
	(void)what;
	output->ready(output->ctx);
}

static bool is_socket(struct bufferevent *link)
{
	return bufferevent_getfd(link) >= 0 && !bufferevent_openssl_get_ssl(link);
}

struct relay_output *relay_output_new(struct bufferevent *link, struct conduit *conduit,
				      void (*ready)(void *ctx), void *ctx)
{
	struct relay_output *output = calloc(1, sizeof(*output));

	if (!output)
		return NULL;
	*output = (struct relay_output){.link = link,
					.conduit = is_socket(link) ? conduit : NULL,
					.ready = ready,
					.ctx = ctx};
	output->replies = evbuffer_new();
	output->writable = event_new(bufferevent_get_base(link), bufferevent_getfd(link), EV_WRITE,
				     is_writable, output);
	if (!output->replies || !output->writable) {
		relay_output_free(output);
		return NULL;
	}
	bufferevent_setwatermark(link, EV_WRITE, KEPT_LOW_BYTES, 0);
	(void)bufferevent_set_max_single_write(link, TURN_BYTES);
	return output;
}

void relay_output_free(struct relay_output *output)
{
	if (!output)
		return;
	if (output->writable)
		event_free(output->writable);
	if (output->replies)
		evbuffer_free(output->replies);
	session_file_unref(output->file);
	free(output);
}

static size_t at_link(const struct relay_output *output)
{
	return evbuffer_get_length(bufferevent_get_output(output->link));
}

bool relay_output_has_room(const struct relay_output *output)
{
	return !output->left && output->sent < TURN_BYTES &&
	       at_link(output) + evbuffer_get_length(output->replies) < KEPT_BYTES;
}

size_t relay_output_waiting(const struct relay_output *output)
{
	return at_link(output) + evbuffer_get_length(output->replies) + output->left;
}

int relay_output_reply(struct relay_output *output, struct buffer *reply)
{
	int err = buffer_error(reply);

	if (!err && evbuffer_add(output->replies, reply->data, reply->len))
		err = -ENOMEM;
	if (reply->room > REPLY_KEPT_BYTES)
		buffer_fini(reply);
	else
		buffer_reset(reply);
	return err;
}

/* Read into @to itself. */
static int copy(struct evbuffer *to, struct session_file *file, uint64_t offset, size_t len)
{
	struct evbuffer_iovec room;

	if (!len)
		return 0;
	if (evbuffer_reserve_space(to, (ev_ssize_t)len, &room, 1) != 1)
		return -ENOMEM;
	if (session_file_read(file, room.iov_base, len, offset) != (ssize_t)len)
		return -EIO;
	room.iov_len = len;
	return evbuffer_commit_space(to, &room, 1) ? -ENOMEM : 0;
}

static void let_go(struct relay_output *output)
{
	session_file_unref(output->file);
	output->file = NULL;
}

int relay_output_file(struct relay_output *output, struct session_file *file, uint64_t offset,
		      uint32_t len)
{
	if (len <= COPY_BYTES)
		return copy(output->replies, file, offset, len);
	output->file = session_file_ref(file);
	output->offset = offset;
	output->left = len;
	return 0;
}

void relay_output_turn(struct relay_output *output)
{
	output->sent = 0;
}

static int send_now(struct relay_output *output)
{
	struct evbuffer_iovec pieces[PIECES];
	struct msghdr message = {.msg_iov = pieces};
	int flags = MSG_DONTWAIT | MSG_NOSIGNAL | (output->left ? MSG_MORE : 0);
	int count = evbuffer_peek(output->replies, -1, NULL, pieces, PIECES);
	ssize_t sent;

	message.msg_iovlen = (size_t)(count < PIECES ? count : PIECES);
	sent = sendmsg(bufferevent_getfd(output->link), &message, flags);
	if (sent < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	output->sent += (size_t)sent;
	return evbuffer_drain(output->replies, (size_t)sent) ? -EIO : 0;
}

/* At once, where nothing waits before them; what the socket does not take waits at the link. */
static int send_replies(struct relay_output *output)
{
	int err = 0;

	if (!evbuffer_get_length(output->replies))
		return 0;
	if (output->conduit && !at_link(output))
		err = send_now(output);
	if (!err && bufferevent_write_buffer(output->link, output->replies))
		err = -ENOMEM;
	return err;
}

static void forward(struct relay_output *output, size_t len)
{
	output->offset += len;
	output->left -= (uint32_t)len;
	if (!output->left)
		let_go(output);
}

/* From the file to the socket, by the kernel. */
static int send_file(struct relay_output *output)
{
	while (output->left && output->sent < TURN_BYTES) {
		int fd = session_file_fd(output->file);
		ssize_t sent = fd < 0 ? fd :
					conduit_send(output->conduit, fd, output->offset,
						     output->left, bufferevent_getfd(output->link));

		if (sent == -EAGAIN)
			return event_add(output->writable, NULL) ? -ENOMEM : 0;
		if (sent <= 0)
			return sent ? (int)sent : -EIO;
		output->sent += (size_t)sent;
		forward(output, (size_t)sent);
	}
	return 0;
}

/* What is compressed, or goes over a link that is more than a socket. */
static int copy_file(struct relay_output *output)
{
	while (output->left && at_link(output) < KEPT_BYTES) {
		size_t len = output->left < COPY_BYTES ? output->left : COPY_BYTES;
		int err = copy(bufferevent_get_output(output->link), output->file, output->offset,
			       len);

		if (err)
			return err;
		forward(output, len);
	}
	return 0;
}

int relay_output_go_on(struct relay_output *output)
{
	int err = send_replies(output);

	if (!err && output->left) {
		if (!output->conduit || output->file->input)
			err = copy_file(output);
		else if (!at_link(output))
			err = send_file(output);
	}
	if (!err && output->sent >= TURN_BYTES && event_add(output->writable, NULL))
		err = -ENOMEM;
	return err;
}
