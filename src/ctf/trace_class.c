// SPDX-License-Identifier: BSD-2-Clause
#include "ctf/trace_class.h"

#include <stdlib.h>

#include "base/clock.h"

struct ctf_trace_class *ctf_trace_class_new(void)
{
	struct ctf_trace_class *trace = calloc(1, sizeof(*trace));

	if (!trace)
		return NULL;
	arena_init(&trace->arena);
	trace->place = "line";
	return trace;
}

void ctf_trace_class_free(struct ctf_trace_class *trace)
{
	if (!trace)
		return;
	arena_fini(&trace->arena);
	free(trace);
}

struct ctf_type *ctf_trace_class_type_new(struct ctf_trace_class *trace, enum ctf_kind kind,
					  unsigned int line)
{
	struct ctf_type *type = arena_alloc(&trace->arena, sizeof(*type));

	if (!type)
		return NULL;
	type->kind = kind;
	type->line = line;
	type->next = trace->types;
	trace->types = type;
	trace->type_count++;
	return type;
}

struct ctf_stream_class *ctf_trace_class_stream(const struct ctf_trace_class *trace, uint64_t id)
{
	for (size_t i = 0; i < trace->stream_count; i++) {
		if (trace->streams[i]->id == id)
			return trace->streams[i];
	}
	return NULL;
}

struct ctf_event_decl *ctf_stream_class_event(const struct ctf_stream_class *stream, uint64_t id)
{
	size_t low = 0, high = stream->event_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (stream->events[middle]->id < id)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < stream->event_count && stream->events[low]->id == id)
		return stream->events[low];
	return NULL;
}

/* Wraps where the result is out of range, some 292 years from the epoch. */
void ctf_trace_class_place(struct ctf_trace_class *trace, size_t first_class, uint32_t first_stream)
{
	for (size_t i = 0; i < trace->event_count; i++)
		trace->events[i]->layout->class.index = first_class + i;
	for (size_t i = 0; i < trace->stream_count; i++) {
		struct ctf_stream_class *stream = trace->streams[i];

		stream->index = first_stream + (uint32_t)i;
		for (size_t j = 0; j < stream->event_count; j++)
			stream->events[j]->layout->class.stream = stream->index;
	}
}

int64_t ctf_clock_ns(const struct ctf_clock *clock, uint64_t cycles)
{
	uint64_t ns = cycles;

	if (!clock)
		return (int64_t)cycles;
	if (clock->freq != NS_PER_SEC) {
		uint64_t seconds = cycles / clock->freq, rest = cycles % clock->freq;

		ns = seconds * NS_PER_SEC +
		     (uint64_t)((unsigned __int128)rest * NS_PER_SEC / clock->freq);
	}
	return (int64_t)(ns + (uint64_t)clock->offset_ns);
}
