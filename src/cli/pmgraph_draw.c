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

struct drawing {
	const struct pmgraph_data *data;
	const struct pmgraph_chart *chart;
	struct plot_line lines[PMGRAPH_LINES_MAX];
	char names[PMGRAPH_LINES_MAX][64];
};

static bool is_scaled(const struct pmgraph_data *data, size_t param)
{
	return data->request->factors[param] - 1 != 0;
}

static const char *unit_name(size_t param)
{
	return param == PMGRAPH_M_CLUSED ? "bytes" : pmgraph_known(param)->unit;
}

/* Values were scaled to be comparable, so they are on the axis of the others. */
static struct unit common_unit(const struct drawing *drawing)
{
	for (size_t i = 0; i < drawing->chart->count; i++) {
		if (!is_scaled(drawing->data, drawing->chart->lines[i].param))
			return unit_find(unit_name(drawing->chart->lines[i].param));
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

/* More units than a plot has axes: sequence numbers, which dwarf all others, keep theirs. */
static void join_units(struct drawing *drawing)
{
	for (size_t i = 0; i < drawing->chart->count; i++) {
		if (strcmp(drawing->lines[i].unit.name, "seq") != 0)
			drawing->lines[i].unit = unit_find(NULL);
	}
}

static void make_lines(struct drawing *drawing)
{
	size_t count = drawing->chart->count;

	for (size_t i = 0; i < count; i++) {
		const struct pmgraph_line *line = &drawing->chart->lines[i];

		make_name(drawing, i);
		drawing->lines[i] = (struct plot_line){
			.name = drawing->names[i],
			.quantity = pmgraph_known(line->param)->name,
			.series = &drawing->data->conns[line->conn]->series[line->param],
			.unit = is_scaled(drawing->data, line->param) ?
					common_unit(drawing) :
					unit_find(unit_name(line->param)),
			.factor = 1,
			.style = SERIES_LINE,
		};
	}
	if (plot_units(drawing->lines, count) > PLOT_UNITS)
		join_units(drawing);
}

static int draw_chart(const struct pmgraph_data *data, const struct pmgraph_chart *chart,
		      const char *source, const struct picture *picture, struct buffer *out)
{
	struct drawing *drawing = calloc(1, sizeof(*drawing));
	char title[512], losses[64], count[48];
	struct plot plot = {
		.title = title,
		.count = chart->count,
		.origin_ns = data->origin_ns,
		.losses = data->losses.points ? &data->losses : NULL,
		.losses_name = losses,
	};
	struct canvas *canvas;
	int err, end_err;

	if (!drawing)
		return -ENOMEM;
	drawing->data = data;
	drawing->chart = chart;
	make_lines(drawing);
	plot.lines = drawing->lines;
	(void)snprintf(title, sizeof(title), "%s: %s", source, chart->name);
	count_format(count, sizeof(count), data->lost);
	(void)snprintf(losses, sizeof(losses), "%s lost", count);
	canvas = picture_canvas(picture, title, title, out);
	err = canvas ? plot_draw(&plot, canvas) : -ENOMEM;
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
