/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * glob: whether a text has the form of a pattern, as a shell's: `*` any text, `?` any byte, `[a-z]`
 * and `[!a-z]` one of some, `\` takes the next byte literally.
 *
 * Unlike fnmatch it takes texts without a NUL behind them, knows no locale, and is never worse than
 * the product of both lengths: patterns and texts may be anybody's.
 */
#ifndef SONDE_BASE_GLOB_H
#define SONDE_BASE_GLOB_H

#include <stdbool.h>
#include <stddef.h>

/*
 * How people name measurements and events: a glob over names ("tcp.*"), or a group, which
 * is all names that go on behind it with a dot or a colon: "tcp" has "tcp.ack", and "kernel:sched"
 * has "kernel:sched:sched_switch".
 */

bool pattern_matches(const char *pattern, const char *name);

bool glob_match(const char *pattern, size_t pattern_len, const char *text, size_t len);

#endif /* SONDE_BASE_GLOB_H */
