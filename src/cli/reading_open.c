// SPDX-License-Identifier: BSD-2-Clause
#include "cli/reading_open.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/diag.h"
#include "cli/interrupt.h"
#include "cli/reading_state.h"
#include "cli/verb.h"
#include "live/proto/live_url.h"
#include "source/merged.h"
#include "source/own_terms.h"
#include "source/source.h"

void reading_init(struct reading *reading, const struct verb_spec *spec)
{
	*reading = (struct reading){.spec = spec, .given_ns = INT64_MIN, .again_ns = INT64_MIN};
	select_init(&reading->select);
	output_init(&reading->out, STDOUT_FILENO, isatty(STDOUT_FILENO));
}

/* All but the source. */
static void drop_view(struct reading *reading)
{
	for (size_t i = 0; i < reading->other_count; i++)
		reading_fini(&reading->others[i]);
	free(reading->others);
	task_names_free(reading->view.analysis.names);
	known_free(reading->view.analysis.known);
	disk_queues_free(reading->view.analysis.queues);
	derive_view_free(reading->view.analysis.derives);
	sieve_fini(&reading->sieve);
	reading->view = (struct view){0};
	reading->others = NULL;
	reading->other_count = 0;
	reading->disorder = false;
}

void reading_close(struct reading *reading)
{
	drop_view(reading);
	where_fini(&reading->where);
	task_names_free(reading->old_names);
	known_free(reading->old_known);
	disk_queues_free(reading->old_queues);
	derive_view_free(reading->old_derives);
	if (reading->source)
		reading->source->ops->close(reading->source);
	reading->old_names = NULL;
	reading->old_known = NULL;
	reading->old_queues = NULL;
	reading->old_derives = NULL;
	reading->source = NULL;
}

int reading_renew(struct reading *reading, bool again)
{
	struct event_source *source = reading->source;
	struct diag diag = {0};
	int err;

	if (again) {
		where_fini(&reading->where);
	} else { /* names are not recorded twice, and pairs in progress continue */
		reading->old_names = reading->view.analysis.names;
		reading->old_known = reading->view.analysis.known;
		reading->old_queues = reading->view.analysis.queues;
		reading->old_derives = reading->view.analysis.derives;
		reading->view.analysis.names = NULL;
		reading->view.analysis.known = NULL;
		reading->view.analysis.queues = NULL;
		reading->view.analysis.derives = NULL;
	}
	drop_view(reading);
	reading->renewed = true;
	err = source->ops->renew(source, again, &diag);
	if (!err)
		return STATUS_COMPLETE;
	(void)diag_prefix(&diag, err, "%s", reading->name);
	return verb_fail(reading->spec, STATUS_ERROR, &diag);
}

void reading_fini(struct reading *reading)
{
	reading_close(reading);
	field_choice_fini(&reading->fields);
	columns_fini(&reading->columns);
	select_fini(&reading->select);
	output_fini(&reading->out);
	*reading = (struct reading){0};
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
	for (size_t i = 0; !reading->sink_asks && i < info->class_count; i++) {
		if (info->classes[i]->role != EVENT_ROLE_LOST)
			reading->select.shown[i] &=
				expr_may_match(reading->where.code, info->classes[i]);
	}
	return STATUS_COMPLETE;
}

/* What is beside something live is what it is. */
static int open_one(void *ctx, const char *name, struct event_source **ret, struct diag *diag)
{
	const struct reading *reading = ctx;

	if (live_url_is(name))
		return viewer_source_open(name, &reading->live, ret, diag);
	if (reading->follow && reading->source_count == 1)
		return source_follow(name, ret, diag);
	return source_open(name, ret, diag);
}

static int open_source(struct reading *reading, struct diag *diag)
{
	const struct merged_opener opener = {open_one, reading};

	if (reading->source_count > 1)
		return merged_open(reading->sources, reading->source_count, &opener,
				   &reading->source, diag);
	return open_one(reading, reading->name, &reading->source, diag);
}

