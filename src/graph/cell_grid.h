/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cell_grid: a page of characters: in each cell a letter, or arms of a box, or dots of a series. What
 * canvas_cells draws into, and how that becomes lines of text.
 */
#ifndef SONDE_GRAPH_CELL_GRID_H
#define SONDE_GRAPH_CELL_GRID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "graph/palette.h"

struct buffer;

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

/* 0, or -ENOMEM. */
int cell_grid_init(struct cell_grid *grid, int columns, int rows);
void cell_grid_fini(struct cell_grid *grid);
/* What is outside of the grid is left out. */
void cell_grid_letter(struct cell_grid *grid, int column, int row, uint32_t letter, enum ink ink);
void cell_grid_arms(struct cell_grid *grid, int column, int row, unsigned int arms);
/* @x and @y count dots. INK_PAPER takes away what is there. */
void cell_grid_dot(struct cell_grid *grid, int x, int y, enum ink ink);
/* All of it, a line each row. */
void cell_grid_write(const struct cell_grid *grid, bool ascii, bool colour, struct buffer *out);

#endif /* SONDE_GRAPH_CELL_GRID_H */
