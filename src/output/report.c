// SPDX-License-Identifier: BSD-2-Clause
#include "output/report.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/origin_label.h"
#include "analyse/where.h"
#include "base/buffer.h"
#include "base/diag.h"
#include "base/escape.h"
#include "base/json_writer.h"
#include "base/nearest.h"
#include "output/json_field.h"
#include "output/names.h"
#include "output/report_kind.h"
#include "output/view.h"
#include "schema/derived.h"
#include "schema/origin.h"

/* In the order in which they are shown. */
static const struct report_kind *const kinds[] = {
	&report_kind_syscalls, &report_kind_sched,  &report_kind_disk,	&report_kind_tcp,
	&report_kind_layers,   &report_kind_drops,  &report_kind_cpu,	&report_kind_rx,
	&report_kind_offcpu,   &report_kind_wakers, &report_kind_files, &report_kind_events,
};
#define KIND_COUNT (sizeof(kinds) / sizeof(kinds[0]))

#define COLUMNS_SHOWN 320u /* bytes of their names in a message */
#define SEEN_NAMES 5u /* that are listed */

_Static_assert(KIND_COUNT <= 32, "report_options.kinds has a bit for each");

/* What is reported on by itself: all, or the events of one host or process. */
struct report_group {
	const struct origin *origin; /* NULL: not known, or of all */
	struct report *reports[KIND_COUNT]; /* NULL: not asked for */
	struct report_span span;
	bool started; /* the span has a begin */
};

struct report_sink {
	struct event_sink sink;
	const struct view *view;
	struct report_options options;
	struct report_group *groups;
	size_t group_count;
	bool each; /* a report wants each event with the names of its moment */
	bool *seen; /* by event_class.index: it has such events */
	uint32_t *group_of; /* likewise: the group of its events */
};

const struct report_kind *report_kind_get(size_t i)
{
	return i < KIND_COUNT ? kinds[i] : NULL;
}

static bool groups_rows(const struct report_options *options, const struct report_kind *kind)
{
	return options->group_count || kind->make;
}

/* How the report of number @i is shown: if it groups, as "events" under its own name. */
static struct report_kind shown_as(const struct report_sink *rs, size_t i)
{
	struct report_kind kind = *kinds[i];

	if (!kind.make && groups_rows(&rs->options, kinds[i])) {
		kind = report_kind_events;
		kind.name = kinds[i]->name;
	}
	return kind;
}

static bool counts(const struct report_sink *rs, const struct event *event)
{
	return event->class->role != EVENT_ROLE_LOST &&
	       select_shows(rs->view->analysis.select, event->class);
}

/* Only what is at either end of the batch is looked at. */
static void stretch_span(const struct report_sink *rs, struct report_group *group,
			 const struct event *events, size_t count)
{
	size_t i;

	for (i = 0; i < count && !group->started; i++) {
		if (!counts(rs, &events[i]))
			continue;
		group->span.begin_ns = events[i].time_ns;
		group->started = true;
	}
	for (i = count; i-- > 0;) {
		if (!counts(rs, &events[i]))
			continue;
		group->span.end_ns = events[i].time_ns;
		return;
	}
}

static bool is_alike(enum origin_part part, const struct origin *a, const struct origin *b)
{
	if (!origin_has(a, part) || !origin_has(b, part))
		return origin_has(a, part) == origin_has(b, part);
	if (part == ORIGIN_VPID)
		return a->vpid == b->vpid;
	return part == ORIGIN_HOSTNAME ? !strcmp(a->hostname, b->hostname) :
					 !strcmp(a->procname, b->procname);
}

/* The group for events of @origin; group_count = none. */
static uint32_t find_group(const struct report_sink *rs, const struct origin *origin)
{
	uint32_t i = 0;

	while (i < rs->group_count && !is_alike(rs->options.by, rs->groups[i].origin, origin))
		i++;
	return i;
}

/* @learn: as report_ops.learn. */
static void hand_to(struct report_group *group, const struct event *events, size_t count,
		    bool learn)
{
	for (size_t i = 0; i < KIND_COUNT; i++) {
		struct report *report = group->reports[i];

		if (report && !learn)
			report->ops->batch(report, events, count);
		else if (report && report->ops->learn)
			report->ops->learn(report, events, count);
	}
}

