/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kallsyms: addresses of the kernel's symbols, where it shows them.
 */
#ifndef SONDE_PROBE_KALLSYMS_H
#define SONDE_PROBE_KALLSYMS_H

#include <stdbool.h>
#include <stdint.h>

/* Whether the kernel shows addresses to this process. Reads a few lines. */
bool kallsyms_shown(void);

/* The address of @name, or 0 where it is not there or hidden (kernel.kptr_restrict). Reads
 * through /proc/kallsyms: tens of milliseconds. */
uint64_t kallsyms_find(const char *name);
/* The same in that file as @fd has it open, from where it stands. Takes over @fd; -1 = it is hidden. */
uint64_t kallsyms_find_in(int fd, const char *name);

#endif /* SONDE_PROBE_KALLSYMS_H */
