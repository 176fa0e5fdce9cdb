// SPDX-License-Identifier: BSD-2-Clause
#include "graph/chart.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyse/analysis.h"
#include "analyse/where.h"
#include "base/buffer.h"
#include "base/diag.h"
#include "graph/flame.h"
#include "graph/heat.h"
#include "graph/heat_draw.h"
#include "graph/hist.h"
#include "graph/hist_draw.h"
#include "graph/plot.h"
#include "graph/plot_names.h"
#include "graph/sequence.h"
#include "graph/sequence_draw.h"
#include "graph/timeline.h"
#include "graph/timeline_draw.h"
#include "schema/source.h"

#define TITLE_BYTES FLAME_TEXT_BYTES

struct chart;

/* What one kind of picture is made by. */
struct chart_ops {
	int (*init)(struct chart *chart, struct diag *diag);
	int (*take)(struct chart *chart, const struct event *event, bool shown);
	int (*merge)(struct chart *into, const struct chart *from); /* NULL: it cannot be */
	int (*end)(struct chart *chart);
	bool (*has)(const struct chart *chart); /* anything to draw, once ended */
	void (*title)(const struct chart *chart, char title[TITLE_BYTES]);
	size_t (*panels)(const struct chart *chart); /* NULL: one */
	int (*draw)(const struct chart *chart, const char *title, struct canvas *canvas);
	/* In place of `draw`: what makes its pages itself. */
	int (*write)(const struct chart *chart, const char *title, struct buffer *out);
	void (*fini)(struct chart *chart);
};

struct chart {
	struct event_sink sink; /* first: the vtable's functions get this */
	const struct analysis *analysis;
	const struct chart_ops *ops;
	struct chart_options options;
	struct buffer *out;
	bool drawn;
	union {
		struct hist hist;
		struct heat heat;
		struct timeline timeline;
		struct sequence sequence;
		struct stack_weights stacks;
	};
};

static int hist_chart_init(struct chart *chart, struct diag *diag)
{
	(void)diag;
	return hist_init(&chart->hist, chart->analysis, &chart->options.measure, HIST_GROUPS);
}

static int hist_chart_take(struct chart *chart, const struct event *event, bool shown)
{
	return hist_take(&chart->hist, event, shown, NULL);
}

static int hist_chart_merge(struct chart *into, const struct chart *from)
{
	return hist_merge(&into->hist, &from->hist);
}

static int hist_chart_end(struct chart *chart)
{
	hist_end(&chart->hist);
	return 0;
}

static bool hist_chart_has(const struct chart *chart)
{
	return chart->hist.group_count;
}

static void measure_title(const struct chart *chart, char title[TITLE_BYTES])
{
	(void)snprintf(title, TITLE_BYTES, "%s", field_pick_text(chart->options.measure.pick));
}

static int hist_chart_draw(const struct chart *chart, const char *title, struct canvas *canvas)
{
	const struct hist_look look = {title, chart->options.values, chart->options.log_counts,
				       chart->options.top, plot_trace_note(chart->analysis->info)};

	return hist_draw(&chart->hist, &look, canvas);
}

static void hist_chart_fini(struct chart *chart)
{
	hist_fini(&chart->hist);
}

static int heat_chart_init(struct chart *chart, struct diag *diag)
{
	(void)diag;
	return heat_init(&chart->heat, chart->analysis, &chart->options.measure);
}

static int heat_chart_take(struct chart *chart, const struct event *event, bool shown)
{
	return heat_take(&chart->heat, event, shown);
}

static int heat_chart_merge(struct chart *into, const struct chart *from)
{
	return heat_merge(&into->heat, &from->heat);
}

static int heat_chart_end(struct chart *chart)
{
	heat_end(&chart->heat);
	return 0;
}

static bool heat_chart_has(const struct chart *chart)
{
	return chart->heat.hist.group_count;
}

static int heat_chart_draw(const struct chart *chart, const char *title, struct canvas *canvas)
{
	const struct heat_look look = {title, chart->options.values,
				       chart->analysis->select->origin_ns, chart->options.top,
				       plot_trace_note(chart->analysis->info)};

	return heat_draw(&chart->heat, &look, canvas);
}

static size_t heat_chart_panels(const struct chart *chart)
{
	return heat_panels(&chart->heat, chart->options.top);
}

static void heat_chart_fini(struct chart *chart)
{
	heat_fini(&chart->heat);
}

static int timeline_chart_init(struct chart *chart, struct diag *diag)
{
	(void)diag;
	return timeline_init(&chart->timeline, chart->analysis, chart->options.cpus);
}

