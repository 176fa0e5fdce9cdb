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
#include "rx/rx_survey.h"

/* Of which numbers of an Rx endpoint `sonde rxdebug --check` warns, and from where on. */

struct diag;

enum rxdebug_measure {
	RXDEBUG_WAITING, /* calls, for a thread */
	RXDEBUG_IDLE, /* threads */
	RXDEBUG_ANSWER, /* ms until it came */
	RXDEBUG_FREE, /* % of its packet buffers */
	RXDEBUG_RESENT, /* % of its data packets */
	RXDEBUG_BUSIES, /* calls rejected as busy */
	RXDEBUG_BLOCKED, /* calls */
	RXDEBUG_HELD, /* of these, by clients that do not answer */
	RXDEBUG_ERRORS, /* connections */
	RXDEBUG_EXPIRED, /* connections, their tickets */
	RXDEBUG_MEASURE_COUNT,
};

/* What it is to people, and to monitors. */
struct rxdebug_measure_form {
	const char *name; /* "waiting" */
	const char *unit; /* as Nagios has it */
	bool low; /* little of it is what is bad */
	int decimals;
	const char *before; /* "%s%.*f%s" is a sentence of it, behind the server's name */
	const char *behind;
};

extern const struct rxdebug_measure_form rxdebug_measure_forms[RXDEBUG_MEASURE_COUNT];

/* NAN: never. */
struct rxdebug_limits {
	double warning[RXDEBUG_MEASURE_COUNT];
	double critical[RXDEBUG_MEASURE_COUNT];
};

/* None but those of calls that wait. */
void rxdebug_limits_init(struct rxdebug_limits *limits);
/* "NAME=VALUE,..."; a number alone is of calls that wait. @option: its name, for the diag of -EINVAL. */
int rxdebug_limits_parse(const char *option, const char *text, double values[RXDEBUG_MEASURE_COUNT],
			 struct diag *diag);
/* -EINVAL: something is critical before it is a warning. */
int rxdebug_limits_check(const struct rxdebug_limits *limits, struct diag *diag);
bool rxdebug_limits_has(const struct rxdebug_limits *limits, enum rxdebug_measure measure);
/* Whether @value is beyond @limit; never beyond NAN. */
bool rxdebug_limits_is_beyond(enum rxdebug_measure measure, double value, double limit);

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
