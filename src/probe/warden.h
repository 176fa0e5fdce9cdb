/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * warden: the small process that keeps what a recorder drops: CAP_SYS_ADMIN, CAP_SYS_PTRACE and the like. The
 * recorder asks it for a file descriptor, by one of a fixed list of requests (wire/warden.h), and uses that
 * without privilege.
 *
 * It is forked while the recorder has one thread, and ends with it. If it ends first, every request fails
 * with -EPIPE, and the recorder continues without it. Any thread of the recorder may ask.
 */
#ifndef SONDE_PROBE_WARDEN_H
#define SONDE_PROBE_WARDEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct warden;

struct warden_config {
	int command_fd; /* a pidfd that warden_end_command goes to; -1 = none */
	void (*begin)(void); /* called first in the new process; NULL = nothing */
};

/* Forks. 0 or -errno. */
int warden_open(const struct warden_config *config, struct warden **ret);
/* Without a process: the caller's privileges do the work. For tests. */
int warden_open_here(struct warden **ret);
/* Ends the process, and waits for that. NULL is fine. */
void warden_close(struct warden *warden);

/* Whether the process has ended without a request. */
bool warden_has_ended(struct warden *warden);
/* The same as a reason of what failed since; "" = it has not. */
const char *warden_why(struct warden *warden);

/* Those that open return 0 and *@ret, which the caller closes, or -errno. */
int warden_run_stats(struct warden *warden, int *ret);
int warden_maps(struct warden *warden, uint32_t pid, int *ret);
/* The file of a mapping with code. */
int warden_mapped_file(struct warden *warden, uint32_t pid, uint64_t start, uint64_t end, int *ret);
/* /proc/kallsyms: kernel_symbols_load, kallsyms_find_in. */
int warden_kallsyms(struct warden *warden, int *ret);
/* Calls @visit with the inode of each socket of a process; anything but 0 ends it, and is returned. */
int warden_sockets(struct warden *warden, uint32_t pid, int (*visit)(void *ctx, uint32_t inode),
		   void *ctx);

/*
 * Visits each network namespace once, the recorder's own first; with a @count, those in @wanted. @err: why it
 * cannot be entered. 0, -errno, or what ended the walk. Without the process only the own one is visited, and
 * -EPIPE comes back.
 */
typedef int (*warden_netns_visitor)(void *ctx, uint32_t inode, int err);
int warden_netns_walk(struct warden *warden, const uint32_t *wanted, size_t count,
		      warden_netns_visitor visit, void *ctx);

/* In a namespace that a walk has visited; -ENOENT: it has gone. */
/* A socket for sock_diag; *@ret is -1 if it has no TCP sockets. */
int warden_netns_diag(struct warden *warden, uint32_t netns, int *ret);
/* The iterator of a BPF link; the same. */
int warden_netns_iter(struct warden *warden, uint32_t netns, int link_fd, int *ret);

struct warden_hook {
	int prog_fd;
	uint32_t family; /* NFPROTO_IPV4, NFPROTO_IPV6 */
	uint32_t hook; /* NF_INET_* */
	bool last; /* behind the others at this hook */
};

/* The link of a program on a netfilter hook. */
int warden_netns_hook(struct warden *warden, uint32_t netns, const struct warden_hook *hook,
		      int *ret);

/* SIGTERM or SIGKILL to the recorder's COMMAND. */
int warden_end_command(struct warden *warden, int number);

#endif /* SONDE_PROBE_WARDEN_H */
