/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * warden: what a recorder and its privileged process send each other over a pair of sockets, one datagram
 * for a request and one for its reply. Both are the same program, so the byte order is the machine's.
 */
#ifndef SONDE_WIRE_WARDEN_H
#define SONDE_WIRE_WARDEN_H

#include <assert.h>
#include <stdint.h>

/* The whole list. The reply to most of them carries a file descriptor. */
enum warden_kind {
	WARDEN_RUN_STATS = 1, /* the kernel times BPF programs while it is open */
	WARDEN_MAPS, /* /proc/PID/maps */
	WARDEN_MAPPED_FILE, /* what a process has mapped to execute, read-only */
	WARDEN_SOCKETS, /* of a process: a file of uint32_t inodes */
	WARDEN_NETNS_LIST, /* all network namespaces: a file of struct warden_netns */
	WARDEN_NETNS_DIAG, /* a socket for sock_diag in a namespace of the last list */
	WARDEN_NETNS_ITER, /* given a link: its iterator there */
	WARDEN_NETNS_HOOK, /* given a program: a netfilter link there */
	WARDEN_KALLSYMS, /* the kernel's symbols with their addresses, /proc/kallsyms */
	WARDEN_END_COMMAND, /* a signal to the recorder's COMMAND; no file */
	WARDEN_KIND_END
};

/* Fields that a kind does not use are 0. */
struct warden_request {
	uint32_t kind; /* enum warden_kind */
	uint32_t pid; /* MAPS, MAPPED_FILE, SOCKETS */
	uint32_t netns; /* NETNS_DIAG, _ITER, _HOOK: its inode */
	uint32_t family; /* NETNS_HOOK: NFPROTO_IPV4 or NFPROTO_IPV6 */
	uint32_t hook; /* NETNS_HOOK: NF_INET_* */
	uint32_t last; /* NETNS_HOOK: 1 = behind the others at this hook */
	uint32_t signal; /* END_COMMAND: SIGTERM or SIGKILL */
	uint32_t reserved;
	uint64_t start; /* MAPPED_FILE: the mapping */
	uint64_t end;
};
_Static_assert(sizeof(struct warden_request) == 48, "no padding");

struct warden_reply {
	uint32_t kind; /* of the request */
	int32_t err; /* 0 or -errno */
};
_Static_assert(sizeof(struct warden_reply) == 8, "no padding");

struct warden_netns {
	uint32_t inode;
	int32_t err; /* why it cannot be opened; 0 = it can */
};
_Static_assert(sizeof(struct warden_netns) == 8, "no padding");

#define WARDEN_PID_END (1u << 22) /* include/linux/threads.h: PID_MAX_LIMIT */
#define WARDEN_PAGE 4096u /* all page sizes are multiples of it */

#endif /* SONDE_WIRE_WARDEN_H */
