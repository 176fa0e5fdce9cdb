// SPDX-License-Identifier: BSD-2-Clause
#include "cli/graph_chart.h"

#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/diag.h"
#include "cli/reading.h"
#include "cli/verb.h"
#include "schema/derived.h"

static const char *const names[CHART_KINDS] = {
	[CHART_HIST] = "--hist",
	[CHART_HEAT] = "--heat",
	[CHART_TIMELINE] = "--timeline",
	[CHART_SEQUENCE] = "--sequence",
};

static bool has_values(const struct graph_chart *chart)
{
	return chart->options.kind == CHART_HIST || chart->options.kind == CHART_HEAT;
}

int graph_chart_choose(struct graph_chart *chart, enum chart_kind kind, const char *field,
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

	if (request->by.by != GROUP_AUTO && kind != CHART_HIST)
		return "--by";
	if ((chart->log_x || chart->log_y || chart->linear) && !has_values(chart))
		return "--log";
	if (chart->log_x && kind == CHART_HEAT)
		return "--log x";
	if (request->conn_count && kind == CHART_TIMELINE)
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

int graph_chart_settle(struct graph_chart *chart, struct reading *reading, struct diag *diag)
{
	struct chart_options *options = &chart->options;
	const char *stranger = stranger_of(chart, reading);

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

int graph_chart_check(struct graph_chart *chart, const struct read_session *session,
		      struct diag *diag)
{
	const struct analysis *analysis = read_session_analysis(session);
	int err;

	if (!has_values(chart))
		return 0;
	err = field_pick_bind(&chart->pick, analysis->info, analysis->select, diag);
	if (err)
		return err;
	return group_choice_check(&chart->options.measure.by, analysis->info, analysis->select,
				  diag);
}

struct event_sink *graph_chart_sink(struct graph_chart *chart, struct read_session *session,
				    struct buffer *out)
{
	const bool asks = has_values(chart) && !chart->pick.field;

	read_session_set_sink_asks(session, asks);
	chart->options.where = asks ? read_session_where(session) : NULL;
	return chart_new(read_session_analysis(session), &chart->options, out);
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

int graph_chart_conclude(const struct graph_chart *chart, const struct reading *reading,
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
