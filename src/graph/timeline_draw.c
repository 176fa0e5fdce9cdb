// SPDX-License-Identifier: BSD-2-Clause
#include "graph/timeline_draw.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/analysis.h"
#include "base/amount.h"
#include "graph/canvas.h"
#include "graph/panel.h"
#include "graph/series.h"
#include "graph/timeline.h"

#define ROW_HIGH 17.0 /* pixels, about; at most half as many again */
#define ROW_GAP 4.0 /* of these: above what is drawn, but for calls */
#define CALL_HIGH 2.0
#define ROWS_MAX 256u
#define CPUS_MAX 0.5 /* of the rows */
#define NAME_BYTES 64u
#define TEXT_BYTES 320u
#define HALF 0.5
#define RUN_GAP 4.0 /* beside the name of a task on a CPU */
#define LATE 0.02 /* of the span */
#define BLOCKED_OPACITY 0.6

/* What the busiest tasks are drawn in, in their rows and in those of CPUs. */
static const enum ink task_inks[] = {INK_SERIES + 3, INK_SERIES + 5, INK_SERIES + 6,
				     INK_SERIES + 1};
#define TASK_INKS (sizeof(task_inks) / sizeof(task_inks[0]))

enum ink_of_state {
	INK_RUNNING = INK_SERIES,
	INK_CALL = INK_SERIES + 2,
	INK_RUNNABLE = INK_SERIES + 4,
};

struct row {
	const struct lane *lane;
	int32_t tid; /* of a task; 0 = of a CPU */
	uint32_t pid; /* its process, 0 = not known */
	enum ink ink; /* while it runs */
	const struct lane *calls; /* NULL: of a CPU */
	char name[NAME_BYTES];
	char share[16]; /* of the time: on a CPU */
};

/* All that the picture is made of. */
struct drawing {
	const struct timeline *timeline;
	const struct timeline_look *look;
	struct canvas *canvas;
	struct row rows[ROWS_MAX];
	size_t row_count, cpu_count;
	double pitch; /* from row to row */
	double *ns[LANE_STATES]; /* of one row, by column */
	uint32_t *who; /* of the row of a CPU: the task that ran longest in a column */
	double *who_ns;
	enum ink drawn; /* the tasks that are being drawn; 0: all */
	size_t columns;
	int64_t from_ns; /* where the first begins */
	double column_ns;
	struct legend_entry legend[LANE_STATES + 1];
	double share_width;
	char caption[TEXT_BYTES];
	struct panel panel;
};

static void name_task(const struct drawing *d, const struct timeline_task *task, char *name)
{
	const struct task_name *known =
		task_names_get(d->timeline->analysis->names, NULL, task->tid);

	(void)snprintf(name, NAME_BYTES, "%.*s%s%d", (int)TASK_NAME_LEN(known), known->text,
		       TASK_NAME_LEN(known) ? ":" : "", task->tid);
}

static void add_row(struct drawing *d, const struct lane *lane)
{
	const struct timeline *timeline = d->timeline;
	struct row *row = &d->rows[d->row_count++];
	double span = series_since(timeline->last_ns, timeline->first_ns);

	row->lane = lane;
	row->ink = (enum ink)INK_RUNNING;
	(void)snprintf(row->share, sizeof(row->share), "%.1f %%",
		       span > 0 ? 100 * (double)lane->total_ns[LANE_RUNNING] / span : 0);
}

/* The task that is busy as @rank says. */
static void add_task(struct drawing *d, const struct timeline_task *task, size_t rank)
{
	struct row *row = &d->rows[d->row_count];

	name_task(d, task, row->name);
	row->calls = &task->calls;
	row->tid = task->tid;
	row->pid = task_names_pid(d->timeline->analysis->names, NULL, task->tid);
	add_row(d, &task->lane);
	if (rank < TASK_INKS)
		row->ink = task_inks[rank];
}

