/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stats: counts what a stream of events holds: by class, task, system call, disk, connection and
 * sampled function, and what was lost. A sink; at the end it hands them to what writes tables for people
 * or one object (stats_tables).
 */
#ifndef SONDE_OUTPUT_STATS_H
#define SONDE_OUTPUT_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyse/call_stats.h"
#include "analyse/conn_stats.h"
#include "analyse/disk_times.h"
#include "analyse/sample_stats.h"
#include "analyse/task_stats.h"
#include "schema/source.h"

struct buffer;
struct origin;
struct stats;
struct view;

struct stats_options {
	/* The form, as stats_tables has them: stats_text_write. 0 or -ENOMEM. */
	int (*write)(const struct stats *stats, struct buffer *out);
	size_t rows; /* of each table at most; 0 = all */
};

/* What the events of a class mean to the counts. */
enum stats_kind {
	STATS_PLAIN,
	STATS_CALL,
	STATS_SWITCH,
	STATS_CONN,
	STATS_SAMPLE,
	STATS_DISK,
};

struct class_count {
	const struct event_class *class;
	bool note; /* the recorder's own: of no task */
	enum stats_kind kind;
	uint64_t events;
	uint64_t bytes;
	int next_tid, sides; /* of a switch: index of the field, -1 = none */
	struct call_fields call;
	struct conn_fields conn;
	struct sample_fields sample;
	struct disk_fields disk;
};

struct origin_count {
	const struct origin *origin; /* NULL: not known */
	uint64_t events;
	uint64_t bytes;
	uint64_t lost; /* events */
};

struct loss_count {
	uint64_t count; /* events lost, for any cause */
	uint64_t nested; /* of these: contexts nested too deep */
	uint64_t recursion; /* of these: a program was running already */
	uint64_t packets; /* overwritten by a flight recorder, with their events */
};

struct stats {
	struct event_sink sink;
	const struct view *view;
	struct stats_options options;
	struct class_count *classes; /* by event_class.index */
	size_t class_count;
	uint64_t events; /* losses not among them */
	uint64_t bytes;
	int64_t begin_ns; /* of the first and the last event counted */
	int64_t end_ns;
	struct loss_count lost; /* in all */
	struct loss_count *losses; /* by CPU + 1; [0]: the source does not know */
	size_t loss_room;
	uint64_t *stream_losses; /* events, by number among trace_info.streams */
	struct origin_count *origins; /* once all were seen; the busiest first */
	size_t origin_count; /* 0: traces do not differ in it */
	struct task_stats tasks; /* by owner */
	struct task_count unknown; /* events of owners that are not known */
	struct call_stats *calls;
	struct conn_stats conns;
	struct disk_times disks;
	struct sample_stats samples;
};

/* NULL: no memory. Borrows @view; the result is a struct stats. */
struct event_sink *stats_new(const struct view *view, const struct stats_options *options);

/* Whether what it counts of each event does not depend on the events before, so that parts of a
 * trace can be counted each by itself and added. */
bool stats_can_add(const struct event_sink *sink);
/* Adds what another one of the same source, with the same selection, has counted. False: there are
 * so many tasks that it depends on their order which of them are counted by themselves. */
bool stats_add(struct event_sink *into, const struct event_sink *from);

/* ns between the first and the last event. */
static inline uint64_t stats_duration_ns(const struct stats *stats)
{
	return stats->events ? (uint64_t)stats->end_ns - (uint64_t)stats->begin_ns : 0;
}

/*
 * The counts by weight, the busiest first, equal ones in a fixed order. Each returns an array that the caller frees, with *@count entries, or NULL for no memory. The
 * entries borrow from @stats.
 */
const struct class_count **stats_rank_classes(const struct stats *stats, size_t *count);
const struct task_count **stats_rank_tasks(const struct stats *stats, size_t *count);
/* By time on a CPU, the idle tasks left out. */
const struct task_count **stats_rank_running(const struct stats *stats, size_t *count);
struct ranked_call *stats_rank_calls(const struct stats *stats, size_t *count);
const struct conn_count **stats_rank_conns(const struct stats *stats, size_t *count);

#endif /* SONDE_OUTPUT_STATS_H */
