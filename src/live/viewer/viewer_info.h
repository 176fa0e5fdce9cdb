/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * viewer_info: what the traces of a live session tell of themselves, as one; their classes are not copied,
 * but numbered through (ctf_trace_class_place).
 */
#ifndef SONDE_LIVE_VIEWER_VIEWER_INFO_H
#define SONDE_LIVE_VIEWER_VIEWER_INFO_H

#include <stddef.h>

#include "schema/problem_list.h"
#include "schema/trace_info.h"
#include "trace/merged_info.h"

struct ctf_trace_class;

struct viewer_info {
	struct trace_info info;
	struct merged_info merged; /* of several */
	struct problem_list breaches; /* of all */
	const struct event_class **classes;
};

/* Of none yet. */
void viewer_info_init(struct viewer_info *of);
void viewer_info_fini(struct viewer_info *of);
/* Tells of these @count traces from here on, which are borrowed; `symbols`, `end` and `packets` stay. 0 or -ENOMEM. */
int viewer_info_set(struct viewer_info *of, struct ctf_trace_class *const *traces, size_t count);

#endif /* SONDE_LIVE_VIEWER_VIEWER_INFO_H */
