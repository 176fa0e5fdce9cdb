// SPDX-License-Identifier: BSD-2-Clause
#include "live/viewer/viewer.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/diag.h"
#include "live/access/live_conn.h"

#define READ_BYTES (256u << 10) /* room for, besides what is known to come */
#define CALL_STEP_NS (100 * NS_PER_MS) /* between two looks whether a call is still wanted */
#define KEPT_BYTES (4u << 20) /* a larger buffer than this goes when it is empty */

struct viewer {
	struct live_conn *conn;
	uint32_t minor;
	uint32_t relay_minor;
	struct viewer_request *requests; /* without reply, from `first` on, in a ring */
	size_t request_room;
	size_t first;
	size_t due;
	struct buffer out;
	size_t out_at; /* what was sent of it */
	size_t out_end; /* what may be sent of it by now */
	bool one_at_a_time; /* the next request goes out after the reply to the one before */
	uint8_t *in;
	size_t in_at; /* what was given out of it */
	size_t in_len;
	size_t in_room;
	const atomic_bool *stop; /* NULL: it is not stopped */
	uint64_t moved_ns; /* when the last byte came, or was waited for first */
};

struct viewer *viewer_new(struct live_conn *conn)
{
	struct viewer *viewer = calloc(1, sizeof(*viewer));

	if (!viewer) {
		conn->ops->close(conn);
		return NULL;
	}
	viewer->conn = conn;
	buffer_init(&viewer->out);
	return viewer;
}

void viewer_free(struct viewer *viewer)
{
	if (!viewer)
		return;
	viewer->conn->ops->close(viewer->conn);
	buffer_fini(&viewer->out);
	free(viewer->requests);
	free(viewer->in);
	free(viewer);
}

uint32_t viewer_minor(const struct viewer *viewer)
{
	return viewer->minor;
}

uint32_t viewer_relay_minor(const struct viewer *viewer)
{
	return viewer->relay_minor;
}

bool viewer_is_one_at_a_time(const struct viewer *viewer)
{
	return viewer->one_at_a_time;
}

size_t viewer_due(const struct viewer *viewer)
{
	return viewer->due;
}

static int grow_requests(struct viewer *viewer)
{
	const size_t room = viewer->request_room ? viewer->request_room * 2 : 64;
	struct viewer_request *requests = calloc(room, sizeof(*requests));

	if (!requests)
		return -ENOMEM;
	for (size_t i = 0; i < viewer->due; i++)
		requests[i] = viewer->requests[(viewer->first + i) % viewer->request_room];
	free(viewer->requests);
	viewer->requests = requests;
	viewer->request_room = room;
	viewer->first = 0;
	return 0;
}

int viewer_ask(struct viewer *viewer, const struct viewer_request *request)
{
	if (viewer->due == viewer->request_room && grow_requests(viewer))
		return -ENOMEM;
	viewer_pack(&viewer->out, request);
	if (buffer_error(&viewer->out))
		return -ENOMEM;
	if (!viewer->due)
		viewer->moved_ns = clock_monotonic_ns();
	if (!viewer->due || !viewer->one_at_a_time)
		viewer->out_end = viewer->out.len;
	viewer->requests[(viewer->first + viewer->due++) % viewer->request_room] = *request;
	return 0;
}

/* Sends what the connection takes now. 0 or -errno. */
static int send_some(struct viewer *viewer)
{
	struct buffer *out = &viewer->out;

	while (viewer->out_at < viewer->out_end) {
		ssize_t put = viewer->conn->ops->write(viewer->conn, out->data + viewer->out_at,
						       viewer->out_end - viewer->out_at);

		if (put == -EAGAIN || put == -EINTR)
			return 0;
		if (put < 0)
			return (int)put;
		viewer->out_at += (size_t)put;
	}
	if (viewer->out_at < out->len)
		return 0; /* the rest waits for a reply */
	buffer_reset(out);
	viewer->out_at = viewer->out_end = 0;
	return 0;
}

