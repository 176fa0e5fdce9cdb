// SPDX-License-Identifier: BSD-2-Clause
#include "cli/pmgraph_draw.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/diag.h"
#include "cli/picture_choice.h"
#include "cli/pmgraph_data.h"
#include "graph/canvas.h"
#include "graph/plot.h"

static void add_line(const struct pmgraph_data *data, struct pmgraph_chart *chart, size_t conn,
		     size_t param)
{
	if (chart->count < PMGRAPH_LINES_MAX && data->conns[conn]->series[param].points)
		chart->lines[chart->count++] = (struct pmgraph_line){conn, param};
}

/* Lines of all connections, in the order in which they were asked for, or came. */
static void add_conns(const struct pmgraph_data *data, struct pmgraph_chart *chart, size_t param)
{
	const struct pmgraph_request *request = data->request;

	for (size_t i = 0; !request->conn_count && i < data->conn_count; i++)
		add_line(data, chart, i, param);
	for (size_t i = 0; i < request->conn_count; i++) {
		const size_t *index = map_get(&data->by_ports, &request->conns[i]);

		if (index)
			add_line(data, chart, *index - 1, param);
	}
}

/* The @i-th of all that there may be, with lines or without. */
static bool fill_chart(const struct pmgraph_data *data, size_t i, struct pmgraph_chart *chart)
{
	chart->count = 0;
	if (data->request->by_param) {
		if (i >= PMGRAPH_PARAMS)
			return false;
		(void)snprintf(chart->name, sizeof(chart->name), "%s", pmgraph_known(i)->name);
		add_conns(data, chart, i);
		return true;
	}
	if (i >= data->conn_count)
		return false;
	pmgraph_conn_name(data->conns[i]->id, chart->name);
	for (size_t param = 0; param < PMGRAPH_PARAMS; param++)
		add_line(data, chart, i, param);
	return true;
}

bool pmgraph_chart_get(const struct pmgraph_data *data, size_t i, struct pmgraph_chart *ret)
{
	for (size_t at = 0; fill_chart(data, at, ret); at++) {
		if (ret->count && !i--)
			return true;
	}
	return false;
}

/* Sequence numbers count bytes, and dwarf all others: so they have no axis in common with them. */
static const struct unit_step seq_steps[] = {
	{"B", 1}, {"KiB", 1024}, {"MiB", 1048576}, {"GiB", 1073741824}, {NULL, 0},
};

struct drawing {
	const struct pmgraph_data *data;
	const struct pmgraph_chart *chart;
	struct plot_line lines[PMGRAPH_LINES_MAX]; /* plot by plot */
	char names[PMGRAPH_LINES_MAX][64];
	struct plot plots[PMGRAPH_PARAMS];
	size_t plot_count;
};

_Static_assert(PMGRAPH_PARAMS <= PLOT_STACK_MAX, "one plot of each");

static bool is_scaled(const struct pmgraph_data *data, size_t param)
{
	return data->request->factors[param] - 1 != 0;
}

static struct unit unit_of(size_t param)
{
	const char *name = pmgraph_known(param)->unit;
	struct unit unit = unit_find(param == PMGRAPH_M_CLUSED ? "bytes" : name);

	if (pmgraph_param_is_seq(param))
		unit.steps = seq_steps;
	return unit;
}

/* Values were scaled to be comparable, so they are on the axis of the others. */
static struct unit common_unit(const struct drawing *drawing)
{
	for (size_t i = 0; i < drawing->chart->count; i++) {
		if (!is_scaled(drawing->data, drawing->chart->lines[i].param))
			return unit_of(drawing->chart->lines[i].param);
	}
	return unit_find(NULL);
}

static void make_name(struct drawing *drawing, size_t i)
{
	const struct pmgraph_line *line = &drawing->chart->lines[i];
	char *name = drawing->names[i];
	size_t room = sizeof(drawing->names[i]);

	if (drawing->data->request->by_param)
		pmgraph_conn_name(drawing->data->conns[line->conn]->id, name);
	else if (is_scaled(drawing->data, line->param))
		(void)snprintf(name, room, "%s \u00d7 %g", pmgraph_known(line->param)->name,
			       drawing->data->request->factors[line->param]);
	else
		(void)snprintf(name, room, "%s", pmgraph_known(line->param)->name);
}

static struct unit line_unit(const struct drawing *drawing, size_t i)
{
	size_t param = drawing->chart->lines[i].param;

	return is_scaled(drawing->data, param) ? common_unit(drawing) : unit_of(param);
}

/* Numbers without a unit say what took a snapshot: nothing is between two of them. */
static void make_line(struct drawing *drawing, size_t i, bool split, struct plot_line *ret)
{
	const struct pmgraph_line *line = &drawing->chart->lines[i];
	bool is_seq = pmgraph_param_is_seq(line->param);

	make_name(drawing, i);
	*ret = (struct plot_line){
		.name = drawing->names[i],
		.quantity = is_seq ? "sequence number" : pmgraph_known(line->param)->name,
		.series = &drawing->data->conns[line->conn]->series[line->param],
		.unit = line_unit(drawing, i),
		.factor = 1,
		.style = split && !pmgraph_known(line->param)->unit ? SERIES_DOTS : SERIES_LINE,
	};
}

