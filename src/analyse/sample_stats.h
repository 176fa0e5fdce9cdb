/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sample_stats: counts of samples of the CPUs: by state, by process, by function, by stack.
 *
 * Samples of idle CPUs are counted as such, and are in none of the tables: no task runs there. Where
 * the timer rested with the CPU, one event stands for many of them (its field `idle`).
 */
#ifndef SONDE_ANALYSE_SAMPLE_STATS_H
#define SONDE_ANALYSE_SAMPLE_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"

struct event;
struct event_class;
struct task_name;
struct trace_info;

#define SAMPLE_LIMIT (4u << 20) /* functions, processes, stacks: each. More are counted together */
#define SAMPLE_COMM_BYTES 16u

/* The numbers of the field `state`. */
enum sample_state { SAMPLE_USER, SAMPLE_NICE, SAMPLE_SYS, SAMPLE_IDLE, SAMPLE_STATES };

/* Where a class of events has what makes it a sample; indexes of fields, -1 = not there. */
struct sample_fields {
	int pc, pid, state;
	int missed, idle, cut, kernel_stack, user_stack;
};

struct function_count {
	const char *function; /* borrowed from the symbols; NULL: not known */
	const char *module; /* likewise; NULL: the kernel, or not known */
	bool kernel;
	uint64_t self; /* samples in it */
	uint64_t total; /* samples in it and in what it called, as far as there are stacks */
	uint64_t last; /* the last sample that total counts, from 1 */
};

struct process_count {
	uint32_t pid;
	uint64_t samples;
	uint64_t states[SAMPLE_STATES];
};

/* A stack is a path in a tree from the root, node 0, whose children are names of tasks. */
struct stack_node {
	uint32_t parent;
	uint32_t label; /* number of a function, or of a name where the parent is the root */
	uint64_t self; /* samples whose stack ends here */
};

struct sample_stats {
	uint64_t samples;
	uint64_t states[SAMPLE_STATES];
	uint64_t missed;
	uint64_t cut; /* samples whose stack had more frames */
	bool stacks; /* some sample has one */
	bool want_tree;
	struct function_count *functions; /* [0]: unknown ones, or too many */
	size_t function_count, function_room;
	struct map function_index;
	struct process_count *processes; /* [0]: too many */
	size_t process_count, process_room;
	struct map process_index;
	struct stack_node *nodes;
	size_t node_count, node_room;
	struct map node_index;
	char (*comms)[SAMPLE_COMM_BYTES];
	size_t comm_count, comm_room;
	struct map comm_index;
};

/* Whether events of @class are samples. */
bool sample_fields_find(struct sample_fields *fields, const struct event_class *class);

/* 0 or -ENOMEM; after a failure fini is due all the same. @want_tree: keep the stacks too. */
int sample_stats_init(struct sample_stats *stats, bool want_tree);
void sample_stats_fini(struct sample_stats *stats);
/* @info: of the event's source; @comm: the name of the task. */
void sample_stats_count(struct sample_stats *stats, const struct sample_fields *fields,
			const struct trace_info *info, const struct task_name *comm,
			const struct event *event);

/* By weight, without those that were never met: arrays that the caller frees, or NULL for no memory. */
const struct function_count **sample_stats_rank_functions(const struct sample_stats *stats,
							  size_t *count);
const struct process_count **sample_stats_rank_processes(const struct sample_stats *stats,
							 size_t *count);
/* Samples of CPUs that were not idle. */
static inline uint64_t sample_stats_busy(const struct sample_stats *stats)
{
	return stats->samples - stats->states[SAMPLE_IDLE];
}

#endif /* SONDE_ANALYSE_SAMPLE_STATS_H */
