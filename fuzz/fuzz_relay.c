// SPDX-License-Identifier: BSD-2-Clause
/*
 * fuzz_relay: any bytes as what a viewer sends to a relay, in one piece or two, with a session to look at that grows
 * meanwhile. What it answers is thrown away.
 */
#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <stdint.h>
#include <stdlib.h>

#include "../tests/unit/session_fixture.h"
#include "live/relay/relay_view.h"
#include "live/relay/relay_viewer.h"
#include "live/session/session.h"

#define STEPS 64 /* of the loop, in which all requests are answered */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void closed(void *ctx, struct relay_viewer *viewer, const char *why)
{
	struct relay_viewer **held = ctx;

	(void)why;
	relay_viewer_free(viewer);
	*held = NULL;
}

static void turn(struct event_base *base, struct bufferevent *peer)
{
	for (int i = 0; i < STEPS; i++) {
		struct evbuffer *input = bufferevent_get_input(peer);

		(void)event_base_loop(base, EVLOOP_NONBLOCK);
		(void)evbuffer_drain(input, evbuffer_get_length(input));
	}
}

static void view(struct event_base *base, struct session_list *list, struct session_file *file,
		 const uint8_t *data, size_t size)
{
	struct session *session = list->sessions[0];
	struct bufferevent *pair[2];
	struct relay_viewer *viewer = NULL;
	const struct relay_viewer_owner owner = {.closed = closed, .ctx = &viewer};
	const struct relay_peer peer = {.name = ""};
	size_t half = size && data[size - 1] & 1 ? size / 2 : size;

	if (bufferevent_pair_new(base, 0, pair))
		abort();
	(void)bufferevent_enable(pair[1], EV_READ | EV_WRITE);
	viewer = relay_viewer_new(pair[0], list, NULL, &peer, &owner, 1);
	(void)bufferevent_write(pair[1], data, half);
	turn(base, pair[1]);
	fixture_packet(file);
	session_stream_packets(session->traces[0]->streams[0], session_file_entries(file));
	session_trace_beacon(session->traces[0], 1000);
	session_trace_publish(session->traces[0]);
	if (viewer)
		(void)bufferevent_write(pair[1], data + half, size - half);
	turn(base, pair[1]);
	session_end(session);
	if (viewer)
		(void)bufferevent_write(pair[1], data, size);
	turn(base, pair[1]);
	relay_viewer_free(viewer);
	bufferevent_free(pair[1]);
	(void)event_base_loop(base, EVLOOP_NONBLOCK);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct event_base *base = event_base_new();
	struct session *session = fixture_session("fuzz");
	struct session_trace *trace = fixture_trace(session);
	struct session_file *file = fixture_file();
	struct session_list list;

	session_list_init(&list);
	fixture_packet(file);
	session_stream_packets(fixture_stream(trace, "a", file), 1);
	session_trace_publish(trace);
	(void)fixture_stream(trace, "b", file);
	if (!base || session_list_add(&list, session))
		abort();
	view(base, &list, file, data, size);
	session_file_unref(file);
	session_list_fini(&list);
	session_unref(session);
	event_base_free(base);
	return 0;
}
