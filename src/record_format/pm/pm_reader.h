/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pm_reader: a .pm file as a source of events, all of class pm.snapshot, in place where the byte
 * order allows. Where sequence numbers leave some out, an event says how many (schema/lost.h).
 */
#ifndef SONDE_RECORD_FORMAT_PM_PM_READER_H
#define SONDE_RECORD_FORMAT_PM_PM_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct diag;
struct event_source;
struct file_window;

/* In the environment: the bytes of the head, in hexadecimal digits. A trace that is made of the events
 * keeps it, so that the same file can be made of the trace. */
#define PM_ENV_HEAD "psc_head"

/*
 * The source owns @file from here on, even if this fails: -EBADMSG if entries cannot be
 * separated, the diag says why. Its info has the unchanged head of the file (trace_info.head). The caller
 * closes *@ret by its ops.
 */
int pm_reader_open(struct file_window *file, const char *name, struct event_source **ret,
		   struct diag *diag);

#endif /* SONDE_RECORD_FORMAT_PM_PM_READER_H */
