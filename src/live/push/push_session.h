/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * push_session: one session on a relay while it lasts: one trace, its metadata and its streams, which
 * are announced as they come. By LTTng's own protocol (wire/lttng_relay.h), as the daemons of
 * lttng-tools 2.13 speak it.
 *
 * After an error nothing more can be said to that relay: close it and open another one. -ECANCELED: it
 * was stopped, -ETIMEDOUT: the relay does not answer, -EPROTO: it refuses, or answers nonsense.
 */
#ifndef SONDE_LIVE_PUSH_PUSH_SESSION_H
#define SONDE_LIVE_PUSH_PUSH_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "live/push/push_link.h"

struct diag;
struct push_session;
struct push_url;

struct push_session_config {
	const struct push_url *url; /* borrowed, all of it, for the opening */
	const char *host; /* this one's name */
	const char *name; /* of the session */
	uint32_t live_timer_us; /* how often there are beacons */
	uint8_t uuid[16]; /* of the recorder */
	uint64_t number; /* of its session, another one each time */
	struct push_link_config link;
	uint64_t *sent; /* bytes of packets, added up as they go; borrowed until it is closed */
};

int push_session_open(const struct push_session_config *config, struct push_session **ret,
		      struct diag *diag);
/* Why the last call failed with @err, for people. Borrowed until the next. */
const char *push_session_reason(const struct push_session *ps, int err);
/* Where the relay keeps it, as the relay says. */
const char *push_session_path(const struct push_session *ps);

/* More metadata, of the trace @uuid. */
int push_session_metadata(struct push_session *ps, const uint8_t uuid[16], const char *text,
			  size_t len);
/* That a packet like this will come: its stream is announced, if it was not. */
int push_session_announce(struct push_session *ps, const void *packet);
/* What was announced is shown to viewers. */
int push_session_publish(struct push_session *ps);
/* A packet as a packet_sink gets it, of a stream that was announced. */
int push_session_packet(struct push_session *ps, const void *packet, size_t len);
/* Whether a packet of the stream that @packet is of has been sent. */
bool push_session_has(const struct push_session *ps, const void *packet);
/* Waits until the relay has all packets. */
int push_session_confirm(struct push_session *ps);
/* Nothing that begins before @time_ns is still to come, of whatever stream. */
int push_session_beacon(struct push_session *ps, uint64_t time_ns);
/* The trace is complete. */
int push_session_end(struct push_session *ps);
/* Always frees @ps; NULL is fine. */
void push_session_close(struct push_session *ps);

#endif /* SONDE_LIVE_PUSH_PUSH_SESSION_H */
