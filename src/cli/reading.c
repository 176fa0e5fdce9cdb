// SPDX-License-Identifier: BSD-2-Clause
#include "cli/reading.h"

#include <errno.h>

#include "base/diag.h"
#include "base/io.h"
#include "cli/confinement.h"
#include "cli/interrupt.h"
#include "cli/reading_verdict.h"
#include "cli/verb.h"
#include "live/viewer/viewer_input.h"
#include "source/slices.h"

static int fail_check(const struct reading *reading, int err, struct diag *diag)
{
	(void)diag_prefix(diag, err, "%s", reading->request.name);
	return verb_fail(reading->spec, err == -ENOENT ? STATUS_NO_MATCH : STATUS_ERROR, diag);
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
