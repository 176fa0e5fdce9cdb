/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * select: which events of a trace are shown: classes by pattern, CPUs, a span of time, a number.
 *
 * Classes are chosen once, by table; time and number cut a batch at its ends. So a view is given
 * whole batches and asks only select_shows, and events that are not shown can still teach it the
 * names of tasks. Losses always pass: no selection may hide that events are missing.
 */
#ifndef SONDE_ANALYSE_SELECT_H
#define SONDE_ANALYSE_SELECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyse/cpu_set.h"
#include "schema/event.h"

/*
 * A moment in a trace as people write it. Some forms mean something only once the
 * time of the first event is known, so it is parsed first and resolved then.
 */

enum time_point_form {
	TIME_POINT_NONE,
	TIME_POINT_EPOCH, /* value_ns since 1970 */
	TIME_POINT_SINCE_FIRST, /* value_ns after the first event */
	TIME_POINT_OF_DAY, /* value_ns after midnight, local */
};

struct time_point {
	enum time_point_form form;
	int64_t value_ns;
};

/*
 * "+1.5", "+500ms": after the first event; "12:34", "12:34:56.789": that time of day, local;
 * "2026-01-02T12:34:56"; "1700000000.5": seconds since 1970; a whole number: ns since 1970.
 * -EINVAL for anything else.
 */
int time_point_parse(const char *text, struct time_point *ret);
/* ns since 1970. A time of day is the first such moment not half a day before the first event. */
int64_t time_point_resolve(const struct time_point *point, int64_t first_ns);

struct diag;
struct trace_info;

#define SELECT_PATTERNS 64u /* -e options at most */

struct select {
	/* What was asked for. */
	const char *patterns[SELECT_PATTERNS]; /* borrowed; each may be a list with commas */
	size_t pattern_count;
	struct time_point from;
	struct time_point to;
	uint64_t limit; /* events at most; 0 = all */
	struct cpu_set cpus;
	bool by_cpu; /* only events of `cpus` */
	/* Without patterns: no notes of the recorder (event_class_is_note, gap_is_routine). */
	bool brief;
	/* What follows from it, once bound and started. */
	bool *shown; /* by event_class.index */
	size_t class_count;
	bool started;
	bool done; /* nothing more can follow */
	int64_t origin_ns; /* of the first event, what times like +1 count from */
	int64_t from_ns;
	int64_t to_ns;
	/* What came. */
	uint64_t matched;
	uint64_t lost; /* lost events within the time that was shown */
	uint64_t overwritten; /* packets, likewise */
};

void select_init(struct select *select);
void select_fini(struct select *select);
/* What was asked for in @from, for a selection of its own. 0 or -ENOMEM; select_fini is due. */
int select_copy(struct select *select, const struct select *from);
/* As if nothing had come yet. */
void select_rewind(struct select *select);

/* -E2BIG: too many. */
int select_add_pattern(struct select *select, const char *pattern, struct diag *diag);
/* @what: the option's name, for the diag. */
int select_parse_time(const char *what, const char *text, struct time_point *ret,
		      struct diag *diag);
/* "0,2-5", which are added to those asked for before. */
int select_parse_cpus(struct select *select, const char *text, struct diag *diag);
int select_parse_limit(const char *what, const char *text, uint64_t *ret, struct diag *diag);

/*
 * Chooses among the classes of @info. -ENOENT: a pattern that none of them matches, the diag
 * names it and the existing events; matches of the other patterns are still chosen. -ENOMEM.
 */
int select_bind(struct select *select, const struct trace_info *info, struct diag *diag);
/* Whether any class but the losses is chosen. */
bool select_any(const struct select *select, const struct trace_info *info);

/* The span [*first, *end) of the batch that is within the time asked for. */
void select_cut(struct select *select, const struct event *events, size_t count, size_t *first,
		size_t *end);
/* Counts what matches and what is lost among @events, as far as their number is within what was
 * asked for: so many of them are shown. */
size_t select_count(struct select *select, const struct event *events, size_t count);

/* Whether as many as were asked for have matched. */
static inline bool select_is_full(const struct select *select)
{
	return select->limit && select->matched >= select->limit;
}

/* Whether @event is of a CPU that was asked for. A loss of no known CPU may be one of them. */
static inline bool select_has_cpu(const struct select *select, const struct event *event)
{
	if (__builtin_expect(!select->by_cpu, 1))
		return true;
	if (event->cpu < 0)
		return event->class->role == EVENT_ROLE_LOST;
	return cpu_set_has(&select->cpus, (uint32_t)event->cpu);
}

/* Whether notes of the recorder are left out. */
static inline bool select_is_brief(const struct select *select)
{
	return select->brief && !select->pattern_count;
}

static inline bool select_shows(const struct select *select, const struct event_class *class)
{
	return class->index < select->class_count && select->shown[class->index];
}

#endif /* SONDE_ANALYSE_SELECT_H */
