// SPDX-License-Identifier: BSD-2-Clause

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/diag.h"
#include "base/options.h"
#include "cli/graph_lines.h"
#include "cli/picture_choice.h"
#include "cli/reading.h"
#include "cli/verb.h"
#include "graph/chart.h"
#include "graph/time_plot.h"
#include "schema/derived.h"

/*
 * graph: pictures of what is in a SOURCE, as SVG, PNG, PDF, or characters on a terminal: numbers over time,
 * how they are spread, what tasks did, what a connection sent.
 */

/*
 * The pictures of the verb graph that are not lines over time: which of them was asked for, of
 * what, and what is to be said where there is nothing to draw.
 */

struct graph_chart {
	bool wanted; /* one was asked for */
	bool linear; /* --log none */
	bool log_x, log_y;
	struct chart_options options;
	struct field_pick pick;
	const char *conn_name; /* the first that was asked for, as it was typed; NULL = none */
};

static const char *const names[CHART_KINDS] = {
	[CHART_HIST] = "--hist",	 [CHART_HEAT] = "--heat",   [CHART_TIMELINE] = "--timeline",
	[CHART_SEQUENCE] = "--sequence", [CHART_FLAME] = "--flame",
};

static bool has_values(const struct graph_chart *chart)
{
	return chart->options.kind == CHART_HIST || chart->options.kind == CHART_HEAT;
}

/* The user asked for a chart; @field: the measured field, or NULL. 0 or -EINVAL. */
static int graph_chart_choose(struct graph_chart *chart, enum chart_kind kind, const char *field,
			      struct diag *diag)
{
	if (chart->wanted && (chart->options.kind != kind || field))
		return diag_set(diag, -EINVAL, "%s: there is %s already, and a picture shows one",
				names[kind], names[chart->options.kind]);
	chart->wanted = true;
	chart->options.kind = kind;
	return field ? field_pick_parse(&chart->pick, field, diag) : 0;
}

/* What was asked for with it, and makes no sense there. */
static const char *stranger_of(const struct graph_chart *chart, const struct reading *reading)
{
	const struct measure_request *request = &chart->options.measure;
	enum chart_kind kind = chart->options.kind;

	if (request->by.by != GROUP_AUTO && !has_values(chart))
		return "--by";
	if ((chart->log_x || chart->log_y || chart->linear) && !has_values(chart))
		return "--log";
	if (chart->log_x && kind == CHART_HEAT)
		return "--log x";
	if (request->conn_count && (kind == CHART_TIMELINE || kind == CHART_FLAME))
		return "--conn";
	/* What a task does follows from all events of the scheduler. */
	if (reading->request.where && kind == CHART_TIMELINE)
		return "--where";
	return NULL;
}

/* What a task does follows from the events of all CPUs: the choice is the chart's. */
static void take_cpus(struct graph_chart *chart, struct reading *reading)
{
	struct select *select = &reading->request.select;

	if (!select->by_cpu)
		return;
	select->by_cpu = false;
	chart->options.cpus = &select->cpus;
}

/* Once all options are taken, and the connections, the groups and the picture are in the options. 0 or
 * -EINVAL. */
static int graph_chart_settle(struct graph_chart *chart, struct reading *reading, struct diag *diag)
{
	struct chart_options *options = &chart->options;
	const char *stranger = stranger_of(chart, reading);

	if (options->kind != CHART_FLAME && (options->stacks.weight || options->stacks.diff))
		return diag_set(diag, -EINVAL, "--weight and --diff are for --flame");
	if (options->stacks.diff && reading->request.source_count != 2)
		return diag_set(diag, -EINVAL, "--diff compares two SOURCEs: give both");

	if (stranger)
		return diag_set(diag, -EINVAL, "%s is not for %s", stranger, names[options->kind]);
	if (options->kind == CHART_SEQUENCE && options->measure.conn_count > 1)
		return diag_set(diag, -EINVAL, "--sequence shows one connection: give one --conn");
	if (options->kind == CHART_TIMELINE)
		take_cpus(chart, reading);
	/* Files of the measurement system have these in other words. */
	reading->request.own_terms = options->kind == CHART_TIMELINE ||
				     (has_values(chart) && derived_is(chart->pick.name));
	options->measure.pick = &chart->pick;
	/* By default, the values of all together. */
	if (options->measure.by.by == GROUP_AUTO)
		options->measure.by.by = GROUP_NONE;
	if (chart->linear)
		options->values = SPACING_LINEAR;
	if (options->kind == CHART_HIST ? chart->log_x : chart->log_y)
		options->values = SPACING_LOG;
	options->log_counts = options->kind == CHART_HIST && chart->log_y;
	return 0;
}

