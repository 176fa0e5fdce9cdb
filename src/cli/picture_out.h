/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * picture_out: where a finished picture goes: standard output, or a file, which is there whole or not at all.
 * A picture that was there before is written over: pictures are made again and again.
 */
#ifndef SONDE_CLI_PICTURE_OUT_H
#define SONDE_CLI_PICTURE_OUT_H

#include <stddef.h>

struct buffer;
struct diag;

/* @path: "-" is standard output. 0, or -errno with the diag. */
int picture_out_write(const char *path, const struct buffer *picture, struct diag *diag);
/* The same into a new file for temporary things, whose name ends in @suffix. */
int picture_out_temporary(const char *suffix, const struct buffer *picture, char *path, size_t room,
			  struct diag *diag);

#endif /* SONDE_CLI_PICTURE_OUT_H */
