/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * trace_info: the data of a source beside its events: classes, environment, size.
 */
#ifndef SONDE_SCHEMA_TRACE_INFO_H
#define SONDE_SCHEMA_TRACE_INFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What could not be read of a trace, in sentences, for source_ops.problem. */

/* After so many sentences only a last one follows, which says that more were skipped. */
#define PROBLEM_LIST_MAX 1000u

struct problem_list {
	char **texts;
	size_t count;
};

void problem_list_init(struct problem_list *list);
void problem_list_fini(struct problem_list *list);
/* Out of memory loses the sentence, never the reading. */
void problem_list_add(struct problem_list *list, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* What @from has from the @at-th on, each behind "@name: " unless @name is NULL; @at becomes its count. */
void problem_list_take(struct problem_list *list, const struct problem_list *from, size_t *at,
		       const char *name);
/* NULL behind the last. Borrowed until the list is gone. */
const char *problem_list_get(const struct problem_list *list, size_t i);

/*
 * Whether a trace is all that was recorded. The source of a trace fills it; views and verbs
 * only read it, by trace_info.end.
 */

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

struct event_class;
struct origin;
struct problem_list;
struct symbols;
struct trace_end;
struct trace_gaps;

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
	struct symbols *symbols; /* of that trace, where trace_info.symbols is NULL; NULL = none */
	const struct trace_gaps *gaps; /* likewise */
};

/* The clock of a source whose times are whole ns of one clock. */
struct trace_clock {
	const char *uuid; /* of what it began with (a boot); NULL = not known */
	const char *text; /* NULL = none */
	int64_t offset_ns; /* from the epoch to its zero */
};

/*
 * The times in which a source has lost events, each noted before the source gives any event of that time: a loss shows
 * as an event only when it is over, and meanwhile other streams go on.
 */
struct trace_gap {
	int64_t from_ns, to_ns;
};

struct trace_gaps {
	struct trace_gap *list;
	size_t count;
	size_t shortened; /* how often one was: its end is earlier than it was noted */
	bool failed; /* no memory: there are more */
};

void trace_gaps_fini(struct trace_gaps *gaps);
void trace_gaps_add(struct trace_gaps *gaps, int64_t from_ns, int64_t to_ns);
/* That of number @i ends at @to_ns. */
void trace_gaps_shorten(struct trace_gaps *gaps, size_t i, int64_t to_ns);

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
		*end; /* whether it is complete (schema/trace_info.h); NULL = not known */
	const struct problem_list
		*breaches; /* where it breaks the standard of its format, and was read all the
					      * same: sentences; NULL = none */
	/* Grows while events are read. NULL: they are not noted, or each trace has its own: trace_info_gaps. */
	const struct trace_gaps *gaps;
	/* Names for addresses (symbol/symbols.h). NULL: none, or each trace has its own: trace_info_symbols. */
	struct symbols *symbols;
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

/* Names for the addresses in events of stream @stream; NULL = none. */
struct symbols *trace_info_symbols(const struct trace_info *info, uint32_t stream);
/* Where that trace (trace_info_trace) has lost events. NULL: it is not noted. */
const struct trace_gaps *trace_info_gaps(const struct trace_info *info, uint32_t trace);

/* Whether only some tasks, connections or calls were recorded. */
bool trace_info_is_filtered(const struct trace_info *info);

#endif /* SONDE_SCHEMA_TRACE_INFO_H */
