/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * privileges: what the thread of a recorder gives up once everything is attached. It keeps what measurements
 * take that are enabled later; docs/decisions.md says for what.
 */
#ifndef SONDE_RECORD_PRIVILEGES_H
#define SONDE_RECORD_PRIVILEGES_H

#include <stdbool.h>

/* Of the calling thread, and of those that it makes later. @command: it keeps the right to end one of
 * another user. 0 or -errno. */
int privileges_drop(bool command);

#endif /* SONDE_RECORD_PRIVILEGES_H */
