// SPDX-License-Identifier: BSD-2-Clause
#include "graph/canvas_cells.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/utf8.h"
#include "graph/canvas.h"

/*
 * A page of characters: in each cell a letter, or arms of a box, or dots of a series. What
 * canvas_cells draws into, and how that becomes lines of text.
 */

#define CELL_DOTS_X 2 /* dots in a cell, each way */
#define CELL_DOTS_Y 4

enum cell_arm {
	CELL_UP = 1,
	CELL_DOWN = 2,
	CELL_LEFT = 4,
	CELL_RIGHT = 8,
};

/* What shows is the first of these that is there. */
struct cell {
	uint32_t letter; /* 0 = none */
	uint8_t dots; /* as in U+2800 and what follows it */
	uint8_t arms; /* a bit for each enum cell_arm */
	uint8_t ink; /* of the letter or the dots */
};

struct cell_grid {
	int columns, rows;
	struct cell *cells;
};

#define BRAILLE 0x2800u
#define FULL_BLOCK 0x2588u
#define ALL_DOTS 0xffu

/* Which bit of the character each dot is, from the upper left one down. */
static const uint8_t dot_bits[CELL_DOTS_X][CELL_DOTS_Y] = {{1, 2, 4, 64}, {8, 16, 32, 128}};

/* By the arms that a cell has. */
static const uint16_t boxes[16] = {
	' ',	0x2575, 0x2577, 0x2502, 0x2574, 0x2518, 0x2510, 0x2524,
	0x2576, 0x2514, 0x250c, 0x251c, 0x2500, 0x2534, 0x252c, 0x253c,
};
static const char ascii_boxes[16] = {
	' ', '|', '|', '|', '-', '+', '+', '+', '-', '+', '+', '+', '-', '+', '+', '+',
};
static const char series_marks[PALETTE_SERIES] = {'*', '+', 'x', 'o', '#', '@', '%'};
static const char ascii_ramp[] = ".:-=+*#%@";
static const uint16_t ramp[] = {0x2591, 0x2592, 0x2593, FULL_BLOCK};

/* What ASCII has for letters that labels use. */
struct stand_in {
	uint32_t letter;
	char ascii;
};
static const struct stand_in stand_ins[] = {
	{0xb5, 'u'},   {0xd7, 'x'},   {0xb7, '.'},   {0x2212, '-'}, {0x2013, '-'},
	{0x2192, '>'}, {0x2591, '-'}, {0x2592, '+'}, {0x2588, '#'},
};

/* 0, or -ENOMEM. */
static int cell_grid_init(struct cell_grid *grid, int columns, int rows)
{
	*grid = (struct cell_grid){.columns = columns, .rows = rows};
	grid->cells = calloc((size_t)columns * (size_t)rows, sizeof(*grid->cells));
	return grid->cells ? 0 : -ENOMEM;
}

static void cell_grid_fini(struct cell_grid *grid)
{
	free(grid->cells);
}

static struct cell *cell_at(struct cell_grid *grid, int column, int row)
{
	if (column < 0 || column >= grid->columns || row < 0 || row >= grid->rows)
		return NULL;
	return &grid->cells[(size_t)row * (size_t)grid->columns + (size_t)column];
}

/* What is outside of the grid is left out. */
static void cell_grid_letter(struct cell_grid *grid, int column, int row, uint32_t letter,
			     enum ink ink)
{
	struct cell *cell = cell_at(grid, column, row);

	if (!cell)
		return;
	cell->letter = letter;
	cell->ink = (uint8_t)ink;
}

static void cell_grid_arms(struct cell_grid *grid, int column, int row, unsigned int arms)
{
	struct cell *cell = cell_at(grid, column, row);

	if (cell)
		cell->arms |= (uint8_t)arms;
}

/* @x and @y count dots. INK_PAPER takes away what is there. */
static void cell_grid_dot(struct cell_grid *grid, int x, int y, enum ink ink)
{
	struct cell *cell;

	if (x < 0 || y < 0)
		return;
	cell = cell_at(grid, x / CELL_DOTS_X, y / CELL_DOTS_Y);
	if (!cell)
		return;
	if (ink == INK_PAPER) {
		cell->dots &= (uint8_t)~dot_bits[x % CELL_DOTS_X][y % CELL_DOTS_Y];
		return;
	}
	cell->dots |= dot_bits[x % CELL_DOTS_X][y % CELL_DOTS_Y];
	cell->ink = (uint8_t)ink;
}