/* The group of an event; group_count: of all groups, such as a loss at an unknown place. */
static uint32_t group_of(const struct report_sink *rs, const struct event *event)
{
	if (rs->group_count == 1)
		return 0;
	if (event->class->role == EVENT_ROLE_LOST)
		return find_group(rs, origin_of_loss(rs->view->analysis.info, event));
	return rs->group_of[event->class->index];
}

/* Runs of events of one group at once. */
static void hand_out(struct report_sink *rs, const struct event *events, size_t count, bool learn)
{
	size_t end;

	for (size_t first = 0; first < count; first = end) {
		const uint32_t group = group_of(rs, &events[first]);

		for (end = first + 1; end < count && group_of(rs, &events[end]) == group; end++)
			;
		for (size_t i = 0; i < rs->group_count; i++) {
			if (group != rs->group_count && group != i)
				continue;
			if (!learn)
				stretch_span(rs, &rs->groups[i], events + first, end - first);
			hand_to(&rs->groups[i], events + first, end - first, learn);
		}
	}
}

static void count_events(struct report_sink *rs, const struct event *events, size_t count)
{
	for (size_t i = 0; i < count; i++)
		rs->seen[events[i].class->index] = true;
	hand_out(rs, events, count, false);
}

static void learn_events(struct report_sink *rs, const struct event *events, size_t count)
{
	hand_out(rs, events, count, true);
}

/* No expression hides a loss. */
static bool is_wanted(const struct report_sink *rs, const struct event *event)
{
	analysis_learn(&rs->view->analysis, event);
	return event->class->role == EVENT_ROLE_LOST ||
	       where_holds(rs->options.where, event, rs->view->analysis.names);
}

/* One at a time: what a task is called at an event must not be what it is called after a later one. */
static void ask_each(struct report_sink *rs, const struct event *events, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		analysis_learn(&rs->view->analysis, &events[i]);
		if (events[i].class->role == EVENT_ROLE_LOST || !rs->options.where ||
		    where_holds(rs->options.where, &events[i], rs->view->analysis.names))
			count_events(rs, &events[i], 1);
		else
			learn_events(rs, &events[i], 1);
	}
}

/* Runs of events that are counted, and of those that only teach. */
static void ask_batch(struct report_sink *rs, const struct event *events, size_t count)
{
	bool wanted, next;
	size_t first, end;

	next = count && is_wanted(rs, events);
	for (first = 0; first < count; first = end) {
		wanted = next;
		for (end = first + 1; end < count; end++) {
			next = is_wanted(rs, &events[end]);
			if (next != wanted)
				break;
		}
		if (wanted)
			count_events(rs, events + first, end - first);
		else
			learn_events(rs, events + first, end - first);
	}
}

static int report_batch(struct event_sink *sink, const struct event *events, size_t count)
{
	struct report_sink *rs = (struct report_sink *)sink;

	if (rs->each) {
		ask_each(rs, events, count);
		return 0;
	}
	if (rs->options.where) {
		ask_batch(rs, events, count);
		return 0;
	}
	analysis_learn_batch(&rs->view->analysis, events, count);
	count_events(rs, events, count);
	return 0;
}

static bool has(const struct report_group *group, size_t i)
{
	return i < KIND_COUNT && group->reports[i] && group->reports[i]->events;
}

static bool has_any(const struct report_group *group)
{
	for (size_t i = 0; i < KIND_COUNT; i++) {
		if (has(group, i))
			return true;
	}
	return false;
}

/* "vpid 42", "hostname web1"; "-" where it is not known. */
static void write_heading(const struct report_sink *rs, const struct origin *origin,
			  struct buffer *out)
{
	const enum origin_part part = rs->options.by;

	buffer_format(out, "== %s ", origin_names[part]);
	if (!origin_has(origin, part))
		buffer_string(out, "-");
	else if (part == ORIGIN_VPID)
		buffer_format(out, "%lld", (long long)origin->vpid);
	else
		buffer_string(out, escape_name(part == ORIGIN_HOSTNAME ? origin->hostname :
									 origin->procname)
					   .text);
	buffer_string(out, " ==\n");
}

