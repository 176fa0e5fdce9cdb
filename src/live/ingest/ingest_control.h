/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ingest_control: one control connection: does what a command asks for, and makes the reply. It knows nothing
 * of sockets.
 */
#ifndef SONDE_LIVE_INGEST_INGEST_CONTROL_H
#define SONDE_LIVE_INGEST_INGEST_CONTROL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buffer;
struct ingest_place;
struct ingest_session;

struct ingest_control {
	struct ingest_place *place;
	char *peer; /* the name in its certificate; "" = it has none */
	bool agreed; /* on a version: */
	uint32_t minor;
	struct ingest_session *session; /* owned; NULL: not yet */
};

/* A command, all of it; its reply goes behind what is in @reply. 0; else the connection is to be closed, after the reply
 * if there is one: -EBADMSG malformed, -EPROTO out of turn, -ENOTSUP a command or version that is not known, or
 * -errno. Every command gets a reply once a version is agreed on, except SEND_METADATA, which has none. */
int ingest_control_do(struct ingest_control *control, uint32_t command, const void *bytes,
		      size_t len, struct buffer *reply);

#endif /* SONDE_LIVE_INGEST_INGEST_CONTROL_H */
