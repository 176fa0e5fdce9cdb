/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stream_input: where the packets of one stream come from: a run of bytes that can be read at any
 * place and that may grow (a live session). Plain files are one kind; see trace/frame_input.h.
 */
#ifndef SONDE_TRACE_STREAM_INPUT_H
#define SONDE_TRACE_STREAM_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/diag.h"

struct dirent;
struct stream_input;

struct stream_input_ops {
	/* Bytes that are there by now, or -errno. */
	int (*size)(struct stream_input *input, uint64_t *ret);
	/* Up to @len bytes from @offset: their count, less at the end, or -errno; -EBADMSG where they
	 * are compressed and damaged. */
	ssize_t (*read)(struct stream_input *input, void *bytes, size_t len, uint64_t offset);
	/*
	 * Where the first packet begins behind @offset, for going on behind damage: 1 = known,
	 * 0 = none or unknown. NULL: never known.
	 */
	int (*seek)(struct stream_input *input, uint64_t offset, uint64_t *ret);
	/* The stream's index file (wire/index.h), open: an fd for the caller to close, or -errno.
	 * NULL: none. */
	int (*open_index)(struct stream_input *input);
	void (*close)(struct stream_input *input);
};

struct stream_input {
	const struct stream_input_ops *ops;
	char *name; /* for messages */
	struct diag diag; /* why the last call returned -EBADMSG */
	bool follow; /* what is cut off is still being written: it is not there yet */
	bool consume; /* it has no other reader: bytes before the position are removed, to make room */
	bool look; /* a follower does: else `size` returns the size at the last look, `seen` */
	uint64_t seen;
};

/* A stream file in directory @dir that is not compressed, with its index in index/ if there is one. @folder: no
 * file stays open, each read opens it by this path of the folder; NULL = it stays open. The caller closes. */
int stream_input_open_file(int dir, const char *folder, const char *name,
			   struct stream_input **ret);
/* The stream @name without a byte: its file is not there. The caller closes; NULL = no memory. */
struct stream_input *stream_input_empty(const char *name);
/* The index file of the stream @name in directory @dir, as ops->open_index has it. */
int stream_input_index(int dir, const char *name);

/* Whether an entry of a trace directory may be a stream file. For scandir. */
int stream_input_is_file(const struct dirent *entry);

#endif /* SONDE_TRACE_STREAM_INPUT_H */
