/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * descriptor_tasks: what is known of the descriptors and the current directory of each task, of children that are
 * still to come, and of the calls that tasks are in. analyse/descriptors says what becomes of it.
 */
#ifndef SONDE_ANALYSE_DESCRIPTOR_TASKS_H
#define SONDE_ANALYSE_DESCRIPTOR_TASKS_H

#include <stdbool.h>
#include <stdint.h>

#include "analyse/descriptor_calls.h"
#include "analyse/fd_table.h"
#include "base/map.h"

/* The current directory of tasks that share it. */
struct place {
	uint32_t refs;
	struct file_name *path; /* NULL: not known */
	uint64_t changed;
};

/* A call that a task is in. */
struct descriptor_begun {
	bool active;
	bool compat;
	bool flags_known;
	bool claimed; /* DESCRIPTOR_FORK: @child has been found to be the child */
	int32_t child;
	int64_t nr;
	uint64_t since;
	enum descriptor_act act;
	struct fd_table *table; /* that it was given */
	int64_t fd, last;
	uint64_t flags;
	enum fd_exec exec;
	int32_t pair[2]; /* that it has made */
	uint32_t pair_count;
	struct file_name *name; /* what it opens */
	struct file_name *used; /* what its first descriptor is */
};

struct descriptor_task {
	struct fd_table *table;
	struct place *place;
	struct descriptor_begun call;
	bool known; /* who shares its table is, or has been marked as not known */
	bool seen; /* events of it were */
	bool made; /* it began while calls were recorded */
	uint64_t born; /* its parent is not known yet; 0: it is, or will not be */
};

/* What a child has of its parent, or a task that was there at the start of others. */
struct descriptor_birth {
	struct fd_table *table;
	struct place *place;
	bool twice; /* two parents: of several namespaces */
};

struct descriptor_tasks {
	struct map by_tid; /* struct descriptor_task */
	struct map
		births; /* struct descriptor_birth by tid: children whose first event is still to come */
	struct map listed; /* the same, of tasks that were there at the start, until all are listed */
	uint32_t forking; /* calls of that kind in progress */
	struct fd_account *account; /* tables point to it, wherever this is moved; NULL = no memory */
};

/* NULL: no memory. */
struct place *place_new(struct file_name *path);
struct place *place_ref(struct place *place);
void place_unref(struct place *place);
void place_set(struct place *place, struct file_name *path, uint64_t now);

void descriptor_tasks_init(struct descriptor_tasks *tasks);
void descriptor_tasks_fini(struct descriptor_tasks *tasks);
/* Of no task anything is known. */
void descriptor_tasks_drop(struct descriptor_tasks *tasks);
/* Events are missing: the same, but for which tasks share with none. Those that they begin are seen as new ones. */
void descriptor_tasks_forget(struct descriptor_tasks *tasks);
void descriptor_births_drop(struct descriptor_tasks *tasks);
void descriptor_listed_drop(struct descriptor_tasks *tasks);
/* Children that are still to come, and tasks that are listed, have @with in place of @table, or of @place. */
void descriptor_births_replace(struct descriptor_tasks *tasks, const struct fd_table *table,
			       struct fd_table *with);
void descriptor_births_move(struct descriptor_tasks *tasks, const struct place *place,
			    struct place *with);
/* What is known in @from, and nothing else. False: no memory. */
bool descriptor_tasks_copy(struct descriptor_tasks *into, const struct descriptor_tasks *from);
/* The task of number @tid, with a table and a place; if there are too many, all are dropped before. NULL: no memory. */
struct descriptor_task *descriptor_task_at(struct descriptor_tasks *tasks, int32_t tid);
void descriptor_task_fini(struct descriptor_tasks *tasks, struct descriptor_task *task);
void descriptor_birth_fini(struct descriptor_birth *birth);
/* The task is in the call no more. */
void descriptor_begun_drop(struct descriptor_tasks *tasks, struct descriptor_begun *call);

#endif /* SONDE_ANALYSE_DESCRIPTOR_TASKS_H */
