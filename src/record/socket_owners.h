/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * socket_owners: which sockets the wanted processes have open, found in /proc: for when no program
 * in the kernel sees their users. It does not find sockets of processes whose descriptors this user may not list.
 */
#ifndef SONDE_RECORD_SOCKET_OWNERS_H
#define SONDE_RECORD_SOCKET_OWNERS_H

#include <stdint.h>

struct filter_config;
struct map;
struct warden;

/* An entry of @inodes for each socket: keys of 4 bytes. @pids: a bit for each process, where
 * filter->by_pid. A process has the name of its first thread. 0 or -errno. */
int socket_owners_find(struct warden *warden, const struct filter_config *filter,
		       const uint64_t *pids, struct map *inodes);
/* Children of wanted processes become wanted, and what has ended is no longer. One whose parent has
 * ended between two calls is missed. 0 or -errno. */
int socket_owners_follow(uint64_t *pids);

#endif /* SONDE_RECORD_SOCKET_OWNERS_H */