/* The rows of a part, as many as are to be shown; part_free follows, in case of an error too. */
static const struct report_table *table_of(const struct report_part *part,
					   const struct report_rows *rows)
{
	return rows->made ?: part->table;
}

static int part_rows(const struct report_part *part, const struct report *report,
		     const struct report_options *options, struct report_rows *rows)
{
	int err;

	*rows = (struct report_rows){.owner = report, .options = options, .most = options->rows};
	err = part->rows(report, rows);
	if (!err && options->sort)
		err = report_table_sort(table_of(part, rows), rows, options->sort);
	if (err == -ENOENT) /* of another table */
		err = 0;
	rows->shown = rows->most && rows->count > rows->most ? rows->most : rows->count;
	return err;
}

static void part_free(struct report_rows *rows)
{
	free(rows->owned);
	free(rows->made);
	names_free(rows->names);
}

int report_kind_text(const struct report_kind *kind, const struct report *report,
		     const struct report_options *options, struct buffer *out)
{
	int err = kind->summary ? kind->summary(report, options, out) : 0;

	for (size_t i = 0; i < kind->part_count && !err && !options->folded; i++) {
		const struct report_part *part = &kind->parts[i];
		struct report_rows rows;

		err = part_rows(part, report, options, &rows);
		if (!err && !rows.hidden)
			report_table_text(table_of(part, &rows), &rows, out);
		if (!err && part->below)
			part->below(report, options, &rows, out);
		part_free(&rows);
	}
	return err;
}

int report_kind_json(const struct report_kind *kind, const struct report *report,
		     const struct report_options *options, struct json_writer *json)
{
	int err;

	json_writer_object(json, kind->name);
	err = kind->members ? kind->members(report, options, json) : 0;
	for (size_t i = 0; i < kind->part_count && !err; i++) {
		const struct report_part *part = &kind->parts[i];
		struct report_rows rows;

		if (!part->table->key || part->table->flat)
			continue;
		err = part_rows(part, report, options, &rows);
		if (!err)
			report_table_json(table_of(part, &rows), &rows, json);
		part_free(&rows);
	}
	json_writer_end(json);
	return err;
}

/* Tables follow each other behind an empty line. */
static int write_csv(struct report_sink *rs, struct buffer *out)
{
	const size_t start = out->len;
	int err = 0;

	for (size_t i = 0; i < KIND_COUNT; i++) {
		const struct report_kind kind = shown_as(rs, i);

		for (size_t p = 0; has(rs->groups, i) && p < kind.part_count && !err; p++) {
			const struct report_part *part = &kind.parts[p];
			struct report_rows rows;

			if (!part->table->key)
				continue;
			err = part_rows(part, rs->groups->reports[i], &rs->options, &rows);
			if (out->len > start)
				buffer_char(out, '\n');
			if (!err)
				report_table_csv(table_of(part, &rows), &rows, out);
			part_free(&rows);
		}
	}
	return err ?: buffer_error(out);
}

static int write_text(struct report_sink *rs, struct buffer *out)
{
	const char *before = "";
	struct report_kind kind;
	int err;

	for (size_t k = 0; k < rs->group_count; k++) {
		const struct report_group *group = &rs->groups[k];

		if (rs->options.is_by && has_any(group)) {
			buffer_string(out, before);
			write_heading(rs, group->origin, out);
			before = "";
		}
		for (size_t i = 0; i < KIND_COUNT; i++) {
			if (!has(group, i))
				continue;
			kind = shown_as(rs, i);
			buffer_string(out, before);
			err = report_kind_text(&kind, group->reports[i], &rs->options, out);
			if (err)
				return err;
			before = "\n";
		}
	}
	return buffer_error(out);
}

/* "reports":{...} of one group. */
static int write_json_reports(const struct report_sink *rs, const struct report_group *group,
			      struct json_writer *json)
{
	int err;

