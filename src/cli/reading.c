// SPDX-License-Identifier: BSD-2-Clause
#include "cli/reading.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/diag.h"
#include "cli/slices.h"
#include "cli/verb.h"
#include "source/merged.h"
#include "source/source.h"

#define PROBLEMS_SHOWN 20u

/* Process-wide because signals are: Ctrl-C once ends the reading, twice ends the program. */
static volatile sig_atomic_t interrupted;

static void note_interrupt(int signal)
{
	(void)signal;
	interrupted = 1;
}

bool reading_interrupted(void)
{
	return interrupted;
}

static void catch_interrupt(void)
{
	struct sigaction action = {.sa_handler = note_interrupt, .sa_flags = (int)SA_RESETHAND};

	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
}

static void reading_init(struct reading *reading, const struct verb_spec *spec)
{
	*reading = (struct reading){.spec = spec, .given_ns = INT64_MIN, .again_ns = INT64_MIN};
	select_init(&reading->select);
	output_init(&reading->out, STDOUT_FILENO, isatty(STDOUT_FILENO));
}

static void reading_fini(struct reading *reading);

/* All that hangs on the source. */
static void reading_close(struct reading *reading)
{
	for (size_t i = 0; i < reading->other_count; i++)
		reading_fini(&reading->others[i]);
	free(reading->others);
	task_names_free(reading->view.names);
	known_free(reading->view.known);
	disk_queues_free(reading->view.queues);
	if (reading->source)
		reading->source->ops->close(reading->source);
	sieve_fini(&reading->sieve);
	where_fini(&reading->where);
	reading->view = (struct view){0};
	reading->source = NULL;
	reading->others = NULL;
	reading->other_count = 0;
	reading->disorder = false;
}

static void reading_fini(struct reading *reading)
{
	reading_close(reading);
	field_choice_fini(&reading->fields);
	select_fini(&reading->select);
	output_fini(&reading->out);
	*reading = (struct reading){0};
}

static bool is_shared(int id)
{
	return id == READING_EVENT || (id >= READING_FROM && id < READING_OPTION_END);
}

static int take_option(const struct reading_verb *verb, void *settings, struct reading *reading,
		       int id, const char *arg, struct diag *diag)
{
	if (is_shared(id))
		return reading_take_option(reading, id, arg, diag);
	return verb->take_option(settings, reading, id, arg, diag);
}

/* What the verb knows is no SOURCE, unless there is nothing else; of the others the first that is
 * there is it, so that who misspells a name is told so, and not of a file. */
static int find_source(const struct reading_verb *verb, char **operands, int count)
{
	int first = -1;

	for (int i = 0; verb->knows_operand && i < count; i++) {
		if (verb->knows_operand(operands[i]))
			continue;
		if (!access(operands[i], F_OK))
			return i;
		first = first < 0 ? i : first;
	}
	return first < 0 ? 0 : first;
}

static int take_operands(const struct reading_verb *verb, void *settings, struct reading *reading,
			 struct options *opts, struct diag *diag)
{
	int count, i, source, err;
	char **rest = options_rest(opts, &count);

	if (!count)
		return diag_set(diag, -EINVAL, "no SOURCE given: name a trace directory");
	if (verb->many) {
		reading->sources = rest;
		reading->source_count = count;
		reading->name = count > 1 ? "the sources" : rest[0];
		return 0;
	}
	if (count > 1 && !verb->take_operand)
		return diag_set(diag, -EINVAL, "unexpected operand '%s': one SOURCE at a time",
				rest[1]);
	source = find_source(verb, rest, count);
	reading->name = rest[source];
	for (i = 0; i < count; i++) {
		err = i == source ? 0 : verb->take_operand(settings, rest[i], diag);
		if (err)
			return err;
	}
	return 0;
}

int reading_parse_rows(const char *arg, size_t *ret, struct diag *diag)
{
	uint64_t rows = 0;
	int err = 0;

	if (arg[0] != '0' || arg[1])
		err = select_parse_limit("--rows", arg, &rows, diag);
	if (!err)
		*ret = (size_t)rows;
	return err;
}

