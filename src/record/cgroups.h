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
