// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/task_table.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"

/* The entry of number @i. False: no memory; the task stays nameless. */
static bool make_room(struct task_table *table, size_t i)
{
	struct task_name *larger;
	uint64_t *cgroups;
	uint32_t *pids;

	if (i < table->room)
		return true;
	larger = realloc(table->names, table->room * 2 * sizeof(*larger));
	if (!larger)
		return false;
	table->names = larger;
	cgroups = realloc(table->cgroups, table->room * 2 * sizeof(*cgroups));
	if (!cgroups)
		return false;
	table->cgroups = cgroups;
	pids = realloc(table->pids, table->room * 2 * sizeof(*pids));
	if (!pids)
		return false;
	table->pids = pids;
	memset(pids + table->room, 0, table->room * sizeof(*pids));
	memset(larger + table->room, 0, table->room * sizeof(*larger));
	memset(cgroups + table->room, 0, table->room * sizeof(*cgroups));
	table->room *= 2;
	return true;
}

void task_table_set(struct task_table *table, int32_t tid, const char *text, size_t len)
{
	uint32_t i = tid_index_add(table->index, tid);
	struct task_name *name;

	if (!i || !make_room(table, i))
		return;
	name = &table->names[i];
	if (len > TASK_NAME_BYTES)
		len = TASK_NAME_BYTES;
	if (TASK_NAME_LEN(name) == len && !memcmp(name->text, text, len))
		return;
	memcpy(name->text, text, len);
	name->len = (uint8_t)len;
	if (!escape_is_plain(text, len))
		name->len |= TASK_NAME_ODD;
}

void task_table_set_pid(struct task_table *table, int32_t tid, uint64_t pid)
{
	uint32_t i = tid_index_add(table->index, tid);

	if (i && make_room(table, i))
		table->pids[i] = pid < TID_LIMIT ? (uint32_t)pid : 0;
}

void task_table_set_cgroup(struct task_table *table, int32_t tid, uint64_t cgroup)
{
	uint32_t i = tid_index_add(table->index, tid);

	if (i && make_room(table, i))
		table->cgroups[i] = cgroup;
}

int task_table_init(struct task_table *table)
{
	table->index = tid_index_new(TID_LIMIT);
	table->room = 256;
	table->names = calloc(table->room, sizeof(*table->names));
	table->cgroups = calloc(table->room, sizeof(*table->cgroups));
	table->pids = calloc(table->room, sizeof(*table->pids));
	if (!table->index || !table->names || !table->cgroups || !table->pids)
		return -ENOMEM;
	/* The idle task of each CPU, which nothing in a trace ever names. */
	task_table_set(table, 0, "swapper", strlen("swapper"));
	return 0;
}

void task_table_fini(struct task_table *table)
{
	tid_index_free(table->index);
	free(table->names);
	free(table->cgroups);
	free(table->pids);
}
