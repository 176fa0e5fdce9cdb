/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ingest_session: what one control connection streams: a session, its traces and their streams, and the chunks
 * that they are in. It is stored (ingest_store), and shown to viewers while it comes (session.h), if it is live.
 */
#ifndef SONDE_LIVE_INGEST_INGEST_SESSION_H
#define SONDE_LIVE_INGEST_INGEST_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "live/ingest/ingest_chunk.h"
#include "wire/lttng_relay.h"

struct ingest_command;
struct ingest_place;
struct ingest_stream;
struct pool_folder;
struct session;
struct session_trace;

#define INGEST_STREAMS_MAX 65536u /* of a session */
#define INGEST_TRACES_MAX 4096u
#define INGEST_METADATA_MAX (64u << 20) /* of all traces that are shown, in memory */

struct ingest_trace {
	char *path;
	struct ingest_stream *metadata;
	struct buffer text; /* what has come of it */
	bool told; /* some of that to viewers */
	struct session_trace *shown;
	bool sent; /* all of its streams were announced */
};

struct ingest_session {
	struct ingest_place *place; /* borrowed */
	uint64_t id;
	const char *peer; /* whose it is: the name in the certificate, "" = it has none; borrowed */
	char host[RELAY_NAME_MAX];
	char name[RELAY_NAME_MAX];
	bool is_snapshot; /* its folder is that of all snapshots, until it has a chunk and its own */
	struct pool_folder *root; /* its folder */
	int mark_fd; /* open while data is stored to it */
	uint64_t mark;
	bool begun; /* it was made, and the log says so */
	bool counted; /* its indexes tell instances and sequence numbers */
	char path[RELAY_PATH_MAX]; /* that, below the output directory */
	struct ingest_chunk chunks[INGEST_CHUNKS_MAX];
	size_t chunk_count;
	struct ingest_trace *traces;
	size_t trace_count;
	struct ingest_stream **streams; /* those that are open */
	size_t stream_count;
	size_t closing; /* of these, those that are to be closed once they have all */
	size_t text_bytes; /* of the metadata of all traces */
	size_t pending; /* packets of all streams of which half is missing */
	uint64_t bytes; /* of packets that came */
	uint64_t packets;
	struct session *shown; /* NULL: it is not live */
};

/* 0, -errno; -EUSERS: there are as many as @place takes. Borrows @peer. */
int ingest_session_new(struct ingest_place *place, const struct ingest_command *create,
		       const char *peer, struct ingest_session **ret);
/* A snapshot gets a folder of its own, @name or that with a number, if it has none yet. */
int ingest_session_enter(struct ingest_session *session, const char *name);
/* Nothing more comes. NULL is fine. */
void ingest_session_free(struct ingest_session *session);

/* -EPROTO: out of turn, as all of these; -EEXIST: it has such a stream. */
int ingest_session_add_stream(struct ingest_session *session, const struct ingest_command *add,
			      uint64_t *handle);
/* Borrowed; NULL = it has none, or no more. */
struct ingest_stream *ingest_session_find(const struct ingest_session *session, uint64_t handle);
/* All streams so far are there to be shown. */
void ingest_session_streams_sent(struct ingest_session *session);
int ingest_session_metadata(struct ingest_session *session, const struct ingest_command *metadata);
int ingest_session_reset_metadata(struct ingest_session *session, uint64_t handle);
int ingest_session_close_stream(struct ingest_session *session, uint64_t handle, uint64_t last);
int ingest_session_rotate(struct ingest_session *session, const struct ingest_command *rotate);
/* Streams that have what they were waiting for are closed, and so are chunks. Behind whatever came. */
int ingest_session_settle(struct ingest_session *session);

#endif /* SONDE_LIVE_INGEST_INGEST_SESSION_H */
