/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * privileges: what the thread of a recorder gives up once everything is attached. It keeps what loading and
 * attaching take that is enabled later; the rest its warden has (probe/warden.h). docs/decisions.md says for what.
 */
#ifndef SONDE_RECORD_PRIVILEGES_H
#define SONDE_RECORD_PRIVILEGES_H

#include <stdbool.h>

/* Of the calling thread, and of those that it makes later. @path: the trace, NULL = none; files are written there
 * and beside the control sockets. @command: it may send signals, to end one. 0 or -errno. */
int privileges_drop(const char *path, bool command);

#endif /* SONDE_RECORD_PRIVILEGES_H */