	json_writer_object(json, "reports");
	for (size_t i = 0; i < KIND_COUNT; i++) {
		const struct report_kind kind = shown_as(rs, i);

		if (!has(group, i))
			continue;
		err = report_kind_json(&kind, group->reports[i], &rs->options, json);
		if (err)
			return err;
	}
	json_writer_end(json);
	return 0;
}

/* "by":"vpid","groups":[{"vpid":42,"reports":{...}},...]; null for what is not known. */
static int write_json_groups(const struct report_sink *rs, struct json_writer *json)
{
	const enum origin_part part = rs->options.by;
	int err = 0;

	json_writer_string(json, "by", origin_names[part]);
	json_writer_array(json, "groups");
	for (size_t k = 0; k < rs->group_count && !err; k++) {
		const struct origin *origin = rs->groups[k].origin;

		if (!has_any(&rs->groups[k]))
			continue;
		json_writer_object(json, NULL);
		if (!origin_has(origin, part)) {
			json_writer_null(json, origin_names[part]);
		} else if (part == ORIGIN_VPID) {
			json_writer_int(json, origin_names[part], origin->vpid);
		} else {
			const char *name = part == ORIGIN_HOSTNAME ? origin->hostname :
								     origin->procname;

			json_writer_string(json, origin_names[part], name);
		}
		err = write_json_reports(rs, &rs->groups[k], json);
		json_writer_end(json);
	}
	json_writer_end(json);
	return err;
}

/* Of all groups. */
static struct report_span whole_span(const struct report_sink *rs)
{
	struct report_span span = {0};
	bool started = false;

	for (size_t k = 0; k < rs->group_count; k++) {
		const struct report_group *group = &rs->groups[k];

		if (!group->started)
			continue;
		if (!started || group->span.begin_ns < span.begin_ns)
			span.begin_ns = group->span.begin_ns;
		if (!started || group->span.end_ns > span.end_ns)
			span.end_ns = group->span.end_ns;
		started = true;
	}
	return span;
}

static int write_json(struct report_sink *rs, struct buffer *out)
{
	const struct select *select = rs->view->analysis.select;
	const struct report_span span = whole_span(rs);
	struct json_writer writer, *json = &writer;
	int err;

	json_writer_init(json, out);
	json_writer_object(json, NULL);
	json_writer_uint(json, "duration_ns", (uint64_t)span.end_ns - (uint64_t)span.begin_ns);
	json_writer_uint(json, "lost", select->lost);
	json_writer_uint(json, "packets_overwritten", select->overwritten);
	json_field_trace_end(json, rs->view->analysis.info);
	err = rs->options.is_by ? write_json_groups(rs, json) :
				  write_json_reports(rs, rs->groups, json);
	json_writer_finish(json);
	return err ?: buffer_error(out);
}

static int report_finish(struct event_sink *sink)
{
	struct report_sink *rs = (struct report_sink *)sink;
	struct output *out = rs->view->out;
	int err;

	for (size_t k = 0; k < rs->group_count; k++) {
		for (size_t i = 0; i < KIND_COUNT; i++) {
			struct report *report = rs->groups[k].reports[i];

			if (report)
				report->ops->end(report, &rs->groups[k].span);
		}
	}
	err = rs->options.form == REPORT_JSON ? write_json(rs, &out->buf) :
	      rs->options.form == REPORT_CSV  ? write_csv(rs, &out->buf) :
						write_text(rs, &out->buf);
	return err ?: output_flush(out);
}

static void report_free(struct event_sink *sink)
{
	struct report_sink *rs = (struct report_sink *)sink;

	if (!rs)
		return;
	for (size_t k = 0; k < rs->group_count; k++) {
		for (size_t i = 0; i < KIND_COUNT; i++) {
			struct report *report = rs->groups[k].reports[i];

			if (report)
				report->ops->free(report);
		}
	}
	free(rs->groups);
	free(rs->group_of);
	free(rs->seen);
	free(rs);
}

