/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * process_sockets: which sockets a process has open. Other users' processes take CAP_SYS_PTRACE: the warden
 * calls it.
 */
#ifndef SONDE_PROBE_PROCESS_SOCKETS_H
#define SONDE_PROBE_PROCESS_SOCKETS_H

#include <stdint.h>

/* Calls @visit with each socket's inode; anything but 0 ends it. 0, -errno where the process has gone or may
 * not be looked at, or what @visit returned. */
int process_sockets_find(uint32_t pid, int (*visit)(void *ctx, uint32_t inode), void *ctx);

#endif /* SONDE_PROBE_PROCESS_SOCKETS_H */
