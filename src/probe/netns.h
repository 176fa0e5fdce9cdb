/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * netns: the network namespaces of this machine, and how to do something inside one of them.
 *
 * A namespace is known by its inode number, as `ls -l /proc/PID/ns` shows it. Nothing here keeps one
 * open after a call: a namespace that is held open does not go away.
 */
#ifndef SONDE_PROBE_NETNS_H
#define SONDE_PROBE_NETNS_H

#include <stddef.h>
#include <stdint.h>

#define NETNS_MAX 65536 /* that one walk visits */

struct netns {
	uint32_t inode;
	const char *path; /* where it was found, for netns_open: the walk's, for the visit */
	int fd; /* of setns(2): the walk's, for the visit; -errno: it is there and cannot be opened */
};

/* Anything but 0 ends the walk. */
typedef int (*netns_visitor)(void *ctx, const struct netns *ns);

/*
 * Visits each namespace once: that of the calling thread first, then those that processes are in
 * (their first threads) and those that are mounted (`ip netns`). Namespaces that the caller may not see are not
 * among them, nor those that go away during the walk. With a @count, only those whose inode is in @wanted.
 * 0, -errno, or what a visitor has ended the walk with.
 */
int netns_walk(const uint32_t *wanted, size_t count, netns_visitor visit, void *ctx);

/* Opens what a walk has found at @path: an fd, or -errno; -ENOENT where @inode is there no more. */
int netns_open(const char *path, uint32_t inode);

/* The calling thread's; 0 where /proc does not tell. */
uint32_t netns_current(void);

/* Moves the calling thread, which should be one that does nothing else. -EPERM: it takes
 * CAP_SYS_ADMIN, here and there. */
int netns_enter(const struct netns *ns);
/* Runs @job inside @ns, in a thread of its own unless the caller is there, and returns what it
 * returns; -errno where that cannot be. */
int netns_call(const struct netns *ns, int (*job)(void *ctx), void *ctx);

#endif /* SONDE_PROBE_NETNS_H */