static uint32_t ascii_letter(uint32_t letter)
{
	if (letter < 0x80)
		return letter;
	for (size_t i = 0; i < sizeof(stand_ins) / sizeof(*stand_ins); i++)
		if (stand_ins[i].letter == letter)
			return (uint8_t)stand_ins[i].ascii;
	return '?';
}

/* Darkness of a whole cell, where no colour can tell it. */
static uint32_t ramp_mark(unsigned int step, bool ascii)
{
	if (ascii)
		return (uint8_t)ascii_ramp[step * (sizeof(ascii_ramp) - 2) / (PALETTE_RAMP - 1)];
	return ramp[step * (sizeof(ramp) / sizeof(*ramp) - 1) / (PALETTE_RAMP - 1)];
}

static uint32_t dots_mark(const struct cell *cell, bool ascii, bool colour)
{
	if (cell->ink >= INK_RAMP && !(colour && !ascii))
		return ramp_mark(cell->ink - INK_RAMP, ascii);
	if (!ascii)
		return cell->dots == ALL_DOTS ? FULL_BLOCK : BRAILLE + cell->dots;
	if (cell->ink >= INK_SERIES && cell->ink < INK_RAMP)
		return (uint8_t)series_marks[cell->ink - INK_SERIES];
	return cell->ink == INK_ALERT ? '!' : '*';
}

static uint32_t mark_of(const struct cell *cell, bool ascii, bool colour)
{
	if (cell->letter)
		return ascii ? ascii_letter(cell->letter) : cell->letter;
	if (cell->dots)
		return dots_mark(cell, ascii, colour);
	return ascii ? (uint8_t)ascii_boxes[cell->arms] : boxes[cell->arms];
}

/* Text has the terminal's own colour; the others one between those for light and for dark paper,
 * since it is unknown which one is used. */
static bool is_coloured(const struct cell *cell)
{
	return (cell->letter || cell->dots) && (cell->ink >= INK_SERIES || cell->ink == INK_ALERT);
}

/* Of the 216 colours that terminals have besides their own 16. */
static unsigned int terminal_colour(enum ink ink)
{
	uint32_t light = palette_rgb(ink, false), dark = palette_rgb(ink, true);
	unsigned int code = 0;

	for (int shift = 16; shift >= 0; shift -= 8) {
		unsigned int level = ((light >> shift & 255) + (dark >> shift & 255)) / 2;

		/* The levels are 0, 95, 135, 175, 215, 255. */
		code = code * 6 + (level < 48 ? 0 : level < 115 ? 1 : (level - 35) / 40);
	}
	return 16 + code;
}

static void write_row(const struct cell *cells, int columns, bool ascii, bool colour,
		      struct buffer *out)
{
	int ink = -1;

	while (columns && mark_of(&cells[columns - 1], ascii, colour) == ' ')
		columns--;
	for (int i = 0; i < columns; i++) {
		int next = colour && is_coloured(&cells[i]) ? cells[i].ink : -1;
		char bytes[UTF8_BYTES], *end = utf8_put(bytes, mark_of(&cells[i], ascii, colour));

		if (next != ink && next < 0)
			buffer_string(out, "\033[0m");
		else if (next != ink)
			buffer_format(out, "\033[38;5;%um", terminal_colour((enum ink)next));
		ink = next;
		buffer_append(out, bytes, (size_t)(end - bytes));
	}
	buffer_string(out, ink < 0 ? "\n" : "\033[0m\n");
}

/* All of it, a line each row. */
static void cell_grid_write(const struct cell_grid *grid, bool ascii, bool colour,
			    struct buffer *out)
{
	for (int row = 0; row < grid->rows; row++)
		write_row(&grid->cells[(size_t)row * (size_t)grid->columns], grid->columns, ascii,
			  colour, out);
}

#define PITCH 4.0 /* pixels from dot to dot */
#define CROSSINGS 512 /* of one row of dots with a path that is filled; more are left out */
#define SIDE_MAX 4096.0 /* characters */

struct step {
	double x, y;
	bool starts; /* a new piece */
};

struct canvas_cells {
	struct canvas canvas; /* first: the vtable's functions get this */
	struct buffer *out;
	struct cells_style style;
	struct cell_grid grid;
	struct step *path;
	size_t count, room;
	int left, top, right, bottom; /* dots: nothing is drawn outside */
	int err;
};

