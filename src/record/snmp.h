/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * snmp: the kernel's counters of its protocols, of the network namespace of the calling thread
 * (/proc/net/snmp).
 */
#ifndef SONDE_RECORD_SNMP_H
#define SONDE_RECORD_SNMP_H

#include <stddef.h>
#include <stdint.h>

/* Those of @protocol ("Tcp") that are called @names, @count of them; those that the kernel
 * lacks are 0. -errno: none could be read. */
int snmp_get(const char *protocol, const char *const *names, size_t count, uint64_t *ret);

#endif /* SONDE_RECORD_SNMP_H */