/* Room for @more bytes after the present ones; bytes that were given out are dropped. */
static int make_room(struct viewer *viewer, size_t more)
{
	const size_t have = viewer->in_len - viewer->in_at;
	size_t room = viewer->in_room ?: READ_BYTES;
	uint8_t *in;

	if (have)
		memmove(viewer->in, viewer->in + viewer->in_at, have);
	viewer->in_at = 0;
	viewer->in_len = have;
	if (viewer->in_room - have >= more)
		return 0;
	while (room - have < more)
		room *= 2;
	in = realloc(viewer->in, room);
	if (!in)
		return -ENOMEM;
	viewer->in = in;
	viewer->in_room = room;
	return 0;
}

/* Reads what is there: 1, -EAGAIN = nothing, or -errno. */
static int read_some(struct viewer *viewer)
{
	ssize_t got;
	int err = 0;

	if (viewer->in_room - viewer->in_len < READ_BYTES / 2)
		err = make_room(viewer, READ_BYTES);
	if (err)
		return err;
	got = viewer->conn->ops->read(viewer->conn, viewer->in + viewer->in_len,
				      viewer->in_room - viewer->in_len);
	if (got == -EINTR)
		return -EAGAIN;
	if (got <= 0)
		return got ? (int)got : -ECONNRESET;
	viewer->in_len += (size_t)got;
	viewer->moved_ns = clock_monotonic_ns();
	return 1;
}

/* What has come is there also where the relay has closed by now, and takes nothing more. */
static int send_and_read(struct viewer *viewer)
{
	int err = send_some(viewer), got;

	if (err && err != -EPIPE && err != -ECONNRESET)
		return err;
	got = read_some(viewer);
	return got == -EAGAIN && err ? err : got;
}

/* The first reply, if all of it is there: 1, 0, or as viewer_reply_length. */
static int take_reply(struct viewer *viewer, struct viewer_reply *ret, struct diag *diag)
{
	const struct viewer_request *request = &viewer->requests[viewer->first];
	const uint8_t *data = viewer->in ? viewer->in + viewer->in_at : (const uint8_t *)"";
	const size_t have = viewer->in_len - viewer->in_at;
	size_t need = 0;
	int known = viewer_reply_length(request, viewer->minor, data, have, &need, diag);

	if (known <= 0 || have < need)
		return known < 0 ? known : 0;
	*ret = (struct viewer_reply){*request, data, need};
	viewer->in_at += need;
	viewer->first = (viewer->first + 1) % viewer->request_room;
	viewer->due--;
	if (!viewer->one_at_a_time)
		return 1;
	if (viewer->in_at < viewer->in_len)
		return diag_set(diag, -EBADMSG, "the relay sends bytes that it was not asked for");
	if (viewer->due)
		viewer->out_end += viewer_request_bytes(viewer->requests[viewer->first].command);
	return 1;
}

static int fail(const struct viewer *viewer, int err, struct diag *diag)
{
	const struct live_conn_ops *ops = viewer->conn->ops;
	const char *reason = ops->reason ? ops->reason(viewer->conn) : NULL;

	if (reason)
		return diag_set(diag, err, "%s", reason);
	if (err == -ECONNRESET || err == -EPIPE)
		return diag_set(diag, -ECONNRESET, "the relay has closed the connection");
	return diag_set(diag, err, "the relay cannot be read: %s", strerror(-err));
}

/* When nothing is left of what was given out, a large buffer is not kept. */
static void shrink(struct viewer *viewer)
{
	if (viewer->in_at != viewer->in_len || viewer->in_room <= KEPT_BYTES)
		return;
	free(viewer->in);
	viewer->in = NULL;
	viewer->in_at = viewer->in_len = viewer->in_room = 0;
}

/* Until something has come: 1, -EAGAIN, -EINTR or -errno. */
static int wait_some(struct viewer *viewer, uint64_t timeout_ns, struct diag *diag)
{
	const bool write = viewer->out_at < viewer->out_end;
	uint64_t since_ns = clock_monotonic_ns() - viewer->moved_ns, left_ns;
	int ready;

	if (since_ns >= VIEWER_PATIENCE_NS)
		return diag_set(diag, -ETIMEDOUT, "the relay has not answered for %llu s",
				VIEWER_PATIENCE_NS / NS_PER_SEC);
	left_ns = VIEWER_PATIENCE_NS - since_ns;
	ready = viewer->conn->ops->wait(viewer->conn, write,
					timeout_ns < left_ns ? timeout_ns : left_ns);
	if (ready >= 0)
		return ready ?: -EAGAIN;
	return ready == -EINTR ? ready : fail(viewer, ready, diag);
}