/* The threads of a process follow its busiest one. */
static void group_rows(struct drawing *d)
{
	size_t end = d->cpu_count;

	for (size_t i = d->cpu_count; i < d->row_count; i++) {
		if (i >= end)
			end = i + 1;
		for (size_t k = end; d->rows[i].pid && k < d->row_count; k++) {
			const struct row row = d->rows[k];

			if (row.pid != d->rows[i].pid)
				continue;
			for (size_t at = k; at > end; at--)
				d->rows[at] = d->rows[at - 1];
			d->rows[end++] = row;
		}
	}
}

static void choose_rows(struct drawing *d)
{
	const struct timeline *timeline = d->timeline;
	struct canvas *canvas = d->canvas;
	double high = canvas->coarse ? canvas->line_height : ROW_HIGH;
	double fit =
		floor((canvas->height - (canvas->coarse ? 5 : 7) * canvas->line_height) / high);
	size_t rows = fit < 2 ? 2 : fit > ROWS_MAX ? ROWS_MAX : (size_t)fit;
	size_t cpus = (size_t)((double)rows * CPUS_MAX), tasks;

	cpus = timeline->cpu_count < cpus ? timeline->cpu_count : cpus;
	for (size_t i = 0; i < cpus; i++) {
		(void)snprintf(d->rows[i].name, NAME_BYTES, "CPU %d", timeline->cpus[i].number);
		add_row(d, &timeline->cpus[i].lane);
	}
	d->cpu_count = cpus;
	tasks = rows - cpus;
	if (d->look->top && d->look->top < tasks)
		tasks = d->look->top;
	for (size_t i = 0; i < timeline->task_count && i < tasks; i++) {
		const struct timeline_task *task = &timeline->tasks[i];

		/* What was only ever woken, or left, has nothing to show. */
		if (!task->lane.count)
			break;
		add_task(d, task, i);
	}
	group_rows(d);
}

static void make_legend(struct drawing *d)
{
	if (d->canvas->coarse)
		return;
	d->legend[0] = (struct legend_entry){"running (busiest tasks: own colours)", LEGEND_BOX,
					     (enum ink)INK_RUNNING, 0};
	d->legend[1] =
		(struct legend_entry){"waiting for a CPU", LEGEND_BOX, (enum ink)INK_RUNNABLE, 0};
	d->legend[2] = (struct legend_entry){"blocked", LEGEND_LINE, INK_FAINT, 0};
	d->legend[3] =
		(struct legend_entry){"in a system call", LEGEND_LINE, (enum ink)INK_CALL, 0};
	d->panel.legend = (struct legend){d->legend, LANE_STATES + (d->timeline->calls > 0)};
}

/* Says what the picture leaves out. */
static void make_caption(struct drawing *d)
{
	const struct timeline *timeline = d->timeline;
	size_t shown = d->row_count - d->cpu_count;
	char rest[TEXT_BYTES / 2] = "", lost[64] = "";
	uint64_t ns = 0;

	for (size_t i = shown; i < timeline->task_count; i++)
		ns += timeline->tasks[i].lane.total_ns[LANE_RUNNING];
	if (shown < timeline->task_count)
		(void)snprintf(rest, sizeof(rest), "; %s%s other task%s ran %s",
			       timeline->full ? "more than " : "",
			       amount_count(timeline->task_count - shown).text,
			       timeline->task_count - shown == 1 ? "" : "s", amount_time(ns).text);
	if (timeline->lost)
		(void)snprintf(lost, sizeof(lost), "; %s events were lost",
			       amount_count(timeline->lost).text);
	(void)snprintf(
		d->caption, sizeof(d->caption), "%s%s switch%s%s%s%s",
		d->canvas->coarse ? "\u2588 \u2592 running, \u2591 waiting, \u00b7 blocked; " : "",
		amount_count(timeline->switches).text, timeline->switches == 1 ? "" : "es", rest,
		lost, d->look->trace_note);
	d->panel.caption = d->caption;
}

