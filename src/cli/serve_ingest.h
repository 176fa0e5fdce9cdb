/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * serve_ingest: takes in what LTTng's daemons, or our recorders, stream to a relay: what of `sonde serve` is about
 * that. It lives in the relay's event loop, where live sessions are shown as they come.
 */
#ifndef SONDE_CLI_SERVE_INGEST_H
#define SONDE_CLI_SERVE_INGEST_H

#include <stdbool.h>

struct diag;
struct ingest;
struct relay;
struct verb_spec;

/* Borrowed; NULL = the default. */
struct serve_ingest_request {
	const char *control; /* where daemons connect, as --live has it */
	const char *data;
	const char *output; /* where it is stored; NULL: nothing is taken in */
};

/* *@ret stays NULL where nothing is to be taken in. 0, or -errno with the diag, -EACCES as relay_listen. */
int serve_ingest_open(const struct serve_ingest_request *request, const struct verb_spec *spec,
		      struct relay *relay, bool insecure, struct ingest **ret, struct diag *diag);

#endif /* SONDE_CLI_SERVE_INGEST_H */