/* One, or one for each origin that classes have, in the order of the traces. */
static int make_groups(struct report_sink *rs)
{
	const struct trace_info *info = rs->view->analysis.info;

	rs->groups = calloc(info->class_count + 1, sizeof(*rs->groups));
	rs->group_of = calloc(info->class_count + 1, sizeof(*rs->group_of));
	if (!rs->groups || !rs->group_of)
		return -ENOMEM;
	for (size_t c = 0; rs->options.is_by && c < info->class_count; c++) {
		const struct event_class *class = info->classes[c];

		if (class->role == EVENT_ROLE_LOST)
			continue;
		rs->group_of[c] = find_group(rs, class->origin);
		if (rs->group_of[c] == rs->group_count)
			rs->groups[rs->group_count++].origin = class->origin;
	}
	rs->group_count = rs->group_count ?: 1;
	return 0;
}

/* Without a name all but those that are to be named. */
static bool is_asked(const struct report_options *options, size_t i)
{
	if (options->kinds)
		return options->kinds >> i & 1;
	return !kinds[i]->only_named;
}

static int make_grouped(struct report_sink *rs, size_t i, struct report **ret, struct diag *diag)
{
	static const struct report_measures none = {.counts = "events"};
	const struct report_options *options = &rs->options;
	const bool events = kinds[i] == &report_kind_events;
	const struct report_grouping grouping = {
		.report = kinds[i]->name,
		.by = options->group_count ? options->group_by : kinds[i]->default_by,
		.by_count = options->group_count ?: kinds[i]->default_count,
		.measures = (events ? options->measures : kinds[i]->measures) ?: &none,
		.named = events,
		.where = kinds[i]->asks_rows ? options->rows_where : NULL,
	};

	rs->each = true;
	return (kinds[i]->make ?: report_events_new)(&rs->view->analysis, &grouping, ret, diag);
}

static int make_reports(struct report_sink *rs, struct report_group *group, struct diag *diag)
{
	int err = 0;

	for (size_t i = 0; i < KIND_COUNT && !err; i++) {
		if (!is_asked(&rs->options, i))
			continue;
		if (groups_rows(&rs->options, kinds[i])) {
			err = make_grouped(rs, i, &group->reports[i], diag);
			continue;
		}
		rs->each |= kinds[i]->each;
		group->reports[i] = kinds[i]->new (&rs->view->analysis);
		if (!group->reports[i])
			err = diag_set(diag, -ENOMEM, "no memory");
	}
	return err;
}

static const struct sink_ops report_ops = {
	.batch = report_batch,
	.finish = report_finish,
	.free = report_free,
};

static int make_sink(const struct view *view, const struct report_options *options,
		     struct report_sink **ret, struct diag *diag)
{
	struct report_sink *rs = calloc(1, sizeof(*rs));
	int err;

	if (!rs)
		return diag_set(diag, -ENOMEM, "no memory");
	rs->sink.ops = &report_ops;
	rs->view = view;
	rs->options = *options;
	rs->seen = calloc(view->analysis.info->class_count ?: 1, sizeof(*rs->seen));
	err = rs->seen ? make_groups(rs) : -ENOMEM;
	if (err)
		(void)diag_set(diag, err, "no memory");
	for (size_t k = 0; k < rs->group_count && !err; k++)
		err = make_reports(rs, &rs->groups[k], diag);
	if (err) {
		report_free(&rs->sink);
		return err;
	}
	*ret = rs;
	return 0;
}

struct event_sink *report_new(const struct view *view, const struct report_options *options)
{
	struct report_sink *rs = NULL;

	return make_sink(view, options, &rs, NULL) ? NULL : &rs->sink;
}

/* Before there are events the rows are none, and the table has its columns. */
static bool part_has(const struct report_sink *rs, const struct report_part *part,
		     const struct report *report, struct buffer *columns)
{
	struct report_rows rows;
	bool has = false;

	if (part->table->column_count) {
		report_table_columns(part->table, columns);
		return report_table_has(part->table, rs->options.sort);
	}
	rows = (struct report_rows){.owner = report, .options = &rs->options};
	if (!part->rows(report, &rows)) {
		report_table_columns(rows.made, columns);
		has = report_table_has(rows.made, rs->options.sort);
	}
	part_free(&rows);
	return has;
}

