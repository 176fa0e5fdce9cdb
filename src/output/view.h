/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * view: what every view of a stream of events is given by the verb that makes it.
 */
#ifndef SONDE_OUTPUT_VIEW_H
#define SONDE_OUTPUT_VIEW_H

#include "analyse/analysis.h"
#include "analyse/field_choice.h"
#include "base/io.h"

struct call_line;
struct columns;
struct time_text;

/* All borrowed by the views until they are freed. */
struct view {
	struct analysis analysis;
	struct output *out;
	struct field_choice fields; /* borrowed too; zeros: all of them */
	struct columns *columns; /* of a continued table, made by the first view; NULL: its own */
	struct time_text *time; /* likewise the times of text */
	struct call_line *line; /* likewise whether its last line has ended */
	bool continued; /* others show what comes before: no head */
};

#endif /* SONDE_OUTPUT_VIEW_H */
