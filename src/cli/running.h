/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * running: which measurements the running recorders of this user have on, for `sonde list`. Recorders that do
 * not answer soon are skipped, and so are all if the sockets cannot be listed.
 */
#ifndef SONDE_CLI_RUNNING_H
#define SONDE_CLI_RUNNING_H

#include <stddef.h>

struct recorder;
struct running;

/* Asks them all. NULL: no recorder runs, or no memory. */
struct running *running_new(void);
/* NULL is fine. */
void running_free(struct running *running);
/* Recorder @n of those that have the measurement called @name on, or NULL. @running may be NULL. */
const struct recorder *running_recorder(const struct running *running, const char *name, size_t n);

#endif /* SONDE_CLI_RUNNING_H */
