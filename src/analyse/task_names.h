/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * task_names: what each task is called, and which process and cgroup it is in, at the moment that the reading
 * has come to, learnt from the events themselves: sonde.task, and the events that carry a name
 * (sched.switch, fork, exec). Each of several traces that are read as one has tasks of its own.
 *
 * Every event that has names must pass through task_names_learn, whether it is shown or not;
 * task_names_has says which classes those are.
 */
#ifndef SONDE_ANALYSE_TASK_NAMES_H
#define SONDE_ANALYSE_TASK_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/event.h"

/*
 * Numbers the tasks of a trace 1, 2, 3 ... in the order in which they are first seen,
 * so that what is kept of each lies in a plain array: two loads from a tid to its entry.
 *
 * Number 0 stands for all that have none: tids outside the kernel's range, and those beyond the
 * limit.
 */

#define TID_LIMIT (1u << 22) /* PID_MAX_LIMIT, include/linux/threads.h since Linux 2.6 */
#define TID_PAGE 1024u
#define TID_OWNERS (16u * TID_PAGE) /* numbers below 0: owners that are no tasks (schema/derived) */

struct tid_index {
	uint32_t *pages[(TID_OWNERS + TID_LIMIT) / TID_PAGE];
	uint32_t count; /* numbers given */
	uint32_t limit; /* at most */
};

/* NULL: no memory. */
struct tid_index *tid_index_new(uint32_t limit);
void tid_index_free(struct tid_index *index);
/* The number of @tid, given to it now where it has none; 0 where it can't get one. */
uint32_t tid_index_add(struct tid_index *index, int32_t tid);

/* The number of @tid, or 0. */
static inline uint32_t tid_index_get(const struct tid_index *index, int32_t tid)
{
	const uint32_t at = (uint32_t)tid + TID_OWNERS;
	const uint32_t *page;

	if (at >= TID_OWNERS + TID_LIMIT)
		return 0;
	page = index->pages[at / TID_PAGE];
	return page ? page[at % TID_PAGE] : 0;
}

/*
 * The tasks of one trace by their numbers: what each is called, its process, its cgroup.
 * analyse/task_names has one of each trace that is read.
 */

#define TASK_NAME_BYTES 15u /* TASK_COMM_LEN without its NUL */

/* 16 bytes: a cache line has four, and emit can move one at once. */
struct task_name {
	char text[TASK_NAME_BYTES]; /* not ended by a NUL where it is full */
	uint8_t len; /* 0 = not known; TASK_NAME_ODD in it: not plain, escape it */
};
#define TASK_NAME_ODD 0x80u
#define TASK_NAME_LEN(name) ((name)->len & 15u)

/* The tasks of one trace. */
struct task_table {
	struct tid_index *index;
	struct task_name *names; /* by number of the task; [0] is empty */
	uint64_t *cgroups; /* likewise: apart, since names are looked up for each event shown */
	uint32_t *pids; /* likewise */
	size_t room;
};

/* 0 or -ENOMEM; task_table_fini is due all the same. */
int task_table_init(struct task_table *table);
void task_table_fini(struct task_table *table);

/* Without memory it is unchanged. A value that is not a process number is 0. */
void task_table_set(struct task_table *table, int32_t tid, const char *text, size_t len);
void task_table_set_pid(struct task_table *table, int32_t tid, uint64_t pid);
void task_table_set_cgroup(struct task_table *table, int32_t tid, uint64_t cgroup);

/* Never NULL; len is 0 where the name is not known. Borrowed until the next name is set. */
static inline const struct task_name *task_table_get(const struct task_table *table, int32_t tid)
{
	uint32_t i = tid_index_get(table->index, tid);

	return &table->names[i < table->room ? i : 0];
}

/* 0 = not known. */
static inline uint64_t task_table_cgroup(const struct task_table *table, int32_t tid)
{
	uint32_t i = tid_index_get(table->index, tid);

	return i < table->room ? table->cgroups[i] : 0;
}

/* 0 = not known. */
static inline uint32_t task_table_pid(const struct task_table *table, int32_t tid)
{
	uint32_t i = tid_index_get(table->index, tid);

	return i < table->room ? table->pids[i] : 0;
}

struct trace_info;

struct task_names;

/* NULL: no memory. Borrows the classes of @info. */
struct task_names *task_names_new(const struct trace_info *info);
void task_names_free(struct task_names *names);
/* The same for @info, which has more classes and traces than @old was made for; keeps all names.
 * Frees @old, which may be NULL, in any case. */
struct task_names *task_names_renew(struct task_names *old, const struct trace_info *info);

/* Whether any class of @info says which process a task is of. */
bool task_names_tell_pids(const struct trace_info *info);
/* Whether events of @class name tasks. */
bool task_names_has(const struct task_names *names, const struct event_class *class);
void task_names_learn(struct task_names *names, const struct event *event);

/* As an event of @trace (trace_info_trace) that names it: a value that is not a process number is 0. */
void task_names_set(struct task_names *names, uint32_t trace, int32_t tid, const char *text,
		    size_t len);
void task_names_set_pid(struct task_names *names, uint32_t trace, int32_t tid, uint64_t pid);
void task_names_set_cgroup(struct task_names *names, uint32_t trace, int32_t tid, uint64_t cgroup);

/*
 * Of the task as an event of @class means it. NULL: a number without an event, as in a sum over all traces;
 * the first trace that has a name for it counts.
 */
/* Never NULL; len is 0 where the name is not known. Borrowed until the next name is learnt. */
const struct task_name *task_names_get(const struct task_names *names,
				       const struct event_class *class, int32_t tid);
/* The number of its cgroup (analyse/known.h has the path); 0 = not known. */
uint64_t task_names_cgroup(const struct task_names *names, const struct event_class *class,
			   int32_t tid);
/* The process that it is a thread of; 0 = not known. */
uint32_t task_names_pid(const struct task_names *names, const struct event_class *class,
			int32_t tid);

#endif /* SONDE_ANALYSE_TASK_NAMES_H */
