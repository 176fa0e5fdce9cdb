/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ingest_folder: the folder of a session that is received, and its chunks: data stored up to a rotation goes to an
 * archive, or is removed, once no stream has anything more for it. Two chunks are open at most: the first has the
 * session's own folder, the other has one of its own until then.
 *
 * ingest_session has it and changes it; the session's streams borrow it. Besides them it has what they share.
 */
#ifndef SONDE_LIVE_INGEST_INGEST_FOLDER_H
#define SONDE_LIVE_INGEST_INGEST_FOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/lttng_relay.h"

struct file_pool;
struct ingest_command;
struct ingest_quota;
struct pool_folder;
struct relay_log;

#define INGEST_CHUNKS_MAX 2u
#define INGEST_CHUNK_NONE UINT64_MAX

/* One that is open. */
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

/* What came and could not be stored, as a file of its stream was removed, replaced or shortened by others. */
struct ingest_losses {
	uint64_t streams;
	uint64_t packets;
	uint64_t bytes;
};

struct ingest_folder {
	/* Given by its owner, borrowed: */
	struct file_pool *files; /* NULL: all files stay open */
	struct ingest_quota *quota; /* NULL: none */
	const struct relay_log *log; /* NULL: none */
	uint64_t session; /* in the log */
	bool counted; /* its indexes have instances and sequence numbers */
	struct ingest_losses *losses_of_all; /* of all sessions; NULL: not counted */
	void (*warn)(void *ctx, const char *text); /* a sentence for the operator; may be NULL */
	void *ctx;
	/* Of all streams: */
	size_t pending; /* packets of which half is missing */
	struct ingest_losses losses;
	/* For ingest_folder alone: */
	bool is_snapshot; /* it is that of all snapshots, until there is a chunk and its own */
	struct pool_folder *root;
	int mark_fd; /* open while data is stored to it; -1: it has no mark yet */
	uint64_t mark;
	struct ingest_chunk chunks[INGEST_CHUNKS_MAX]; /* the newest last */
	size_t chunk_count;
};

/* Makes it below the directory @output, as @create asks for; @path gets its place there. 0 or -errno; it is to be closed
 * in either case. */
int ingest_folder_open(struct ingest_folder *folder, int output,
		       const struct ingest_command *create, bool by_session,
		       char path[RELAY_PATH_MAX]);
/* One that is all zeros but for `mark_fd` is fine. */
void ingest_folder_close(struct ingest_folder *folder);

/* -EPROTO: out of turn, as of the next. */
int ingest_folder_add_chunk(struct ingest_folder *folder, const struct ingest_command *chunk);
/* @archive: where it goes, "" = nowhere else. */
int ingest_folder_close_chunk(struct ingest_folder *folder, const struct ingest_command *close,
			      char archive[RELAY_PATH_MAX]);
bool ingest_folder_has_chunk(const struct ingest_folder *folder, uint64_t id);
/* Likewise, and more may go to it. */
bool ingest_folder_takes_chunk(const struct ingest_folder *folder, uint64_t id);
/* Where chunk @id is, borrowed. */
struct pool_folder *ingest_folder_of_chunk(const struct ingest_folder *folder, uint64_t id);
/* The chunk that ends once no stream is in it; NULL = none is closed. Borrowed until that. */
const struct ingest_chunk *ingest_folder_ending(const struct ingest_folder *folder);
/* It ends. 0 or -errno; *@removed: its files went from the disk. */
int ingest_folder_end_chunk(struct ingest_folder *folder, bool *removed);

/* Counts what a stream has lost. */
void ingest_folder_lose(struct ingest_folder *folder, uint64_t packets, uint64_t bytes);
/* Stream @path/@channel, one more, is not stored any more: the operator learns it. */
void ingest_folder_lose_stream(struct ingest_folder *folder, const char *path, const char *channel);

#endif /* SONDE_LIVE_INGEST_INGEST_FOLDER_H */
