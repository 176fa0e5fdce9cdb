// SPDX-License-Identifier: BSD-2-Clause
#include "graph/time_plot.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/analysis.h"
#include "analyse/derive.h"
#include "analyse/where.h"
#include "base/buffer.h"
#include "base/clock.h"
#include "graph/plot.h"
#include "graph/plot_names.h"
#include "schema/source.h"

/* A series that may be drawn. */
struct candidate {
	const struct series_group *group;
	size_t pick;
	int conn; /* which of those that were asked for it is */
	const struct series *series;
	uint64_t points; /* of its group, all picks */
};

struct time_plot {
	struct event_sink sink; /* first: the vtable's functions get this */
	const struct analysis *analysis;
	struct time_plot_options options;
	struct series_set set;
	struct buffer *out;
	size_t drawn, candidates;
	uint64_t limitless;
};

static struct time_plot *plot_of(struct event_sink *sink)
{
	return (struct time_plot *)sink;
}

/* Whether it is drawn: other events may still be needed for derived values. */
static bool is_shown(const struct time_plot *plot, const struct event *event)
{
	bool shown = analysis_takes(plot->analysis, event);

	if (!plot->options.where || event->class->role == EVENT_ROLE_LOST)
		return shown;
	return where_holds(plot->options.where, event, plot->analysis->names) && shown;
}

static int time_plot_batch(struct event_sink *sink, const struct event *events, size_t count)
{
	struct time_plot *plot = plot_of(sink);
	int err = 0;

	for (size_t i = 0; i < count && !err; i++)
		err = series_set_take(&plot->set, &events[i], is_shown(plot, &events[i]));
	return err;
}

/* In the order in which connections were asked for; else those with most points first. */
static int compare(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->conn != y->conn)
		return x->conn < y->conn ? -1 : 1;
	if (x->points != y->points)
		return x->points > y->points ? -1 : 1;
	if (x->group != y->group) {
		const struct group_key *k = &x->group->key, *l = &y->group->key;

		if (k->kind != l->kind)
			return k->kind < l->kind ? -1 : 1;
		return k->value < l->value ? -1 : 1;
	}
	return (x->pick > y->pick) - (x->pick < y->pick);
}

static uint64_t points_of(const struct series_group *group, size_t picks)
{
	uint64_t points = 0;

	for (size_t i = 0; i < picks; i++)
		points += group->series[i].points;
	return points;
}

/* All series that have points and are of what was asked for. */
static size_t find_candidates(const struct time_plot *plot, struct candidate *ret)
{
	const struct series_set *set = &plot->set;
	size_t picks = set->request.pick_count, count = 0;

	for (size_t i = 0; i < set->group_count; i++) {
		const struct series_group *group = set->groups[i];
		uint64_t points = points_of(group, picks);
		int conn = series_set_wanted(set, group);

		for (size_t k = 0; conn >= 0 && k < picks; k++)
			if (group->series[k].points)
				ret[count++] = (struct candidate){group, k, conn, &group->series[k],
								  points};
	}
	qsort(ret, count, sizeof(*ret), compare);
	return count;
}

/* What the lines differ in. */
static struct plot_naming naming_of(const struct candidate *lines, size_t count)
{
	struct plot_naming naming = {0};

	for (size_t i = 1; i < count; i++) {
		naming.groups |= lines[i].group != lines[0].group;
		naming.picks |= lines[i].pick != lines[0].pick;
	}
	return naming;
}

static enum series_style style_of(const struct time_plot *plot, const struct candidate *line)
{
	if (plot->options.has_style)
		return plot->options.style;
	if (!plot->set.request.picks[line->pick].field)
		return SERIES_DOTS;
	/* What the events of a connection say of it holds until the next one. */
	return line->group->key.kind == GROUP_CONN ? SERIES_STEP : SERIES_LINE;
}

/* Where time begins: with the trace, also where only a part is drawn. */
static int64_t origin_of(const struct time_plot *plot)
{
	return plot->analysis->select->origin_ns;
}

static void name_losses(const struct time_plot *plot, char *name, size_t room)
{
	const struct select *select = plot->analysis->select;
	char count[48];

	count_format(count, sizeof(count), select->lost ? select->lost : select->overwritten);
	(void)snprintf(name, room, "%s %s lost", count, select->lost ? "events" : "packets");
}

static void note_cut(char caption[PLOT_NAME_BYTES])
{
	size_t len = strlen(caption);

	(void)snprintf(caption + len, PLOT_NAME_BYTES - len, "; marks at the top: larger values");
}