/* -ENOENT: there are none of what is asked for. */
static int check_stacks(const struct graph_chart *chart, const struct analysis *analysis,
			struct diag *diag)
{
	struct stack_weights trial;
	int err = stack_weights_init(&trial, analysis, &chart->options.stacks, diag);

	stack_weights_fini(&trial);
	return err;
}

/* As reading_verb.check, make_sink and conclude. */
static int graph_chart_check(struct graph_chart *chart, const struct read_session *session,
			     struct diag *diag)
{
	const struct analysis *analysis = read_session_analysis(session);
	int err;

	if (chart->options.kind == CHART_FLAME)
		return check_stacks(chart, analysis, diag);
	if (!has_values(chart))
		return 0;
	err = field_pick_bind(&chart->pick, analysis->info, analysis->select, diag);
	if (err)
		return err;
	return group_choice_check(&chart->options.measure.by, analysis->info, analysis->select,
				  diag);
}

static struct event_sink *graph_chart_sink(struct graph_chart *chart, struct read_session *session,
					   struct buffer *out, struct diag *diag)
{
	const bool asks = chart->options.kind == CHART_FLAME ||
			  (has_values(chart) && !chart->pick.field);

	read_session_set_sink_asks(session, asks);
	chart->options.where = asks ? read_session_where(session) : NULL;
	return chart_new(read_session_analysis(session), &chart->options, out, diag);
}

static int fail_empty(const struct graph_chart *chart, const struct reading *reading)
{
	struct diag diag = {0};

	if (chart->conn_name)
		(void)diag_set(&diag, 0, "%s: there is nothing to draw of connection %s",
			       reading->request.name, chart->conn_name);
	else if (has_values(chart))
		(void)diag_set(&diag, 0, "%s: no event has a value of '%s'", reading->request.name,
			       chart->pick.name);
	else if (chart->options.kind == CHART_FLAME)
		(void)diag_set(&diag, 0, "%s: no stack in it weighs anything",
			       reading->request.name);
	else if (chart->options.kind == CHART_TIMELINE && chart->options.cpus)
		(void)diag_set(&diag, 0, "%s: no task ran on these CPUs", reading->request.name);
	else if (chart->options.kind == CHART_TIMELINE)
		(void)diag_set(&diag, 0,
			       "%s: no task switches in it: sonde record -e sched records them",
			       reading->request.name);
	else
		(void)diag_set(&diag, 0,
			       "%s: no TCP connection in it: sonde record -e tcp records them",
			       reading->request.name);
	return verb_fail(reading->spec, STATUS_NO_MATCH, &diag);
}

static int graph_chart_conclude(const struct graph_chart *chart, const struct reading *reading,
				const struct event_sink *sink)
{
	struct chart_told told;
	struct diag diag = {0};
	char count[48];

	chart_tell(sink, &told);
	if (!told.drawn)
		return fail_empty(chart, reading);
	if (told.limitless) {
		(void)diag_set(&diag, 0, "%s: %s values that stand for no limit are left out",
			       reading->request.name,
			       count_format(count, sizeof(count), told.limitless));
		(void)verb_fail(reading->spec, STATUS_COMPLETE, &diag);
	}
	return STATUS_COMPLETE;
}

