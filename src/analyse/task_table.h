/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * task_table: the tasks of one trace by their numbers: what each is called, its process, its cgroup.
 * analyse/task_names has one of each trace that is read.
 */
#ifndef SONDE_ANALYSE_TASK_TABLE_H
#define SONDE_ANALYSE_TASK_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "analyse/tid_index.h"

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

#endif /* SONDE_ANALYSE_TASK_TABLE_H */
