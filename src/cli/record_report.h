/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * record_report: what `sonde record` says on stderr: a progress line on a terminal, and a summary.
 */
#ifndef SONDE_CLI_RECORD_REPORT_H
#define SONDE_CLI_RECORD_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/record_request.h"
#include "record/recording.h"

struct record_report {
	bool terminal; /* stderr is one, and nobody asked for quiet */
	uint64_t records; /* at the last line, for rates */
	uint64_t bytes;
	uint64_t elapsed_ns;
};

/* A loop_config.tick: @ctx is a struct record_report. */
void record_report_tick(void *ctx, const struct recording *rec, uint64_t elapsed_ns);
/* Takes the progress line away. */
void record_report_clear(const struct record_report *report);

/* What was recorded, what was lost and why, and what to do next. */
void record_report_summary(const struct recording *rec, const struct recording_totals *totals,
			   uint64_t elapsed_ns, const struct record_request *req);

#endif /* SONDE_CLI_RECORD_REPORT_H */
