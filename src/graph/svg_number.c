// SPDX-License-Identifier: BSD-2-Clause
#include "graph/svg_number.h"

#include <math.h>

#include "base/buffer.h"

#define FAR 1e6 /* pixels from the page; SVG's readers have floats */

int64_t svg_tenths(double value)
{
	if (value > FAR)
		value = FAR;
	else if (!(value >= -FAR)) /* nor is it a number */
		value = -FAR;
	return llround(value * 10);
}

void svg_number(struct buffer *out, int64_t tenths)
{
	char last = out->len ? out->data[out->len - 1] : 0;
	uint64_t size = tenths < 0 ? -(uint64_t)tenths : (uint64_t)tenths;

	if (tenths < 0)
		buffer_char(out, '-');
	else if ((last >= '0' && last <= '9') || last == '.')
		buffer_char(out, ' ');
	if (size >= 10 || !(size % 10))
		buffer_uint(out, size / 10);
	if (size % 10) {
		buffer_char(out, '.');
		buffer_char(out, (char)('0' + size % 10));
	}
}

void svg_pair(struct buffer *out, int64_t x_tenths, int64_t y_tenths)
{
	svg_number(out, x_tenths);
	svg_number(out, y_tenths);
}
