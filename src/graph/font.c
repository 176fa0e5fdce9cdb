// SPDX-License-Identifier: BSD-2-Clause
#include "graph/font.h"

#include <stdint.h>

#define BOLD_WIDTH 1.12 /* of the widths below */
#define OTHER_WIDTH 64 /* letters that are not ASCII */
#define WIDE_WIDTH 100 /* scripts whose characters take a square */
#define WIDE_FIRST 0xe3 /* byte that begins U+3000 and what is above it: nearly all are such */

struct font_kind {
	double size;
	bool bold;
};

static const struct font_kind fonts[FONT_COUNT] = {
	[FONT_TITLE] = {15, true},
	[FONT_LABEL] = {12, false},
	[FONT_TICK] = {11, false},
	[FONT_NOTE] = {10.5, false},
};

/* Advance widths of DejaVu Sans 2.37, in 1/100 em, from the space on. */
static const uint8_t widths[95] = {
	32, 40, 46, 84, 64, 95, 78, 28, 39, 39, 50, 84, 32, 36,	 32, 34, 64, 64, 64,
	64, 64, 64, 64, 64, 64, 64, 34, 34, 84, 84, 84, 53, 100, 68, 69, 70, 77, 63,
	58, 78, 75, 30, 30, 66, 56, 86, 75, 79, 60, 79, 70, 64,	 61, 73, 68, 99, 69,
	61, 69, 39, 34, 39, 84, 50, 50, 61, 64, 55, 64, 62, 35,	 64, 63, 28, 28, 58,
	28, 97, 63, 61, 64, 64, 41, 52, 39, 63, 59, 82, 59, 59,	 53, 64, 34, 64, 84,
};

double font_size(enum font font)
{
	return fonts[font].size;
}

bool font_is_bold(enum font font)
{
	return fonts[font].bold;
}

static unsigned int byte_width(uint8_t byte)
{
	if (byte >= ' ' && byte < 0x7f)
		return widths[byte - ' '];
	if (byte < 0xc0 && byte >= 0x80)
		return 0; /* within a character that was counted */
	return byte >= WIDE_FIRST ? WIDE_WIDTH : OTHER_WIDTH;
}

double font_width(const char *text, enum font font)
{
	unsigned int sum = 0;

	for (const char *p = text; *p; p++)
		sum += byte_width((uint8_t)*p);
	return sum * fonts[font].size / 100 * (fonts[font].bold ? BOLD_WIDTH : 1);
}
