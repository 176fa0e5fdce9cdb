/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * record_request: what the command line of `sonde record` asks for.
 */
#ifndef SONDE_CLI_RECORD_REQUEST_H
#define SONDE_CLI_RECORD_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/verb.h"
#include "record/control_dir.h"
#include "record/filter.h"

#define RECORD_PATTERN_MAX 64

struct record_request {
	const char *patterns[RECORD_PATTERN_MAX];
	int pattern_count;
	bool by_default; /* nobody has named a pattern */
	char path[4096];
	char name[RECORDER_NAME_BYTES]; /* for `sonde status` and the like */
	uint64_t duration_ns;
	uint64_t period_ns; /* of tcp.poll */
	uint64_t buffer_bytes;
	bool overwrite;
	bool detail;
	uint32_t sample_hz;
	bool dry_run;
	bool quiet;
	bool everybody; /* not only the command */
	struct filter filter;
	char **command; /* NULL = none */
};

extern const struct verb_spec record_spec;

/* -1 = go on; else the exit status. @opts must outlive @req. */
int record_request_parse(struct options *opts, struct record_request *req);

#endif /* SONDE_CLI_RECORD_REQUEST_H */
