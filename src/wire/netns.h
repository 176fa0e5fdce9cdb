/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * netns: the kernel half's notices to the loader about network namespaces (probe/netns.bpf.h).
 */
#ifndef SONDE_WIRE_NETNS_H
#define SONDE_WIRE_NETNS_H

#include <linux/types.h>

/* Counts of events that may concern a namespace: if one grows, the loader looks for changes. */
struct netns_changes {
	__u64 made; /* notices of devices that come, move and go: a new namespace has some */
	__u64 gone; /* tasks that have ended: a namespace may have ended with them */
};

/* One for each netfilter link. */
struct netns_held {
	__u32 inode;
	__u32 holders; /* of its namespace: all that keeps it alive, links included */
};

#endif /* SONDE_WIRE_NETNS_H */
