// SPDX-License-Identifier: BSD-2-Clause
#include "cli/graph_lines.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/diag.h"
#include "cli/reading.h"
#include "cli/verb.h"
#include "schema/derived.h"
#include "schema/expr_number.h"

#define DEFAULT_TOP PALETTE_SERIES /* colours */
#define DEFAULT_FIELD "snd_cwnd"
#define CONNS_TOLD 5u

void graph_lines_init(struct graph_lines *lines)
{
	*lines = (struct graph_lines){.plot.top = DEFAULT_TOP};
}

int graph_lines_add_field(struct graph_lines *lines, const char *arg, struct diag *diag)
{
	struct series_request *request = &lines->plot.request;

	if (request->pick_count == SERIES_SET_PICKS)
		return diag_set(diag, -EINVAL, "too many fields (limit %u)", SERIES_SET_PICKS);
	if (field_pick_parse(&lines->picks[request->pick_count++], arg, diag))
		return diag_prefix(diag, -EINVAL, "--field");
	return 0;
}

int graph_lines_add_conn(struct graph_lines *lines, const char *arg, struct diag *diag)
{
	struct series_request *request = &lines->plot.request;

	if (request->conn_count == GRAPH_LINES_CONNS)
		return diag_set(diag, -EINVAL, "more than %u connections", GRAPH_LINES_CONNS);
	lines->conn_names[request->conn_count] = arg;
	if (conn_pick_parse(arg, &lines->conns[request->conn_count++], diag))
		return diag_prefix(diag, -EINVAL, "--conn");
	return 0;
}

int graph_lines_add_scale(struct graph_lines *lines, const char *arg, struct diag *diag)
{
	struct scale_choice *scale = &lines->scales[lines->scale_count];
	const char *equals = strrchr(arg, '=');
	char *end = NULL;

	if (lines->scale_count == SERIES_SET_PICKS)
		return diag_set(diag, -EINVAL, "more than %u times --scale", SERIES_SET_PICKS);
	if (equals)
		scale->factor = strtod(equals + 1, &end);
	if (!equals || equals == arg || end == equals + 1 || *end ||
	    !(scale->factor - scale->factor == 0) || scale->factor == 0)
		return diag_set(diag, -EINVAL,
				"--scale: '%s' is not FIELD=X, such as snd_cwnd=1448", arg);
	scale->text = arg;
	scale->name_len = (size_t)(equals - arg);
	lines->scale_count++;
	return 0;
}

int graph_lines_take_style(struct graph_lines *lines, const char *arg, struct diag *diag)
{
	lines->plot.has_style = true;
	if (series_style_parse(arg, &lines->plot.style))
		return diag_set(diag, -EINVAL, "--style: '%s' is not one of line, step, dots", arg);
	return 0;
}

int graph_lines_take_ymax(struct graph_lines *lines, const char *arg, struct diag *diag)
{
	struct plot_limit *limit = &lines->plot.ymax;
	struct expr_number number;
	int took = expr_number_parse(arg, strlen(arg), &number, NULL);

	if (took <= 0 || arg[took] || number.is_percent)
		return diag_set(diag, -EINVAL,
				"--ymax: '%s' is not an amount, such as 100, 64K or 10ms", arg);
	limit->given = true;
	limit->is_time = number.is_time;
	limit->value = expr_number_double(&number, 1);
	return 0;
}

int graph_lines_take_top(struct graph_lines *lines, const char *arg, struct diag *diag)
{
	uint64_t top = 0;
	int err = select_parse_limit("--top", arg, &top, diag);

	if (!err && top > TIME_PLOT_LINES)
		err = diag_set(diag, -EINVAL, "--top: too many lines (limit %u)", TIME_PLOT_LINES);
	lines->plot.top = (size_t)top;
	lines->top_given = true;
	return err;
}

static bool is_scaled(const struct scale_choice *scale, const struct field_pick *pick)
{
	size_t len = strlen(pick->name);
	const char *name = scale->text + scale->name_len - len;

	/* By the field's name, with the event's or without. */
	return scale->name_len >= len && !strncmp(name, pick->name, len) &&
	       (name == scale->text || name[-1] == ':');
}

static int set_scale(struct graph_lines *lines, const struct scale_choice *scale, struct diag *diag)
{
	struct series_request *request = &lines->plot.request;
	bool any = false;

	for (size_t i = 0; i < request->pick_count; i++) {
		if (!is_scaled(scale, &lines->picks[i]))
			continue;
		lines->picks[i].factor = scale->factor;
		any = true;
	}
	if (!any)
		return diag_set(diag, -EINVAL, "--scale %s: no --field is called so", scale->text);
	return 0;
}

/* Files of the measurement system have these in other words. A field may have the same name in both. */
static bool only_derived(const struct graph_lines *lines)
{
	size_t i = 0, count = lines->plot.request.pick_count;

	while (i < count && derived_is(lines->picks[i].name))
		i++;
	return i == count;
}

int graph_lines_settle(struct graph_lines *lines, struct reading *reading,
		       const struct picture *picture, struct diag *diag)
{
	struct series_request *request = &lines->plot.request;
	int err = request->pick_count ? 0 : graph_lines_add_field(lines, DEFAULT_FIELD, diag);

	for (size_t i = 0; i < lines->scale_count && !err; i++)
		err = set_scale(lines, &lines->scales[i], diag);
	if (!err && request->conn_count && request->by.by != GROUP_AUTO &&
	    request->by.by != GROUP_CONN)
		err = diag_set(diag, -EINVAL,
			       "--conn: lines are of connections then; leave out --by");
	reading->request.own_terms = only_derived(lines);
	request->picks = lines->picks;
	request->conns = lines->conns;
	lines->plot.picture = *picture;
	return err;
}