int reading_parse_jobs(const char *arg, struct reading *reading, struct diag *diag)
{
	uint64_t jobs = 0;
	int err = select_parse_limit("--jobs", arg, &jobs, diag);

	if (!err)
		reading->jobs = jobs < UINT32_MAX ? (unsigned int)jobs : UINT32_MAX;
	return err;
}

static int fail_where(const struct reading *reading, int err, struct diag *diag)
{
	int status = err == -ENOENT ? STATUS_NO_MATCH : STATUS_USAGE;

	if (err == -ENOMEM)
		return verb_fail(reading->spec, STATUS_ERROR, diag);
	(void)diag_prefix(diag, err, "--where");
	return verb_fail_in(reading->spec, status, diag, reading->where_text);
}

/* Classes that cannot satisfy the expression are not shown. */
static int bind_where(struct reading *reading, const struct trace_info *info)
{
	struct diag diag = {0};
	int err = where_bind(&reading->where, info, &diag);

	if (err)
		return fail_where(reading, err, &diag);
	for (size_t i = 0; i < info->class_count; i++) {
		if (info->classes[i]->role != EVENT_ROLE_LOST)
			reading->select.shown[i] &=
				expr_may_match(reading->where.code, info->classes[i]);
	}
	return STATUS_COMPLETE;
}

static int open_source(struct reading *reading, struct diag *diag)
{
	if (reading->follow)
		return source_follow(reading->name, &reading->source, diag);
	if (reading->source_count > 1)
		return merged_open(reading->sources, reading->source_count, &reading->source, diag);
	return source_open(reading->name, &reading->source, diag);
}

/* @continued: another reading of the same shows what comes first, and has said what is wrong. */
static int reading_open(struct reading *reading, bool continued)
{
	const struct trace_info *info;
	struct diag diag = {0};
	int err, status;

	err = reading->where_text ? where_parse(&reading->where, reading->where_text, &diag) : 0;
	if (err)
		return fail_where(reading, err, &diag);
	err = open_source(reading, &diag);
	if (err)
		return verb_fail(reading->spec, STATUS_ERROR, &diag);
	info = reading->source->info;
	err = select_bind(&reading->select, info, &diag);
	if (err)
		(void)diag_prefix(&diag, err, "%s", reading->name);
	if (err == -ENOENT && select_any(&reading->select, info)) {
		if (!continued) /* the others match */
			(void)verb_fail(reading->spec, STATUS_NO_MATCH, &diag);
	} else if (err) {
		return verb_fail(reading->spec, err == -ENOENT ? STATUS_NO_MATCH : STATUS_ERROR,
				 &diag);
	}
	status = reading->where_text ? bind_where(reading, info) : STATUS_COMPLETE;
	if (status)
		return status;
	err = field_choice_check(&reading->fields, info, &reading->select, &diag);
	if (err) {
		(void)diag_prefix(&diag, err, "%s: --fields", reading->name);
		return verb_fail(reading->spec, STATUS_NO_MATCH, &diag);
	}
	reading->view = (struct view){.info = info,
				      .select = &reading->select,
				      .names = task_names_new(info),
				      .known = known_new(info),
				      .out = &reading->out,
				      .fields = reading->fields,
				      .continued = continued};
	if (reading->view.names && reading->view.known)
		return STATUS_COMPLETE;
	(void)diag_set(&diag, -ENOMEM, "no memory");
	return verb_fail(reading->spec, STATUS_ERROR, &diag);
}

int reading_open_again(struct reading *reading, const struct reading *first)
{
	int status;

	reading_init(reading, first->spec);
	reading->name = first->name;
	reading->sources = first->sources;
	reading->source_count = first->source_count;
	reading->where_text = first->where_text;
	reading->out.eager = first->out.eager;
	if (select_copy(&reading->select, &first->select))
		return STATUS_ERROR;
	/* The view goes on to borrow them. */
	reading->fields = first->fields;
	status = reading_open(reading, true);
	reading->fields = (struct field_choice){0};
	return status;
}

/* What the sieve lets through. */
static int pass(struct reading *reading, struct event_sink *sink, const struct event *events,
		size_t count)
{
	struct sieve_run run;
	size_t done = 0;
	int err = 0;

	while (!err && done < count && !select_is_full(&reading->select)) {
		done += sieve_next(&reading->sieve, events + done, count - done, &run);
		run.count = select_count(&reading->select, run.events, run.count);
		if (run.count)
			err = sink->ops->batch(sink, run.events, run.count);
	}
	return err;
}

