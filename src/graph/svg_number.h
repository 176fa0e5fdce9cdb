/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * svg_number: coordinates as short as SVG reads them: tenths of a pixel, no zero in front of the point, and
 * nothing between two numbers where the second has a sign.
 */
#ifndef SONDE_GRAPH_SVG_NUMBER_H
#define SONDE_GRAPH_SVG_NUMBER_H

#include <stdint.h>

struct buffer;

/* Rounded, and within what any picture can need: also if @value is not a number. */
int64_t svg_tenths(double value);
/* Behind a letter, a quote, or another number. */
void svg_number(struct buffer *out, int64_t tenths);
void svg_pair(struct buffer *out, int64_t x_tenths, int64_t y_tenths);

#endif /* SONDE_GRAPH_SVG_NUMBER_H */