static int timeline_chart_take(struct chart *chart, const struct event *event, bool shown)
{
	return timeline_take(&chart->timeline, event, shown);
}

static int timeline_chart_end(struct chart *chart)
{
	return timeline_end(&chart->timeline);
}

static bool timeline_chart_has(const struct chart *chart)
{
	return chart->timeline.cpu_count || chart->timeline.task_count;
}

static void timeline_title(const struct chart *chart, char title[TITLE_BYTES])
{
	(void)chart;
	(void)snprintf(title, TITLE_BYTES, "CPUs, and the tasks that ran most");
}

static int timeline_chart_draw(const struct chart *chart, const char *title, struct canvas *canvas)
{
	const struct timeline_look look = {title, chart->options.top,
					   chart->analysis->select->origin_ns,
					   plot_trace_note(chart->analysis->info)};

	return timeline_draw(&chart->timeline, &look, canvas);
}

static void timeline_chart_fini(struct chart *chart)
{
	timeline_fini(&chart->timeline);
}

static int sequence_chart_init(struct chart *chart, struct diag *diag)
{
	const struct measure_request *request = &chart->options.measure;

	(void)diag;
	return sequence_init(&chart->sequence, chart->analysis,
			     request->conn_count ? request->conns : NULL);
}

static int sequence_chart_take(struct chart *chart, const struct event *event, bool shown)
{
	return sequence_take(&chart->sequence, event, shown);
}

static int sequence_chart_end(struct chart *chart)
{
	sequence_end(&chart->sequence);
	return 0;
}

static bool sequence_chart_has(const struct chart *chart)
{
	return sequence_chosen(&chart->sequence) != NULL;
}

static void sequence_title(const struct chart *chart, char title[TITLE_BYTES])
{
	char label[GROUP_LABEL_BYTES];

	group_label_conn(&sequence_chosen(&chart->sequence)->id, true, label);
	(void)snprintf(title, TITLE_BYTES, "%s", label);
}

static int sequence_chart_draw(const struct chart *chart, const char *title, struct canvas *canvas)
{
	const struct sequence_look look = {title, chart->analysis->select->origin_ns,
					   plot_trace_note(chart->analysis->info)};

	return sequence_draw(&chart->sequence, &look, canvas);
}

static void sequence_chart_fini(struct chart *chart)
{
	sequence_fini(&chart->sequence);
}

static int flame_chart_init(struct chart *chart, struct diag *diag)
{
	return stack_weights_init(&chart->stacks, chart->analysis, &chart->options.stacks, diag);
}

static int flame_chart_take(struct chart *chart, const struct event *event, bool shown)
{
	return stack_weights_take(&chart->stacks, event, shown);
}

static int flame_chart_end(struct chart *chart)
{
	stack_weights_end(&chart->stacks);
	return 0;
}

static bool flame_chart_has(const struct chart *chart)
{
	const uint64_t *total = chart->stacks.tree.nodes[0].total;

	return total[0] || total[1];
}

static void flame_title(const struct chart *chart, char title[TITLE_BYTES])
{
	flame_default_title(&chart->stacks, title);
}

static int flame_chart_write(const struct chart *chart, const char *title, struct buffer *out)
{
	struct picture picture = chart->options.picture;
	struct flame flame;
	int err = flame_init(&flame, &chart->stacks);

	flame.title = title;
	flame.note = plot_trace_note(chart->analysis->info) ?: "";
	if (!*flame.note)
		flame.note = NULL;
	if (!picture.has_width)
		picture.width = FLAME_WIDTH;
	err = err ?: flame_draw(&flame, &picture, out);
	flame_fini(&flame);
	return err;
}

static void flame_chart_fini(struct chart *chart)
{
	stack_weights_fini(&chart->stacks);
}