int reading_seek(struct reading *reading, int64_t from_ns, int64_t to_ns)
{
	reading->select.started = true;
	reading->select.done = false;
	reading->select.from_ns = from_ns;
	reading->select.to_ns = to_ns;
	return sieve_seek_again(&reading->sieve, reading->source);
}

/* How many of the events were given before the trace was opened again: these only teach. */
static size_t learn_again(struct reading *reading, const struct event *events, size_t count)
{
	size_t done = 0;

	while (done < count && events[done].time_ns <= reading->again_ns)
		done++;
	sieve_learn(&reading->sieve, events, done);
	if (done < count)
		reading->again_ns = INT64_MIN;
	return done;
}

static void note_order(struct reading *reading, const struct event *events, size_t count)
{
	int64_t given_ns = reading->given_ns;

	for (size_t i = 0; reading->part && i < count; i++) {
		reading->disorder |= events[i].time_ns < given_ns;
		given_ns = events[i].time_ns;
	}
	reading->given_ns = events[count - 1].time_ns;
}

/* One batch from source to sink: 1, 0 at the end, or -errno. */
static int pump_batch(struct reading *reading, struct event_sink *sink, const char **side)
{
	struct event_source *source = reading->source;
	const struct event *events;
	size_t done, first, end;
	int got = source->ops->next(source, &events), err;

	*side = reading->name;
	if (got == -EAGAIN)
		return 1;
	if (got <= 0)
		return got == -EINTR && interrupted ? 0 : got;
	done = learn_again(reading, events, (size_t)got);
	events += done;
	got -= (int)done;
	if (!got)
		return 1;
	note_order(reading, events, (size_t)got);
	select_cut(&reading->select, events, (size_t)got, &first, &end);
	/* What comes before the time asked for is learnt from, as what is under way then. */
	sieve_learn(&reading->sieve, events, first);
	err = pass(reading, sink, events + first, end - first);
	*side = reading->out_name ?: "output";
	return err ? err : 1;
}

int reading_pump(struct reading *reading, struct event_sink *sink, const char **side)
{
	int more = 1;

	while (more > 0 && !interrupted && !reading->select.done)
		more = pump_batch(reading, sink, side);
	return more < 0 ? more : 0;
}

/* The first events tell what the times that were asked for mean, and where they are. */
static int pump(const struct reading_verb *verb, void *settings, struct reading *reading,
		struct event_sink *sink, const char **side)
{
	const struct select *select = &reading->select;
	int ret = 1;

	while (ret > 0 && !interrupted && !select->started)
		ret = pump_batch(reading, sink, side);
	if (ret <= 0)
		return ret;
	if (slices_can(verb, settings, reading, sink))
		return slices_run(verb, settings, reading, sink, side);
	*side = reading->name;
	ret = sieve_seek(&reading->sieve, reading->source);
	return ret < 0 ? ret : reading_pump(reading, sink, side);
}

static const char *problem_of(const struct reading *reading, size_t i)
{
	return reading->source ? reading->source->ops->problem(reading->source, i) : NULL;
}

/* Whether one of the readings before, of @count, has met the same problem. */
static bool is_told(const struct reading *const *readings, size_t count, const char *problem)
{
	const char *told;

	for (size_t k = 0; k < count; k++)
		for (size_t i = 0; (told = problem_of(readings[k], i)); i++)
			if (!strcmp(told, problem))
				return true;
	return false;
}

static void print_problem(const struct reading *reading, const char *problem)
{
	struct diag diag = {0};

	(void)diag_set(&diag, 0, "%s: %s", reading->name, problem);
	(void)verb_fail(reading->spec, STATUS_ERROR, &diag);
}

