/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * merged: several SOURCEs as one, in the order of time. Each keeps its clock's offset to the epoch,
 * its streams and its event classes, equal names or not.
 */
#ifndef SONDE_SOURCE_MERGED_H
#define SONDE_SOURCE_MERGED_H

struct diag;
struct event_source;

/* The caller closes *@ret by its ops. Errors as source_open, with the name in the diag. */
int merged_open(char *const *names, int count, struct event_source **ret, struct diag *diag);

#endif /* SONDE_SOURCE_MERGED_H */
