// SPDX-License-Identifier: BSD-2-Clause
#include "graph/sequence_draw.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/amount.h"
#include "graph/canvas.h"
#include "graph/panel.h"
#include "graph/sequence.h"
#include "graph/series_draw.h"

#define WINDOW_OVER 1.3 /* a window that goes farther than so many times what was sent is cut off */
#define TEXT_BYTES 320u
#define MARKS 6u

enum mark_kind { MARK_LINE, MARK_BARS, MARK_DOTS, MARK_MOMENTS };

/* One kind of mark in the picture. */
struct mark {
	const char *name;
	enum mark_kind kind;
	const struct series *series;
	struct pen pen;
};

/* All that the picture is made of. */
struct drawing {
	const struct sequence *sequence;
	const struct sequence_conn *conn;
	const struct sequence_look *look;
	struct canvas *canvas;
	struct mark marks[MARKS]; /* what is drawn last lies on top */
	struct legend_entry legend[MARKS];
	char caption[TEXT_BYTES];
	struct panel panel;
};

static const struct series *sent_of(const struct sequence_conn *conn)
{
	return conn->packets.points ? &conn->packets : &conn->sent;
}

/* The lowest and the highest number that there has to be room for. */
static void find_ends(const struct sequence_conn *conn, double *low, double *high)
{
	const struct series *sent = sent_of(conn);

	*low = conn->acked.low;
	*high = fmax(conn->acked.high, conn->acked.low + 1);
	if (sent->points) {
		*low = fmin(*low, sent->low);
		*high = fmax(*high, sent->high);
	}
	if (conn->window.high <= *low + (*high - *low) * WINDOW_OVER)
		*high = fmax(*high, conn->window.high);
}

/* Whether any of it comes near what was sent. */
static bool has_window(const struct sequence_conn *conn)
{
	double low, high;

	find_ends(conn, &low, &high);
	return conn->window.points && conn->window.low <= low + (high - low) * WINDOW_OVER;
}

static void make_marks(struct drawing *d)
{
	const struct sequence_conn *conn = d->conn;
	const struct mark marks[MARKS] = {
		{"window", MARK_LINE, &conn->window, {.ink = palette_series(6), .width = 1.2}},
		{"sent", MARK_BARS, sent_of(conn), {.ink = palette_series(0), .width = 2}},
		{"acknowledged", MARK_LINE, &conn->acked, {.ink = palette_series(2), .width = 1.2}},
		{"SACKed up to",
		 MARK_DOTS,
		 &conn->sacked,
		 {.ink = palette_series(3), .width = 2.4, .round = true}},
		{"sent again", MARK_BARS, &conn->resent, {.ink = INK_ALERT, .width = 3}},
		{"loss noticed",
		 MARK_MOMENTS,
		 &conn->losses,
		 {.ink = INK_ALERT, .width = 1, .dash = DASH_SHORT, .opacity = 0.7}},
	};
	static const enum legend_mark kinds[] = {LEGEND_LINE, LEGEND_BOX, LEGEND_DOT, LEGEND_TICK};
	size_t count = 0;

	for (size_t i = 0; i < MARKS; i++) {
		d->marks[i] = marks[i];
		if (marks[i].series->points &&
		    (marks[i].series != &conn->window || has_window(conn)))
			d->legend[count++] = (struct legend_entry){
				marks[i].name, kinds[marks[i].kind], marks[i].pen.ink, DASH_NONE};
	}
	d->panel.legend = (struct legend){d->legend, count};
}

static void make_texts(struct drawing *d)
{
	const struct sequence_conn *conn = d->conn;
	const struct series *sent = sent_of(conn);
	char again[64] = "", others[96] = "", lost[64] = "";
	double bytes = sent->points ? sent->high - sent->low : 0;

	d->panel.title = d->look->title;
	if (conn->resent_segments)
		(void)snprintf(again, sizeof(again), "; %s segments sent again",
			       amount_count(conn->resent_segments).text);
	if (d->sequence->count > 1)
		(void)snprintf(others, sizeof(others),
			       "; of %zu connections the one that sent most", d->sequence->count);
	if (d->sequence->lost)
		(void)snprintf(lost, sizeof(lost), "; %s events were lost",
			       amount_count(d->sequence->lost).text);
	(void)snprintf(d->caption, sizeof(d->caption), "%s sent%s%s%s%s",
		       amount_size((uint64_t)fmax(bytes, 0)).text, again, others, lost,
		       d->look->trace_note);
	d->panel.caption = d->caption;
}

