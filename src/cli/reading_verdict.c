// SPDX-License-Identifier: BSD-2-Clause
#include "cli/reading_verdict.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/diag.h"
#include "cli/interrupt.h"
#include "cli/reading_state.h"
#include "cli/verb.h"
#include "schema/trace_end.h"

#define PROBLEMS_SHOWN 20u

static const char *problem_of(const struct reading *reading, size_t i)
{
	return reading->source ? reading->source->ops->problem(reading->source, i) : NULL;
}

static const char *breach_of(const struct reading *reading, size_t i)
{
	return reading->source ? trace_info_breach(reading->source->info, i) : NULL;
}

/* Sentence @i of one kind that a reading has, or NULL. */
typedef const char *sentence_fn(const struct reading *reading, size_t i);

/* Whether one of the readings before, of @count, has the same sentence. */
static bool is_told(const struct reading *const *readings, size_t count, sentence_fn *get,
		    const char *sentence)
{
	const char *told;

	for (size_t k = 0; k < count; k++)
		for (size_t i = 0; (told = get(readings[k], i)); i++)
			if (!strcmp(told, sentence))
				return true;
	return false;
}

/* This one, and those of the other threads. Their count. */
static size_t all_readings(const struct reading *reading,
			   const struct reading *readings[1 + READING_JOBS_MAX])
{
	size_t count = 0;

	readings[count++] = reading;
	for (size_t k = 0; k < reading->other_count; k++)
		readings[count++] = &reading->others[k];
	return count;
}

static void print_problem(const struct reading *reading, const char *problem)
{
	struct diag diag = {0};

	(void)diag_set(&diag, 0, "%s: %s", reading->name, problem);
	(void)verb_fail(reading->spec, STATUS_ERROR, &diag);
}

void reading_verdict_tell_new(struct reading *reading)
{
	const char *problem;

	for (; (problem = problem_of(reading, reading->problems_told)); reading->problems_told++) {
		if (reading->problems_told < PROBLEMS_SHOWN)
			print_problem(reading, problem);
	}
}

static const char *missing_of(const struct reading *reading, size_t i)
{
	return reading->source ? trace_end_missing(reading->source->info, i) : NULL;
}

/* What is not there of the trace, each once: the readings of several threads find the same. How much. */
static size_t print_missing(const struct reading *reading)
{
	const char *text;
	size_t count = 0;

	for (; (text = missing_of(reading, count)); count++)
		if (count < PROBLEMS_SHOWN)
			print_problem(reading, text);
	return count;
}

static void print_breach(const struct reading *reading, const char *breach)
{
	struct diag diag = {0};

	(void)diag_set(&diag, 0, "%s: %s: %s", reading->name,
		       reading->strict ? "against the standard" : "warning", breach);
	(void)verb_fail(reading->spec, STATUS_ERROR, &diag);
}

/* Where the sources break the standards of their formats, each once; how often. */
static size_t print_breaches(const struct reading *reading)
{
	const struct reading *readings[1 + READING_JOBS_MAX];
	const size_t reading_count = all_readings(reading, readings);
	const char *breach;
	size_t count = 0;
	char more[64];

	for (size_t k = 0; k < reading_count; k++) {
		for (size_t i = 0; (breach = breach_of(readings[k], i)); i++) {
			if (!is_told(readings, k, breach_of, breach) && count++ < PROBLEMS_SHOWN)
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
	const struct reading *readings[1 + READING_JOBS_MAX];
	const size_t reading_count = all_readings(reading, readings);
	size_t count = reading->problems_told;
	const char *problem;

	for (size_t k = 0; k < reading_count; k++) {
		for (size_t i = k ? 0 : count; (problem = problem_of(readings[k], i)); i++) {
			if (!is_told(readings, k, problem_of, problem) && count++ < PROBLEMS_SHOWN)
				print_problem(reading, problem);
		}
	}
	if (count > PROBLEMS_SHOWN) {
		char more[64];

		(void)snprintf(more, sizeof(more), "and %zu problems more", count - PROBLEMS_SHOWN);
		print_problem(reading, more);
	}
	if (reading->disorder) {
		print_problem(reading, "its times go back: it can only be read by --jobs 1");
		count++;
	}
	return count;
}

static int report_lost(const struct reading *reading)
{
	const struct select *select = &reading->select;
	char count[48], packets[48];
	struct diag diag = {0};

	count_format(count, sizeof(count), select->lost);
	count_format(packets, sizeof(packets), select->overwritten);
	if (!select->overwritten)
		(void)diag_set(&diag, 0, "%s: %s event%s lost while recording", reading->name,
			       count, select->lost == 1 ? " was" : "s were");
	else
		(void)diag_set(&diag, 0, "%s: %s events lost and %s packets overwritten",
			       reading->name, count, packets);
	return verb_fail(reading->spec, STATUS_LOST, &diag);
}

static bool has_filter(const struct reading *reading)
{
	const struct select *select = &reading->select;

	return reading->where_text || select->pattern_count || select->by_cpu ||
	       select->from.form != TIME_POINT_NONE || select->to.form != TIME_POINT_NONE;
}

static int report(const struct reading *reading, int err, const char *side)
{
	const struct select *select = &reading->select;
	struct diag diag = {0};

	if (err) {
		(void)diag_set(&diag, err, "%s: %s", side, strerror(-err));
		return verb_fail(reading->spec, STATUS_ERROR, &diag);
	}
	if (select->lost || select->overwritten)
		return report_lost(reading);
	if (has_filter(reading) && !select->matched && !interrupt_seen()) {
		(void)diag_set(&diag, 0, "%s: no event matches", reading->name);
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
			 const struct reading *reading, int err, const char *side)
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
	if (!err && interrupt_seen() && !reading->follow)
		status = interrupt_tell(reading->spec, reading->name,
					reading->other_count ? INTERRUPT_UNKNOWN :
							       reading->given_ns);
	if (missing && (status == STATUS_COMPLETE || status == STATUS_NO_MATCH))
		status = STATUS_LOST;
	return problems || (breaches && reading->strict) ? STATUS_ERROR : status;
}
