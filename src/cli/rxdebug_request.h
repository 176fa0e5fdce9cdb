/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rxdebug_request: the command line of `sonde rxdebug`.
 */
#ifndef SONDE_CLI_RXDEBUG_REQUEST_H
#define SONDE_CLI_RXDEBUG_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/options.h"
#include "cli/rx_target.h"
#include "cli/rxdebug_limits.h"
#include "rx/rx_survey.h"

extern const struct verb_spec rxdebug_modern_spec;

struct rxdebug_request {
	struct rx_targets targets;
	struct rx_survey_config survey;
	bool json;
	bool check;
	bool inventory;
	const char *prometheus; /* where to listen; NULL = nowhere */
	const char *token; /* file: required of clients that ask for metrics; NULL = none */
	bool insecure; /* metrics are for every host that reaches them */
	bool nagios; /* the exit status of a check is Nagios's */
	struct rxdebug_limits limits; /* of a check */
	uint64_t period_ns; /* 0 = once; of a check: between two looks */
	uint64_t rounds; /* of watching; 0 = until it is interrupted */
};

/* 0; what options_next has at the end; -EINVAL and others with the diag. rxdebug_request_fini either way. */
int rxdebug_request_parse(int argc, char **argv, struct rxdebug_request *request,
			  struct diag *diag);
void rxdebug_request_fini(struct rxdebug_request *request);

#endif /* SONDE_CLI_RXDEBUG_REQUEST_H */
