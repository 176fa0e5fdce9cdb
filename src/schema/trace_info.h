/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * trace_info: the data of a source beside its events: classes, environment, size.
 */
#ifndef SONDE_SCHEMA_TRACE_INFO_H
#define SONDE_SCHEMA_TRACE_INFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct event_class;
struct origin;
struct problem_list;
struct symbols;
struct trace_end;

/* One entry of the trace's environment. */
struct trace_env {
	const char *name;
	const char *text; /* NULL: an integer */
	int64_t number;
};

/* If several traces are read as one: a class with a higher number belongs to none of them. */
#define TRACE_INFO_TRACES 256u

/* One kind of stream of a source, and what its events know besides their fields. */
struct trace_stream {
	uint64_t id;
	uint32_t trace; /* of several that are read as one: which of them, from 1 up; else 0 */
	const struct origin *origin; /* of that trace; NULL = not known */
	bool has_cpu;
	bool has_heads; /* Sonde's record heads: event.tid is not one of its fields */
};

/* The clock of a source whose times are whole ns of one clock. */
struct trace_clock {
	const char *uuid; /* of what it began with (a boot); NULL = not known */
	const char *text; /* NULL = none */
	int64_t offset_ns; /* from the epoch to its zero */
};

/* The data of a source. Borrowed from the source until it is closed. */
struct trace_info {
	size_t class_count;
	const struct event_class *const *classes; /* by event_class.index; grows never */
	size_t env_count;
	const struct trace_env *env;
	size_t stream_count; /* 0: events of one kind, without CPU */
	const struct trace_stream *streams;
	const struct trace_clock *clock; /* NULL: not of one such clock */
	const struct trace_end
		*end; /* whether it is complete (schema/trace_end.h); NULL = not known */
	const struct problem_list
		*breaches; /* where it breaks the standard of its format, and was read all the
					      * same: sentences; NULL = none */
	struct symbols *symbols; /* names for addresses; NULL = none (symbol/symbols.h) */
	uint64_t bytes; /* of all its streams; 0 = not known */
	uint64_t packets; /* seen so far */
	/* Of a file with a head of its own and entries behind it, which are the events' payloads: the
	 * unchanged head, so that the same file can be written again. NULL: not of one such file. */
	const void *head;
	size_t head_bytes;
};

/* Sentence @i of where the source breaks its standard, or NULL. */
const char *trace_info_breach(const struct trace_info *info, size_t i);

/* The value of an entry of the environment, or NULL. */
const struct trace_env *trace_info_env(const struct trace_info *info, const char *name);

/* Above the number of each of its traces; 1 of a source that is one trace. */
uint32_t trace_info_traces(const struct trace_info *info);
/* The trace that stream @stream of @info is of: below trace_info_traces. Two traces may have the same numbers
 * for different tasks, cgroups, files. */
uint32_t trace_info_trace(const struct trace_info *info, uint32_t stream);

/* Whether only some tasks, connections or calls were recorded. */
bool trace_info_is_filtered(const struct trace_info *info);

#endif /* SONDE_SCHEMA_TRACE_INFO_H */
