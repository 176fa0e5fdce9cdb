/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cgroups: the hierarchy of version 2, wherever it is mounted: which cgroup a process is in, and
 * what cgroups are called. The kernel's number of a cgroup is the inode of its directory.
 *
 * A host with version 1 alone has no such hierarchy: nothing is found, and that is not an error.
 */
#ifndef SONDE_RECORD_CGROUPS_H
#define SONDE_RECORD_CGROUPS_H

#include <stddef.h>
#include <stdint.h>

/* What /proc/self/mountinfo says, line by line (proc(5)). */

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

#define CGROUP_PATH_MAX 4096

/* The directory where it is mounted, for the caller to close; -ENOENT: none. */
int cgroups_open(void);
/* The number of the cgroup that process @pid (a name in the directory @proc) is in; 0 = not known.
 * @root: what cgroups_open returned. */
uint64_t cgroups_of_process(int root, int proc, const char *pid);
/* Calls @found for each, its path without that of the mount ("/" is the root). 0 or -errno; what
 * goes away during the walk is skipped. */
int cgroups_walk(void (*found)(void *ctx, uint64_t id, const char *path), void *ctx);

#endif /* SONDE_RECORD_CGROUPS_H */
