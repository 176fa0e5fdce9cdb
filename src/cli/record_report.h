/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * record_report: what `sonde record` says on stderr: a progress line on a terminal, what the
 * budget turns off and on, and a summary.
 */
#ifndef SONDE_CLI_RECORD_REPORT_H
#define SONDE_CLI_RECORD_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/record_request.h"
#include "record/recording.h"

/*
 * What of the measurements that were asked for is not measured, or only in part, and why.
 * `sonde record` says so before it begins and in its summary, and by STATUS_PARTIAL.
 */

struct catalogue;
struct filter_config;

/* Those that run where the current task is another one, so that a filter by task misses events of its tasks: one
 * line each on stderr. How many. */
unsigned int record_coverage_blinded(const struct catalogue *cat, const bool *wanted,
				     const struct filter_config *filter, bool say);
/* Those that miss something here, since their best hook is not there, or a privilege: one line each on stderr.
 * Which hooks the kernel refuses is known once they are loaded. How many. */
unsigned int record_coverage_lesser(const struct catalogue *cat, const bool *wanted, bool say);
/* Those that cannot run here. How many. */
unsigned int record_coverage_unusable(const struct catalogue *cat, const bool *wanted);

struct triggers;
struct warden;

struct record_report {
	const struct record_request *req;
	const struct catalogue *catalogue;
	const struct triggers *triggers; /* NULL = none */
	struct warden *warden;
	bool alone; /* it was said that the warden has ended */
	bool terminal; /* stderr is one, and --quiet is not set */
	uint64_t records; /* at the last line, for rates */
	uint64_t bytes;
	uint64_t elapsed_ns;
	const bool *wanted; /* what was asked for, by class.index */
	enum writer_place place; /* where the trace is, at the last look */
	char where[4096]; /* then: its new name, or that of a file that is gone */
	bool push_lost; /* not all has come to the relay */
	bool *held; /* disabled by the budget, as last reported; NULL = none yet */
};

/* A loop_config.tick: @ctx is a struct record_report. */
void record_report_tick(void *ctx, const struct recording *rec, uint64_t elapsed_ns);
/* What the budget has turned off or on since the last call. */
void record_report_switches(struct record_report *report, const struct recording *rec);
/* Takes the progress line away. */
void record_report_clear(const struct record_report *report);

/* The summary: events recorded, losses and their causes, the cost, and what to do next. */
/* Looks whether the trace is still where it was made. @say: if not; the summary does so as well. */
void record_report_place(struct record_report *report, const struct recording *rec, bool say);
/* Whether something that was asked for was not measured, or not everywhere. */
bool record_report_is_partial(const struct record_report *report,
			      const struct recording_totals *totals);
void record_report_summary(const struct record_report *report, const struct recording *rec,
			   const struct recording_totals *totals, uint64_t elapsed_ns);
#endif /* SONDE_CLI_RECORD_REPORT_H */