static void note_times(const struct series *series, int64_t *first, int64_t *last)
{
	if (!series->count)
		return;
	if (series->bins[0].first_ns < *first)
		*first = series->bins[0].first_ns;
	if (series->bins[series->count - 1].last_ns > *last)
		*last = series->bins[series->count - 1].last_ns;
}

static void set_axes(struct drawing *d)
{
	const struct sequence_conn *conn = d->conn;
	int64_t first = INT64_MAX, last = INT64_MIN;

	for (size_t i = 0; i < MARKS; i++)
		note_times(d->marks[i].series, &first, &last);
	d->panel.x = (struct axis){.unit = unit_find("ns"), .title = "time", .tight = true};
	d->panel.x.scale.low = series_since(first, d->look->origin_ns);
	d->panel.x.scale.high = series_since(last, d->look->origin_ns);
	d->panel.y =
		(struct axis){.unit = unit_find("bytes"), .title = "sequence number", .grid = true};
	find_ends(conn, &d->panel.y.scale.low, &d->panel.y.scale.high);
}

static double x_of(const struct drawing *d, int64_t time_ns)
{
	return scale_at(&d->panel.x.scale, series_since(time_ns, d->look->origin_ns));
}

/* From the lowest to the highest of all that falls on one column of pixels. */
static void draw_bars(const struct drawing *d, const struct mark *mark)
{
	const struct series *series = mark->series;
	const struct scale *y = &d->panel.y.scale;
	double least = d->canvas->coarse ? 0 : 2;

	for (uint32_t i = 0, end; i < series->count; i = end) {
		const struct series_bin *bin = &series->bins[i];
		double at = x_of(d, bin->first_ns), low = bin->low, high = bin->high, from, to;

		for (end = i + 1; end < series->count &&
				  x_of(d, series->bins[end].first_ns) - at < d->canvas->pitch;
		     end++) {
			low = fmin(low, series->bins[end].low);
			high = fmax(high, series->bins[end].high);
		}
		from = scale_at(y, low);
		to = scale_at(y, high);
		canvas_move(d->canvas, at, fmax(from, to + least));
		canvas_line(d->canvas, at, to);
	}
	canvas_stroke(d->canvas, &mark->pen);
}

static void draw_moments(const struct drawing *d, const struct mark *mark)
{
	const struct canvas_rect *area = &d->panel.area;

	for (uint32_t i = 0; i < mark->series->count; i++) {
		double at = x_of(d, mark->series->bins[i].first_ns);

		canvas_move(d->canvas, at, area->y);
		canvas_line(d->canvas, at, area->y + area->height);
	}
	canvas_stroke(d->canvas, &mark->pen);
}

static void draw_mark(const struct drawing *d, const struct mark *mark)
{
	struct series_look look = {
		.style = mark->kind == MARK_DOTS ? SERIES_DOTS : SERIES_STEP,
		.pen = mark->pen,
		.factor = 1,
		.origin_ns = d->look->origin_ns,
	};

	if (!mark->series->points)
		return;
	canvas_group(d->canvas, mark->name);
	if (mark->kind == MARK_BARS)
		draw_bars(d, mark);
	else if (mark->kind == MARK_MOMENTS)
		draw_moments(d, mark);
	else
		series_draw(mark->series, &look, &d->panel.x.scale, &d->panel.y.scale, d->canvas);
	canvas_ungroup(d->canvas);
}

int sequence_draw(const struct sequence *sequence, const struct sequence_look *look,
		  struct canvas *canvas)
{
	struct drawing d = {.sequence = sequence,
			    .conn = sequence_chosen(sequence),
			    .look = look,
			    .canvas = canvas};

	make_marks(&d);
	make_texts(&d);
	set_axes(&d);
	panel_layout(&d.panel, canvas);
	panel_begin(&d.panel, canvas);
	for (size_t i = 0; i < MARKS; i++)
		draw_mark(&d, &d.marks[i]);
	panel_end(&d.panel, canvas);
	return 0;
}
