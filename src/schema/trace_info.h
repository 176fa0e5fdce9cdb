/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * trace_info: what a source tells of itself beside its events: classes, environment, size.
 */
#ifndef SONDE_SCHEMA_TRACE_INFO_H
#define SONDE_SCHEMA_TRACE_INFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct event_class;
struct symbols;

/* One entry of the trace's environment. */
struct trace_env {
	const char *name;
	const char *text; /* NULL: an integer */
	int64_t number;
};

/* What a source tells of itself. Borrowed from the source until it is closed. */
struct trace_info {
	size_t class_count;
	const struct event_class *const *classes; /* by event_class.index; grows never */
	size_t env_count;
	const struct trace_env *env;
	struct symbols *symbols; /* names for addresses; NULL = none (symbol/symbols.h) */
	uint64_t bytes; /* of all its streams; 0 = not known */
	uint64_t packets; /* seen so far */
};

/* The value of an entry of the environment, or NULL. */
const struct trace_env *trace_info_env(const struct trace_info *info, const char *name);

/* Whether only some tasks, connections or calls were recorded. */
bool trace_info_is_filtered(const struct trace_info *info);

#endif /* SONDE_SCHEMA_TRACE_INFO_H */
