// SPDX-License-Identifier: BSD-2-Clause
/*
 * graph: pictures of what is in a SOURCE, as SVG, PNG, PDF, or characters on a terminal: numbers over time,
 * how they are spread, what tasks did, what a connection sent.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/diag.h"
#include "base/options.h"
#include "cli/graph_chart.h"
#include "cli/picture_choice.h"
#include "cli/reading.h"
#include "cli/verb.h"
#include "graph/conn_pick.h"
#include "graph/plot.h"
#include "graph/time_plot.h"
#include "schema/derived.h"

#define CONNS_MAX 64u
#define SCALES_MAX SERIES_SET_PICKS
#define DEFAULT_TOP PALETTE_SERIES /* colours */
#define DEFAULT_FIELD "snd_cwnd"
#define CONNS_TOLD 5u

enum graph_option {
	GRAPH_CONN = 'c',
	GRAPH_FIELD = 'f',
	GRAPH_JOBS = 'j',
	GRAPH_OUT = 'o',
	GRAPH_TOP = 'n',
	GRAPH_PARAM = READING_OPTION_END,
	GRAPH_BY,
	GRAPH_SCALE,
	GRAPH_LOG,
	GRAPH_STYLE,
	GRAPH_HIST,
	GRAPH_HEAT,
	GRAPH_TIMELINE,
	GRAPH_SEQUENCE,
	GRAPH_PICTURE, /* and the PICTURE_OPTIONS behind it */
};

static const struct option_spec graph_options[] = {
	{GRAPH_FIELD, "field", "FIELD",
	 "draw this number: a field of events, EVENT:FIELD where several have one of that name, or what "
	 "follows from events: dur, queue, service, total, wait; can be repeated",
	 NULL},
	{GRAPH_CONN, "conn", "CONN",
	 "of this connection only: LOCAL.REMOTE ports, as 1055.5050, or ADDR:PORT-ADDR:PORT with IPv6 "
	 "in brackets, ours first; can be repeated",
	 NULL},
	{GRAPH_PARAM, "param", "FIELD", "the same as --field: of all connections, one line each",
	 NULL},
	{GRAPH_HIST, "hist", "FIELD",
	 "a histogram: how the values of the field are spread; with --by, a row for each group",
	 NULL},
	{GRAPH_HEAT, "heat", "FIELD", "a heat map: how many values were how large, when", NULL},
	{GRAPH_TIMELINE, "timeline", NULL,
	 "what the CPUs and the busiest tasks did: running, waiting for a CPU, blocked", NULL},
	{GRAPH_SEQUENCE, "sequence", NULL,
	 "a time-sequence diagram of one TCP connection: sent, acknowledged, window, what was lost",
	 NULL},
	{GRAPH_BY, "by", "KEY",
	 "a line for each conn (of events of connections: unless told), tid, pid, comm, cpu, dev, event, each "
	 "value of a field, or none",
	 "conn tid pid comm cpu dev event none"},
	{GRAPH_TOP, "top", "N", "lines at most: those with the most events; 7 unless told", NULL},
	{GRAPH_SCALE, "scale", "FIELD=X", "multiply the field's values by X; can be repeated",
	 NULL},
	{GRAPH_LOG, "log", "AXIS",
	 "a logarithmic axis: x, y or xy; of --hist and --heat, which choose by the values unless told, none as well",
	 "x y xy none"},
	{GRAPH_STYLE, "style", "STYLE",
	 "line (the default), step (each value holds until the next), dots (the default for what "
	 "follows from events)",
	 "line step dots"},
	{GRAPH_OUT, "output", "FILE",
	 "where the picture goes: its name says whether it is SVG, PNG, PDF or text; - is standard "
	 "output. Without it, text",
	 "@file"},
	{GRAPH_PICTURE + PICTURE_OPTION_FORMAT, "format", "FORMAT", "svg, png, pdf or text",
	 "svg png pdf text"},
	{GRAPH_PICTURE + PICTURE_OPTION_SIZE, "size", "WxH", "pixels; 720x420 unless told", NULL},
	{GRAPH_PICTURE + PICTURE_OPTION_WIDTH, "width", "N",
	 "pixels, or of text columns: as many as the terminal has unless told", NULL},
	{GRAPH_PICTURE + PICTURE_OPTION_HEIGHT, "height", "N", "pixels, or of text lines", NULL},
	{GRAPH_PICTURE + PICTURE_OPTION_THEME, "theme", "THEME",
	 "light, dark, or auto (the default): SVG goes by what its reader prefers, the others are light",
	 "auto light dark"},
	{GRAPH_PICTURE + PICTURE_OPTION_TITLE, "title", "TEXT", "above the picture; '' = none",
	 NULL},
	{GRAPH_PICTURE + PICTURE_OPTION_OPEN, "open", NULL,
	 "show the picture, by $BROWSER or xdg-open; without -o it is a temporary file", NULL},
	{GRAPH_JOBS, "jobs", "N", READING_JOBS_TEXT, NULL},
	{0},
};

