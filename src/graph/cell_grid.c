// SPDX-License-Identifier: BSD-2-Clause
#include "graph/cell_grid.h"

#include <errno.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/utf8.h"

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

int cell_grid_init(struct cell_grid *grid, int columns, int rows)
{
	*grid = (struct cell_grid){.columns = columns, .rows = rows};
	grid->cells = calloc((size_t)columns * (size_t)rows, sizeof(*grid->cells));
	return grid->cells ? 0 : -ENOMEM;
}

void cell_grid_fini(struct cell_grid *grid)
{
	free(grid->cells);
}

static struct cell *cell_at(struct cell_grid *grid, int column, int row)
{
	if (column < 0 || column >= grid->columns || row < 0 || row >= grid->rows)
		return NULL;
	return &grid->cells[(size_t)row * (size_t)grid->columns + (size_t)column];
}

void cell_grid_letter(struct cell_grid *grid, int column, int row, uint32_t letter, enum ink ink)
{
	struct cell *cell = cell_at(grid, column, row);

	if (!cell)
		return;
	cell->letter = letter;
	cell->ink = (uint8_t)ink;
}

void cell_grid_arms(struct cell_grid *grid, int column, int row, unsigned int arms)
{
	struct cell *cell = cell_at(grid, column, row);

	if (cell)
		cell->arms |= (uint8_t)arms;
}

void cell_grid_dot(struct cell_grid *grid, int x, int y, enum ink ink)
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

void cell_grid_write(const struct cell_grid *grid, bool ascii, bool colour, struct buffer *out)
{
	for (int row = 0; row < grid->rows; row++)
		write_row(&grid->cells[(size_t)row * (size_t)grid->columns], grid->columns, ascii,
			  colour, out);
}
