/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sockstat: the kernel's own count of sockets, of the network namespace of the calling thread
 * (/proc/net/sockstat).
 */
#ifndef SONDE_RECORD_SOCKSTAT_H
#define SONDE_RECORD_SOCKSTAT_H

#include <stdint.h>

/* The number behind @what ("inuse", "mem") in the line of @protocol ("TCP", "TCP6"). -ENODATA: there
 * is none; or -errno. */
int sockstat_get(const char *protocol, const char *what, uint64_t *ret);

#endif /* SONDE_RECORD_SOCKSTAT_H */