/* What the sources could not read, each once; how many there were. */
static size_t print_problems(const struct reading *reading)
{
	const struct reading *readings[1 + SLICES_JOBS_MAX] = {reading};
	size_t reading_count = 1, count = 0;
	const char *problem;

	for (size_t k = 0; k < reading->other_count; k++)
		readings[reading_count++] = &reading->others[k];
	for (size_t k = 0; k < reading_count; k++) {
		for (size_t i = 0; (problem = problem_of(readings[k], i)); i++) {
			if (!is_told(readings, k, problem) && count++ < PROBLEMS_SHOWN)
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
	if (has_filter(reading) && !select->matched && !interrupted) {
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

	if (!verb->conclude || interrupted || (status != STATUS_COMPLETE && status != STATUS_LOST))
		return status;
	own = verb->conclude(settings, reading);
	return status ?: own;
}

static int parse(const struct reading_verb *verb, void *settings, struct reading *reading,
		 struct options *opts, struct diag *diag)
{
	const char *arg;
	int id, err;

	while ((err = options_next(opts, &id, &arg, diag)) > 0) {
		if (take_option(verb, settings, reading, id, arg, diag))
			return -EINVAL;
	}
	err = err ?: take_operands(verb, settings, reading, opts, diag);
	return err || !verb->settle ? err : verb->settle(settings, reading, diag);
}

struct event_sink *reading_make_sink(const struct reading_verb *verb, void *settings,
				     struct reading *reading, struct diag *diag)
{
	struct event_sink *sink = verb->make_sink(settings, reading, diag);

	if (sink && !sieve_init(&reading->sieve, &reading->view,
				reading->where_text ? &reading->where : NULL))
		return sink;
	if (sink)
		sink->ops->free(sink);
	return NULL;
}

/* Opens the trace and makes the sink: an enum exit_status, and why it is not 0 was said. */
static int begin(const struct reading_verb *verb, void *settings, struct reading *reading,
		 struct event_sink **sink)
{
	int status = reading_open(reading, false);
	struct diag diag = {.text = "no memory"};

	if (status)
		return status;
	*sink = reading_make_sink(verb, settings, reading, &diag);
	if (*sink)
		return STATUS_COMPLETE;
	return verb_fail(reading->spec, STATUS_ERROR, &diag);
}

/*
 * A trace that is followed has new classes of events, or several threads could not count it. What was learnt from it is learnt again, with
 * these; the sink goes on behind what it has shown, or begins anew.
 */
static int begin_again(const struct reading_verb *verb, void *settings, struct reading *reading,
		       struct event_sink **sink)
{
	struct select *select = &reading->select;

	if (verb->shows_each) {
		reading->again_ns = reading->given_ns;
		(void)(*sink)->ops->finish(*sink); /* an error stays in the output */
	} else {
		select_rewind(select);
	}
	(*sink)->ops->free(*sink);
	*sink = NULL;
	reading_close(reading);
	return begin(verb, settings, reading, sink);
}

static int finish(const struct reading_verb *verb, void *settings, struct reading *reading,
		  struct event_sink *sink, int err, const char *side)
{
	int status, finish_err = sink->ops->finish(sink);
	size_t problems;

	if (!err) {
		err = finish_err;
		side = reading->out_name ?: "output";
	}
	/* Whoever read our output has seen enough: nothing to complain of. */
	if (err == -EPIPE)
		return STATUS_COMPLETE;
	problems = print_problems(reading);
	status = conclude(verb, settings, reading, report(reading, err, side));
	return problems ? STATUS_ERROR : status;
}

static int open_and_run(const struct reading_verb *verb, void *settings, struct reading *reading)
{
	const char *side = "output";
	struct event_sink *sink = NULL;
	int err, status;

	reading->out.eager |= reading->follow && verb->shows_each;
	status = begin(verb, settings, reading, &sink);
	if (!status)
		catch_interrupt();
	while (!status && (err = pump(verb, settings, reading, sink, &side)) == -ESTALE)
		status = begin_again(verb, settings, reading, &sink);
	if (!status)
		status = finish(verb, settings, reading, sink, err, side);
	if (sink)
		sink->ops->free(sink);
	return status;
}

int reading_main(const struct reading_verb *verb, void *settings, int argc, char **argv)
{
	struct options *opts = options_new(verb->spec, argc, argv);
	struct diag diag = {0};
	struct reading reading;
	int err, status;

	reading_init(&reading, verb->spec);
	err = opts ? parse(verb, settings, &reading, opts, &diag) :
		     diag_set(&diag, -EINVAL, "no memory");
	status = err ? verb_usage(verb->spec, err, &diag) : open_and_run(verb, settings, &reading);
	reading_fini(&reading);
	options_free(opts);
	return status;
}