static const struct verb_spec graph_spec = {
	.name = "graph",
	.synopsis = "[OPTIONS] SOURCE",
	.summary = "Draw numbers of a trace over time: SVG, PNG, PDF, or on the terminal.",
	.notes = READING_SOURCE_TEXT
	"Without --field it draws the congestion window of its TCP "
	"connections. Fields of one unit share an axis; of a second unit, there is one on the "
	"right. Of all values that fall on one column of pixels the first, least, greatest and "
	"last are drawn, so no spike is lost however many there are. Where events were lost while "
	"recording, a red line marks the place.\n\n"
	"In place of lines it can be a histogram (--hist), a heat map (--heat), a timeline of CPUs and "
	"tasks (--timeline), or the time-sequence diagram of a TCP connection (--sequence).\n\n"
	"Exit status: 0 complete; 1 an error, or parts of the trace could not be read (the rest "
	"is drawn); 2 usage; 3 complete, but events were lost while recording; 4 there is nothing "
	"to draw, and no picture.",
	.examples = "sonde graph T\n"
		    "sonde graph T --conn 1055.5050 -f snd_cwnd -f sndbuf -o cwnd.svg\n"
		    "sonde graph T --param srtt_us --log y --open\n"
		    "sonde graph T -f sys.exit:dur --where 'comm ~ \"nginx*\"' -o dur.png\n"
		    "sonde graph T -f disk.complete:service --by dev --theme dark -o disk.pdf",
	.options = graph_options,
	.shared = reading_options,
	.operand = "@file",
};

/* "FIELD=X" */
struct scale_choice {
	const char *text;
	size_t name_len;
	double factor;
};

struct graph_settings {
	struct time_plot_options plot;
	struct field_pick picks[SERIES_SET_PICKS];
	struct conn_pick conns[CONNS_MAX];
	const char *conn_names[CONNS_MAX];
	struct scale_choice scales[SCALES_MAX];
	size_t scale_count;
	bool top_given;
	struct graph_chart chart; /* where one was asked for */
	struct picture_choice picture;
	struct buffer out;
	const struct event_sink *sink; /* borrowed, once it is there */
};

static int add_field(struct graph_settings *settings, const char *arg, struct diag *diag)
{
	struct series_request *request = &settings->plot.request;

	if (request->pick_count == SERIES_SET_PICKS)
		return diag_set(diag, -EINVAL, "more than %u fields: nobody could read that",
				SERIES_SET_PICKS);
	if (field_pick_parse(&settings->picks[request->pick_count++], arg, diag))
		return diag_prefix(diag, -EINVAL, "--field");
	return 0;
}

static int add_conn(struct graph_settings *settings, const char *arg, struct diag *diag)
{
	struct series_request *request = &settings->plot.request;

	if (request->conn_count == CONNS_MAX)
		return diag_set(diag, -EINVAL, "more than %u connections", CONNS_MAX);
	settings->conn_names[request->conn_count] = arg;
	if (conn_pick_parse(arg, &settings->conns[request->conn_count++], diag))
		return diag_prefix(diag, -EINVAL, "--conn");
	return 0;
}

