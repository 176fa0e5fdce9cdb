/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ingest_file: one of the files of a stream that is received, and its index. A stream has several where their size
 * is limited, and at a rotation; each knows which packets are its own.
 */
#ifndef SONDE_LIVE_INGEST_INGEST_FILE_H
#define SONDE_LIVE_INGEST_INGEST_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct file_pool;
struct ingest_index;
struct pool_folder;
struct pooled_file;
struct session_file;
struct session_stream;

struct ingest_file {
	struct pooled_file *data; /* NULL: none, as no chunk is open */
	struct pooled_file *index; /* NULL: it has none yet; metadata never has */
	ino_t inode; /* of the data */
	uint64_t chunk; /* that it is in, or INGEST_CHUNK_NONE */
	uint64_t number; /* among the files of the stream in its chunk */
	uint64_t first; /* number of its first packet */
	uint64_t bytes; /* of whole packets */
	uint64_t entries; /* in its index, of */
	uint32_t entry_bytes;
	struct session_file *shown; /* has both files then; NULL: not shown */
};

/* Where it goes: names are those of lttng-relayd, "CHANNEL", or "CHANNEL_NUMBER" where files are limited. */
struct ingest_file_place {
	struct file_pool *pool; /* NULL: they stay open */
	struct pool_folder *folder; /* of the chunk */
	const char *path; /* of the trace in that */
	const char *channel;
	bool counted; /* its index has what packets count */
	bool numbered;
	uint64_t ring; /* of so many files, of which the oldest is overwritten; 0 = none is */
};

/* Makes it, for packets from @first on, without an index. The caller sets the members about the chunk. On failure
 * *@ret is untouched. */
int ingest_file_open(const struct ingest_file_place *place, uint64_t number, uint64_t first,
		     struct ingest_file *ret);
/* Makes its index, with the head of that. */
int ingest_file_index(const struct ingest_file_place *place, struct ingest_file *file);
/* One that is not open is fine. */
void ingest_file_close(struct ingest_file *file);
/* It goes from the disk; it is still open. */
void ingest_file_remove(const struct ingest_file_place *place, const struct ingest_file *file);

/* @len bytes at @offset of its data. */
int ingest_file_write(const struct ingest_file *file, const void *bytes, size_t len,
		      uint64_t offset);
/* Its data has @bytes from now on. */
int ingest_file_truncate(const struct ingest_file *file, uint64_t bytes);
/* An entry of its index: of a packet at @offset. */
int ingest_file_entry(struct ingest_file *file, uint64_t offset, const struct ingest_index *index);
/* Viewers of @shown get its packets from now on. */
int ingest_file_show(struct ingest_file *file, struct session_stream *shown);
/* @len bytes from @offset go behind what is in @to. */
int ingest_file_copy(const struct ingest_file *from, uint64_t offset, uint64_t len,
		     struct ingest_file *to);

#endif /* SONDE_LIVE_INGEST_INGEST_FILE_H */