static int draw(const struct time_plot *plot, struct plot *what, const struct candidate *first)
{
	const struct plot_naming naming = naming_of(first, what->count);
	const struct picture *picture = &plot->options.picture;
	char title[PLOT_NAME_BYTES], caption[PLOT_NAME_BYTES], losses[PLOT_NAME_BYTES];
	struct plot_line lines[TIME_PLOT_LINES];
	struct plot plots[PLOT_STACK_MAX];
	struct picture page = *picture;
	struct canvas *canvas;
	uint64_t points = 0;
	int err, end_err;
	size_t count;

	for (size_t i = 0; i < what->count; i++)
		points += what->lines[i].series->points;
	plot_title(&naming, first->group, &plot->set.request.picks[first->pick], title);
	plot_caption(plot->analysis->info, what->origin_ns, points, caption);
	name_losses(plot, losses, sizeof(losses));
	what->title = picture->title ? picture->title : title;
	what->title = *what->title ? what->title : NULL;
	what->caption = caption;
	what->losses = plot->set.losses.points ? &plot->set.losses : NULL;
	what->losses_name = losses;
	if (plot_is_cut(what))
		note_cut(caption);
	count = plot->options.facets ? plot_facets(what, plots) : plot_split(what, lines, plots);
	if (!page.has_height)
		page.height = plot_stack_height(count, page.height);
	canvas = picture_canvas(&page, what->title, caption, plot->out);
	if (!canvas)
		return -ENOMEM;
	err = plot_draw_stack(plots, count, canvas);
	end_err = canvas_end(canvas);
	canvas_free(canvas);
	return err ? err : end_err;
}

static int draw_lines(const struct time_plot *plot, const struct candidate *chosen, size_t count)
{
	const struct plot_naming naming = naming_of(chosen, count);
	char names[TIME_PLOT_LINES][PLOT_NAME_BYTES];
	char quantities[SERIES_SET_PICKS][PLOT_NAME_BYTES];
	struct plot_line lines[TIME_PLOT_LINES];
	struct plot what = {
		.lines = lines,
		.count = count,
		.origin_ns = origin_of(plot),
		.log_x = plot->options.log_x,
		.log_y = plot->options.log_y,
		.ymax = plot->options.ymax,
	};

	for (size_t i = 0; i < count; i++) {
		const struct field_pick *pick = &plot->set.request.picks[chosen[i].pick];
		char *quantity = quantities[chosen[i].pick];

		plot_quantity(pick, quantity);
		plot_line_name(&naming, chosen[i].group, pick, names[i]);
		lines[i] = (struct plot_line){names[i],		quantity,
					      chosen[i].series, unit_find(field_pick_unit(pick)),
					      pick->factor,	style_of(plot, &chosen[i])};
	}
	return draw(plot, &what, chosen);
}

static int time_plot_finish(struct event_sink *sink)
{
	struct time_plot *plot = plot_of(sink);
	size_t room = plot->set.group_count * plot->set.request.pick_count;
	struct candidate *candidates = calloc(room ? room : 1, sizeof(*candidates));
	size_t most = plot->options.request.conn_count ? TIME_PLOT_LINES : plot->options.top;
	int err = 0;

	if (!candidates)
		return -ENOMEM;
	series_set_end(&plot->set);
	plot->candidates = find_candidates(plot, candidates);
	most = most < TIME_PLOT_LINES ? most : TIME_PLOT_LINES;
	if (plot->options.facets && most > PLOT_STACK_MAX)
		most = PLOT_STACK_MAX;
	plot->drawn = plot->candidates < most ? plot->candidates : most;
	for (size_t i = 0; i < plot->drawn; i++)
		if (!i || candidates[i].group != candidates[i - 1].group)
			plot->limitless += candidates[i].group->limitless;
	if (plot->drawn)
		err = draw_lines(plot, candidates, plot->drawn);
	free(candidates);
	return err;
}

static void time_plot_free(struct event_sink *sink)
{
	struct time_plot *plot = plot_of(sink);

	series_set_fini(&plot->set);
	free(plot);
}

static const struct sink_ops time_plot_ops = {
	.batch = time_plot_batch,
	.finish = time_plot_finish,
	.free = time_plot_free,
};

struct event_sink *time_plot_new(const struct analysis *analysis,
				 const struct time_plot_options *options, struct buffer *out)
{
	struct time_plot *plot = calloc(1, sizeof(*plot));

	if (!plot)
		return NULL;
	plot->sink.ops = &time_plot_ops;
	plot->analysis = analysis;
	plot->options = *options;
	plot->out = out;
	if (series_set_init(&plot->set, analysis, &options->request)) {
		time_plot_free(&plot->sink);
		return NULL;
	}
	return &plot->sink;
}

bool time_plot_can_add(const struct event_sink *sink)
{
	const struct time_plot *plot = (const struct time_plot *)sink;

	return !series_set_derives(&plot->set) && !plot->options.where;
}

bool time_plot_add(struct event_sink *into, const struct event_sink *from)
{
	return !series_set_merge(&plot_of(into)->set, &((const struct time_plot *)from)->set);
}

void time_plot_tell(const struct event_sink *sink, struct time_plot_told *ret)
{
	const struct time_plot *plot = (const struct time_plot *)sink;

	*ret = (struct time_plot_told){
		.drawn = plot->drawn,
		.series = plot->candidates,
		.left_out = plot->set.left_out,
		.limitless = plot->limitless,
		.set = &plot->set,
	};
}
