// SPDX-License-Identifier: BSD-2-Clause
#include "cli/reading_verdict.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/diag.h"
#include "cli/interrupt.h"
#include "cli/reading_options.h"
#include "cli/verb.h"
#include "schema/trace_end.h"

#define PROBLEMS_SHOWN 20u

static int fail_where(const struct reading *reading, int err, struct diag *diag)
{
	int status = err == -ENOENT ? STATUS_NO_MATCH : STATUS_USAGE;

	if (err == -ENOMEM)
		return verb_fail(reading->spec, STATUS_ERROR, diag);
	(void)diag_prefix(diag, err, "--where");
	return verb_fail_in(reading->spec, status, diag, reading->request.where);
}

static void tell_unmatched(const struct reading *reading)
{
	const char *text = reading->session ? read_session_unmatched(reading->session) : NULL;
	struct diag diag = {0};

	if (!text)
		return;
	(void)diag_set(&diag, 0, "%s", text);
	(void)verb_fail(reading->spec, STATUS_NO_MATCH, &diag);
}

int reading_verdict_open(const struct reading *reading, int err, enum read_fault fault,
			 struct diag *diag)
{
	int status = STATUS_ERROR;

	tell_unmatched(reading);
	if (!err)
		return STATUS_COMPLETE;
	switch (fault) {
	case READ_FAULT_WHERE:
		return fail_where(reading, err, diag);
	case READ_FAULT_EVENTS:
		(void)diag_prefix(diag, err, "%s", reading->request.name);
		status = err == -ENOENT ? STATUS_NO_MATCH : STATUS_ERROR;
		break;
	case READ_FAULT_FIELDS:
		(void)diag_prefix(diag, err, "%s: --fields", reading->request.name);
		status = STATUS_NO_MATCH;
		break;
	case READ_FAULT_SOURCE:
	case READ_FAULT_MEMORY:
		break;
	}
	return verb_fail(reading->spec, status, diag);
}

static const char *breach_of(const struct read_session *session, size_t i)
{
	const struct trace_info *info = read_session_info(session);

	return info ? trace_info_breach(info, i) : NULL;
}

static const char *missing_of(const struct read_session *session, size_t i)
{
	return trace_end_missing(read_session_info(session), i);
}

/* Sentence @i of one kind that a session has, or NULL. */
typedef const char *sentence_fn(const struct read_session *session, size_t i);

/* Whether one of the first @count threads has the same sentence. */
static bool is_told(const struct read_session *session, size_t count, sentence_fn *get,
		    const char *sentence)
{
	const char *told;

	for (size_t k = 0; k < count; k++)
		for (size_t i = 0; (told = get(read_session_thread(session, k), i)); i++)
			if (!strcmp(told, sentence))
				return true;
	return false;
}

static void print_problem(const struct reading *reading, const char *problem)
{
	struct diag diag = {0};

	(void)diag_set(&diag, 0, "%s: %s", reading->request.name, problem);
	(void)verb_fail(reading->spec, STATUS_ERROR, &diag);
}

void reading_verdict_tell_new(struct reading *reading)
{
	const char *problem;

	for (; (problem = read_session_problem(reading->session, reading->problems_told));
	     reading->problems_told++) {
		if (reading->problems_told < PROBLEMS_SHOWN)
			print_problem(reading, problem);
	}
}

/* What is not there of the trace, each once: the readings of several threads find the same. How much. */
static size_t print_missing(const struct reading *reading)
{
	const char *text;
	size_t count = 0;

	for (; (text = missing_of(reading->session, count)); count++)
		if (count < PROBLEMS_SHOWN)
			print_problem(reading, text);
	return count;
}

static void print_breach(const struct reading *reading, const char *breach)
{
	struct diag diag = {0};

	(void)diag_set(&diag, 0, "%s: %s: %s", reading->request.name,
		       reading->strict ? "against the standard" : "warning", breach);
	(void)verb_fail(reading->spec, STATUS_ERROR, &diag);
}

/* Where the sources break the standards of their formats, each once; how often. */
static size_t print_breaches(const struct reading *reading)
{
	const struct read_session *thread;
	const char *breach;
	size_t count = 0;
	char more[64];

	for (size_t k = 0; (thread = read_session_thread(reading->session, k)); k++) {
		for (size_t i = 0; (breach = breach_of(thread, i)); i++) {
			if (!is_told(reading->session, k, breach_of, breach) &&
			    count++ < PROBLEMS_SHOWN)
				print_breach(reading, breach);
		}
	}
	if (count > PROBLEMS_SHOWN) {
		(void)snprintf(more, sizeof(more), "and at least %zu more", count - PROBLEMS_SHOWN);
		print_breach(reading, more);
	}
	return count;
}

