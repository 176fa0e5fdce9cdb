/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stored_files: what lies in the folders that a relay has stored: each file of packets that could go by itself,
 * and each trace as a whole, the oldest first.
 */
#ifndef SONDE_LIVE_INGEST_STORED_FILES_H
#define SONDE_LIVE_INGEST_STORED_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct file_pool;
struct map;

struct stored_file {
	char *folder; /* of the trace, below the output directory */
	char *name; /* NULL: all that is left of the trace */
	uint64_t age_ns; /* when it was last written to, since the epoch */
	uint64_t bytes; /* with its index */
	uint64_t packets; /* in the index */
};

struct stored_files {
	struct stored_file *files; /* those that may go */
	size_t count;
	uint64_t bytes; /* of all that is there */
};

/* Lists the files below the directory @output, except those whose inodes are in @in_use
 * (uint64_t), if their trace's mark is in @ours (inodes, likewise) or no process stores to it. 0
 * or -errno. The caller finishes it in either case. */
int stored_files_list(int output, const struct map *in_use, const struct map *ours,
		      struct stored_files *ret);
void stored_files_fini(struct stored_files *stored);
/* It goes, with its index; and folders that are empty then. Who uses it by @pool, which may be NULL, can do so on. */
void stored_files_remove(struct file_pool *pool, int output, const struct stored_file *file);

#endif /* SONDE_LIVE_INGEST_STORED_FILES_H */
