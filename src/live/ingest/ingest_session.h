/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ingest_session: what one control connection streams: a session, its traces and their streams, and the chunks
 * that they are in (ingest_folder). It is stored, and shown to viewers while it comes (session.h), if it is live.
 * A packet names its stream, whichever session that is of: a place has the streams of all its sessions.
 *
 * ingest_control and ingest_packets do by it what peers ask for. Nothing else touches streams.
 */
#ifndef SONDE_LIVE_INGEST_INGEST_SESSION_H
#define SONDE_LIVE_INGEST_INGEST_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "live/ingest/ingest_folder.h"
#include "live/session/relay_log.h"
#include "wire/lttng_relay.h"

struct file_pool;
struct ingest_command;
struct ingest_data;
struct ingest_index;
struct ingest_quota;
struct ingest_session;
struct ingest_stream;
struct rights;
struct session;
struct session_list;

#define INGEST_SESSIONS 1024u
#define INGEST_STREAMS_MAX 65536u /* of a session */
#define INGEST_TRACES_MAX 4096u
#define INGEST_METADATA_MAX (64u << 20) /* of all traces that are shown, in memory */

/* What all that is received shares. */
struct ingest_place {
	/* Given by its owner before ingest_place_init: */
	int output; /* directory; borrowed */
	struct file_pool *files; /* all that are written; borrowed; NULL: all stay open */
	struct session_list *list; /* where live sessions are shown; NULL = nowhere */
	const struct rights *rights; /* NULL: all may stream everything */
	struct relay_log log; /* what peers do */
	void (*warn)(void *ctx, const char *text); /* a sentence for the operator; may be NULL */
	void *ctx;
	bool group_by_session; /* how ingest_store names folders */
	bool disallow_clear; /* no chunk is removed */
	unsigned int sessions_most;
	uint64_t quota_bytes; /* 0 = as many as the disk has */
	/* For all that store: */
	int store_error; /* of the last that could not be stored, until something could */
	/* For ingest_session alone: */
	struct ingest_losses losses; /* of all sessions, ever */
	struct ingest_quota *quota;
	unsigned int sessions; /* that are being received */
	uint64_t last_session;
	uint64_t last_stream;
	struct map streams; /* by handle: struct open_stream * */
};

/* 0 or -ENOMEM. */
int ingest_place_init(struct ingest_place *place);
/* Its sessions have ended. One that is all zeros is fine. */
void ingest_place_fini(struct ingest_place *place);

/* @counted: indexes tell instances and sequence numbers. 0, -errno; -EUSERS: there are as many as @place takes. Borrows
 * @peer: whose it is, the name in the certificate, "" = it has none. */
int ingest_session_new(struct ingest_place *place, const struct ingest_command *create,
		       const char *peer, bool counted, struct ingest_session **ret);
/* Nothing more comes. NULL is fine. */
void ingest_session_free(struct ingest_session *session);

/* Borrowed until the session is used again. */
struct ingest_session_info {
	uint64_t id;
	const char *host;
	const char *name;
	const char *path; /* of its folder, below the output directory */
	size_t streams; /* that are open */
	uint64_t packets; /* that came */
	uint64_t bytes;
	struct ingest_losses losses;
	size_t pending; /* packets of all streams of which half is missing */
	const struct session *shown; /* NULL: it is not live */
};

void ingest_session_info(const struct ingest_session *session, struct ingest_session_info *ret);

/* -EPROTO: out of turn, as all of these; -EEXIST: it has such a stream. */
int ingest_session_add_stream(struct ingest_session *session, const struct ingest_command *add,
			      uint64_t *handle);
/* All streams so far are there to be shown. */
void ingest_session_streams_sent(struct ingest_session *session);
int ingest_session_metadata(struct ingest_session *session, const struct ingest_command *metadata);
int ingest_session_reset_metadata(struct ingest_session *session, uint64_t handle);
int ingest_session_index(struct ingest_session *session, uint64_t handle,
			 const struct ingest_index *index);
int ingest_session_close_stream(struct ingest_session *session, uint64_t handle, uint64_t last);
int ingest_session_add_chunk(struct ingest_session *session, const struct ingest_command *chunk);
/* @archive: where it goes, "" = nowhere else. */
int ingest_session_close_chunk(struct ingest_session *session, const struct ingest_command *close,
			       char archive[RELAY_PATH_MAX]);
bool ingest_session_has_chunk(const struct ingest_session *session, uint64_t chunk);
int ingest_session_rotate(struct ingest_session *session, const struct ingest_command *rotate);
/* Streams that have what they were waiting for are closed, and so are chunks. After whatever came. */
int ingest_session_settle(struct ingest_session *session);

/* Whether data up to packet @last is still to come: 0, 1; -ENOENT: no such stream is open. */
int ingest_session_is_pending(struct ingest_session *session, uint64_t handle, uint64_t last);
/* The same as question to all streams: between the first and the last of these calls, each is asked about by the one
 * above or by the second. The last one: streams that no client has asked about may still get data. */
void ingest_session_begin_pending(struct ingest_session *session);
int ingest_session_check_pending(struct ingest_session *session, uint64_t handle);
bool ingest_session_end_pending(const struct ingest_session *session);

/* A packet of any session of @place, from @peer: its head, then its bytes in any number of calls, with the head again.
 * 1 = the packet is there, 0 = more of it is to come; -EPROTO: out of turn; -EPERM: another peer has the session. */
int ingest_session_data(struct ingest_place *place, const char *peer,
			const struct ingest_data *data);
int ingest_session_bytes(struct ingest_place *place, const struct ingest_data *data,
			 const void *bytes, size_t len);
/* The connection has gone within a packet of stream @handle. */
void ingest_session_abort(struct ingest_place *place, uint64_t handle);

/* Stream @i of those that are open, borrowed, for tests; @handle may be NULL. */
const struct ingest_stream *ingest_session_stream_at(const struct ingest_session *session, size_t i,
						     uint64_t *handle);

#endif /* SONDE_LIVE_INGEST_INGEST_SESSION_H */
