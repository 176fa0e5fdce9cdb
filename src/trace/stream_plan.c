// SPDX-License-Identifier: BSD-2-Clause
#include "trace/stream_plan.h"

#include <errno.h>
#include <stdlib.h>

#include "schema/event.h"
#include "schema/trace_info.h"

static enum metadata_form form_of(const struct trace_stream *stream)
{
	if (stream->has_heads)
		return stream->has_cpu ? METADATA_KERNEL : METADATA_RECORDER;
	return stream->has_cpu ? METADATA_PLAIN_CPU : METADATA_PLAIN;
}

static void add_source_kinds(struct stream_plan *plan, const struct trace_info *info)
{
	/* What a source is that does not tell. */
	static const struct trace_stream only_stream;
	size_t count = info->stream_count ?: 1;

	for (uint32_t i = 0; i < count; i++) {
		const struct trace_stream *stream = info->stream_count ? &info->streams[i] :
									 &only_stream;

		plan->kinds[plan->count++] = (struct stream_kind){
			.form = form_of(stream),
			.has_cpu = stream->has_cpu,
			.trace = stream->trace,
		};
	}
}

static bool has_trace(const struct trace_info *info, uint32_t trace)
{
	for (uint32_t i = 0; i < info->stream_count; i++) {
		if (trace_info_trace(info, i) == trace)
			return true;
	}
	return !info->stream_count;
}

static void add_name_kinds(struct stream_plan *plan, const struct trace_info *info, uint32_t traces)
{
	for (uint32_t trace = 0; trace < traces; trace++) {
		if (!has_trace(info, trace))
			continue;
		plan->names[trace] = plan->count;
		plan->kinds[plan->count++] =
			(struct stream_kind){.form = METADATA_NAMES, .trace = trace};
	}
}

int stream_plan_init(struct stream_plan *plan, const struct trace_info *info)
{
	uint32_t traces = trace_info_traces(info);

	plan->kinds = calloc(info->stream_count + 1 + traces, sizeof(*plan->kinds));
	plan->streams = calloc(info->class_count ?: 1, sizeof(*plan->streams));
	if (!plan->kinds || !plan->streams)
		return -ENOMEM;
	add_source_kinds(plan, info);
	add_name_kinds(plan, info, traces);
	for (size_t i = 0; i < info->class_count; i++)
		plan->streams[i] = info->classes[i]->stream;
	return 0;
}

void stream_plan_fini(struct stream_plan *plan)
{
	free(plan->kinds);
	free(plan->streams);
	*plan = (struct stream_plan){0};
}