static int add_scale(struct graph_settings *settings, const char *arg, struct diag *diag)
{
	struct scale_choice *scale = &settings->scales[settings->scale_count];
	const char *equals = strrchr(arg, '=');
	char *end = NULL;

	if (settings->scale_count == SCALES_MAX)
		return diag_set(diag, -EINVAL, "more than %u times --scale", SCALES_MAX);
	if (equals)
		scale->factor = strtod(equals + 1, &end);
	if (!equals || equals == arg || end == equals + 1 || *end ||
	    !(scale->factor - scale->factor == 0) || scale->factor == 0)
		return diag_set(diag, -EINVAL, "--scale: '%s' is no FIELD=X, as snd_cwnd=1448",
				arg);
	scale->text = arg;
	scale->name_len = (size_t)(equals - arg);
	settings->scale_count++;
	return 0;
}

static int take_log(struct graph_settings *settings, const char *arg, struct diag *diag)
{
	settings->chart.linear |= !strcmp(arg, "none");
	if (settings->chart.linear)
		return 0;
	if (strspn(arg, "xy") != strlen(arg) || !*arg)
		return diag_set(diag, -EINVAL, "--log: '%s' is none of x, y, xy, none", arg);
	settings->plot.log_x |= strchr(arg, 'x') != NULL;
	settings->plot.log_y |= strchr(arg, 'y') != NULL;
	return 0;
}

static int take_style(struct graph_settings *settings, const char *arg, struct diag *diag)
{
	settings->plot.has_style = true;
	if (series_style_parse(arg, &settings->plot.style))
		return diag_set(diag, -EINVAL, "--style: '%s' is none of line, step, dots", arg);
	return 0;
}

static int take_top(struct graph_settings *settings, const char *arg, struct diag *diag)
{
	uint64_t top = 0;
	int err = select_parse_limit("--top", arg, &top, diag);

	if (!err && top > TIME_PLOT_LINES)
		err = diag_set(diag, -EINVAL, "--top: more than %u lines are no picture",
			       TIME_PLOT_LINES);
	settings->plot.top = (size_t)top;
	settings->top_given = true;
	return err;
}

static int take_option(void *ctx, struct reading *reading, int id, const char *arg,
		       struct diag *diag)
{
	struct graph_settings *settings = ctx;

	switch (id) {
	case GRAPH_FIELD:
	case GRAPH_PARAM:
		return add_field(settings, arg, diag);
	case GRAPH_CONN:
		return add_conn(settings, arg, diag);
	case GRAPH_BY:
		group_choice_parse(arg, &settings->plot.request.by);
		return 0;
	case GRAPH_TOP:
		return take_top(settings, arg, diag);
	case GRAPH_SCALE:
		return add_scale(settings, arg, diag);
	case GRAPH_LOG:
		return take_log(settings, arg, diag);
	case GRAPH_STYLE:
		return take_style(settings, arg, diag);
	case GRAPH_HIST:
		return graph_chart_choose(&settings->chart, CHART_HIST, arg, diag);
	case GRAPH_HEAT:
		return graph_chart_choose(&settings->chart, CHART_HEAT, arg, diag);
	case GRAPH_TIMELINE:
		return graph_chart_choose(&settings->chart, CHART_TIMELINE, NULL, diag);
	case GRAPH_SEQUENCE:
		return graph_chart_choose(&settings->chart, CHART_SEQUENCE, NULL, diag);
	case GRAPH_OUT:
		return picture_choice_take_out(&settings->picture, arg);
	case GRAPH_JOBS:
		return reading_parse_jobs(arg, reading, diag);
	default:
		return picture_choice_take(&settings->picture, id - GRAPH_PICTURE, arg, diag);
	}
}

static bool is_scaled(const struct scale_choice *scale, const struct field_pick *pick)
{
	size_t len = strlen(pick->name);
	const char *name = scale->text + scale->name_len - len;

	/* By the field's name, with the event's or without. */
	return scale->name_len >= len && !strncmp(name, pick->name, len) &&
	       (name == scale->text || name[-1] == ':');
}

static int set_scale(struct graph_settings *settings, const struct scale_choice *scale,
		     struct diag *diag)
{
	struct series_request *request = &settings->plot.request;
	bool any = false;

	for (size_t i = 0; i < request->pick_count; i++) {
		if (!is_scaled(scale, &settings->picks[i]))
			continue;
		settings->picks[i].factor = scale->factor;
		any = true;
	}
	if (!any)
		return diag_set(diag, -EINVAL, "--scale %s: no --field is called so", scale->text);
	return 0;
}