enum graph_option {
	GRAPH_FIELD = 'F',
	GRAPH_JOBS = 'j',
	GRAPH_OUT = 'o',
	GRAPH_PARAM = READING_OPTION_END,
	GRAPH_CONN,
	GRAPH_TOP,
	GRAPH_BY,
	GRAPH_SCALE,
	GRAPH_LOG,
	GRAPH_STYLE,
	GRAPH_FACET,
	GRAPH_YMAX,
	GRAPH_HIST,
	GRAPH_HEAT,
	GRAPH_TIMELINE,
	GRAPH_SEQUENCE,
	GRAPH_FLAME,
	GRAPH_WEIGHT,
	GRAPH_DIFF,
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
	{GRAPH_HEAT, "heat", "FIELD",
	 "a heat map: how many values were how large, when; with --by, one for each group", NULL},
	{GRAPH_TIMELINE, "timeline", NULL,
	 "what the CPUs and the busiest tasks did: running, waiting for a CPU, blocked", NULL},
	{GRAPH_SEQUENCE, "sequence", NULL,
	 "a time-sequence diagram of one TCP connection: sent, acknowledged, window, losses", NULL},
	{GRAPH_FLAME, "flame", NULL,
	 "a flame graph of stacks: of samples of the CPUs, of what --event chooses, or else of where "
	 "tasks left the CPU; as SVG it zooms and searches in a browser",
	 NULL},
	{GRAPH_WEIGHT, "weight", "WHAT",
	 "of --flame: samples (each stack counts once), ns (time; of sched.switch until the task runs "
	 "again), or a field, as bytes. Default: ns of sched.switch, else samples",
	 "samples ns bytes"},
	{GRAPH_DIFF, "diff", NULL,
	 "of --flame and two SOURCEs: what has a larger share in the second is red, a smaller one blue",
	 NULL},
	{GRAPH_BY, "by", "KEY",
	 "a line for each conn (the default for events of connections), tid, pid, comm, container, cpu, dev, event, file, each "
	 "value of a field, or none",
	 "conn tid pid comm container cpu dev event file none"},
	{GRAPH_TOP, "top", "N", "lines at most: those with the most events. Default: 7", NULL},
	{GRAPH_SCALE, "scale", "FIELD=X", "multiply the field's values by X; can be repeated",
	 NULL},
	{GRAPH_LOG, "log", "AXIS",
	 "a logarithmic axis: x, y or xy; with --hist and --heat also none (default: by the values)",
	 "x y xy none"},
	{GRAPH_STYLE, "style", "STYLE",
	 "line, step (each value holds until the next; the default for connections), dots (the default for what "
	 "follows from events)",
	 "line step dots"},
	{GRAPH_FACET, "facet", NULL,
	 "a panel for each line, one below the other, with one time axis", NULL},
	{GRAPH_YMAX, "ymax", "AMOUNT",
	 "upper end of the axis of values, as 100, 64K or 10ms; larger values are marked", NULL},
	{GRAPH_OUT, "output", "FILE",
	 "where the picture goes: its name says whether it is SVG, PNG, PDF or text; - is standard "
	 "output. Without it, text",
	 "@file"},
	{GRAPH_PICTURE + PICTURE_OPTION_FORMAT, "format", "FORMAT", "svg, png, pdf or text",
	 "svg png pdf text"},
	{GRAPH_PICTURE + PICTURE_OPTION_SIZE, "size", "WxH", "pixels. Default: 720x420", NULL},
	{GRAPH_PICTURE + PICTURE_OPTION_WIDTH, "width", "N",
	 "pixels, or text columns (default: the terminal's)", NULL},
	{GRAPH_PICTURE + PICTURE_OPTION_HEIGHT, "height", "N", "pixels, or of text lines", NULL},
	{GRAPH_PICTURE + PICTURE_OPTION_THEME, "theme", "THEME",
	 "light, dark, or auto (the default): SVG follows its reader's preference, the others are light",
	 "auto light dark"},
	{GRAPH_PICTURE + PICTURE_OPTION_TITLE, "title", "TEXT", "above the picture; '' = none",
	 NULL},
	{GRAPH_PICTURE + PICTURE_OPTION_OPEN, "open", NULL,
	 "show the picture, by $BROWSER or xdg-open; without -o it is a temporary file", NULL},
	{GRAPH_JOBS, "jobs", "N", READING_JOBS_TEXT, NULL},
	{0},
};

