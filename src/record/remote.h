/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * remote: what clients may ask of a running recorder, and what it answers: sonde-control(7). One
 * line of words asks, one JSON object answers.
 */
#ifndef SONDE_RECORD_REMOTE_H
#define SONDE_RECORD_REMOTE_H

#include <stdbool.h>

struct buffer;
struct catalogue;
struct control;
struct diag;
struct recording;
struct recording_totals;
struct remote;
struct triggers;

/* Borrowed until remote_close. */
struct remote_config {
	const char *name;
	const char *path; /* of the trace; NULL = it is only pushed */
	const char *push; /* where to */
	bool overwrite;
	struct recording *rec;
	struct catalogue *catalogue; /* grows by what is enabled (probe/tracepoints.h) */
	const struct triggers *triggers; /* NULL = none */
};

/* Listens. -errno with the diag: the recorder cannot be reached, and can record all the same. */
int remote_open(const struct remote_config *config, struct remote **ret, struct diag *diag);
/* For the loop; NULL of NULL. */
struct control *remote_control(const struct remote *remote);
/* The recording has ended: no new client is accepted. Before the recording is closed. */
void remote_end(struct remote *remote, const struct recording_totals *totals, bool partial,
		const char *error);
/* Replies to the clients that asked for the end. NULL is fine. */
void remote_close(struct remote *remote);

#endif /* SONDE_RECORD_REMOTE_H */
