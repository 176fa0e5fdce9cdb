// SPDX-License-Identifier: BSD-2-Clause
#include "cli/reading.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/diag.h"
#include "base/io.h"
#include "cli/confinement.h"
#include "cli/interrupt.h"
#include "cli/reading_open.h"
#include "cli/reading_pump.h"
#include "cli/reading_verdict.h"
#include "cli/slices.h"
#include "cli/verb.h"
#include "live/proto/live_url.h"
#include "live/viewer/viewer_input.h"

/* Of several sources, for one in which nothing is described yet: the others are not to wait for long. */
#define AWAIT_NS NS_PER_SEC

static bool is_shared(int id)
{
	return rights_option_is(id) || id == READING_EVENT ||
	       (id >= READING_FROM && id < READING_OPTION_END);
}

static int take_option(const struct reading_verb *verb, void *settings, struct reading *reading,
		       int id, const char *arg, struct diag *diag)
{
	if (is_shared(id) && !(verb->claims && verb->claims(id, arg)))
		return reading_take_option(reading, id, arg, diag);
	return verb->take_option(settings, reading, id, arg, diag);
}

static bool is_there(const char *name)
{
	return !access(name, F_OK) || !strcmp(name, "-") || live_url_is(name);
}

/* An operand that the verb accepts itself is not a SOURCE, unless it is the only one; of the
 * others, those that exist are sources, so that a misspelled name is reported as such, not as a
 * missing file; if none exists, the first is. */
static bool is_source(const struct reading_verb *verb, char **operands, int count, int i)
{
	int first = 0;

	if (!verb->take_operand)
		return true;
	for (int j = count; j-- && verb->knows_operand;) {
		if (verb->knows_operand(operands[j]))
			continue;
		if (is_there(operands[j]))
			return is_there(operands[i]) && !verb->knows_operand(operands[i]);
		first = j;
	}
	return i == first;
}

/* Operands that are sources come to the front: how many they are; the verb takes the others. -EINVAL. */
static int take_sources(const struct reading_verb *verb, void *settings, char **operands, int count,
			struct diag *diag)
{
	bool *sources = calloc((size_t)count, sizeof(*sources));
	int found = 0, err = sources ? 0 : diag_set(diag, -ENOMEM, "no memory");

	for (int i = 0; i < count && !err; i++)
		sources[i] = is_source(verb, operands, count, i);
	for (int i = 0; i < count && !err; i++) {
		if (sources[i])
			operands[found++] = operands[i];
		else
			err = verb->take_operand(settings, operands[i], diag);
	}
	free(sources);
	return err ?: found;
}

static int take_operands(const struct reading_verb *verb, void *settings, struct reading *reading,
			 struct options *opts, struct diag *diag)
{
	int count;
	char **rest = options_rest(opts, &count);

	if (!count)
		return diag_set(diag, -EINVAL, "no SOURCE given: name a trace directory or a file");
	count = take_sources(verb, settings, rest, count, diag);
	if (count < 0)
		return count;
	if (count > 1 && !verb->many)
		return diag_set(diag, -EINVAL, "unexpected operand '%s': one SOURCE at a time",
				rest[1]);
	reading->sources = rest;
	reading->source_count = count;
	reading->name = count > 1 ? "the sources" : rest[0];
	return 0;
}

/* What is live is followed; of other sources only one can be. */
static int settle_live(const struct reading_verb *verb, struct reading *reading, struct diag *diag)
{
	bool all_live = true;

	for (int i = 0; i < reading->source_count; i++) {
		const bool is_live = live_url_is(reading->sources[i]);

		reading->is_live |= is_live;
		all_live &= is_live;
	}
	if (reading->follow && reading->source_count > 1 && !all_live)
		return diag_set(
			diag, -EINVAL,
			"--follow is for one SOURCE at a time; live sessions are followed in any case");
	/* Of a stored trace `beginning` is what it has anyway. */
	if (!reading->is_live && reading->live.now)
		reading->select.from =
			(struct time_point){TIME_POINT_EPOCH, (int64_t)clock_realtime_ns()};
	if (!reading->is_live && reading->live.no_reconnect)
		return diag_set(diag, -EINVAL, "--no-reconnect is for live sessions, net://...");
	if (!reading->is_live && credential_files_any(&reading->rights.files))
		return diag_set(
			diag, -EINVAL,
			"--tls-cert, --token and the like are for live sessions, net://...");
	if (rights_settle(&reading->rights, diag))
		return -EINVAL;
	reading->live.credentials = reading->rights.files;
	reading->follow |= reading->is_live;
	reading->live.keep = !verb->shows_each;
	reading->live.await_ns = reading->source_count > 1 ? AWAIT_NS : 0;
	reading->live.is_stopped = interrupt_seen;
	return 0;
}

static int parse(const struct reading_verb *verb, void *settings, struct reading *reading,
		 struct options *opts, struct diag *diag)
{
	const char *arg;
	int id, err;

	while ((err = verb_next(verb->spec, opts, &id, &arg, diag)) > 0) {
		if (take_option(verb, settings, reading, id, arg, diag))
			return -EINVAL;
	}
	err = err ?: take_operands(verb, settings, reading, opts, diag);
	err = err ?: settle_live(verb, reading, diag);
	return err || !verb->settle ? err : verb->settle(settings, reading, diag);
}

