/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * output: where a view's bytes go: a buffer that is written out in large chunks. The first error
 * of a write stays; a view returns it from its batch, which ends the reading.
 */
#ifndef SONDE_BASE_OUTPUT_H
#define SONDE_BASE_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"

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

#endif /* SONDE_BASE_OUTPUT_H */
