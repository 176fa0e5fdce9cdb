// SPDX-License-Identifier: BSD-2-Clause
#include "live/relay/relay_viewer.h"

#include <errno.h>
#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "live/access/credentials.h"
#include "live/proto/relay_request.h"
#include "live/relay/relay_output.h"
#include "live/relay/relay_reply.h"
#include "live/relay/relay_view.h"
#include "live/session/session.h"

#define INPUT_BYTES (16u << 10) /* of requests that wait */

enum outcome { OUTCOME_GO_ON, OUTCOME_CLOSE, OUTCOME_CLOSE_AFTER_REPLY, OUTCOME_GONE };

struct relay_viewer {
	struct bufferevent *link;
	struct session_list *sessions;
	struct relay_view *view;
	struct relay_output *output;
	struct relay_viewer_owner owner;
	uint64_t id;
	bool connected;
	bool created; /* CREATE_SESSION was sent */
	const char *why; /* it is closed, where that is its own doing */
	bool leaving; /* no request is taken any more; what waits is sent */
	uint32_t minor; /* the lower one of both sides */
	struct buffer reply;
	bool has_part; /* of a request, and no more came yet */
	uint64_t moved_ns; /* when a request was taken last, or a part of one came, or replies went */
	size_t left; /* waited to be sent when that was last looked at */
	uint64_t served_ns; /* when it was last given a session or a packet */
};

static void end(struct relay_viewer *viewer, const char *why)
{
	viewer->owner.closed(viewer->owner.ctx, viewer, why);
}

static enum outcome connect_to(struct relay_viewer *viewer, const struct relay_request *request)
{
	if (request->major != LIVE_MAJOR ||
	    (request->type != LIVE_TYPE_COMMAND && request->type != LIVE_TYPE_NOTIFICATION))
		return OUTCOME_CLOSE;
	viewer->connected = true;
	if (request->id == LIVE_VIEWER_SONDE)
		relay_view_show_hidden(viewer->view);
	viewer->minor = request->minor < LIVE_MINOR ? request->minor : LIVE_MINOR;
	relay_reply_connect(&viewer->reply, viewer->id);
	return OUTCOME_GO_ON;
}

static void list_sessions(struct relay_viewer *viewer)
{
	const struct session_list *list = viewer->sessions;
	uint32_t count = 0;

	for (size_t i = 0; i < list->count; i++)
		count += relay_view_shows(viewer->view, list->sessions[i], viewer->minor);
	relay_reply_u32(&viewer->reply, count);
	for (size_t i = 0; i < list->count; i++) {
		if (relay_view_shows(viewer->view, list->sessions[i], viewer->minor))
			relay_reply_session(&viewer->reply, list->sessions[i], viewer->minor);
	}
}

static enum outcome attach(struct relay_viewer *viewer, const struct relay_request *request)
{
	if (!viewer->created) {
		relay_reply_streams(&viewer->reply, LIVE_ATTACH_NO_SESSION, 0);
		return OUTCOME_GO_ON;
	}
	viewer->served_ns = clock_monotonic_ns();
	return relay_view_attach(viewer->view, request->id, request->seek, viewer->minor,
				 &viewer->reply) ?
		       OUTCOME_CLOSE :
		       OUTCOME_GO_ON;
}

static enum outcome send_packet(struct relay_viewer *viewer, const struct relay_request *request)
{
	struct session_file *file =
		relay_view_packet(viewer->view, request->id, request->offset, request->len);

	if (!file)
		return OUTCOME_CLOSE;
	relay_reply_packet(&viewer->reply, request->len);
	if (relay_output_reply(viewer->output, &viewer->reply) ||
	    relay_output_file(viewer->output, file, request->offset, request->len))
		return OUTCOME_CLOSE;
	viewer->served_ns = clock_monotonic_ns();
	return OUTCOME_GO_ON;
}

static enum outcome next_index(struct relay_viewer *viewer, const struct relay_request *request)
{
	uint64_t before = relay_view_packets(viewer->view);

	relay_view_next_index(viewer->view, request->id, &viewer->reply);
	if (relay_view_packets(viewer->view) != before)
		viewer->served_ns = clock_monotonic_ns();
	return OUTCOME_GO_ON;
}

