/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * choice: which measurements a pattern means; those of the kernel's own tracepoints come into the
 * catalogue as they are named. A pattern may also mean single system calls (sys.openat): then sys.enter is
 * marked, and records these only.
 */
#ifndef SONDE_PROBE_CHOICE_H
#define SONDE_PROBE_CHOICE_H

#include <stdbool.h>

struct catalogue;
struct diag;

/* Marks what @pattern means, by class.index, in @wanted of cat->room entries. 0, or -errno with the
 * diag: -ENOENT where it means nothing. */
int choice_mark(struct catalogue *cat, const char *pattern, bool *wanted, struct diag *diag);
/* The same while it records: -EINVAL where @pattern means single system calls. */
int choice_mark_running(struct catalogue *cat, const char *pattern, bool *wanted,
			struct diag *diag);
/* The same of those that are in the catalogue already. */
int choice_mark_known(const struct catalogue *cat, const char *pattern, bool *wanted,
		      struct diag *diag);

#endif /* SONDE_PROBE_CHOICE_H */