static struct canvas_cells *cells_of(struct canvas *canvas)
{
	return (struct canvas_cells *)canvas;
}

static void add_step(struct canvas_cells *cells, double x, double y, bool starts)
{
	if (cells->count == cells->room) {
		size_t room = cells->room ? 2 * cells->room : 256;
		struct step *path = reallocarray(cells->path, room, sizeof(*path));

		if (!path) {
			cells->err = -ENOMEM;
			return;
		}
		cells->path = path;
		cells->room = room;
	}
	cells->path[cells->count++] = (struct step){x, y, starts};
}

static void cells_move(struct canvas *canvas, double x, double y)
{
	add_step(cells_of(canvas), x, y, true);
}

static void cells_line(struct canvas *canvas, double x, double y)
{
	add_step(cells_of(canvas), x, y, false);
}

static void cells_close(struct canvas *canvas)
{
	struct canvas_cells *cells = cells_of(canvas);
	size_t i = cells->count;

	while (i && !cells->path[--i].starts)
		;
	if (cells->count)
		add_step(cells, cells->path[i].x, cells->path[i].y, false);
}

/* In dots, and where the page is: a position far off must still be an integer. */
static int dot_of(double at, double far)
{
	if (!(at > -far))
		at = -far;
	return (int)floor(fmin(at, 2 * far) / PITCH);
}

static void put_dot(struct canvas_cells *cells, int x, int y, enum ink ink)
{
	if (x >= cells->left && x < cells->right && y >= cells->top && y < cells->bottom)
		cell_grid_dot(&cells->grid, x, y, ink);
}

/* Bresenham's line. */
static void draw_dots(struct canvas_cells *cells, int x, int y, int to_x, int to_y, enum ink ink)
{
	int dx = abs(to_x - x), dy = -abs(to_y - y), off = dx + dy;
	int step_x = x < to_x ? 1 : -1, step_y = y < to_y ? 1 : -1;

	for (;;) {
		int twice = 2 * off;

		put_dot(cells, x, y, ink);
		if (x == to_x && y == to_y)
			return;
		if (twice >= dy) {
			off += dy;
			x += step_x;
		}
		if (twice <= dx) {
			off += dx;
			y += step_y;
		}
	}
}

/* The arms of cells through whose middle an upright or level line goes from @from to @to, along
 * which cells are @size long. */
static void draw_arms(struct canvas_cells *cells, double from, double to, double size,
		      double across, bool upright)
{
	double low = fmin(from, to), high = fmax(from, to);
	int first = (int)floor(low / size), last = (int)ceil(high / size);

	for (int i = first; i < last; i++) {
		double middle = (i + 0.5) * size;
		unsigned int arms = 0;

		if (low < middle - 1)
			arms |= upright ? CELL_UP : CELL_LEFT;
		if (high > middle + 1)
			arms |= upright ? CELL_DOWN : CELL_RIGHT;
		if (upright)
			cell_grid_arms(&cells->grid, (int)floor(across / CELL_WIDTH), i, arms);
		else
			cell_grid_arms(&cells->grid, i, (int)floor(across / CELL_HEIGHT), arms);
	}
}

static void draw_step(struct canvas_cells *cells, const struct step *from, const struct step *to,
		      enum ink ink)
{
	double wide = cells->canvas.width, high = cells->canvas.height;

	if (ink == INK_AXIS && from->x == to->x)
		draw_arms(cells, from->y, to->y, CELL_HEIGHT, from->x, true);
	else if (ink == INK_AXIS && from->y == to->y)
		draw_arms(cells, from->x, to->x, CELL_WIDTH, from->y, false);
	else
		draw_dots(cells, dot_of(from->x, wide), dot_of(from->y, high), dot_of(to->x, wide),
			  dot_of(to->y, high), ink);
}

