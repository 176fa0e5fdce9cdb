// SPDX-License-Identifier: BSD-2-Clause
#include "ctf/trace_class.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "wire/ctf.h"

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
	problem_list_fini(&trace->breaches);
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

void ctf_trace_class_breach(struct ctf_trace_class *trace, unsigned int line, const char *format,
			    ...)
{
	struct problem_list *breaches = &trace->breaches;
	char what[256], text[320];
	va_list args;

	if (breaches->count > CTF_BREACHES_MAX)
		return;
	va_start(args, format);
	(void)vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	(void)snprintf(text, sizeof(text), "metadata: %s %u: %s", trace->place, line, what);
	for (size_t i = 0; i < breaches->count; i++) {
		if (!strcmp(breaches->texts[i], text))
			return;
	}
	if (breaches->count < CTF_BREACHES_MAX)
		problem_list_add(breaches, "%s", text);
	else
		problem_list_add(breaches, "metadata: it breaks the standard in more places than "
					   "are listed here");
}

struct ctf_stream_class *ctf_trace_class_stream(const struct ctf_trace_class *trace, uint64_t id)
{
	for (size_t i = 0; i < trace->stream_count; i++) {
		if (trace->streams[i]->id == id)
			return trace->streams[i];
	}
	return NULL;
}

bool ctf_trace_class_has_stream_ids(const struct ctf_trace_class *trace)
{
	const struct ctf_type *header = trace->packet_header;

	for (size_t i = 0; header && i < header->member_count; i++) {
		if (header->members[i].role == CTF_ROLE_STREAM)
			return true;
	}
	return false;
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