static void set_axes(struct drawing *d)
{
	const struct timeline *timeline = d->timeline;
	struct panel *panel = &d->panel;
	double names = 0;

	panel->x = (struct axis){.unit = unit_find("ns"), .title = "time", .tight = true};
	panel->x.scale.low = series_since(d->from_ns, d->look->origin_ns);
	panel->x.scale.high = series_since(timeline->last_ns, d->look->origin_ns);
	if (!(panel->x.scale.high > panel->x.scale.low))
		panel->x.scale.high = panel->x.scale.low + 1;
	panel->y = (struct axis){.no_ticks = true, .tight = true, .scale.high = 1};
	for (size_t i = 0; i < d->row_count; i++) {
		names = fmax(names, canvas_text_width(d->canvas, d->rows[i].name, FONT_TICK));
		d->share_width = fmax(d->share_width,
				      canvas_text_width(d->canvas, d->rows[i].share, FONT_NOTE));
	}
	panel->left_room = names + d->share_width + (d->canvas->coarse ? 24 : 18);
}

/* With the axis' zero, where that is near. */
static int64_t begin_of(const struct drawing *d)
{
	const struct timeline *timeline = d->timeline;
	double span = series_since(timeline->last_ns, timeline->first_ns);
	double late = series_since(timeline->first_ns, d->look->origin_ns);

	return late > 0 && late < LATE * span ? d->look->origin_ns : timeline->first_ns;
}

static int lay_out(struct drawing *d)
{
	struct canvas *canvas = d->canvas;
	const struct canvas_rect *area = &d->panel.area;
	double high;

	d->from_ns = begin_of(d);
	choose_rows(d);
	make_legend(d);
	make_caption(d);
	d->panel.title = d->look->title;
	set_axes(d);
	panel_layout(&d->panel, canvas);
	high = area->height / (double)(d->row_count ? d->row_count : 1);
	d->pitch = canvas->coarse ? canvas->line_height : floor(fmin(high, 1.5 * ROW_HIGH));
	d->columns = (size_t)fmax(area->width / (canvas->coarse ? 8 : 1), 1);
	d->column_ns = series_since(d->timeline->last_ns, d->from_ns) / (double)d->columns;
	for (size_t i = 0; i < LANE_STATES; i++) {
		d->ns[i] = calloc(d->columns, sizeof(*d->ns[i]));
		if (!d->ns[i])
			return -ENOMEM;
	}
	d->who = calloc(d->columns, sizeof(*d->who));
	d->who_ns = calloc(d->columns, sizeof(*d->who_ns));
	return d->who && d->who_ns ? 0 : -ENOMEM;
}

static void fill_columns(struct drawing *d, const struct lane *lane)
{
	struct lane_columns columns = {
		.from_ns = d->from_ns, .to_ns = d->timeline->last_ns, .count = d->columns};

	for (size_t i = 0; i < LANE_STATES; i++) {
		columns.ns[i] = d->ns[i];
		memset(d->ns[i], 0, d->columns * sizeof(*d->ns[i]));
	}
	columns.who = d->who;
	columns.who_ns = d->who_ns;
	memset(d->who, 0, d->columns * sizeof(*d->who));
	memset(d->who_ns, 0, d->columns * sizeof(*d->who_ns));
	if (columns.to_ns > columns.from_ns)
		lane_fill(lane, d->timeline->shift, &columns);
}

/* Pixels of a share of the time: one at least, so that what is short is not lost. */
static double high_of(const struct drawing *d, double ns)
{
	double most = d->pitch - ROW_GAP;

	return ns > 0 ? fmin(fmax(round(ns / d->column_ns * most), 1), most) : 0;
}

/* It leaves room for a waiting task. */
static double running_high(const struct drawing *d, size_t i)
{
	double most = d->pitch - ROW_GAP - (d->ns[LANE_RUNNABLE][i] > 0);

	return fmin(high_of(d, d->ns[LANE_RUNNING][i]), most);
}

/* On top of what runs; both show where both are. */
static double waiting_high(const struct drawing *d, size_t i)
{
	double waiting = high_of(d, d->ns[LANE_RUNNABLE][i]);

	return waiting > 0 ? fmin(waiting + running_high(d, i), d->pitch - ROW_GAP) : 0;
}

static const struct row *row_of_task(const struct drawing *d, uint32_t tid)
{
	for (size_t i = d->cpu_count; tid && i < d->row_count; i++) {
		if ((uint32_t)d->rows[i].tid == tid)
			return &d->rows[i];
	}
	return NULL;
}

