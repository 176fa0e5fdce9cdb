/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * trace_end: whether a trace is all that was recorded. The source of a trace fills it; views and verbs
 * only read it, by trace_info.end.
 */
#ifndef SONDE_SCHEMA_TRACE_END_H
#define SONDE_SCHEMA_TRACE_END_H

#include "schema/problem_list.h"

/* Of several traces that are read as one, the last of these counts. */
enum trace_end_kind {
	TRACE_END_UNKNOWN, /* of a format that does not say */
	TRACE_END_MARKED,
	TRACE_END_UNMARKED, /* of a Sonde that wrote no end mark yet: unknown */
	TRACE_END_OPEN, /* it is still being written */
	TRACE_END_MISSING, /* it should have an end mark and has none */
};

struct trace_end {
	enum trace_end_kind kind;
	struct problem_list missing; /* sentences: what of the trace is not there */
};

struct trace_info;

/* "marked", "unmarked", "open", "missing"; "unknown" where the source does not say. */
const char *trace_end_word(const struct trace_info *info);
/* Sentence @i of what is missing, or NULL. */
const char *trace_end_missing(const struct trace_info *info, size_t i);

/* The trace was converted from one that lacked @missing. */
void trace_end_tell_source(struct trace_end *end, const char *missing);

#endif /* SONDE_SCHEMA_TRACE_END_H */
