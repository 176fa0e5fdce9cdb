/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * inet_diag: asks the kernel for all TCP connections of a network namespace, as `ss` does: by
 * netlink, which takes no privilege.
 */
#ifndef SONDE_PROBE_INET_DIAG_H
#define SONDE_PROBE_INET_DIAG_H

#include <stdbool.h>
#include <stddef.h>

struct inet_socket;

#define INET_DIAG_NAME "inet_diag" /* as hooks have it */

/* Anything but 0 ends the dump, which returns it. @socket is borrowed for the call. */
typedef int (*inet_visitor)(void *ctx, const struct inet_socket *socket);

/* An answerer for the namespace of the calling thread, whichever thread asks it later. The caller closes it. */
int inet_diag_open(int *ret_fd);
/* Visits each connection over IPv4, then over IPv6; no listeners. @interrupted: some of them may be
 * missing, or double, because the kernel's table changed during the dump. -errno: the rest is missing. */
int inet_diag_dump(int fd, inet_visitor visit, void *ctx, bool *interrupted);

/* How much of struct tcp_info this kernel sends. */
size_t inet_diag_info_bytes(void);
/* 0 where the kernel answers, else -errno and a sentence why not. */
int inet_diag_check(char *reason, size_t room);

#endif /* SONDE_PROBE_INET_DIAG_H */