/* What the task of a column of a CPU is drawn in. */
static enum ink ink_at(const struct drawing *d, size_t i)
{
	const struct row *row = row_of_task(d, d->who[i]);

	return row ? row->ink : (enum ink)INK_RUNNING;
}

/* Of the tasks that are drawn in d->drawn. */
static double running_of_ink(const struct drawing *d, size_t i)
{
	return ink_at(d, i) == d->drawn ? running_high(d, i) : 0;
}

/* The outline of what is so high in each column. */
static void draw_area(const struct drawing *d, double bottom, enum ink ink,
		      double (*high)(const struct drawing *d, size_t i))
{
	double x = d->panel.area.x, now = 0;

	for (size_t i = 0; i <= d->columns; i++) {
		double next = i < d->columns ? high(d, i) : 0, at = x + (double)i;

		if (next == now)
			continue;
		if (now > 0)
			canvas_line(d->canvas, at, bottom - now);
		else
			canvas_move(d->canvas, at, bottom);
		canvas_line(d->canvas, at, bottom - next);
		if (!(next > 0))
			canvas_close(d->canvas);
		now = next;
	}
	canvas_fill(d->canvas, ink, 1);
}

static double call_high(const struct drawing *d, size_t i)
{
	return d->ns[LANE_RUNNING][i] > 0 ? CALL_HIGH : 0;
}

/* Above the task's state: a line while it is in a system call. */
static void draw_calls(struct drawing *d, const struct lane *calls, double top)
{
	fill_columns(d, calls);
	draw_area(d, top + ROW_GAP - 1, (enum ink)INK_CALL, call_high);
}

/* Where a task is there, and does not run: a thin line. */
static void draw_blocked(const struct drawing *d, double bottom)
{
	const struct pen pen = {.ink = INK_FAINT, .width = 1, .opacity = BLOCKED_OPACITY};
	double x = d->panel.area.x, y = bottom - 0.5;

	for (size_t i = 0, end; i < d->columns; i = end) {
		end = i + 1;
		if (!(d->ns[LANE_BLOCKED][i] > 0))
			continue;
		while (end < d->columns && d->ns[LANE_BLOCKED][end] > 0)
			end++;
		canvas_move(d->canvas, x + (double)i, y);
		canvas_line(d->canvas, x + (double)end, y);
	}
	canvas_stroke(d->canvas, &pen);
}

/* One character for each column. */
static void draw_letters(const struct drawing *d, double middle)
{
	struct text_style style = {FONT_TICK, INK_FAINT, TEXT_START, false};

	for (size_t i = 0; i < d->columns; i++) {
		double running = d->ns[LANE_RUNNING][i], waiting = d->ns[LANE_RUNNABLE][i];
		const char *letter = d->ns[LANE_BLOCKED][i] > 0 ? "\u00b7" : "";

		style.ink = INK_FAINT;
		if (running > 0 && running >= waiting) {
			letter = running >= HALF * d->column_ns ? "\u2588" : "\u2592";
			style.ink = (enum ink)INK_RUNNING;
		} else if (waiting > 0) {
			letter = "\u2591";
			style.ink = (enum ink)INK_RUNNABLE;
		}
		if (*letter)
			canvas_text(d->canvas, d->panel.area.x + 8 * (double)i, middle, letter,
				    &style);
	}
}

/* The name of a task where it ran on a CPU for long enough to write it. */
static void draw_runs(const struct drawing *d, double middle)
{
	const struct text_style style = {FONT_NOTE, INK_PAPER, TEXT_MIDDLE, false};

	for (size_t i = 0, end; i < d->columns; i = end) {
		const struct row *row = row_of_task(d, d->who[i]);
		double width;

		end = i + 1;
		while (end < d->columns && d->who[end] == d->who[i])
			end++;
		if (!row)
			continue;
		width = canvas_text_width(d->canvas, row->name, FONT_NOTE);
		if (width + 2 * RUN_GAP <= (double)(end - i))
			canvas_text(d->canvas, d->panel.area.x + (double)(i + end) / 2, middle,
				    row->name, &style);
	}
}

