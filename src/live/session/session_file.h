/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * session_file: a file of packets that is published, and its index. Who sends from it keeps a
 * reference, so that it can be read whatever becomes of its session.
 */
#ifndef SONDE_LIVE_SESSION_SESSION_FILE_H
#define SONDE_LIVE_SESSION_SESSION_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct file_pool;
struct pool_folder;
struct pooled_file;
struct stream_input;

/* A packet as in the protocol: sizes in bits, times in cycles. */
struct session_packet {
	uint64_t offset; /* bytes, in the stream as viewers see it */
	uint64_t packet_bits;
	uint64_t content_bits;
	uint64_t begin;
	uint64_t end;
	uint64_t discarded;
	uint64_t class_id;
};

struct session_file {
	unsigned int refs;
	struct pooled_file *data; /* NULL: it is compressed */
	struct stream_input *input; /* then this reads it */
	struct pooled_file *index;
	uint32_t entry_bytes; /* of the index; 0 = its head was not read yet */
	uint64_t first; /* number of its first packet in the stream */
	uint64_t count; /* packets that are published */
	uint64_t bytes; /* the data file has, when it was last looked at */
};

/* Takes both files: packets, one behind the other, and their index, whose head may come
 * later. On failure too. */
int session_file_new(int data_fd, int index_fd, struct session_file **ret);
/* The same of files of a pool, which need not be open all the time. */
int session_file_of(struct pooled_file *data, struct pooled_file *index, struct session_file **ret);
/*
 * The same of stream file @name in @folder, compressed (.zst) or not, and its index in index/, or @index_fd, which it takes,
 * if that is not -1. @pool: of these files, but not of what is compressed; NULL: they stay open. -ENOENT: no index.
 */
int session_file_open(struct file_pool *pool, struct pool_folder *folder, const char *name,
		      int index_fd, struct session_file **ret);
struct session_file *session_file_ref(struct session_file *file);
void session_file_unref(struct session_file *file);

/* Whole entries that its index has by now. */
uint64_t session_file_entries(struct session_file *file);
/* Packet @i of it: 1; 0 = it is not all there; -EBADMSG or -errno. */
int session_file_packet(struct session_file *file, uint64_t i, struct session_packet *ret);
/* Of its data, borrowed until another file is used, or -errno. Not if it is compressed. */
int session_file_fd(const struct session_file *file);
/* It is in no folder any more. */
bool session_file_is_gone(const struct session_file *file);
/* As read_at, of the stream as viewers see it. */
ssize_t session_file_read(struct session_file *file, void *bytes, size_t len, uint64_t offset);

#endif /* SONDE_LIVE_SESSION_SESSION_FILE_H */