static int check_ymax(const struct graph_lines *lines, struct diag *diag)
{
	for (size_t i = 0; i < lines->plot.request.pick_count; i++) {
		const struct unit unit = unit_find(field_pick_unit(&lines->picks[i]));

		if (!lines->plot.ymax.given || plot_limit_fits(&lines->plot.ymax, &unit))
			return 0;
	}
	return diag_set(diag, -EINVAL, "--ymax: '%s' is not a time", lines->picks[0].name);
}

int graph_lines_check(struct graph_lines *lines, const struct read_session *session,
		      struct diag *diag)
{
	struct series_request *request = &lines->plot.request;
	const struct analysis *analysis = read_session_analysis(session);
	int err = 0;

	for (size_t i = 0; i < request->pick_count && !err; i++)
		err = field_pick_bind(&lines->picks[i], analysis->info, analysis->select, diag);
	err = err ?: check_ymax(lines, diag);
	return err ? err : group_choice_check(&request->by, analysis->info, analysis->select, diag);
}

static bool derives(const struct graph_lines *lines)
{
	for (size_t i = 0; i < lines->plot.request.pick_count; i++)
		if (!lines->picks[i].field)
			return true;
	return false;
}

struct event_sink *graph_lines_sink(struct graph_lines *lines, struct read_session *session,
				    struct buffer *out)
{
	const bool asks = derives(lines);

	read_session_set_sink_asks(session, asks);
	lines->plot.where = asks ? read_session_where(session) : NULL;
	return time_plot_new(read_session_analysis(session), &lines->plot, out);
}

static int compare_points(const void *a, const void *b)
{
	uint64_t x = (*(const struct series_group *const *)a)->series->points;
	uint64_t y = (*(const struct series_group *const *)b)->series->points;

	return (x < y) - (x > y);
}

/* Lists existing connections, for users that named others: those with the most events. */
static void list_conns(const struct series_set *set, char *text, size_t room)
{
	size_t len = 0;

	qsort(set->groups, set->group_count, sizeof(*set->groups), compare_points);
	for (size_t i = 0; i < set->group_count && i < CONNS_TOLD && len < room; i++)
		len += (size_t)snprintf(text + len, room - len, "%s%u.%u", i ? ", " : "",
					set->groups[i]->conn.lport, set->groups[i]->conn.rport);
	if (set->group_count > CONNS_TOLD && len < room)
		(void)snprintf(text + len, room - len, " and %zu more",
			       set->group_count - CONNS_TOLD);
}

static int fail_empty(const struct graph_lines *lines, const struct reading *reading,
		      const struct time_plot_told *told)
{
	size_t conns = lines->plot.request.conn_count;
	char there[160] = "none";
	struct diag diag = {0};

	if (conns) {
		list_conns(told->set, there, sizeof(there));
		(void)diag_set(&diag, 0, "%s: no connection %s%s in it; it has %s",
			       reading->request.name, lines->conn_names[0],
			       conns > 1 ? ", nor the others," : "", there);
	} else {
		(void)diag_set(&diag, 0, "%s: no event has a value of '%s'", reading->request.name,
			       lines->picks[0].name);
	}
	return verb_fail(reading->spec, STATUS_NO_MATCH, &diag);
}

/* Connections that were asked for, and are not there while others are. */
static void tell_missing(const struct graph_lines *lines, const struct reading *reading,
			 const struct series_set *set)
{
	struct diag diag = {0};

	for (size_t i = 0; i < lines->plot.request.conn_count; i++) {
		bool found = false;

		for (size_t k = 0; k < set->group_count && !found; k++)
			found = conn_pick_matches(&lines->conns[i], &set->groups[k]->conn);
		if (found)
			continue;
		(void)diag_set(&diag, 0, "%s: no connection %s in it", reading->request.name,
			       lines->conn_names[i]);
		(void)verb_fail(reading->spec, STATUS_NO_MATCH, &diag);
	}
}

/* What is not in the picture. */
static void tell_rest(const struct reading *reading, const struct time_plot_told *told)
{
	struct diag diag = {0};
	char count[48];

	if (told->series > told->drawn) {
		(void)diag_set(
			&diag, 0,
			"%s: %zu of %zu lines are drawn, those with the most events: --top draws "
			"more, --conn and --where choose",
			reading->request.name, told->drawn, told->series);
		(void)verb_fail(reading->spec, STATUS_COMPLETE, &diag);
	}
	if (told->left_out) {
		(void)diag_set(
			&diag, 0,
			"%s: there are more than %u groups: %s events of those that came last are "
			"left out",
			reading->request.name, SERIES_SET_GROUPS,
			count_format(count, sizeof(count), told->left_out));
		(void)verb_fail(reading->spec, STATUS_COMPLETE, &diag);
	}
	if (told->limitless) {
		(void)diag_set(&diag, 0, "%s: %s values that stand for no limit are left out",
			       reading->request.name,
			       count_format(count, sizeof(count), told->limitless));
		(void)verb_fail(reading->spec, STATUS_COMPLETE, &diag);
	}
}

int graph_lines_conclude(const struct graph_lines *lines, const struct reading *reading,
			 const struct event_sink *sink)
{
	struct time_plot_told told;

	time_plot_tell(sink, &told);
	if (!told.drawn)
		return fail_empty(lines, reading, &told);
	tell_missing(lines, reading, told.set);
	tell_rest(reading, &told);
	return STATUS_COMPLETE;
}