static enum outcome answer(struct relay_viewer *viewer, const struct relay_request *request)
{
	if (!viewer->connected && request->command != LIVE_CONNECT)
		return OUTCOME_CLOSE;
	switch (request->command) {
	case LIVE_CONNECT:
		return connect_to(viewer, request);
	case LIVE_LIST_SESSIONS:
		list_sessions(viewer);
		return OUTCOME_GO_ON;
	case LIVE_CREATE_SESSION:
		viewer->created = true;
		relay_reply_u32(&viewer->reply, LIVE_CREATE_OK);
		return OUTCOME_GO_ON;
	case LIVE_ATTACH_SESSION:
		return attach(viewer, request);
	case LIVE_DETACH_SESSION:
		relay_view_detach(viewer->view, request->id, &viewer->reply);
		return OUTCOME_GO_ON;
	case LIVE_GET_NEW_STREAMS:
		return relay_view_new_streams(viewer->view, request->id, &viewer->reply) ?
			       OUTCOME_CLOSE :
			       OUTCOME_GO_ON;
	case LIVE_GET_NEXT_INDEX:
		return next_index(viewer, request);
	case LIVE_GET_METADATA:
		relay_view_metadata(viewer->view, request->id, &viewer->reply);
		return OUTCOME_GO_ON;
	case LIVE_GET_PACKET:
		return send_packet(viewer, request);
	case LIVE_COMMAND_END:
		break;
	}
	return OUTCOME_CLOSE;
}

/* The reply of LTTng's relay to an unknown command; a client that is not a viewer gets nothing. */
static enum outcome refuse_command(struct relay_viewer *viewer, enum hello hello)
{
	if (!viewer->connected) {
		viewer->why = hello == HELLO_TLS ? "it speaks TLS, which is not asked for here" :
			      hello == HELLO_TOKEN ?
						   "it says a token, which is not asked for here" :
						   "it does not speak the protocol of viewers";
		return OUTCOME_CLOSE;
	}
	viewer->why = "it sent an unknown command";
	relay_reply_u32(&viewer->reply, LIVE_UNKNOWN);
	return OUTCOME_CLOSE_AFTER_REPLY;
}

static enum outcome take_request(struct relay_viewer *viewer, bool *taken)
{
	struct evbuffer *input = bufferevent_get_input(viewer->link);
	uint8_t bytes[RELAY_REQUEST_MAX_BYTES];
	ev_ssize_t have = evbuffer_copyout(input, bytes, sizeof(bytes));
	struct relay_request request;
	enum outcome outcome;
	ssize_t len;

	*taken = false;
	len = have < 0 ? -EIO : relay_request_parse(bytes, (size_t)have, &request);
	if (!len || (len < 0 && len != -ENOTSUP))
		return len ? OUTCOME_CLOSE : OUTCOME_GO_ON;
	*taken = len > 0;
	if (*taken)
		(void)evbuffer_drain(input, (size_t)len);
	outcome = *taken ? answer(viewer, &request) : refuse_command(viewer, hello_of(bytes[0]));
	if (outcome != OUTCOME_CLOSE && relay_output_reply(viewer->output, &viewer->reply))
		outcome = OUTCOME_CLOSE;
	return outcome;
}

/* Whether what was answered could be sent, or waits to be. */
static enum outcome send_answers(struct relay_viewer *viewer)
{
	int err = relay_output_go_on(viewer->output);

	if (err == -EPIPE || err == -ECONNRESET)
		return OUTCOME_GONE;
	return err ? OUTCOME_CLOSE : OUTCOME_GO_ON;
}

/* As many requests as there is room for replies. */
static enum outcome take_requests(struct relay_viewer *viewer, bool *moved)
{
	enum outcome outcome = send_answers(viewer);
	bool taken = true;

	while (outcome == OUTCOME_GO_ON && taken && !viewer->leaving &&
	       relay_output_has_room(viewer->output)) {
		outcome = take_request(viewer, &taken);
		*moved |= taken;
		if (outcome == OUTCOME_GO_ON && (!taken || !relay_output_has_room(viewer->output)))
			outcome = send_answers(viewer);
	}
	if (outcome != OUTCOME_CLOSE_AFTER_REPLY)
		return outcome;
	relay_viewer_leave(viewer, viewer->why);
	return send_answers(viewer);
}

