/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * serve_live: publishes trace directories, and what is streamed to it, to live viewers, until it is interrupted.
 */
#ifndef SONDE_CLI_SERVE_LIVE_H
#define SONDE_CLI_SERVE_LIVE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "cli/rights_options.h"
#include "cli/serve_ingest.h"

struct diag;
struct verb_spec;

#define SERVE_LIVE_ADDRESSES 16

/* What of the command line is about it. Borrows what it is given. */
struct serve_live_request {
	const char *addresses[SERVE_LIVE_ADDRESSES]; /* none: the default */
	unsigned int address_count;
	const char *name; /* for sonde status; NULL = the usual, and so 0 for the next */
	unsigned int connections;
	uint64_t patience_ns;
	struct rights_request rights;
	void (*ready)(void *ctx); /* it listens, and will serve next; may be NULL */
	void *ctx;
	const char *health; /* path of LTTng's health check socket; NULL = none */
	gid_t health_group; /* may use it, with health_shared */
	bool health_shared;
	bool health_needed; /* without it, it does not serve */
	bool replay; /* traces that grow are shown from their beginning */
	struct serve_ingest_request ingest;
	char **dirs;
	int dir_count;
};

/* Each -EINVAL with the diag. */
int serve_live_parse_address(const char *text, struct serve_live_request *request,
			     struct diag *diag);
int serve_live_parse_name(const char *text, struct serve_live_request *request, struct diag *diag);
int serve_live_parse_connections(const char *text, struct serve_live_request *request,
				 struct diag *diag);
int serve_live_parse_quota(const char *text, struct serve_live_request *request, struct diag *diag);
int serve_live_parse_sessions(const char *text, struct serve_live_request *request,
			      struct diag *diag);
int serve_live_parse_patience(const char *text, struct serve_live_request *request,
			      struct diag *diag);

/* An enum exit_status. */
int serve_live(const struct verb_spec *spec, const struct serve_live_request *request);

#endif /* SONDE_CLI_SERVE_LIVE_H */
