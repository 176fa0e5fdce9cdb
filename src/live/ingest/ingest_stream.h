/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ingest_stream: a stream that is received: its file, its index, and what has come of the one and not yet
 * of the other. Packets come on the data connection, what the index says of them on the control connection,
 * either first; a packet is shown to viewers when both are there.
 *
 * A file that has its size is followed by another. At a rotation the packets from some sequence number on go
 * into a new file too, in another chunk; data may have come before the command that says so, and is
 * moved then.
 */
#ifndef SONDE_LIVE_INGEST_INGEST_STREAM_H
#define SONDE_LIVE_INGEST_INGEST_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "live/ingest/ingest_file.h"
#include "live/ingest/ingest_pending.h"
#include "wire/lttng_relay.h"

struct ingest_command;
struct ingest_data;
struct ingest_session;
struct session_stream;

#define INGEST_FILES_MAX 64u /* of which the index is not complete */

struct ingest_stream {
	uint64_t handle;
	struct ingest_session *session; /* borrowed, and its places there: */
	size_t at; /* among the streams that are open */
	size_t trace;
	char *path;
	char *channel;
	bool is_metadata;
	bool numbered; /* its files are limited: */
	bool first_alone; /* the first packet has a file for itself, which stays */
	uint64_t file_bytes; /* to that; 0 = not */
	uint64_t ring; /* of so many, the oldest of which is overwritten; 0 = all are kept */
	/* Files for which data is still to come: packets go to the last, their index entries to the
	 * first, until it is complete. */
	struct ingest_file *files;
	size_t file_count;
	struct ingest_pending pending; /* which packet comes next, and those of which half is here */
	uint32_t left; /* bytes of the packet that is being received */
	uint32_t padding; /* behind it */
	uint32_t got;
	bool receiving;
	uint64_t last_sequence; /* of the last index entry, where pending.has_index */
	bool rotating; /* at sequence number `rotate_at`, to chunk `next_chunk` */
	uint64_t rotate_at;
	bool pivoting; /* that will be packet `pivot`, whose data is still to come */
	uint64_t pivot;
	uint64_t next_chunk;
	bool closing; /* once it has packet `last` */
	uint64_t last;
	bool checked; /* asked whether its data has come, since BEGIN_DATA_PENDING */
	struct session_stream *shown; /* NULL: not shown */
};

/* Makes its first file, in the chunk that @add names, which @session has. On success the caller owns *@ret. */
int ingest_stream_new(struct ingest_session *session, const struct ingest_command *add,
		      struct ingest_stream **ret);
/* NULL is fine. */
void ingest_stream_free(struct ingest_stream *stream);
/* From now on viewers see it. */
int ingest_stream_show(struct ingest_stream *stream, struct session_stream *shown);

/* Data from the data connection: a head, then as many bytes as it gives, in any number of calls.
 * -EPROTO: out of turn. At the last byte the packet is there; after an error nothing of it is. */
int ingest_stream_data(struct ingest_stream *stream, const struct ingest_data *data);
int ingest_stream_bytes(struct ingest_stream *stream, const void *bytes, size_t len);
/* The connection has gone within a packet, which is taken back. */
void ingest_stream_abort(struct ingest_stream *stream);

/* What the control connection says. -EPROTO: it is not true, or was said before. */
int ingest_stream_index(struct ingest_stream *stream, const struct ingest_index *index);
int ingest_stream_metadata(struct ingest_stream *stream, const void *bytes, size_t len,
			   uint32_t padding);
/* Its metadata begins again from the start. */
int ingest_stream_reset(struct ingest_stream *stream);
/* From the packet of number @sequence on, as the tracer counts them, to @chunk, or INGEST_CHUNK_NONE. -EPROTO: it
 * cannot be, and nothing has changed. */
int ingest_stream_rotate(struct ingest_stream *stream, uint64_t sequence, uint64_t chunk);
/* What is in its file by now may go: the next packet has another. Where it has just begun one, or something
 * is under way, it stays there. */
int ingest_stream_cut(struct ingest_stream *stream);
/* Something of it is in @chunk, or is still to come there. */
bool ingest_stream_is_in(const struct ingest_stream *stream, uint64_t chunk);
#endif /* SONDE_LIVE_INGEST_INGEST_STREAM_H */
