/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ingest_files: the files of a stream that is received, with their indexes, for which data is still to come, the
 * oldest first: packets go to the last, their index entries to the first, until it is complete. There is always one.
 * A stream has several where their size is limited, and at a rotation.
 *
 * Names are those of lttng-relayd: "CHANNEL", or "CHANNEL_NUMBER" where files are limited. ingest_stream has and uses
 * them, and knows which packets are pending.
 */
#ifndef SONDE_LIVE_INGEST_INGEST_FILES_H
#define SONDE_LIVE_INGEST_INGEST_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct ingest_command;
struct ingest_folder;
struct ingest_packet;
struct map;
struct pooled_file;
struct session_file;
struct session_stream;

#define INGEST_FILES_MAX 64u /* of which the index is not complete */

struct ingest_file {
	struct pooled_file *data; /* NULL: none, as no chunk is open, or it was closed */
	struct pooled_file *index; /* NULL: it has none yet; metadata never has */
	ino_t inode; /* of the data */
	uint64_t chunk; /* that it is in, or INGEST_CHUNK_NONE */
	uint64_t number; /* among the files of the stream in its chunk */
	uint64_t first; /* number of its first packet */
	uint64_t bytes; /* of whole packets */
	uint64_t entries; /* in its index, of */
	uint32_t entry_bytes;
	bool is_gone; /* a newer one has overwritten it: it gets no index any more */
	struct session_file *shown; /* has both files then; NULL: not shown */
};

struct ingest_files {
	struct ingest_folder *folder; /* borrowed */
	char *path; /* of the trace in that */
	char *channel;
	bool numbered; /* they are limited: */
	bool first_alone; /* the first packet has a file for itself, which stays */
	uint64_t most; /* bytes of each; 0 = no limit */
	uint64_t ring; /* so many, the oldest of which is overwritten; 0 = all are kept */
	struct session_stream *shown; /* NULL: not shown */
	struct ingest_file *all;
	size_t count;
};

/* For the stream that @add asks for, with the first file. 0 or -errno; to be finished in either case. */
int ingest_files_init(struct ingest_files *files, struct ingest_folder *folder,
		      const struct ingest_command *add);
void ingest_files_fini(struct ingest_files *files);

struct ingest_file *ingest_files_newest(const struct ingest_files *files);
/* Packets from @first on go to a new file in @chunk, or to none (INGEST_CHUNK_NONE). -ENOBUFS: there are as many
 * already as may wait. */
int ingest_files_push(struct ingest_files *files, uint64_t chunk, uint64_t first);
/* Packet @number, of @len bytes without its padding, may make it necessary that another file begins. As
 * lttng-relayd has it, what a file has counts with padding, and what comes without. */
int ingest_files_room(struct ingest_files *files, uint64_t number, uint64_t len);
/* An entry of the index, which is made when the first one comes: @packet is in the first file. */
int ingest_files_entry(struct ingest_files *files, const struct ingest_packet *packet);
/* Packets before @done are complete: files that have no others are done with. */
int ingest_files_pop(struct ingest_files *files, uint64_t done);
/* From now on viewers see the first of these, which has the packets that they learn of next, and the kept ones. */
int ingest_files_show(struct ingest_files *files, struct session_stream *shown);
/* Which of the first @count files packet @number is in. */
size_t ingest_files_find(const struct ingest_files *files, size_t count, uint64_t number);
/* Files @from to @to, the latter not included, go from the disk. */
void ingest_files_remove(struct ingest_files *files, size_t from, size_t to);
/* All are closed. In place of them there is one in @chunk that has no data. */
void ingest_files_close(struct ingest_files *files, uint64_t chunk);
bool ingest_files_are_in(const struct ingest_files *files, uint64_t chunk);
/* Adds the inodes (uint64_t) of those that are open. 0 or -ENOMEM. */
int ingest_files_add_inodes(const struct ingest_files *files, struct map *inodes);

/* @len bytes at @offset of its data. */
int ingest_file_write(const struct ingest_file *file, const void *bytes, size_t len,
		      uint64_t offset);
/* Its data has @bytes from now on. */
int ingest_file_truncate(const struct ingest_file *file, uint64_t bytes);
/* @len bytes from @offset go behind what is in @to. */
int ingest_file_copy(const struct ingest_file *from, uint64_t offset, uint64_t len,
		     struct ingest_file *to);

#endif /* SONDE_LIVE_INGEST_INGEST_FILES_H */
