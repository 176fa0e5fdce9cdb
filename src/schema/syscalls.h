/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * syscalls: names of system calls, as the recording host had them.
 *
 * Numbers mean something only together with an architecture, so the recorder writes its tables
 * into the trace's environment ("syscalls" and "syscalls_compat", each "0 read,1 write,...") and
 * readers use those, never their own host's.
 */
#ifndef SONDE_SCHEMA_SYSCALLS_H
#define SONDE_SCHEMA_SYSCALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct syscalls;

/* Parses the two texts (NULL = none). NULL: no memory. Entries that do not parse are skipped. */
struct syscalls *syscalls_new(const char *native, const char *compat);
void syscalls_free(struct syscalls *calls);

/* Borrowed; NULL where the table has no such number. */
const char *syscalls_name(const struct syscalls *calls, bool compat, int64_t number);
/* The number of @name, or -1. */
int syscalls_number(const struct syscalls *calls, bool compat, const char *name);

/* This host's tables in the form above, made at build time from the kernel's headers. */
extern const char syscalls_native_text[];
extern const char syscalls_compat_text[];

#endif /* SONDE_SCHEMA_SYSCALLS_H */
