/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ingest_stream: a stream that is received: its files, their indexes, and what has come of the one and not yet
 * of the other. Packets come on the data connection, what the index says of them on the control connection,
 * either first; a packet is shown to viewers when both are there.
 *
 * A file that has its size is followed by another. At a rotation the packets from some sequence number on go
 * into a new file too, in another chunk; data may have come before the command that says so, and is
 * moved then.
 *
 * If one of its files was removed, replaced or shortened by another program, the stream is lost: its later packets are
 * read, counted (ingest_folder_lose) and not stored. The connection goes on, for it has other streams.
 *
 * ingest_session has the streams. Nothing else touches their files, and which packets are pending.
 */
#ifndef SONDE_LIVE_INGEST_INGEST_STREAM_H
#define SONDE_LIVE_INGEST_INGEST_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ingest_command;
struct ingest_data;
struct ingest_folder;
struct ingest_index;
struct ingest_stream;
struct map;
struct session_stream;

/* Makes its first file, in the chunk that @add names, which @folder has. It borrows @folder. On success the caller
 * owns *@ret. */
int ingest_stream_new(struct ingest_folder *folder, const struct ingest_command *add,
		      struct ingest_stream **ret);
/* Nothing more comes, for its viewers too. NULL is fine. */
void ingest_stream_free(struct ingest_stream *stream);
/* From now on viewers see it. */
int ingest_stream_show(struct ingest_stream *stream, struct session_stream *shown);

/* Data from the data connection: a head, then as many bytes as it gives, in any number of calls. 1 = the packet is
 * there, 0 = more of it is to come; -EPROTO: out of turn. After an error nothing of the packet is there. */
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
/* Viewers see no more of its files that went from the disk. */
void ingest_stream_hide_gone(const struct ingest_stream *stream);

bool ingest_stream_is_metadata(const struct ingest_stream *stream);
const char *ingest_stream_channel(const struct ingest_stream *stream);
/* Something of it is in @chunk, or is still to come there. */
bool ingest_stream_is_in(const struct ingest_stream *stream, uint64_t chunk);
/* All packets up to @last are here, with their index entries if the stream has these. */
bool ingest_stream_has(const struct ingest_stream *stream, uint64_t last);
/* Adds the inodes (uint64_t) of its files that are being written to. 0 or -ENOMEM. */
int ingest_stream_add_inodes(const struct ingest_stream *stream, struct map *inodes);

/* Where it is, for tests. */
struct ingest_stream_state {
	uint64_t next_data; /* number of the packet whose data comes next */
	uint64_t next_index; /* and of the one whose index entry does */
	uint64_t last_sequence; /* of the last index entry */
	size_t pending; /* packets of which half is missing */
	bool receiving; /* a packet has begun */
	bool lost;
	const struct session_stream *shown; /* borrowed; NULL: it is not */
};

void ingest_stream_state(const struct ingest_stream *stream, struct ingest_stream_state *ret);
/* What must hold between two calls does. */
bool ingest_stream_is_sound(const struct ingest_stream *stream);

#endif /* SONDE_LIVE_INGEST_INGEST_STREAM_H */
