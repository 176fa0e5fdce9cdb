/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * folder: a directory that is not a trace but has some below it, as one SOURCE: a session of LTTng, with its
 * domains, users and chunks, or what `sonde serve -o` has stored.
 */
#ifndef SONDE_SOURCE_FOLDER_H
#define SONDE_SOURCE_FOLDER_H

#include <stdbool.h>

struct diag;
struct event_source;

/* A directory without metadata. */
bool folder_is(const char *name);
/* All traces below it in the order of time; if it is one alone, that trace. -EBADMSG: none found. */
int folder_open(const char *name, struct event_source **ret, struct diag *diag);
/* -ENOTSUP: there are several. */
int folder_follow(const char *name, struct event_source **ret, struct diag *diag);

#endif /* SONDE_SOURCE_FOLDER_H */