int viewer_next(struct viewer *viewer, uint64_t timeout_ns, struct viewer_reply *ret,
		struct diag *diag)
{
	const uint64_t until_ns = clock_monotonic_ns() + timeout_ns;
	int got;

	if (!viewer->due)
		return 0;
	shrink(viewer);
	for (;;) {
		uint64_t now_ns;

		got = take_reply(viewer, ret, diag);
		if (got)
			return got;
		got = send_and_read(viewer);
		if (got < 0 && got != -EAGAIN)
			return fail(viewer, got, diag);
		if (got > 0)
			continue;
		now_ns = clock_monotonic_ns();
		got = wait_some(viewer, now_ns < until_ns ? until_ns - now_ns : 0, diag);
		if (got < 0)
			return got;
	}
}

void viewer_stop_by(struct viewer *viewer, const atomic_bool *stop)
{
	viewer->stop = stop;
}

static bool is_stopped(const struct viewer *viewer)
{
	return viewer->stop && atomic_load(viewer->stop);
}

/* The next reply: 0, -EAGAIN = not before @until_ns, or as viewer_next. */
static int await_reply(struct viewer *viewer, uint64_t until_ns, struct viewer_reply *ret,
		       struct diag *diag)
{
	int got;

	do
		got = is_stopped(viewer) ? -EINTR : viewer_next(viewer, CALL_STEP_NS, ret, diag);
	while (got == -EAGAIN && clock_monotonic_ns() < until_ns);
	if (got == -EINTR)
		return diag_set(diag, got, "interrupted");
	return got < 0 ? got : 0;
}

int viewer_call(struct viewer *viewer, const struct viewer_request *request,
		struct viewer_reply *ret, struct diag *diag)
{
	int err = viewer_ask(viewer, request);

	return err ? diag_set(diag, err, "no memory") : await_reply(viewer, UINT64_MAX, ret, diag);
}

int viewer_create_session(struct viewer *viewer, uint32_t *ret_status, struct diag *diag)
{
	const struct viewer_request request = {.command = LIVE_CREATE_SESSION};
	struct viewer_reply reply;
	struct viewer_head head;
	int err = viewer_ask(viewer, &request) ?: viewer_ask(viewer, &request);

	if (err)
		return diag_set(diag, err, "no memory");
	err = await_reply(viewer, UINT64_MAX, &reply, diag);
	if (err)
		return err;
	viewer_unpack_head(LIVE_CREATE_SESSION, reply.data, &head);
	*ret_status = head.status;
	err = await_reply(viewer, clock_monotonic_ns() + VIEWER_SECOND_NS, &reply, diag);
	if (err == -EAGAIN && viewer->in_at < viewer->in_len) /* it is coming */
		err = await_reply(viewer, UINT64_MAX, &reply, diag);
	if (err == -EAGAIN) {
		viewer->due--;
		viewer->one_at_a_time = true;
		err = 0;
	}
	return err;
}

int viewer_greet(struct viewer *viewer, struct diag *diag)
{
	const struct viewer_request request = {.command = LIVE_CONNECT};
	struct viewer_reply reply;
	uint32_t major, type;
	int err = viewer_call(viewer, &request, &reply, diag);

	if (err)
		return err;
	viewer_unpack_connect(reply.data, &major, &viewer->relay_minor, &type);
	if (type == LIVE_TYPE_FULL)
		return diag_set(diag, -EBUSY,
				"the relay has no room for another viewer (its --connections): try "
				"again later");
	if (major != LIVE_MAJOR)
		return diag_set(diag, -EPROTO,
				"the relay speaks version %" PRIu32 ".%" PRIu32
				" of the protocol, or another one; %u is what can be read",
				major, viewer->relay_minor, LIVE_MAJOR);
	viewer->minor = viewer->relay_minor < LIVE_MINOR_LIST_2_15 ? viewer->relay_minor :
								     LIVE_MINOR_LIST_2_15;
	return 0;
}
