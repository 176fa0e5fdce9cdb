/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * io: reads and writes that finish, and files that are made whole or not at all.
 */
#ifndef SONDE_BASE_IO_H
#define SONDE_BASE_IO_H

#include "base/buffer.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

/*
 * Where a view's bytes go: a buffer that is written out in large chunks. The first error
 * of a write stays; a view returns it from its batch, which ends the reading.
 */

#define OUTPUT_CHUNK_BYTES (128u << 10)

struct output {
	struct buffer buf;
	int fd;
	bool eager; /* someone is watching: write at the end of each batch */
	int err; /* first failure, sticky */
	/* Where bytes go in place of the fd: 0 or -errno. NULL: to the fd. */
	int (*put)(void *ctx, const void *bytes, size_t len);
	void *put_ctx;
};

/* Borrows @fd. */
void output_init(struct output *out, int fd, bool eager);
void output_fini(struct output *out);
/* Writes what is buffered. 0 or the first error. */
int output_flush(struct output *out);
/* At the end of a batch. */
int output_end_batch(struct output *out);

/* After each line. */
static inline int output_end_line(struct output *out)
{
	return out->buf.len < OUTPUT_CHUNK_BYTES ? 0 : output_flush(out);
}

/* All of it, through short writes and EINTR. 0 or -errno. */
int write_all(int fd, const void *bytes, size_t len);
/* The same at @offset, wherever the file's own position is. */
int write_at(int fd, const void *bytes, size_t len, uint64_t offset);
/* Up to @len bytes from @offset, through short reads and EINTR: the count (less at the end of the
 * file), or -errno. */
ssize_t read_at(int fd, void *bytes, size_t len, uint64_t offset);
/* A regular file, to be read: an fd, or -errno; -EISDIR, -ENOTSUP where it is anything else. Never
 * waits. */
int file_open(int dir, const char *name);
/* The whole of a regular file, NUL added behind it (not counted in @len); the caller frees *@ret. -EFBIG where
 * it has more than @limit bytes. */
int file_load(int dir, const char *name, size_t limit, char **ret, size_t *len);
/* The same of what is open, from its position on, which need not be regular. */
int file_load_fd(int fd, size_t limit, char **ret, size_t *len);
/* As many open files for this process as it may have, which by custom is more than it has. */
void file_limit_raise(void);
/* Closes what is open; a negative fd is fine. 0 or -errno. */
int fd_close(int fd);

#endif /* SONDE_BASE_IO_H */
