// SPDX-License-Identifier: BSD-2-Clause
#include "graph/canvas.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "base/utf8.h"

#define RAMP_ANCHORS 7u

static const char *const theme_names[] = {"auto", "light", "dark"};

/* [0] on light paper, [1] on dark. */
static const uint32_t base_inks[2][INK_SERIES] = {
	{
		[INK_PAPER] = 0xffffff,
		[INK_TEXT] = 0x1a1d21,
		[INK_FAINT] = 0x5a626b,
		[INK_AXIS] = 0x40474f,
		[INK_GRID] = 0xe4e7eb,
		[INK_ALERT] = 0xc01530,
	},
	{
		[INK_PAPER] = 0x14171b,
		[INK_TEXT] = 0xe9ecef,
		[INK_FAINT] = 0xa3abb4,
		[INK_AXIS] = 0x8b949e,
		[INK_GRID] = 0x2a2f36,
		[INK_ALERT] = 0xff6b7d,
	},
};

/* Blue, vermilion, green, purple, orange, sky blue, grey. */
static const uint32_t series_inks[2][PALETTE_SERIES] = {
	{0x0067a8, 0xd55e00, 0x008a63, 0xb0558f, 0xc98a00, 0x3f9fd6, 0x55585c},
	{0x4aa8e8, 0xff8b45, 0x2fc79a, 0xe596c6, 0xf0b93a, 0x93d0f7, 0xb4b8bd},
};

/* The same on any paper: letters, plain; then from the first to the last shade of each kind. */
static const uint32_t flame_inks[] = {0x1a1d21, 0xdfe3e8};
static const uint32_t flame_shades[][2] = {
	{0xffd6a0, 0xf5a35c}, /* programs: orange */
	{0xc5e3c0, 0x86c79a}, /* the kernel: green */
	{0xf9dcd6, 0xe0533f}, /* more: red */
	{0xd6e4f7, 0x4a86d8}, /* less: blue */
};

static const uint32_t ramp_anchors[2][RAMP_ANCHORS] = {
	{0xeef6e4, 0xc7e9b4, 0x7fcdbb, 0x41b0c4, 0x1f80b8, 0x264a9b, 0x0c1c55},
	{0x1d2a38, 0x1f4a6f, 0x206f8c, 0x1f9b8a, 0x4dc06a, 0xa6d838, 0xfde725},
};

int theme_parse(const char *name, enum theme *ret)
{
	for (size_t i = 0; i < sizeof(theme_names) / sizeof(*theme_names); i++) {
		if (!strcmp(name, theme_names[i])) {
			*ret = (enum theme)i;
			return 0;
		}
	}
	return -EINVAL;
}

static uint32_t mix(uint32_t from, uint32_t to, unsigned int part, unsigned int whole)
{
	uint32_t ret = 0;

	for (unsigned int shift = 0; shift < 24; shift += 8) {
		uint32_t a = from >> shift & 255, b = to >> shift & 255;

		ret |= (a * (whole - part) + b * part + whole / 2) / whole << shift;
	}
	return ret;
}

static uint32_t ramp_rgb(unsigned int step, bool dark)
{
	unsigned int whole = PALETTE_RAMP - 1, at = step * (RAMP_ANCHORS - 1);
	unsigned int i = at / whole;

	if (i >= RAMP_ANCHORS - 1)
		return ramp_anchors[dark][RAMP_ANCHORS - 1];
	return mix(ramp_anchors[dark][i], ramp_anchors[dark][i + 1], at % whole, whole);
}

static uint32_t flame_rgb(enum ink ink)
{
	const unsigned int shade = ink - INK_PROGRAM;
	const uint32_t *ends;

	if (ink < INK_PROGRAM)
		return flame_inks[ink - INK_LETTERS];
	ends = flame_shades[shade / PALETTE_FLAME];
	return mix(ends[0], ends[1], shade % PALETTE_FLAME, PALETTE_FLAME - 1);
}

uint32_t palette_rgb(enum ink ink, bool dark)
{
	if (ink < INK_SERIES)
		return base_inks[dark][ink];
	if (ink < INK_RAMP)
		return series_inks[dark][ink - INK_SERIES];
	if (ink < INK_LETTERS)
		return ramp_rgb(ink - INK_RAMP, dark);
	return flame_rgb(ink);
}

enum ink palette_series(size_t i)
{
	return (enum ink)(INK_SERIES + i % PALETTE_SERIES);
}

enum ink palette_ramp(double part)
{
	double at = part * (PALETTE_RAMP - 1) + 0.5;

	if (!(at > 0)) /* nor is it a number */
		return INK_RAMP;
	return at < PALETTE_RAMP ? (enum ink)(INK_RAMP + (unsigned int)at) :
				   (enum ink)(INK_LETTERS - 1);
}

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

#define DOTS "\u2026"

void canvas_rect(struct canvas *canvas, const struct canvas_rect *rect)
{
	canvas_move(canvas, rect->x, rect->y);
	canvas_line(canvas, rect->x + rect->width, rect->y);
	canvas_line(canvas, rect->x + rect->width, rect->y + rect->height);
	canvas_line(canvas, rect->x, rect->y + rect->height);
	canvas_close(canvas);
}

void canvas_dot(struct canvas *canvas, double x, double y)
{
	canvas_move(canvas, x, y);
	canvas_line(canvas, x, y);
}

void canvas_rule(struct canvas *canvas, double x1, double y1, double x2, double y2,
		 const struct pen *pen)
{
	canvas_move(canvas, x1, y1);
	canvas_line(canvas, x2, y2);
	canvas_stroke(canvas, pen);
}

const char *canvas_fit_text(const struct canvas *canvas, const char *text, enum font font,
			    double width, char to[CANVAS_FIT_BYTES])
{
	const char *at = text;
	size_t fits = 0, len = 0; /* up to where there is room for the dots, too */

	if (strlen(text) < CANVAS_FIT_BYTES && canvas_text_width(canvas, text, font) <= width)
		return strcpy(to, text);
	while (*at && len < CANVAS_FIT_BYTES - UTF8_BYTES - sizeof(DOTS)) {
		len = (size_t)(utf8_put(to + len, utf8_next(&at)) - to);
		(void)strcpy(to + len, DOTS);
		if (canvas_text_width(canvas, to, font) > width)
			break;
		fits = len;
	}
	(void)strcpy(to + fits, DOTS);
	return to;
}
