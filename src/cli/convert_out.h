/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * convert_out: the OUT of a conversion: nothing is overwritten unasked, and what a conversion that
 * fails has begun goes away again.
 */
#ifndef SONDE_CLI_CONVERT_OUT_H
#define SONDE_CLI_CONVERT_OUT_H

#include <stdbool.h>
#include <stdint.h>

struct diag;

struct convert_out {
	const char *path;
	int fd; /* of a file; -1: a directory, which the sink makes */
	bool shared; /* standard output, or a device: neither ours to close nor to remove */
};

/*
 * Makes room for @path, which is a directory or a file; "-" is standard output. Where it is there:
 * -EEXIST, or with @force a trace is removed and a file emptied; -EINVAL where it is one of @sources, or in one.
 */
int convert_out_open(struct convert_out *out, const char *path, bool directory, bool force,
		     char *const *sources, int source_count, struct diag *diag);
/* Removes all that was written into it, so that it can be written again. -ESPIPE if a pipe's reader has it
 * already. */
int convert_out_rewind(const struct convert_out *out, struct diag *diag);
/* Unless it is to be kept, it is removed. 0, or what the last write says. */
int convert_out_close(struct convert_out *out, bool keep, struct diag *diag);
/* Bytes of all files in it. */
uint64_t convert_out_bytes(const char *path);

#endif /* SONDE_CLI_CONVERT_OUT_H */
