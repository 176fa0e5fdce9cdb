/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pattern: how people name measurements and events: a glob over names ("tcp.*"), or a group, which
 * is all names that go on behind it with a dot or a colon: "tcp" has "tcp.ack", and "kernel:sched"
 * has "kernel:sched:sched_switch".
 */
#ifndef SONDE_SCHEMA_PATTERN_H
#define SONDE_SCHEMA_PATTERN_H

#include <stdbool.h>

bool pattern_matches(const char *pattern, const char *name);

#endif /* SONDE_SCHEMA_PATTERN_H */
