// SPDX-License-Identifier: BSD-2-Clause
#include "ctf/stream_kind.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/clock.h"
#include "base/diag.h"
#include "ctf/stream_traces.h"
#include "ctf/trace_class.h"
#include "ctf/type.h"
#include "schema/origin.h"
#include "schema/trace_info.h"

static bool has_role(const struct ctf_type *type, enum ctf_role role)
{
	for (size_t i = 0; type && i < type->member_count; i++) {
		if (type->members[i].role == role)
			return true;
	}
	return false;
}

/* What sonde convert keeps of names (METADATA_NAMES). */
static bool is_quiet(const struct ctf_type *context)
{
	for (size_t i = 0; context && i < context->member_count; i++) {
		if (!strcmp(context->members[i].name, "names_only"))
			return true;
	}
	return false;
}

/* The clock that all streams have, or NULL. */
static const struct ctf_clock *find_clock(const struct ctf_trace_class *trace)
{
	const struct ctf_clock *clock = trace->streams[0]->clock;

	for (size_t i = 1; i < trace->stream_count; i++) {
		if (trace->streams[i]->clock != clock)
			return NULL;
	}
	return clock && clock->freq == NS_PER_SEC ? clock : NULL;
}

static int make_clock(struct ctf_trace_class *trace)
{
	const struct ctf_clock *clock = find_clock(trace);

	if (!clock)
		return 0;
	trace->clock = arena_alloc(&trace->arena, sizeof(*trace->clock));
	if (!trace->clock)
		return -ENOMEM;
	*trace->clock = (struct trace_clock){clock->uid, clock->text, clock->offset_ns};
	return 0;
}

/* Of a trace that was made of several. */
static int find_traces(struct ctf_trace_class *trace)
{
	const struct trace_info info = {.env_count = trace->env_count, .env = trace->env};
	const struct trace_env *env = trace_info_env(&info, STREAM_TRACES_ENV);

	if (!env || !env->text)
		return 0;
	return stream_traces_read(env->text, trace->kinds, trace->stream_count);
}

/* That of the stream before, where it is of the same trace. */
static int find_origin(struct ctf_trace_class *trace, size_t i)
{
	const struct trace_info info = {.env_count = trace->env_count, .env = trace->env};
	struct trace_stream *kind = &trace->kinds[i];
	struct origin found, *origin;

	if (i && kind[-1].trace == kind->trace) {
		kind->origin = kind[-1].origin;
	} else if (origin_find(&info, kind->trace, &found)) {
		origin = arena_alloc(&trace->arena, sizeof(*origin));
		if (!origin)
			return -ENOMEM;
		*origin = found;
		kind->origin = origin;
	}
	for (size_t j = 0; j < trace->streams[i]->event_count; j++)
		trace->streams[i]->events[j]->layout->class.origin = kind->origin;
	return 0;
}

static int find_origins(struct ctf_trace_class *trace)
{
	int err = 0;

	for (size_t i = 0; i < trace->stream_count && !err; i++)
		err = find_origin(trace, i);
	return err;
}

int stream_kinds_make(struct ctf_trace_class *trace, struct diag *diag)
{
	size_t i;

	trace->kinds = arena_alloc(&trace->arena, trace->stream_count * sizeof(*trace->kinds));
	if (!trace->kinds || make_clock(trace))
		return diag_set(diag, -ENOMEM, "out of memory");
	for (i = 0; i < trace->stream_count; i++) {
		struct ctf_stream_class *stream = trace->streams[i];

		stream->index = (uint32_t)i;
		trace->kinds[i] = (struct trace_stream){
			.id = stream->id,
			.has_cpu = has_role(stream->packet_context, CTF_ROLE_CPU),
			.has_heads = stream->head_has_context,
		};
		for (size_t j = 0; j < stream->event_count; j++) {
			stream->events[j]->layout->class.stream = (uint32_t)i;
			stream->events[j]->layout->class.quiet = is_quiet(stream->packet_context);
		}
	}
	return find_traces(trace) || find_origins(trace) ?
		       diag_set(diag, -ENOMEM, "out of memory") :
		       0;
}
