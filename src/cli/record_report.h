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

struct catalogue;
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
