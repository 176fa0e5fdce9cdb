/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * filter: what the kernel half must record, as constants written before loading.
 */
#ifndef SONDE_WIRE_FILTER_H
#define SONDE_WIRE_FILTER_H

#include <linux/types.h>

#define FILTER_MAX 8 /* values of each kind */
#define FILTER_SYSCALLS 512 /* numbers that --syscall can name */
#define FILTER_PID_WORDS 65536u /* 2^22 tgids, a bit each */

struct filter_config {
	__u32 self; /* tgid of the recorder: never recorded */
	__u8 tasks; /* any of by_pid, comm, uid, cgroup, netns is set */
	__u8 by_pid; /* the map filter_pids says which */
	__u8 follow; /* children of wanted tasks join them */
	__u8 by_syscall;
	__u8 comm_count;
	__u8 uid_count;
	__u8 cgroup_count;
	__u8 netns_count;
	__u8 port_count;
	__u8 address_count;
	__u8 dev_count;
	__u8 pad[1];
	__u64 comm[FILTER_MAX][2]; /* the 16 bytes, masked */
	__u64 comm_mask[FILTER_MAX][2];
	__u64 cgroup_id[FILTER_MAX];
	__u32 cgroup_level[FILTER_MAX]; /* depth below the root of the hierarchy */
	__u32 uid[FILTER_MAX];
	__u32 netns[FILTER_MAX]; /* inode numbers */
	__u16 port[FILTER_MAX]; /* host order; local or remote */
	__u32 dev[FILTER_MAX]; /* major << 20 | minor; of the disk or of the partition */
	__u64 address[FILTER_MAX][2]; /* 16 bytes, IPv4 mapped, masked; local or remote */
	__u64 address_mask[FILTER_MAX][2];
	__u64 syscalls[2][FILTER_SYSCALLS / 64]; /* native, 32-bit */
};

#endif /* SONDE_WIRE_FILTER_H */
