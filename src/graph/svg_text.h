/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * svg_text: text of unknown origin within XML: markup is escaped, and what XML cannot hold becomes
 * U+FFFD.
 */
#ifndef SONDE_GRAPH_SVG_TEXT_H
#define SONDE_GRAPH_SVG_TEXT_H

struct buffer;

void svg_escape(struct buffer *out, const char *text);

#endif /* SONDE_GRAPH_SVG_TEXT_H */
