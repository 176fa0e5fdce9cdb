/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mounts: what /proc/self/mountinfo says, line by line (proc(5)).
 */
#ifndef SONDE_RECORD_MOUNTS_H
#define SONDE_RECORD_MOUNTS_H

#include <stdint.h>

struct mount {
	uint32_t dev; /* major << 20 | minor, as in the kernel */
	const char *root; /* which part of the file system is to be seen; "/" = all of it */
	const char *path; /* and where */
	const char *type; /* "ext4" */
};

/* Calls @found for each mount, in order, until it returns other than 0, which is returned. The texts
 * are borrowed for the call. -errno where the file cannot be read. */
int mounts_walk(int (*found)(void *ctx, const struct mount *mount), void *ctx);
/* The same of one text, which it changes. */
int mounts_parse(char *text, int (*found)(void *ctx, const struct mount *mount), void *ctx);

#endif /* SONDE_RECORD_MOUNTS_H */
