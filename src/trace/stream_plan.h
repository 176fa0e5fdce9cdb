/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stream_plan: the kinds of streams of a trace that is written again: those of its source, one for
 * names of each trace that is in it, and one for each form of contexts that only a stream can have (ctf/natural.h). Only
 * trace/ctf_sink calls it.
 */
#ifndef SONDE_TRACE_STREAM_PLAN_H
#define SONDE_TRACE_STREAM_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctf/metadata_write.h"
#include "schema/trace_info.h"

struct event_class;
struct natural;

struct stream_kind {
	enum metadata_form form;
	bool has_cpu;
	uint32_t trace; /* of several sources: which of them */
	uint32_t source; /* among trace_info.streams */
	char *context; /* TSDL; NULL = none */
};

struct stream_plan {
	struct stream_kind *kinds; /* by the ids that they have in the trace */
	uint32_t count;
	uint32_t names
		[TRACE_INFO_TRACES]; /* by trace: the kind for its names; no trace has the others' */
	uint32_t *streams; /* by event_class.index */
};

/* @naturals: by event_class.index; of classes that are not written all zeros. 0 or -ENOMEM; after
 * a failure stream_plan_fini is due all the same. */
int stream_plan_init(struct stream_plan *plan, const struct trace_info *info,
		     const struct natural *naturals);
void stream_plan_fini(struct stream_plan *plan);

/* Whether events of @class have record heads in the streams of the source's kind. */
bool stream_plan_has_heads(const struct trace_info *info, const struct event_class *class);

#endif /* SONDE_TRACE_STREAM_PLAN_H */
