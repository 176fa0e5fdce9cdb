// SPDX-License-Identifier: BSD-2-Clause
#include "trace/stream_plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "ctf/natural.h"
#include "schema/event.h"
#include "schema/trace_info.h"

static enum metadata_form form_of(const struct trace_stream *stream)
{
	if (stream->has_heads)
		return stream->has_cpu ? METADATA_KERNEL : METADATA_RECORDER;
	return stream->has_cpu ? METADATA_PLAIN_CPU : METADATA_PLAIN;
}

bool stream_plan_has_heads(const struct trace_info *info, const struct event_class *class)
{
	return class->stream < info->stream_count && info->streams[class->stream].has_heads;
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
			.source = i,
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

static char *describe_context(const struct natural *natural)
{
	struct buffer text;
	char *copy;

	buffer_init(&text);
	natural_describe_shared(natural, &text);
	buffer_char(&text, '\0');
	copy = buffer_error(&text) ? NULL : strdup(text.data);
	buffer_fini(&text);
	return copy;
}

/* The kind for events of stream @source with contexts of this form; takes @context. */
static uint32_t find_kind(struct stream_plan *plan, uint32_t source, char *context)
{
	const struct stream_kind *like = &plan->kinds[source];

	for (uint32_t i = 0; i < plan->count; i++) {
		const struct stream_kind *kind = &plan->kinds[i];

		if (kind->source == source && kind->context && !strcmp(kind->context, context)) {
			free(context);
			return i;
		}
	}
	plan->kinds[plan->count] = (struct stream_kind){
		.form = like->has_cpu ? METADATA_PLAIN_CPU : METADATA_PLAIN,
		.has_cpu = like->has_cpu,
		.trace = like->trace,
		.source = source,
		.context = context,
	};
	return plan->count++;
}

int stream_plan_init(struct stream_plan *plan, const struct trace_info *info,
		     const struct natural *naturals)
{
	uint32_t traces = trace_info_traces(info);
	size_t room = info->stream_count + info->class_count + 1 + traces;

	plan->kinds = calloc(room, sizeof(*plan->kinds));
	plan->streams = calloc(info->class_count ?: 1, sizeof(*plan->streams));
	if (!plan->kinds || !plan->streams)
		return -ENOMEM;
	add_source_kinds(plan, info);
	add_name_kinds(plan, info, traces);
	for (size_t i = 0; i < info->class_count; i++) {
		char *context;

		plan->streams[i] = info->classes[i]->stream;
		if (!naturals[i].trees.shared)
			continue;
		context = describe_context(&naturals[i]);
		if (!context)
			return -ENOMEM;
		plan->streams[i] = find_kind(plan, info->classes[i]->stream, context);
	}
	return 0;
}

void stream_plan_fini(struct stream_plan *plan)
{
	for (uint32_t i = 0; plan->kinds && i < plan->count; i++)
		free(plan->kinds[i].context);
	free(plan->kinds);
	free(plan->streams);
	*plan = (struct stream_plan){0};
}
