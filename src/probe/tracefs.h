/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tracefs: which tracepoints the kernel has, and how it describes each. For root alone unless it
 * was mounted otherwise; mounted by most distributions, at one of two places.
 */
#ifndef SONDE_PROBE_TRACEFS_H
#define SONDE_PROBE_TRACEFS_H

#include <stddef.h>

struct diag;
struct tracefs;

/* -ENODEV not mounted, -EACCES not for us, -ENOMEM: the diag says what would help. */
int tracefs_open(struct tracefs **ret, struct diag *diag);
/* The same of what is mounted at @place; -errno, as reading there fails. */
int tracefs_open_at(const char *place, struct tracefs **ret);
void tracefs_close(struct tracefs *fs);

size_t tracefs_count(const struct tracefs *fs);
/* Both names of the @i-th tracepoint, borrowed. In the kernel's order: groups stay together. */
void tracefs_name(const struct tracefs *fs, size_t i, const char **group, const char **event);
/* What the kernel says of it; the caller frees *@ret. -errno: a module may have gone. */
int tracefs_format(const struct tracefs *fs, size_t i, char **ret);

/* How many tracepoints there are on this host, or -errno as tracefs_open. */
int tracefs_look(struct diag *diag);

#endif /* SONDE_PROBE_TRACEFS_H */
