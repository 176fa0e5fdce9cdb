// SPDX-License-Identifier: BSD-2-Clause
#include "output/table.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define CELL_BYTES 512u
#define FIRST_LEAST 10u /* what the first column gets in any case */
#define GAP 2u /* columns between columns */

void table_init(struct table *table, const char *const *titles)
{
	*table = (struct table){0};
	buffer_init(&table->cells);
	while (titles[table->columns] && table->columns < TABLE_COLUMNS) {
		table->titles[table->columns] = titles[table->columns];
		table->columns++;
	}
}

void table_fini(struct table *table)
{
	buffer_fini(&table->cells);
}

void table_add(struct table *table, const char *format, ...)
{
	char text[CELL_BYTES];
	va_list args;

	va_start(args, format);
	if (vsnprintf(text, sizeof(text), format, args) < 0)
		*text = '\0';
	va_end(args);
	buffer_append(&table->cells, text, strlen(text) + 1);
	table->count++;
}

/* Columns that @text takes on a terminal: characters, near enough for names of tasks. */
static size_t text_width(const char *text)
{
	size_t width = 0;

	for (; *text; text++)
		width += ((unsigned char)*text & 0xc0) != 0x80;
	return width;
}

static void put_left(struct buffer *out, const char *text, size_t width)
{
	size_t have = text_width(text);

	buffer_string(out, text);
	buffer_pad(out, ' ', have < width ? width - have : 0);
}

static void put_right(struct buffer *out, const char *text, size_t width)
{
	size_t have = text_width(text);

	buffer_pad(out, ' ', GAP + (have < width ? width - have : 0));
	buffer_string(out, text);
}

/* Blank cells at the end of a row leave nothing. */
static void end_line(struct buffer *out)
{
	while (out->len && out->data[out->len - 1] == ' ')
		out->len--;
	buffer_char(out, '\n');
}

/* Widths of all columns; the first gets what the others leave of the line. */
static void measure(const struct table *table, size_t *widths)
{
	const char *cell = table->cells.data;
	size_t i, width, others = 0, first;

	for (i = 0; i < table->columns; i++)
		widths[i] = text_width(table->titles[i]);
	for (i = 0; i < table->count; i++, cell += strlen(cell) + 1) {
		width = text_width(cell);
		if (width > widths[i % table->columns])
			widths[i % table->columns] = width;
	}
	for (i = 1; i < table->columns; i++)
		others += GAP + widths[i];
	first = others + FIRST_LEAST < TABLE_WIDTH ? TABLE_WIDTH - others : FIRST_LEAST;
	if (widths[0] > first)
		widths[0] = first;
}

void table_write(const struct table *table, struct buffer *out)
{
	const char *cell = table->cells.data;
	size_t widths[TABLE_COLUMNS];
	size_t i, rows;

	if (buffer_error(&table->cells) || !table->columns)
		return;
	measure(table, widths);
	put_left(out, table->titles[0], widths[0]);
	for (i = 1; i < table->columns; i++)
		put_right(out, table->titles[i], widths[i]);
	buffer_char(out, '\n');
	rows = table->count / table->columns;
	for (i = 0; i < rows * table->columns; i++, cell += strlen(cell) + 1) {
		size_t column = i % table->columns;

		if (column) {
			put_right(out, cell, widths[column]);
		} else if (text_width(cell) > widths[0] && table->columns > 1) {
			buffer_string(out, cell);
			buffer_char(out, '\n');
			buffer_pad(out, ' ', widths[0]);
		} else {
			put_left(out, cell, widths[0]);
		}
		if (column == table->columns - 1)
			end_line(out);
	}
}

void table_finish(struct table *table, struct buffer *out, size_t shown, size_t count)
{
	buffer_char(out, '\n');
	table_write(table, out);
	if (shown < count)
		buffer_format(out, "... and %zu more\n", count - shown);
	table_fini(table);
}
