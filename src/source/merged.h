/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * merged: several SOURCEs as one, in the order of time. Each keeps its clock's offset to the epoch,
 * its streams and its event classes, equal names or not.
 *
 * One that is live holds up the others as far as something earlier may still come from it; when it has ended, or its
 * connection is lost, it does not. Its events after a loss may be earlier than those that the
 * others gave before.
 */
#ifndef SONDE_SOURCE_MERGED_H
#define SONDE_SOURCE_MERGED_H

struct diag;
struct event_source;

/* How each is opened, by its name; `ctx` is borrowed until the whole is closed. Errors as source_open. */
struct merged_opener {
	int (*open)(void *ctx, const char *name, struct event_source **ret, struct diag *diag);
	void *ctx;
};

/* The caller closes *@ret by its ops; it can be renewed if one of the sources can. Errors as those of the opener. */
int merged_open(char *const *names, int count, const struct merged_opener *opener,
		struct event_source **ret, struct diag *diag);

#endif /* SONDE_SOURCE_MERGED_H */