/* Lines of the grid would only be in the way. */
static void cells_stroke(struct canvas *canvas, const struct pen *pen)
{
	struct canvas_cells *cells = cells_of(canvas);

	for (size_t i = 1; i < cells->count && pen->ink != INK_GRID; i++)
		if (!cells->path[i].starts)
			draw_step(cells, &cells->path[i - 1], &cells->path[i], pen->ink);
	cells->count = 0;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Where the path crosses the line at @y, in order. */
static size_t find_crossings(const struct canvas_cells *cells, double y, double *crossings)
{
	size_t count = 0;

	for (size_t i = 1; i < cells->count && count < CROSSINGS; i++) {
		const struct step *a = &cells->path[i - 1], *b = &cells->path[i];

		if (b->starts || (a->y > y) == (b->y > y))
			continue;
		crossings[count++] = a->x + (b->x - a->x) * (y - a->y) / (b->y - a->y);
	}
	qsort(crossings, count, sizeof(*crossings), compare);
	return count;
}

/* Dots whose middle is inside. */
static void cells_fill(struct canvas *canvas, enum ink ink, double opacity)
{
	struct canvas_cells *cells = cells_of(canvas);
	double crossings[CROSSINGS];

	(void)opacity;
	for (int y = cells->top; y < cells->bottom; y++) {
		size_t count = find_crossings(cells, (y + 0.5) * PITCH, crossings);

		for (size_t i = 0; i + 1 < count; i += 2) {
			int x = dot_of(crossings[i] + PITCH / 2, canvas->width);
			int end = dot_of(crossings[i + 1] + PITCH / 2, canvas->width);

			for (; x < end; x++)
				put_dot(cells, x, y, ink);
		}
	}
	cells->count = 0;
}

static double cells_text_width(const struct canvas *canvas, const char *text, enum font font)
{
	double width = 0;

	(void)canvas;
	(void)font;
	while (utf8_next(&text))
		width += CELL_WIDTH;
	return width;
}

static void cells_text(struct canvas *canvas, double x, double y, const char *text,
		       const struct text_style *style)
{
	struct canvas_cells *cells = cells_of(canvas);
	double width = cells_text_width(canvas, text, style->font);
	int column = (int)lround((x - width * (int)style->anchor / (int)TEXT_END) / CELL_WIDTH);
	int row = (int)floor(y / CELL_HEIGHT);
	uint32_t letter;

	while ((letter = utf8_next(&text)))
		cell_grid_letter(&cells->grid, column++, row, letter, style->ink);
}

static void cells_clip(struct canvas *canvas, const struct canvas_rect *rect)
{
	struct canvas_cells *cells = cells_of(canvas);

	cells->left = (int)lround(rect->x / PITCH);
	cells->top = (int)lround(rect->y / PITCH);
	cells->right = (int)lround((rect->x + rect->width) / PITCH);
	cells->bottom = (int)lround((rect->y + rect->height) / PITCH);
}

static void cells_unclip(struct canvas *canvas)
{
	cells_clip(canvas, &(struct canvas_rect){0, 0, canvas->width, canvas->height});
}

static void cells_group(struct canvas *canvas, const char *title)
{
	(void)canvas;
	(void)title;
}

static void cells_ungroup(struct canvas *canvas)
{
	(void)canvas;
}

static int cells_end(struct canvas *canvas)
{
	struct canvas_cells *cells = cells_of(canvas);

	cell_grid_write(&cells->grid, cells->style.ascii, cells->style.colour, cells->out);
	return cells->err ? cells->err : buffer_error(cells->out);
}

static void cells_free(struct canvas *canvas)
{
	struct canvas_cells *cells = cells_of(canvas);

	cell_grid_fini(&cells->grid);
	free(cells->path);
	free(cells);
}

static const struct canvas_ops cells_ops = {
	.move = cells_move,
	.line = cells_line,
	.close = cells_close,
	.stroke = cells_stroke,
	.fill = cells_fill,
	.text = cells_text,
	.text_width = cells_text_width,
	.clip = cells_clip,
	.unclip = cells_unclip,
	.group = cells_group,
	.ungroup = cells_ungroup,
	.end = cells_end,
	.free = cells_free,
};

struct canvas *canvas_cells_new(const struct canvas_page *page, const struct cells_style *style,
				struct buffer *out)
{
	struct canvas_cells *cells = calloc(1, sizeof(*cells));
	int columns = (int)fmin(page->width / CELL_WIDTH, SIDE_MAX);
	int rows = (int)fmin(page->height / CELL_HEIGHT, SIDE_MAX);

	if (!cells)
		return NULL;
	cells->canvas = (struct canvas){.ops = &cells_ops,
					.width = page->width,
					.height = page->height,
					.pitch = PITCH,
					.line_height = CELL_HEIGHT,
					.coarse = true};
	cells->out = out;
	cells->style = *style;
	if (cell_grid_init(&cells->grid, columns, rows)) {
		free(cells);
		return NULL;
	}
	cells_unclip(&cells->canvas);
	return &cells->canvas;
}