static int fail_check(const struct reading *reading, int err, struct diag *diag)
{
	(void)diag_prefix(diag, err, "%s", reading->name);
	return verb_fail(reading->spec, err == -ENOENT ? STATUS_NO_MATCH : STATUS_ERROR, diag);
}

/* Opens the trace and makes the sink: an enum exit_status, and why it is not 0 was said. */
static int begin(const struct reading_verb *verb, void *settings, struct reading *reading,
		 struct event_sink **sink)
{
	struct diag diag = {.text = "no memory"};
	int status, err;

	if (reading->is_live) /* there may be much to wait for */
		interrupt_catch();
	status = reading_open(reading, false);

	if (status)
		return status;
	err = verb->check ? verb->check(settings, reading, &diag) : 0;
	if (err)
		return fail_check(reading, err, &diag);
	/* A verb that writes files has caught signals before it makes the first. Until then they end it at once. */
	*sink = reading_make_sink(verb, settings, reading, &diag);
	interrupt_catch();
	if (*sink)
		return STATUS_COMPLETE;
	return verb_fail(reading->spec, STATUS_ERROR, &diag);
}

/* A table has one head: fields that have come since are not in it. */
static void tell_columns(struct reading *reading)
{
	struct diag diag = {0};
	char names[256];
	size_t missing = 0;

	if (reading->columns.count)
		missing = columns_missing(&reading->columns, &reading->view, names, sizeof(names));
	if (missing > reading->missing_columns) {
		(void)diag_set(&diag, 0,
			       "%s: new events have fields that this table has no columns for: %s; "
			       "start --follow again to see them",
			       reading->name, names);
		(void)verb_fail(reading->spec, STATUS_COMPLETE, &diag);
	}
	reading->missing_columns = missing;
}

/*
 * A trace that is followed has new classes of events, or several threads could not count it. Names
 * learnt from it are learnt again, with these; the sink continues after the events that it has
 * shown, or starts again.
 */
static int begin_again(const struct reading_verb *verb, void *settings, struct reading *reading,
		       struct event_sink **sink)
{
	const bool goes_on = reading->source->ops->renew;
	int status = STATUS_COMPLETE;

	if (verb->shows_each) {
		reading->again_ns = goes_on ? INT64_MIN : reading->given_ns;
		(void)(*sink)->ops->finish(*sink); /* an error stays in the output */
	} else {
		select_rewind(&reading->select);
	}
	(*sink)->ops->free(*sink);
	*sink = NULL;
	if (goes_on)
		status = reading_renew(reading, !verb->shows_each);
	else
		reading_close(reading);
	status = status ?: begin(verb, settings, reading, sink);
	if (!status)
		tell_columns(reading);
	return status;
}

/* The first events tell what the times that were asked for mean, and where they are. */
static int run(const struct reading_verb *verb, void *settings, struct reading *reading,
	       struct event_sink *sink, const char **side)
{
	int ret = reading_pump_start(reading, sink, side);

	if (ret <= 0)
		return ret;
	if (slices_can(verb, settings, reading, sink))
		return slices_run(verb, settings, reading, sink, side);
	*side = reading->name;
	ret = sieve_seek(&reading->sieve, reading->source);
	return ret < 0 ? ret : reading_pump(reading, sink, side);
}

/* Only output that is stored says so itself: the verdict reports to the user. */
static void tell_sink(const struct reading *reading, struct event_sink *sink, int err)
{
	const struct event_source *source = reading->source;
	const char *problem;

	if (!sink->ops->lacks)
		return;
	if (err)
		sink->ops->lacks(sink, "the conversion ended early, by an error");
	else if (interrupt_seen() && !reading->follow)
		sink->ops->lacks(sink, "the conversion was interrupted");
	for (size_t i = 0; (problem = source->ops->problem(source, i)); i++)
		sink->ops->lacks(sink, problem);
}

static int finish(const struct reading_verb *verb, void *settings, struct reading *reading,
		  struct event_sink *sink, int err, const char *side)
{
	int finish_err;

	tell_sink(reading, sink, err);
	finish_err = sink->ops->finish(sink);

	if (!err) {
		err = finish_err;
		side = reading->out_name ?: "output";
	}
	return reading_verdict_tell(verb, settings, reading, err, side);
}

static int open_and_run(const struct reading_verb *verb, void *settings, struct reading *reading)
{
	const char *side = "output";
	struct event_sink *sink = NULL;
	int err, status;

	reading->out.eager |= reading->follow && verb->shows_each;
	status = begin(verb, settings, reading, &sink);
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
		.sources = reading->sources,
		.source_count = reading->source_count,
		.makes = reading->makes,
		.capabilities = reading->capabilities,
	};

	if (reading->starts_programs)
		return 0;
	for (int i = 0; i < reading->source_count; i++)
		confinement.network |= live_url_is(reading->sources[i]);
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
	err = opts ? parse(verb, settings, &reading, opts, &diag) :
		     diag_set(&diag, -EINVAL, "no memory");
	if (err)
		status = verb_usage(verb->spec, err, &diag);
	else
		status = give_up_privileges(&reading) ?: open_and_run(verb, settings, &reading);
	reading_fini(&reading);
	options_free(opts);
	return status;
}