/* Everything is in plots of one unit each; chosen parameters are in one, as far as it has axes. */
static bool is_split(const struct drawing *drawing)
{
	const struct pmgraph_request *request = drawing->data->request;
	struct plot_line lines[PMGRAPH_PARAMS];

	if (request->by_param)
		return false;
	for (size_t i = 0; i < drawing->chart->count; i++)
		lines[i].unit = line_unit(drawing, i);
	return !request->any_shown || plot_units(lines, drawing->chart->count) > PLOT_UNITS;
}

/* Whether two lines can be in one of these plots: both are of the connection, or of the host. A
 * line without a unit has nothing in common with others. */
static bool is_alike(const struct drawing *drawing, size_t i, size_t k)
{
	const struct pmgraph_line *lines = drawing->chart->lines;
	struct unit unit = line_unit(drawing, i), other = line_unit(drawing, k);

	return i == k ||
	       (*unit.name && unit_same(&unit, &other) &&
		pmgraph_known(lines[i].param)->scope == pmgraph_known(lines[k].param)->scope);
}

static void make_plots(struct drawing *drawing)
{
	size_t count = drawing->chart->count, made = 0;
	bool split = is_split(drawing), taken[PMGRAPH_LINES_MAX] = {false};

	for (size_t i = 0; i < count; i++) {
		struct plot *plot = &drawing->plots[drawing->plot_count];

		if (taken[i])
			continue;
		drawing->plot_count++;
		*plot = (struct plot){.lines = &drawing->lines[made], .first_colour = made};
		for (size_t k = i; k < count; k++) {
			if (taken[k] || (split && !is_alike(drawing, i, k)))
				continue;
			taken[k] = true;
			make_line(drawing, k, split, &drawing->lines[made++]);
			plot->count++;
		}
	}
}

static int draw_chart(const struct pmgraph_data *data, const struct pmgraph_chart *chart,
		      const char *source, const struct picture *picture, struct buffer *out)
{
	struct drawing *drawing = calloc(1, sizeof(*drawing));
	char title[512], losses[64], count[48];
	struct picture page = *picture;
	struct canvas *canvas;
	int err, end_err;

	if (!drawing)
		return -ENOMEM;
	drawing->data = data;
	drawing->chart = chart;
	make_plots(drawing);
	(void)snprintf(title, sizeof(title), "%s: %s", source, chart->name);
	count_format(count, sizeof(count), data->lost);
	(void)snprintf(losses, sizeof(losses), "%s lost", count);
	for (size_t i = 0; i < drawing->plot_count; i++) {
		drawing->plots[i].origin_ns = data->origin_ns;
		drawing->plots[i].losses = data->losses.points ? &data->losses : NULL;
	}
	drawing->plots[0].title = title;
	drawing->plots[0].losses_name = losses;
	page.height = plot_stack_height(drawing->plot_count, picture->height);
	canvas = picture_canvas(&page, title, title, out);
	err = canvas ? plot_draw_stack(drawing->plots, drawing->plot_count, canvas) : -ENOMEM;
	end_err = canvas ? canvas_end(canvas) : 0;
	canvas_free(canvas);
	free(drawing);
	return err ? err : end_err;
}

/* "a.svg" of several becomes "a.1055.5050.svg". */
static int name_file(const char *path, const char *part, char *name, size_t room)
{
	const char *dot = strrchr(path, '.'), *slash = strrchr(path, '/');
	size_t stem = dot && dot != path && (!slash || dot > slash + 1) ? (size_t)(dot - path) :
									  strlen(path);

	if ((size_t)snprintf(name, room, "%.*s.%s%s", (int)stem, path, part, path + stem) >= room)
		return -ENAMETOOLONG;
	return 0;
}

static int deliver(const struct picture_choice *choice, const struct pmgraph_chart *chart,
		   bool several, const struct buffer *picture, struct diag *diag)
{
	struct picture_choice own = *choice;
	char name[4096];

	if (several && choice->path && strcmp(choice->path, "-") != 0) {
		if (name_file(choice->path, chart->name, name, sizeof(name)))
			return diag_set(diag, -ENAMETOOLONG, "%s: the name is too long",
					choice->path);
		own.path = name;
	}
	return picture_choice_deliver(&own, picture, diag);
}

int pmgraph_draw(const struct pmgraph_data *data, const char *title,
		 const struct picture_choice *choice, struct diag *diag)
{
	struct pmgraph_chart *chart = calloc(1, sizeof(*chart));
	struct buffer picture;
	bool several;
	int err = 0;

	if (!chart)
		return diag_set(diag, -ENOMEM, "no memory");
	several = pmgraph_chart_get(data, 1, chart);
	buffer_init(&picture);
	for (size_t i = 0; !err && pmgraph_chart_get(data, i, chart); i++) {
		buffer_reset(&picture);
		err = draw_chart(data, chart, title, &choice->picture, &picture);
		err = err ? diag_set(diag, err, "%s", strerror(-err)) :
			    deliver(choice, chart, several, &picture, diag);
	}
	buffer_fini(&picture);
	free(chart);
	return err;
}
