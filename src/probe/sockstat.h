/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sockstat: the kernel's own count of sockets, of the network namespace of the calling thread
 * (/proc/net/sockstat).
 */
#ifndef SONDE_PROBE_SOCKSTAT_H
#define SONDE_PROBE_SOCKSTAT_H

#include <stdbool.h>
#include <stdint.h>

/* The number behind @what ("inuse", "mem") in the line of @protocol ("TCP", "TCP6"). -ENODATA: not
 * found; or -errno. */
int sockstat_get(const char *protocol, const char *what, uint64_t *ret);
/* Whether there are TCP sockets at all, or it cannot be found out. */
bool sockstat_has_tcp(void);

#endif /* SONDE_PROBE_SOCKSTAT_H */