static const struct option_old old_options[] = {
	{"-f", "field"},
	{"-c", "conn"},
	{"-n", "top"},
	{0},
};

static const struct verb_spec graph_spec = {
	.old = old_options,
	.name = "graph",
	.synopsis = "[OPTIONS] SOURCE...",
	.summary = "Draw numbers of a trace over time: SVG, PNG, PDF, or on the terminal.",
	.common = "field conn hist heat timeline flame by output format event where",
	.notes = READING_SOURCE_TEXT
	"Without --field it draws the congestion window of its TCP "
	"connections. Fields of one unit share an axis; of a second unit, there is one on the "
	"right. If several values fall on one column of pixels, the first, least, greatest and "
	"last are drawn, so no spike is lost however many there are. Where events were lost while "
	"recording, a red line marks the place.\n\n"
	"In place of lines it can be a histogram (--hist), a heat map (--heat), a timeline of CPUs and "
	"tasks (--timeline), the time-sequence diagram of a TCP connection (--sequence), or a flame graph of stacks (--flame).\n\n"
	"Exit status: 0 complete; 1 an error, or parts of the trace could not be read (the rest "
	"is drawn); 2 usage; 3 complete, but events were lost while recording; 4 there is nothing "
	"to draw, and no picture.",
	.examples = "sonde graph T\n"
		    "sonde graph T --conn 1055.5050 -F snd_cwnd -F sndbuf -o cwnd.svg\n"
		    "sonde graph T --param srtt_us --log y --open\n"
		    "sonde graph T -F sys.exit:dur --where 'comm ~ \"nginx*\"' -o dur.png\n"
		    "sonde graph T -F disk.complete:service --by dev --theme dark -o disk.pdf\n"
		    "sonde graph T --flame -o cpu.svg\n"
		    "sonde graph --flame --diff before after -o diff.svg",
	.options = graph_options,
	.shared = reading_options,
	.operand = "@file",
};

struct graph_settings {
	struct graph_lines lines;
	struct graph_chart chart; /* where one was asked for */
	struct picture_choice picture;
	struct buffer out;
	const struct event_sink *sink; /* borrowed, once it is there */
};

static int take_log(struct graph_settings *settings, const char *arg, struct diag *diag)
{
	settings->chart.linear |= !strcmp(arg, "none");
	if (settings->chart.linear)
		return 0;
	if (strspn(arg, "xy") != strlen(arg) || !*arg)
		return diag_set(diag, -EINVAL, "--log: '%s' is not one of x, y, xy, none", arg);
	settings->lines.plot.log_x |= strchr(arg, 'x') != NULL;
	settings->lines.plot.log_y |= strchr(arg, 'y') != NULL;
	return 0;
}

static int take_option(void *ctx, struct reading *reading, int id, const char *arg,
		       struct diag *diag)
{
	struct graph_settings *settings = ctx;
	struct graph_lines *lines = &settings->lines;

	switch (id) {
	case GRAPH_FIELD:
	case GRAPH_PARAM:
		return graph_lines_add_field(lines, arg, diag);
	case GRAPH_CONN:
		return graph_lines_add_conn(lines, arg, diag);
	case GRAPH_BY:
		group_choice_parse(arg, &lines->plot.request.by);
		return 0;
	case GRAPH_TOP:
		return graph_lines_take_top(lines, arg, diag);
	case GRAPH_SCALE:
		return graph_lines_add_scale(lines, arg, diag);
	case GRAPH_LOG:
		return take_log(settings, arg, diag);
	case GRAPH_STYLE:
		return graph_lines_take_style(lines, arg, diag);
	case GRAPH_FACET:
		lines->plot.facets = true;
		return 0;
	case GRAPH_YMAX:
		return graph_lines_take_ymax(lines, arg, diag);
	case GRAPH_HIST:
		return graph_chart_choose(&settings->chart, CHART_HIST, arg, diag);
	case GRAPH_HEAT:
		return graph_chart_choose(&settings->chart, CHART_HEAT, arg, diag);
	case GRAPH_TIMELINE:
		return graph_chart_choose(&settings->chart, CHART_TIMELINE, NULL, diag);
	case GRAPH_SEQUENCE:
		return graph_chart_choose(&settings->chart, CHART_SEQUENCE, NULL, diag);
	case GRAPH_FLAME:
		return graph_chart_choose(&settings->chart, CHART_FLAME, NULL, diag);
	case GRAPH_WEIGHT:
		settings->chart.options.stacks.weight = arg;
		return 0;
	case GRAPH_DIFF:
		settings->chart.options.stacks.diff = true;
		return 0;
	case GRAPH_OUT:
		return picture_choice_take_out(&settings->picture, arg);
	case GRAPH_JOBS:
		return reading_parse_jobs(arg, reading, diag);
	default:
		return picture_choice_take(&settings->picture, id - GRAPH_PICTURE, arg, diag);
	}
}

