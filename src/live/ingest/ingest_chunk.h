/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ingest_chunk: the chunks of a session that is received: data stored up to a rotation goes to an
 * archive, or is removed, once no stream has anything more for it. Two are open at most: the first
 * has the session's own folder, the other has one of its own until then.
 */
#ifndef SONDE_LIVE_INGEST_INGEST_CHUNK_H
#define SONDE_LIVE_INGEST_INGEST_CHUNK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/lttng_relay.h"

struct ingest_command;
struct ingest_session;
struct pool_folder;

/* Those that are open, the newest last. */
struct ingest_chunk {
	uint64_t id;
	uint64_t created_s;
	char name[RELAY_NAME_MAX]; /* "" = made of its times */
	struct pool_folder *
		folder; /* the session's own, or another as long as the chunk before is not closed */
	bool closing; /* when no stream is in it any more */
	bool has_close;
	uint32_t close;
	char archive[RELAY_NAME_MAX]; /* what it will be called */
};

#define INGEST_CHUNKS_MAX 2u

/* NULL = not found. Borrowed until the next call of the functions below. */
struct ingest_chunk *ingest_chunk_find(struct ingest_session *session, uint64_t id);
/* -EPROTO: out of turn, as of the next. */
int ingest_chunk_create(struct ingest_session *session, const struct ingest_command *chunk);
/* @archive: where it goes, "" = nowhere else. */
int ingest_chunk_close(struct ingest_session *session, const struct ingest_command *chunk,
		       char archive[RELAY_PATH_MAX]);
/* The folder of chunk @id, borrowed. */
struct pool_folder *ingest_chunk_folder(const struct ingest_session *session, uint64_t id);
/* Those that are closed, and that no stream is in, end. */
int ingest_chunk_settle(struct ingest_session *session);

#endif /* SONDE_LIVE_INGEST_INGEST_CHUNK_H */