static void draw_cpu(struct drawing *d, double top, double bottom)
{
	d->drawn = (enum ink)INK_RUNNING;
	draw_area(d, bottom, d->drawn, running_of_ink);
	for (size_t i = 0; i < TASK_INKS; i++) {
		d->drawn = task_inks[i];
		draw_area(d, bottom, d->drawn, running_of_ink);
	}
	draw_runs(d, (top + ROW_GAP + bottom) / 2);
}

static void draw_row(struct drawing *d, size_t i)
{
	double top = d->panel.area.y + d->pitch * (double)i, bottom = top + d->pitch;

	canvas_group(d->canvas, d->rows[i].name);
	if (!d->canvas->coarse && d->rows[i].calls)
		draw_calls(d, d->rows[i].calls, top);
	fill_columns(d, d->rows[i].lane);
	if (d->canvas->coarse) {
		draw_letters(d, top + d->pitch / 2);
	} else {
		draw_blocked(d, bottom);
		draw_area(d, bottom, (enum ink)INK_RUNNABLE, waiting_high);
		if (i < d->cpu_count)
			draw_cpu(d, top, bottom);
		else
			draw_area(d, bottom, d->rows[i].ink, running_high);
	}
	canvas_ungroup(d->canvas);
}

static void draw_name(const struct drawing *d, size_t i)
{
	struct text_style name = {FONT_TICK, INK_TEXT, TEXT_END, false};
	struct text_style share = {FONT_NOTE, INK_FAINT, TEXT_END, false};
	bool coarse = d->canvas->coarse;
	double y = d->panel.area.y + d->pitch * ((double)i + 0.5) + (coarse ? 0 : ROW_GAP / 2);
	double x = d->panel.area.x - (coarse ? 12 : 8);

	canvas_text(d->canvas, x, y, d->rows[i].share, &share);
	canvas_text(d->canvas, x - d->share_width - (coarse ? 8 : 8), y, d->rows[i].name, &name);
}

/* Above row @i, between the CPUs and the tasks, and between processes of several threads. */
static void draw_border(const struct drawing *d, size_t i)
{
	const bool tasks = i == d->cpu_count;
	const struct pen pen = {.ink = tasks ? INK_AXIS : INK_GRID, .width = tasks ? 0.5 : 1};
	double y = floor(d->panel.area.y + d->pitch * (double)i) + 1.5;

	canvas_rule(d->canvas, d->panel.area.x, y, d->panel.area.x + d->panel.area.width, y, &pen);
}

static bool same_process(const struct drawing *d, size_t a, size_t b)
{
	return d->rows[a].pid && d->rows[a].pid == d->rows[b].pid;
}

static void draw_borders(const struct drawing *d)
{
	if (d->canvas->coarse || !d->cpu_count)
		return;
	for (size_t i = d->cpu_count; i < d->row_count; i++) {
		bool first = i == d->cpu_count || !same_process(d, i, i - 1);
		bool many = (i + 1 < d->row_count && same_process(d, i, i + 1)) ||
			    (i > d->cpu_count + 1 && same_process(d, i - 1, i - 2));

		if (first && (many || i == d->cpu_count))
			draw_border(d, i);
	}
}

int timeline_draw(const struct timeline *timeline, const struct timeline_look *look,
		  struct canvas *canvas)
{
	struct drawing *d = calloc(1, sizeof(*d));
	int err;

	if (!d)
		return -ENOMEM;
	*d = (struct drawing){.timeline = timeline, .look = look, .canvas = canvas};
	err = lay_out(d);
	if (!err) {
		panel_begin(&d->panel, canvas);
		for (size_t i = 0; i < d->row_count; i++)
			draw_row(d, i);
		draw_borders(d);
		panel_end(&d->panel, canvas);
		for (size_t i = 0; i < d->row_count; i++)
			draw_name(d, i);
	}
	for (size_t i = 0; i < LANE_STATES; i++)
		free(d->ns[i]);
	free(d->who);
	free(d->who_ns);
	free(d);
	return err;
}