/* What the sources could not read, each once; how many there were. */
static size_t print_problems(const struct reading *reading)
{
	const struct read_session *thread;
	size_t count = reading->problems_told;
	const char *problem;

	for (size_t k = 0; (thread = read_session_thread(reading->session, k)); k++) {
		for (size_t i = k ? 0 : count; (problem = read_session_problem(thread, i)); i++) {
			if (!is_told(reading->session, k, read_session_problem, problem) &&
			    count++ < PROBLEMS_SHOWN)
				print_problem(reading, problem);
		}
	}
	if (count > PROBLEMS_SHOWN) {
		char more[64];

		(void)snprintf(more, sizeof(more), "and %zu problems more", count - PROBLEMS_SHOWN);
		print_problem(reading, more);
	}
	if (read_session_is_disordered(reading->session)) {
		print_problem(reading, "its times go back: it can only be read by --jobs 1");
		count++;
	}
	return count;
}

static int report_lost(const struct reading *reading)
{
	const struct select *select = read_session_select(reading->session);
	char count[48], packets[48];
	struct diag diag = {0};

	count_format(count, sizeof(count), select->lost);
	count_format(packets, sizeof(packets), select->overwritten);
	if (!select->overwritten)
		(void)diag_set(&diag, 0, "%s: %s event%s lost while recording",
			       reading->request.name, count, select->lost == 1 ? " was" : "s were");
	else
		(void)diag_set(&diag, 0, "%s: %s events lost and %s packets overwritten",
			       reading->request.name, count, packets);
	return verb_fail(reading->spec, STATUS_LOST, &diag);
}

static bool has_filter(const struct reading *reading)
{
	const struct select *select = read_session_select(reading->session);

	return reading->request.where || select->pattern_count || select->by_cpu ||
	       select->from.form != TIME_POINT_NONE || select->to.form != TIME_POINT_NONE;
}

static const char *side_name(const struct reading *reading, enum read_side side)
{
	if (side == READ_SIDE_SOURCE)
		return reading->request.name;
	return reading->out_name ?: "output";
}

static int report(const struct reading *reading, int err, enum read_side side)
{
	const struct select *select = read_session_select(reading->session);
	struct diag diag = {0};

	if (err) {
		(void)diag_set(&diag, err, "%s: %s", side_name(reading, side), strerror(-err));
		return verb_fail(reading->spec, STATUS_ERROR, &diag);
	}
	if (select->lost || select->overwritten)
		return report_lost(reading);
	if (has_filter(reading) && !select->matched && !interrupt_seen()) {
		(void)diag_set(&diag, 0, "%s: no event matches", reading->request.name);
		return verb_fail(reading->spec, STATUS_NO_MATCH, &diag);
	}
	return STATUS_COMPLETE;
}

/* Only where the reading has nothing to complain of but losses, which matter more. */
static int conclude(const struct reading_verb *verb, void *settings, const struct reading *reading,
		    int status)
{
	int own;

	if (!verb->conclude || interrupt_seen() ||
	    (status != STATUS_COMPLETE && status != STATUS_LOST))
		return status;
	own = verb->conclude(settings, reading);
	return status ?: own;
}

int reading_verdict_tell(const struct reading_verb *verb, void *settings,
			 const struct reading *reading, int err, enum read_side side)
{
	size_t problems, missing, breaches;
	int status;

	/* Whoever read our output has seen enough: nothing to complain of. */
	if (err == -EPIPE)
		return STATUS_COMPLETE;
	breaches = print_breaches(reading);
	problems = print_problems(reading);
	missing = print_missing(reading);
	status = conclude(verb, settings, reading, report(reading, err, side));
	/* Of what grows, Ctrl-C is the end. */
	if (!err && interrupt_seen() && !reading->request.follow)
		status = interrupt_tell(reading->spec, reading->request.name,
					read_session_thread(reading->session, 1) ?
						INTERRUPT_UNKNOWN :
						read_session_given_ns(reading->session));
	if (missing && (status == STATUS_COMPLETE || status == STATUS_NO_MATCH))
		status = STATUS_LOST;
	return problems || (breaches && reading->strict) ? STATUS_ERROR : status;
}
