/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ingest_store: where what is received lies, as lttng-relayd keeps it:
 *
 *	OUTPUT/HOST/SESSION-TIME/			what is being received
 *	OUTPUT/HOST/SESSION-TIME/PATH/CHANNEL		a stream, and its index in index/CHANNEL.idx
 *	OUTPUT/HOST/SESSION-TIME/archives/CHUNK/	what was, before a rotation
 *	OUTPUT/HOST/SESSION-TIME/SNAPSHOT/PATH/CHANNEL	a stream of a snapshot, without an index
 *
 * A chunk that begins while the one before is not complete has a folder of its own until it is. Names come
 * from peers and were checked (ingest_message); besides, no symbolic link is followed.
 */
#ifndef SONDE_LIVE_INGEST_INGEST_STORE_H
#define SONDE_LIVE_INGEST_INGEST_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "wire/lttng_relay.h"

struct file_pool;
struct ingest_command;

#define INGEST_NEXT_CHUNK \
	".tmp_new_chunk" /* within the session's folder, as the next is in archives */

/* Makes the folder of the session that @create asks for; that of snapshots may be there, as they share it. The caller
 * closes *@ret; @path gets its place below @output, which begins with the host or, @by_session, with the session. */
int ingest_store_session(int output, const struct ingest_command *create, bool by_session, int *ret,
			 char path[RELAY_PATH_MAX]);

/* A new folder in @at: @name, or that with a number. The caller closes *@ret. */
int ingest_store_folder(int at, const char *name, int *ret);
/* The folder @path below @at; no symbolic link is followed. The caller closes *@ret. */
int ingest_store_open(int at, const char *path, int *ret);
/* Makes the file of a stream in @path of the chunk that is in folder @chunk ("" = the session's own), which must not
 * be there. The caller closes *@ret. */
int ingest_store_stream(int session, const char *chunk, const char *path, const char *channel,
			int *ret);
/* The same of its index. */
int ingest_store_index(int session, const char *chunk, const char *path, const char *channel,
		       int *ret);

/* Removes those that exist. Files that are open by @pool, which may be NULL, can still be read. */
void ingest_store_remove(struct file_pool *pool, int session, const char *chunk, const char *path,
			 const char *channel);

/* The name in archives of a chunk that has none of its own. */
void ingest_store_chunk_name(uint64_t id, uint64_t begin_s, uint64_t end_s,
			     char name[RELAY_NAME_MAX]);
/* What the session's own folder holds goes to archives/@name, which is *@path below it. */
int ingest_store_archive(int session, const char *name, char path[RELAY_PATH_MAX]);
/* It is removed. */
int ingest_store_clear(int session);
/* What the next chunk's folder holds goes to the session's own, which is empty. */
int ingest_store_promote(int session);

/*
 * Marks a folder that a relay has stored, and says whether one still stores to it: a hidden file, ".sonde-relay", with the
 * inode number of the folder in it, so that a copy does not count; the storing relay holds a lock on it.
 */
struct store_mark {
	uint64_t inode; /* of the mark */
	bool held; /* a relay stores there */
};

/* Marks the folder @dir, until *@fd is closed as one that is being stored to. The caller closes it. */
int store_mark_make(int dir, int *fd, uint64_t *inode);
/* False: it has no mark, or another folder's. */
bool store_mark_look(int dir, struct store_mark *ret);
/* Removes it from a folder that is removed next. */
void store_mark_remove(int dir);

/* Whether @err, -errno, is a failure of what stores, not of what the peer sent. */
bool ingest_store_fails(int err);

#endif /* SONDE_LIVE_INGEST_INGEST_STORE_H */
