/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * serve_ingest: takes in what LTTng's daemons, or our recorders, stream to a relay: what of `sonde serve` is about
 * that. It lives in the relay's event loop, where live sessions are shown as they come.
 */
#ifndef SONDE_CLI_SERVE_INGEST_H
#define SONDE_CLI_SERVE_INGEST_H

#include <stdbool.h>

#include "cli/permissions.h"
#include "live/ingest/ingest.h"

struct diag;
struct inherited;
struct relay;
struct rights;
struct verb_spec;

struct serve_ingest_request {
	const char *
		ports[INGEST_PORTS]; /* where peers connect, as --live has it; NULL = the default */
	const char *output; /* where it is stored; NULL: nothing is taken in */
	unsigned int connections; /* 0 = the usual, and so the next */
	unsigned int sessions;
	enum relay_log_level
		log; /* of what clients do; serve_live has that of viewers from here, too */
	uint64_t quota; /* bytes */
	bool insecure;
	bool group_by_session; /* as struct ingest_config has these */
	bool disallow_clear;
	struct ingest_keep_alive keep_alive;
	struct permissions permissions;
};

#define SERVE_INGEST_VERBOSE_TEXT \
	"report clients and sessions; twice: also streams and chunks; three times: also packets"

/* -v, up to three times. */
void serve_ingest_say_more(struct serve_ingest_request *request);
/* Something was said of it. */
bool serve_ingest_is_asked(const struct serve_ingest_request *request);
/* *@ret stays NULL where nothing is to be taken in. Takes those of @inherited that are for it,
 * borrows @rights. 0, or -errno with the diag,
 * -EACCES as relay_listen. */
int serve_ingest_open(const struct serve_ingest_request *request, const struct verb_spec *spec,
		      struct relay *relay, const struct rights *rights, struct inherited *inherited,
		      struct ingest **ret, struct diag *diag);
/* Listens, and says so. @ingest NULL is fine. 0, or -errno with the diag. */
int serve_ingest_start(const struct serve_ingest_request *request, const struct relay *relay,
		       struct ingest *ingest, struct diag *diag);

#endif /* SONDE_CLI_SERVE_INGEST_H */
