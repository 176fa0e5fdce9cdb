/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * netns: what the kernel half tells the loader of network namespaces (probe/netns.bpf.h).
 */
#ifndef SONDE_WIRE_NETNS_H
#define SONDE_WIRE_NETNS_H

#include <linux/types.h>

/* Counts of what may have to do with a namespace: whoever sees one grow looks around. */
struct netns_changes {
	__u64 made; /* notices of devices that come, move and go: a new namespace has some */
	__u64 gone; /* tasks that have ended: a namespace may have ended with them */
};

/* One for each netfilter link that there is. */
struct netns_held {
	__u32 inode;
	__u32 holders; /* of its namespace: all that keeps it alive, links included */
};

#endif /* SONDE_WIRE_NETNS_H */