static const struct chart_ops kinds[CHART_KINDS] = {
	[CHART_HIST] = {.init = hist_chart_init,
			.take = hist_chart_take,
			.merge = hist_chart_merge,
			.end = hist_chart_end,
			.has = hist_chart_has,
			.title = measure_title,
			.draw = hist_chart_draw,
			.fini = hist_chart_fini},
	[CHART_HEAT] = {.init = heat_chart_init,
			.take = heat_chart_take,
			.merge = heat_chart_merge,
			.end = heat_chart_end,
			.has = heat_chart_has,
			.title = measure_title,
			.panels = heat_chart_panels,
			.draw = heat_chart_draw,
			.fini = heat_chart_fini},
	[CHART_TIMELINE] = {.init = timeline_chart_init,
			    .take = timeline_chart_take,
			    .end = timeline_chart_end,
			    .has = timeline_chart_has,
			    .title = timeline_title,
			    .draw = timeline_chart_draw,
			    .fini = timeline_chart_fini},
	[CHART_SEQUENCE] = {.init = sequence_chart_init,
			    .take = sequence_chart_take,
			    .end = sequence_chart_end,
			    .has = sequence_chart_has,
			    .title = sequence_title,
			    .draw = sequence_chart_draw,
			    .fini = sequence_chart_fini},
	[CHART_FLAME] = {.init = flame_chart_init,
			 .take = flame_chart_take,
			 .end = flame_chart_end,
			 .has = flame_chart_has,
			 .title = flame_title,
			 .write = flame_chart_write,
			 .fini = flame_chart_fini},
};

static struct chart *chart_of(struct event_sink *sink)
{
	return (struct chart *)sink;
}

/* Whether it is drawn: other events may still be needed for derived values. */
static bool is_shown(const struct chart *chart, const struct event *event)
{
	bool shown = analysis_takes(chart->analysis, event);

	if (!chart->options.where || event->class->role == EVENT_ROLE_LOST)
		return shown;
	return where_holds(chart->options.where, event, chart->analysis->names) && shown;
}

static int chart_batch(struct event_sink *sink, const struct event *events, size_t count)
{
	struct chart *chart = chart_of(sink);
	int err = 0;

	for (size_t i = 0; i < count && !err; i++)
		err = chart->ops->take(chart, &events[i], is_shown(chart, &events[i]));
	return err;
}

static int draw(struct chart *chart)
{
	struct picture picture = chart->options.picture;
	char own[TITLE_BYTES];
	const char *title = picture.title ? picture.title : own;
	struct canvas *canvas;
	int err, end_err;

	chart->ops->title(chart, own);
	chart->drawn = true;
	if (chart->ops->write)
		return chart->ops->write(chart, *title ? title : NULL, chart->out);
	if (chart->ops->panels && !picture.has_height)
		picture.height = plot_stack_height(chart->ops->panels(chart), picture.height);
	canvas = picture_canvas(&picture, title, NULL, chart->out);
	if (!canvas)
		return -ENOMEM;
	err = chart->ops->draw(chart, *title ? title : NULL, canvas);
	end_err = canvas_end(canvas);
	canvas_free(canvas);
	return err ? err : end_err;
}

static int chart_finish(struct event_sink *sink)
{
	struct chart *chart = chart_of(sink);
	int err = chart->ops->end(chart);

	return err || !chart->ops->has(chart) ? err : draw(chart);
}

static void chart_free(struct event_sink *sink)
{
	struct chart *chart = chart_of(sink);

	chart->ops->fini(chart);
	free(chart);
}

static const struct sink_ops chart_sink_ops = {
	.batch = chart_batch,
	.finish = chart_finish,
	.free = chart_free,
};

struct event_sink *chart_new(const struct analysis *analysis, const struct chart_options *options,
			     struct buffer *out, struct diag *diag)
{
	struct chart *chart = calloc(1, sizeof(*chart));

	if (!chart)
		return NULL;
	chart->sink.ops = &chart_sink_ops;
	chart->analysis = analysis;
	chart->options = *options;
	chart->out = out;
	chart->ops = &kinds[options->kind];
	if (chart->ops->init(chart, diag)) {
		chart_free(&chart->sink);
		return NULL;
	}
	return &chart->sink;
}

bool chart_is(const struct event_sink *sink)
{
	return sink->ops == &chart_sink_ops;
}

/* Of those that have one. */
static const struct measure *measure_of(const struct chart *chart)
{
	return chart->options.kind == CHART_HIST ? &chart->hist.measure : &chart->heat.hist.measure;
}

bool chart_can_add(const struct event_sink *sink)
{
	const struct chart *chart = (const struct chart *)sink;

	return chart->ops->merge && !measure_of(chart)->derive && !chart->options.where;
}

bool chart_add(struct event_sink *into, const struct event_sink *from)
{
	struct chart *chart = chart_of(into);

	return !chart->ops->merge(chart, (const struct chart *)from);
}

void chart_tell(const struct event_sink *sink, struct chart_told *ret)
{
	const struct chart *chart = (const struct chart *)sink;

	*ret = (struct chart_told){.drawn = chart->drawn};
	if (chart->ops->merge)
		ret->limitless = measure_of(chart)->limitless;
}
