// SPDX-License-Identifier: BSD-2-Clause
#include "graph/palette.h"

#include <errno.h>
#include <string.h>

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

uint32_t palette_rgb(enum ink ink, bool dark)
{
	if (ink < INK_SERIES)
		return base_inks[dark][ink];
	if (ink < INK_RAMP)
		return series_inks[dark][ink - INK_SERIES];
	return ramp_rgb(ink - INK_RAMP, dark);
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
				   (enum ink)(INK_COUNT - 1);
}