/* "a, b, c", as much of it as a message has room for; or the name that was meant. @columns is cut. */
static int fail_column(const char *wanted, char *columns, struct diag *diag)
{
	struct nearest near;
	char name[64], best[64], *end;

	nearest_init(&near, wanted + (*wanted == '-'));
	for (const char *at = columns; *at; at += strspn(at, ", ")) {
		const size_t len = strcspn(at, ",");

		(void)snprintf(name, sizeof(name), "%.*s", (int)len, at);
		nearest_offer(&near, name);
		if (near.name == name)
			near.name = strcpy(best, name);
		at += len;
	}
	if (near.name)
		return diag_set(diag, -ENOENT, "--sort: no column '%s': did you mean '%s'?", wanted,
				near.name);
	if (strlen(columns) > COLUMNS_SHOWN) {
		columns[COLUMNS_SHOWN] = 0;
		end = strrchr(columns, ',');
		memcpy(end ? end + 2 : columns, "...", 4);
	}
	return diag_set(diag, -ENOENT, "--sort: no column '%s'; there are %s", wanted, columns);
}

static int check_sort(const struct report_sink *rs, struct diag *diag)
{
	struct buffer columns;
	bool has = false;
	int err = 0;

	if (!rs->options.sort)
		return 0;
	buffer_init(&columns);
	for (size_t i = 0; i < KIND_COUNT; i++) {
		const struct report_kind kind = shown_as(rs, i);

		for (size_t p = 0; rs->groups[0].reports[i] && p < kind.part_count; p++)
			has |= part_has(rs, &kind.parts[p], rs->groups[0].reports[i], &columns);
	}
	buffer_char(&columns, 0);
	if (buffer_error(&columns))
		err = diag_set(diag, -ENOMEM, "no memory");
	else if (!has)
		err = fail_column(rs->options.sort, columns.data, diag);
	buffer_fini(&columns);
	return err;
}

int report_check(const struct view *view, const struct report_options *options, struct diag *diag)
{
	struct report_sink *rs = NULL;
	int err = make_sink(view, options, &rs, diag);

	err = err ?: check_sort(rs, diag);
	report_free(rs ? &rs->sink : NULL);
	return err;
}

bool report_has(const struct event_sink *sink, size_t i)
{
	const struct report_sink *rs = (const struct report_sink *)sink;

	for (size_t k = 0; k < rs->group_count; k++) {
		if (has(&rs->groups[k], i))
			return true;
	}
	return false;
}

/* Whether there were events of class @c that were asked for. */
static bool saw(const struct report_sink *rs, size_t c)
{
	const struct event_class *class = rs->view->analysis.info->classes[c];

	return rs->seen[c] && select_shows(rs->view->analysis.select, class) &&
	       class->role != EVENT_ROLE_LOST;
}

bool report_could(const struct event_sink *sink, size_t i)
{
	const struct report_sink *rs = (const struct report_sink *)sink;
	const struct trace_info *info = rs->view->analysis.info;

	if (i >= KIND_COUNT || kinds[i]->needs & ~derived_known(info))
		return false;
	for (size_t c = 0; c < info->class_count; c++) {
		if (saw(rs, c) && *kinds[i]->group &&
		    !strncmp(info->classes[c]->name, kinds[i]->group, strlen(kinds[i]->group)))
			return true;
	}
	return false;
}

/* The recorder's own. */
static bool is_note(const struct event_class *class)
{
	return !strncmp(class->name, "sonde.", 6);
}

void report_seen(const struct event_sink *sink, struct buffer *out)
{
	const struct report_sink *rs = (const struct report_sink *)sink;
	const struct trace_info *info = rs->view->analysis.info;
	size_t start = out->len, told = 0;

	for (size_t c = 0; c < info->class_count; c++) {
		if (!saw(rs, c) || info->classes[c]->again || is_note(info->classes[c]))
			continue;
		if (told++ < SEEN_NAMES)
			buffer_format(out, "%s%s", out->len > start ? ", " : "",
				      info->classes[c]->name);
	}
	if (told > SEEN_NAMES)
		buffer_format(out, " and %zu others", told - SEEN_NAMES);
	buffer_char(out, 0);
}
