// SPDX-License-Identifier: BSD-2-Clause
#include "cli/reading.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/diag.h"
#include "base/io.h"
#include "cli/confinement.h"
#include "cli/interrupt.h"
#include "cli/reading_options.h"
#include "cli/verb.h"
#include "live/viewer/viewer_input.h"
#include "schema/trace_info.h"
#include "source/read_session.h"
#include "source/slices.h"

/*
 * The messages of a reading, and its exit status: why a SOURCE cannot be opened, which parts of
 * it could not be read, losses while recording, that no event matches, that Ctrl-C left a part unread.
 */

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

/* What opening or renewing the session has given: 0 or -errno, with the fault and the diag. An enum exit_status. */
static int reading_verdict_open(const struct reading *reading, int err, enum read_fault fault,
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

/* Reports problems that have come since the last report. */
static void reading_verdict_tell_new(struct reading *reading)
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

/* An enum exit_status. @err: the result of the reading, 0 or -errno, and @side which side failed. The
 * sink is finished, the source still open. */
static int reading_verdict_tell(const struct reading_verb *verb, void *settings,
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

static int fail_check(const struct reading *reading, int err, struct diag *diag)
{
	(void)diag_prefix(diag, err, "%s", reading->request.name);
	return verb_fail(reading->spec,
			 err == -ENOENT ? STATUS_NO_MATCH :
			 err == -EINVAL ? STATUS_USAGE :
					  STATUS_ERROR,
			 diag);
}

/* A session that is bound gets a sink: an enum exit_status, and why it is not 0 was said. */
static int begin(const struct reading_verb *verb, void *settings, struct reading *reading,
		 struct event_sink **sink)
{
	struct diag diag = {.text = "no memory"};
	int err = verb->check ? verb->check(settings, reading->session, &diag) : 0;

	if (err)
		return fail_check(reading, err, &diag);
	/* A verb that writes files has caught signals before it makes the first. Until then they end it at once. */
	*sink = verb->make_sink(settings, reading->session, &diag);
	interrupt_catch();
	if (*sink && !read_session_start(reading->session))
		return STATUS_COMPLETE;
	return verb_fail(reading->spec, STATUS_ERROR, &diag);
}

/* Opens the SOURCE: an enum exit_status. */
static int open_session(struct reading *reading)
{
	struct diag diag = {.text = "no memory"};
	enum read_fault fault = READ_FAULT_MEMORY;
	int err;

	if (reading->is_live) /* there may be much to wait for */
		interrupt_catch();
	reading->session = read_session_new(&reading->request, &reading->out);
	err = reading->session ? read_session_open(reading->session, &fault, &diag) : -ENOMEM;
	err = err ?: read_session_bind(reading->session, &fault, &diag);
	return reading_verdict_open(reading, err, fault, &diag);
}

/* A table has one head: fields that have come since are not in it. */
static void tell_columns(struct reading *reading)
{
	struct diag diag = {0};
	char names[256];
	size_t missing = 0;

	if (reading->columns.count)
		missing = columns_missing(&reading->columns, read_session_view(reading->session),
					  names, sizeof(names));
	if (missing > reading->missing_columns) {
		(void)diag_set(&diag, 0,
			       "%s: new events have fields that this table has no columns for: %s; "
			       "start --follow again to see them",
			       reading->request.name, names);
		(void)verb_fail(reading->spec, STATUS_COMPLETE, &diag);
	}
	reading->missing_columns = missing;
}

/*
 * A trace that is followed has new classes of events, or several threads could not count it. The
 * sink continues after the events that it has shown, or starts again.
 */
static int begin_again(const struct reading_verb *verb, void *settings, struct reading *reading,
		       struct event_sink **sink)
{
	struct diag diag = {0};
	enum read_fault fault;
	int status, err;

	if (verb->shows_each)
		(void)(*sink)->ops->finish(*sink); /* an error stays in the output */
	(*sink)->ops->free(*sink);
	*sink = NULL;
	err = read_session_renew(reading->session, !verb->shows_each, &fault, &diag);
	status = reading_verdict_open(reading, err, fault, &diag) ?:
			 begin(verb, settings, reading, sink);
	if (!status)
		tell_columns(reading);
	return status;
}

/* Of a thread that helps. */
struct sink_maker {
	const struct reading_verb *verb;
	void *settings;
};

static struct event_sink *make_one_more(void *ctx, struct read_session *session)
{
	const struct sink_maker *maker = ctx;

	return maker->verb->make_sink(maker->settings, session, NULL);
}

static int pump(struct reading *reading, struct event_sink *sink, enum read_side *side)
{
	int more = read_session_pump(reading->session, sink, side);

	if (reading->is_live)
		reading_verdict_tell_new(reading);
	return more;
}

/* The first events tell what the times that were asked for mean, and where they are. */
static int run(const struct reading_verb *verb, void *settings, struct reading *reading,
	       struct event_sink *sink, enum read_side *side)
{
	struct sink_maker maker = {verb, settings};
	const struct slice_sinks sinks = {make_one_more, &maker, verb->add};
	int more;

	do {
		more = pump(reading, sink, side);
	} while (more > 0 && !read_session_has_times(reading->session));
	if (more > 0 && verb->can_slice && slices_can(reading->session) &&
	    verb->can_slice(settings, sink))
		return slices_run(reading->session, sink, &sinks, side);
	while (more > 0)
		more = pump(reading, sink, side);
	return more;
}

/* Only output that is stored says so itself: the verdict reports to the user. */
static void tell_sink(const struct reading *reading, struct event_sink *sink, int err)
{
	const char *problem;

	if (!sink->ops->lacks)
		return;
	if (err)
		sink->ops->lacks(sink, "the conversion ended early, by an error");
	else if (interrupt_seen() && !reading->request.follow)
		sink->ops->lacks(sink, "the conversion was interrupted");
	for (size_t i = 0; (problem = read_session_problem(reading->session, i)); i++)
		sink->ops->lacks(sink, problem);
}

static int finish(const struct reading_verb *verb, void *settings, struct reading *reading,
		  struct event_sink *sink, int err, enum read_side side)
{
	int finish_err;

	tell_sink(reading, sink, err);
	finish_err = sink->ops->finish(sink);

	if (!err) {
		err = finish_err;
		side = READ_SIDE_SINK;
	}
	return reading_verdict_tell(verb, settings, reading, err, side);
}

static int open_and_run(const struct reading_verb *verb, void *settings, struct reading *reading)
{
	struct event_sink *sink = NULL;
	enum read_side side;
	int err, status;

	reading->out.eager |= reading->request.follow && verb->shows_each;
	status = open_session(reading) ?: begin(verb, settings, reading, &sink);
	while (!status && (err = run(verb, settings, reading, sink, &side)) == -ESTALE)
		status = begin_again(verb, settings, reading, &sink);
	if (!status)
		status = finish(verb, settings, reading, sink, err, side);
	if (sink)
		sink->ops->free(sink);
	return status;
}

/* A decoder that foreign bytes have taken over should have nothing to give. */
static int give_up_privileges(const struct reading *reading)
{
	struct confinement confinement = {
		.sources = reading->request.sources,
		.source_count = reading->request.source_count,
		.makes = reading->makes,
		.capabilities = reading->capabilities,
	};

	if (reading->starts_programs)
		return 0;
	confinement.network = reading->is_live;
	if (confinement.network && reading->makes)
		confinement.below[0] = viewer_input_folder();
	return confinement_enter(reading->spec, &confinement);
}

int reading_main(const struct reading_verb *verb, void *settings, int argc, char **argv)
{
	struct options *opts = options_new(verb->spec, argc, argv);
	struct diag diag = {0};
	struct reading reading;
	int err, status;

	/* Each stream of a trace takes two or three, for each thread. */
	file_limit_raise();
	reading_init(&reading, verb->spec);
	err = opts ? reading_parse(verb, settings, &reading, opts, &diag) :
		     diag_set(&diag, -EINVAL, "no memory");
	if (err)
		status = verb_usage(verb->spec, err, &diag);
	else
		status = give_up_privileges(&reading) ?: open_and_run(verb, settings, &reading);
	reading_fini(&reading);
	options_free(opts);
	return status;
}