/* What both kinds of pictures have in common. */
static int settle_chart(struct graph_settings *settings, struct reading *reading, struct diag *diag)
{
	struct series_request *request = &settings->plot.request;
	struct graph_chart *chart = &settings->chart;

	if (request->pick_count || settings->plot.has_style || settings->scale_count)
		return diag_set(diag, -EINVAL,
				"--field, --param, --scale and --style are of lines over "
				"time: leave them out, or the other kind of picture");
	chart->log_x = settings->plot.log_x;
	chart->log_y = settings->plot.log_y;
	chart->options.measure.by = request->by;
	chart->options.measure.conns = settings->conns;
	chart->options.measure.conn_count = request->conn_count;
	chart->conn_name = request->conn_count ? settings->conn_names[0] : NULL;
	chart->options.top = settings->top_given ? settings->plot.top : 0;
	chart->options.picture = settings->picture.picture;
	return graph_chart_settle(chart, reading, diag);
}

/* Files of the measurement system have these in other words. A field may have the same name in both. */
static bool only_derived(const struct graph_settings *settings)
{
	size_t i = 0, count = settings->plot.request.pick_count;

	while (i < count && derived_is(settings->picks[i].name))
		i++;
	return i == count;
}

static int settle(void *ctx, struct reading *reading, struct diag *diag)
{
	struct graph_settings *settings = ctx;
	struct series_request *request = &settings->plot.request;
	int err = picture_choice_settle(&settings->picture, diag);

	if (!err && settings->chart.wanted)
		return settle_chart(settings, reading, diag);
	if (!err && !request->pick_count)
		err = add_field(settings, DEFAULT_FIELD, diag);
	for (size_t i = 0; i < settings->scale_count && !err; i++)
		err = set_scale(settings, &settings->scales[i], diag);
	if (!err && request->conn_count && request->by.by != GROUP_AUTO &&
	    request->by.by != GROUP_CONN)
		err = diag_set(diag, -EINVAL,
			       "--conn: lines are of connections then; leave out --by");
	reading->own_terms = only_derived(settings);
	request->picks = settings->picks;
	request->conns = settings->conns;
	settings->plot.picture = settings->picture.picture;
	return err;
}

/* A picture has two axes. */
static int check_units(const struct graph_settings *settings, struct diag *diag)
{
	struct plot_line lines[SERIES_SET_PICKS];
	char names[256] = "";
	size_t len = 0;

	for (size_t i = 0; i < settings->plot.request.pick_count; i++) {
		const char *unit = field_pick_unit(&settings->picks[i]);

		lines[i].unit = unit_find(unit);
		if (len < sizeof(names))
			len += (size_t)snprintf(names + len, sizeof(names) - len, "%s%s (%s)",
						i ? ", " : "", settings->picks[i].name,
						unit ? unit : "no unit");
	}
	if (plot_units(lines, settings->plot.request.pick_count) > PLOT_UNITS)
		return diag_set(
			diag, -EINVAL,
			"a picture has an axis on the left and one on the right, for two units: %s",
			names);
	return 0;
}

static int check(void *ctx, struct reading *reading, struct diag *diag)
{
	struct graph_settings *settings = ctx;
	struct series_request *request = &settings->plot.request;
	const struct trace_info *info = reading->view.info;
	int err = 0;

	if (settings->chart.wanted)
		return graph_chart_check(&settings->chart, reading, diag);
	for (size_t i = 0; i < request->pick_count && !err; i++)
		err = field_pick_bind(&settings->picks[i], info, &reading->select, diag);
	err = err ? err : group_choice_check(&request->by, info, &reading->select, diag);
	return err ? err : check_units(settings, diag);
}

static bool derives(const struct graph_settings *settings)
{
	for (size_t i = 0; i < settings->plot.request.pick_count; i++)
		if (!settings->picks[i].field)
			return true;
	return false;
}

static struct event_sink *make_sink(void *ctx, struct reading *reading, struct diag *diag)
{
	struct graph_settings *settings = ctx;
	struct event_sink *sink;

	(void)diag;
	if (settings->chart.wanted) {
		sink = graph_chart_sink(&settings->chart, reading, &settings->out);
	} else {
		reading->sink_asks = reading->where_text && derives(settings);
		settings->plot.where = reading->sink_asks ? &reading->where : NULL;
		sink = time_plot_new(&reading->view, &settings->plot, &settings->out);
	}
	if (!reading->view.continued)
		settings->sink = sink;
	return sink;
}

