/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * text: events as lines for people: time, CPU, task, event, fields with names beside numbers.
 *
 * Nothing of a trace reaches the terminal unescaped. Losses stand as lines of their own where
 * they happened.
 */
#ifndef SONDE_OUTPUT_TEXT_H
#define SONDE_OUTPUT_TEXT_H

#include <stdbool.h>

#include "output/time_text.h"
#include "schema/source.h"

struct view;

struct text_options {
	enum time_style time;
	bool colour;
	bool raw; /* system calls as events like others: a line for each entry and exit, with numbers */
	unsigned int
		width; /* columns of a terminal: longer lines are cut, and what matters comes first; 0 = whole lines */
};

/* NULL: no memory. Borrows @view. */
struct event_sink *text_new(const struct view *view, const struct text_options *options);

#endif /* SONDE_OUTPUT_TEXT_H */