static int open_in_terms(struct reading *reading, struct diag *diag)
{
	int err;

	if (reading->source) /* it continues */
		return 0;
	err = open_source(reading, diag);
	if (!err && reading->own_terms && own_terms_add(&reading->source))
		err = diag_set(diag, -ENOMEM, "no memory");
	if (!err && reading->source->ops->stop_when)
		reading->source->ops->stop_when(reading->source, interrupt_seen);
	return err;
}

/* Of what is derived, what the view shows like fields. */
static uint32_t shown_derived(const struct reading *reading, const struct trace_info *info)
{
	uint32_t known = derived_known(info->classes, info->class_count), shown = 0;

	known = field_choice_derived(&reading->fields, known);
	for (size_t i = 0; known && i < info->class_count; i++) {
		if (select_shows(&reading->select, info->classes[i]))
			shown |= derived_of(info->classes[i], known);
	}
	return shown;
}

static int add_derived(struct reading *reading, const struct trace_info *info)
{
	const bool exact = field_choice_names_derived(&reading->fields) || reading->where.derive;

	reading->view.analysis.derived = reading->derives ? shown_derived(reading, info) : 0;
	if (!reading->view.analysis.derived)
		return 0;
	reading->view.analysis.derives = derive_view_renew(reading->old_derives, info,
							   reading->view.analysis.derived, exact);
	reading->old_derives = NULL;
	return reading->view.analysis.derives ? 0 : -ENOMEM;
}

int reading_open(struct reading *reading, bool continued)
{
	const struct trace_info *info;
	struct diag diag = {0};
	int err = 0, status;

	if (reading->where_text && !reading->where.expr)
		err = where_parse(&reading->where, reading->where_text, &diag);
	if (err)
		return fail_where(reading, err, &diag);
	err = open_in_terms(reading, &diag);
	if (err)
		return verb_fail(reading->spec, STATUS_ERROR, &diag);
	info = reading->source->info;
	err = select_bind(&reading->select, info, &diag);
	if (err)
		(void)diag_prefix(&diag, err, "%s", reading->name);
	if (err == -ENOENT && (select_any(&reading->select, info) || reading->is_live)) {
		if (!continued && !reading->renewed) /* the others match, or may come yet */
			(void)verb_fail(reading->spec, STATUS_NO_MATCH, &diag);
	} else if (err) {
		return verb_fail(reading->spec, err == -ENOENT ? STATUS_NO_MATCH : STATUS_ERROR,
				 &diag);
	}
	status = reading->where_text ? bind_where(reading, info) : STATUS_COMPLETE;
	if (status)
		return status;
	err = columns_check(&reading->fields, info, &reading->select, &diag);
	if (err) {
		(void)diag_prefix(&diag, err, "%s: --fields", reading->name);
		return verb_fail(reading->spec, STATUS_NO_MATCH, &diag);
	}
	reading->view = (struct view){.analysis.info = info,
				      .analysis.select = &reading->select,
				      .analysis.names = task_names_renew(reading->old_names, info),
				      .analysis.known = known_renew(reading->old_known, info),
				      .out = &reading->out,
				      .fields = reading->fields,
				      .columns = reading->follow ? &reading->columns : NULL,
				      .time = reading->follow ? &reading->time : NULL,
				      .continued = continued};
	reading->old_names = NULL;
	reading->old_known = NULL;
	if (reading->view.analysis.names && reading->view.analysis.known &&
	    !add_derived(reading, info))
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
	reading->own_terms = first->own_terms;
	reading->derives = first->derives;
	reading->where_text = first->where_text;
	reading->out.eager = first->out.eager;
	if (select_copy(&reading->select, &first->select))
		return STATUS_ERROR;
	/* The view continues to borrow them. */
	reading->fields = first->fields;
	status = reading_open(reading, true);
	reading->fields = (struct field_choice){0};
	return status;
}

struct event_sink *reading_make_sink(const struct reading_verb *verb, void *settings,
				     struct reading *reading, struct diag *diag)
{
	struct event_sink *sink = verb->make_sink(settings, reading, diag);

	if (sink &&
	    !sieve_init(&reading->sieve, &reading->view.analysis,
			reading->where_text && !reading->sink_asks ? &reading->where : NULL))
		return sink;
	if (sink)
		sink->ops->free(sink);
	return NULL;
}