/* What both kinds of pictures have in common. */
static int settle_chart(struct graph_settings *settings, struct reading *reading, struct diag *diag)
{
	struct series_request *request = &settings->lines.plot.request;
	struct graph_chart *chart = &settings->chart;

	if (request->pick_count || settings->lines.plot.has_style || settings->lines.scale_count ||
	    settings->lines.plot.facets || settings->lines.plot.ymax.given)
		return diag_set(
			diag, -EINVAL,
			"--field, --param, --scale, --style, --facet and --ymax are of lines over "
			"time: leave them out, or the other kind of picture");
	chart->log_x = settings->lines.plot.log_x;
	chart->log_y = settings->lines.plot.log_y;
	chart->options.measure.by = request->by;
	chart->options.measure.conns = settings->lines.conns;
	chart->options.measure.conn_count = request->conn_count;
	chart->conn_name = request->conn_count ? settings->lines.conn_names[0] : NULL;
	chart->options.top = settings->lines.top_given ? settings->lines.plot.top : 0;
	chart->options.picture = settings->picture.picture;
	return graph_chart_settle(chart, reading, diag);
}

static int settle(void *ctx, struct reading *reading, struct diag *diag)
{
	struct graph_settings *settings = ctx;
	int err = picture_choice_settle(&settings->picture, diag);

	reading->starts_programs = settings->picture.open;
	reading->makes = settings->picture.path;
	if (err)
		return err;
	if (settings->chart.wanted)
		return settle_chart(settings, reading, diag);
	if (settings->chart.options.stacks.weight || settings->chart.options.stacks.diff)
		return diag_set(diag, -EINVAL, "--weight and --diff are for --flame");
	return graph_lines_settle(&settings->lines, reading, &settings->picture.picture, diag);
}

static int check(void *ctx, const struct read_session *session, struct diag *diag)
{
	struct graph_settings *settings = ctx;

	if (settings->chart.wanted)
		return graph_chart_check(&settings->chart, session, diag);
	return graph_lines_check(&settings->lines, session, diag);
}

static struct event_sink *make_sink(void *ctx, struct read_session *session, struct diag *diag)
{
	struct graph_settings *settings = ctx;
	struct event_sink *sink;
	if (settings->chart.wanted)
		sink = graph_chart_sink(&settings->chart, session, &settings->out, diag);
	else
		sink = graph_lines_sink(&settings->lines, session, &settings->out);
	if (!read_session_view(session)->continued)
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

static int conclude(void *ctx, const struct reading *reading)
{
	const struct graph_settings *settings = ctx;

	if (settings->chart.wanted)
		return graph_chart_conclude(&settings->chart, reading, settings->sink);
	return graph_lines_conclude(&settings->lines, reading, settings->sink);
}

static const struct reading_verb graph_verb = {
	.spec = &graph_spec,
	.many = true,
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
	struct graph_settings settings = {0};
	struct diag diag = {0};
	int status;

	graph_lines_init(&settings.lines);
	buffer_init(&settings.out);
	status = reading_main(&graph_verb, &settings, argc, argv);
	if (settings.out.len && picture_choice_deliver(&settings.picture, &settings.out, &diag))
		status = verb_fail(&graph_spec, STATUS_ERROR, &diag);
	buffer_fini(&settings.out);
	return status;
}

const struct verb verb_graph = {&graph_spec, run_graph};