static void go_on(void *ctx)
{
	struct relay_viewer *viewer = ctx;
	bool moved = false, has_part;
	enum outcome outcome;

	relay_output_turn(viewer->output);
	outcome = take_requests(viewer, &moved);
	has_part = evbuffer_get_length(bufferevent_get_input(viewer->link));
	if (moved || !has_part || !viewer->has_part)
		viewer->moved_ns = clock_monotonic_ns();
	viewer->has_part = has_part;
	if (outcome == OUTCOME_GONE)
		end(viewer, NULL);
	else if (outcome == OUTCOME_CLOSE ||
		 (viewer->leaving && !relay_output_waiting(viewer->output)))
		end(viewer, viewer->why);
}

static void came(struct bufferevent *link, void *ctx)
{
	(void)link;
	go_on(ctx);
}

static void may_send(void *ctx)
{
	struct relay_viewer *viewer = ctx;

	viewer->has_part = false; /* what waits could not be looked at before */
	go_on(viewer);
}

static void went(struct bufferevent *link, void *ctx)
{
	(void)link;
	may_send(ctx);
}

static void happened(struct bufferevent *link, short what, void *ctx)
{
	struct relay_viewer *viewer = ctx;

	(void)link;
	if (what & (BEV_EVENT_EOF | BEV_EVENT_ERROR))
		end(viewer, NULL);
}

struct relay_viewer *relay_viewer_new(struct bufferevent *link, struct session_list *sessions,
				      struct conduit *conduit, const struct relay_peer *peer,
				      const struct relay_viewer_owner *owner, uint64_t id)
{
	struct relay_viewer *viewer = calloc(1, sizeof(*viewer));
	struct relay_view *view = relay_view_new(sessions, peer);
	struct relay_output *output = relay_output_new(link, conduit, may_send, viewer);

	if (!viewer || !view || !output) {
		relay_output_free(output);
		relay_view_free(view);
		free(viewer);
		bufferevent_free(link);
		return NULL;
	}
	*viewer = (struct relay_viewer){
		.link = link,
		.sessions = sessions,
		.view = view,
		.output = output,
		.why = "it asked for what it may not have, or what cannot be read",
		.owner = *owner,
		.id = id,
		.moved_ns = clock_monotonic_ns(),
	};
	buffer_init(&viewer->reply);
	bufferevent_setcb(link, came, went, happened, viewer);
	bufferevent_setwatermark(link, EV_READ, 0, INPUT_BYTES);
	(void)bufferevent_set_max_single_read(link, INPUT_BYTES);
	(void)bufferevent_enable(link, EV_READ | EV_WRITE);
	return viewer;
}

void relay_viewer_free(struct relay_viewer *viewer)
{
	if (!viewer)
		return;
	relay_output_free(viewer->output);
	bufferevent_free(viewer->link);
	relay_view_free(viewer->view);
	buffer_fini(&viewer->reply);
	free(viewer);
}

void relay_viewer_address(const struct relay_viewer *viewer, char text[RELAY_ADDRESS_BYTES])
{
	(void)relay_address_of_peer(bufferevent_getfd(viewer->link), text);
}

bool relay_viewer_leave(struct relay_viewer *viewer, const char *why)
{
	viewer->leaving = true;
	viewer->why = why;
	(void)bufferevent_disable(viewer->link, EV_READ);
	return relay_output_waiting(viewer->output);
}

const char *relay_viewer_stuck(struct relay_viewer *viewer, uint64_t now_ns, uint64_t patience_ns)
{
	size_t left = relay_output_waiting(viewer->output);

	if (left != viewer->left) /* a long packet takes long */
		viewer->moved_ns = now_ns;
	viewer->left = left;
	if (viewer->moved_ns + patience_ns > now_ns)
		return NULL;
	if (left)
		return "it does not read what it asked for";
	if (!viewer->connected)
		return "no CONNECT request came in time";
	return viewer->has_part ? "it sent a part of a request" : NULL;
}

bool relay_viewer_is_behind(const struct relay_viewer *viewer, uint64_t since_ns)
{
	return (relay_view_is_attached(viewer->view) || relay_output_waiting(viewer->output)) &&
	       viewer->served_ns >= since_ns;
}
