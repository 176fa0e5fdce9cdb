/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ingest_files: the files of a received stream for which data is still to come, the oldest first: packets
 * go to the last, their index entries to the first, until it is complete.
 */
#ifndef SONDE_LIVE_INGEST_INGEST_FILES_H
#define SONDE_LIVE_INGEST_INGEST_FILES_H

#include <stddef.h>
#include <stdint.h>

struct ingest_command;
struct ingest_file;
struct ingest_packet;
struct ingest_stream;

/* How long they get: as its session asks, and so that a quota has files to drop. */
void ingest_files_limit(struct ingest_stream *stream, const struct ingest_command *add);
void ingest_files_fini(struct ingest_stream *stream);

struct ingest_file *ingest_files_newest(const struct ingest_stream *stream);
/* Packets from @first on go to a new file in @chunk, or to none (INGEST_CHUNK_NONE). -ENOBUFS: there are as many
 * already as may wait. */
int ingest_files_push(struct ingest_stream *stream, uint64_t chunk, uint64_t first);
/* Packet @number, of @len bytes without its padding, may make it necessary that another file begins. As
 * lttng-relayd has it, what a file has counts with padding, and what comes without. */
int ingest_files_room(struct ingest_stream *stream, uint64_t number, uint64_t len);
/* An entry of the index, which is made when the first one comes: @packet is in the first file. */
int ingest_files_entry(struct ingest_stream *stream, const struct ingest_packet *packet);
/* Packets before @done are complete: files that have no others are done with. */
int ingest_files_pop(struct ingest_stream *stream, uint64_t done);
/* Shows viewers the kept files, and the first of these, which has the packets that they learn of next. */
int ingest_files_show(struct ingest_stream *stream);
/* Which of the first @count files packet @number is in. */
size_t ingest_files_find(const struct ingest_stream *stream, size_t count, uint64_t number);
/* Files @from to @to, the latter not included, go from the disk. */
void ingest_files_remove(struct ingest_stream *stream, size_t from, size_t to);

#endif /* SONDE_LIVE_INGEST_INGEST_FILES_H */