static bool can_slice(const void *ctx, const struct event_sink *sink)
{
	const struct graph_settings *settings = ctx;

	return settings->chart.wanted ? chart_can_add(sink) : time_plot_can_add(sink);
}

static bool add_plots(struct event_sink *into, const struct event_sink *from)
{
	return into->ops == from->ops &&
	       (chart_is(into) ? chart_add(into, from) : time_plot_add(into, from));
}

static int compare_points(const void *a, const void *b)
{
	uint64_t x = (*(const struct series_group *const *)a)->series->points;
	uint64_t y = (*(const struct series_group *const *)b)->series->points;

	return (x < y) - (x > y);
}

/* Connections that there are, for who asked for others: those with the most events. */
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

static int fail_empty(const struct graph_settings *settings, const struct reading *reading,
		      const struct time_plot_told *told)
{
	size_t conns = settings->plot.request.conn_count;
	char there[160] = "none";
	struct diag diag = {0};

	if (conns) {
		list_conns(told->set, there, sizeof(there));
		(void)diag_set(&diag, 0, "%s: no connection %s%s in it; it has %s", reading->name,
			       settings->conn_names[0], conns > 1 ? ", nor the others," : "",
			       there);
	} else {
		(void)diag_set(&diag, 0, "%s: no event has a value of '%s'", reading->name,
			       settings->picks[0].name);
	}
	return verb_fail(reading->spec, STATUS_NO_MATCH, &diag);
}

/* Connections that were asked for, and are not there while others are. */
static void tell_missing(const struct graph_settings *settings, const struct reading *reading,
			 const struct series_set *set)
{
	struct diag diag = {0};

	for (size_t i = 0; i < settings->plot.request.conn_count; i++) {
		bool found = false;

		for (size_t k = 0; k < set->group_count && !found; k++)
			found = conn_pick_matches(&settings->conns[i], &set->groups[k]->conn);
		if (found)
			continue;
		(void)diag_set(&diag, 0, "%s: no connection %s in it", reading->name,
			       settings->conn_names[i]);
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
			reading->name, told->drawn, told->series);
		(void)verb_fail(reading->spec, STATUS_COMPLETE, &diag);
	}
	if (told->left_out) {
		(void)diag_set(
			&diag, 0,
			"%s: there are more than %u groups: %s events of those that came last are "
			"left out",
			reading->name, SERIES_SET_GROUPS,
			count_format(count, sizeof(count), told->left_out));
		(void)verb_fail(reading->spec, STATUS_COMPLETE, &diag);
	}
	if (told->limitless) {
		(void)diag_set(&diag, 0, "%s: %s values that stand for no limit are left out",
			       reading->name, count_format(count, sizeof(count), told->limitless));
		(void)verb_fail(reading->spec, STATUS_COMPLETE, &diag);
	}
}

static int conclude(void *ctx, const struct reading *reading)
{
	const struct graph_settings *settings = ctx;
	struct time_plot_told told;

	if (settings->chart.wanted)
		return graph_chart_conclude(&settings->chart, reading, settings->sink);
	time_plot_tell(settings->sink, &told);
	if (!told.drawn)
		return fail_empty(settings, reading, &told);
	tell_missing(settings, reading, told.set);
	tell_rest(reading, &told);
	return STATUS_COMPLETE;
}

static const struct reading_verb graph_verb = {
	.spec = &graph_spec,
	.take_option = take_option,
	.settle = settle,
	.check = check,
	.make_sink = make_sink,
	.can_slice = can_slice,
	.add = add_plots,
	.conclude = conclude,
};

/* What has been read is worth a picture, also where the end is missing. */
static int run_graph(int argc, char **argv)
{
	struct graph_settings settings = {.plot.top = DEFAULT_TOP};
	struct diag diag = {0};
	int status;

	buffer_init(&settings.out);
	status = reading_main(&graph_verb, &settings, argc, argv);
	if (settings.out.len && picture_choice_deliver(&settings.picture, &settings.out, &diag))
		status = verb_fail(&graph_spec, STATUS_ERROR, &diag);
	buffer_fini(&settings.out);
	return status;
}

const struct verb verb_graph = {&graph_spec, run_graph};
