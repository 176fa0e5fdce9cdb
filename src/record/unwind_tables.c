// SPDX-License-Identifier: BSD-2-Clause
#include "record/unwind_tables.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/map.h"
#include "record/unwind_files.h"
#include "record/unwind_memory.h"
#include "symbol/kernel_symbols.h"
#include "symbol/process_map.h"
#include "wire/process_news.h"

/* Each time that so many tables were made or looked at again, those of processes that have ended go. */
#define LOOK_FOR_ENDED 256u

/* A process that has a table. */
struct process {
	uint64_t program;
	struct unwind_area area;
	const struct unwind_span *spans; /* in that */
};

struct unwind_tables {
	int tasks_fd;
	struct unwind_memory *memory;
	struct unwind_files *files;
	struct map processes; /* pid -> struct process */
	uint64_t looked_at; /* processes, and again */
	uint64_t generation;
	uint64_t refused;
	struct unwind_span spans[UNWIND_SPANS_MAX]; /* being made */
};

struct unwind_tables *unwind_tables_new(int tasks_fd, int chunks_fd, struct warden *warden)
{
	struct unwind_tables *tables = calloc(1, sizeof(*tables));

	if (!tables)
		return NULL;
	tables->tasks_fd = tasks_fd;
	map_init(&tables->processes, sizeof(uint32_t), sizeof(struct process),
		 UNWIND_PROCESSES_MAX);
	tables->memory = unwind_memory_new(chunks_fd);
	tables->files = tables->memory ? unwind_files_new(tables->memory, warden) : NULL;
	if (tables->files)
		return tables;
	unwind_tables_free(tables);
	return NULL;
}

void unwind_tables_free(struct unwind_tables *tables)
{
	if (!tables)
		return;
	unwind_files_free(tables->files);
	unwind_memory_free(tables->memory);
	map_fini(&tables->processes);
	free(tables);
}

void unwind_tables_refused(const struct unwind_tables *tables, struct unwind_refused *ret)
{
	*ret = (struct unwind_refused){
		.files = unwind_files_refused(tables->files),
		.processes = tables->refused,
	};
}

/* The kernel half has it no more before its memory is used again. */
static void drop(struct unwind_tables *tables, uint32_t pid)
{
	const struct process *process = map_get(&tables->processes, &pid);

	if (!process)
		return;
	(void)bpf_map_delete_elem(tables->tasks_fd, &pid);
	if (process->area.count)
		unwind_memory_give_back(tables->memory, &process->area);
	map_remove(&tables->processes, &pid);
}

static bool has_ended(uint32_t pid)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%u", pid);
	return access(path, F_OK) && errno == ENOENT;
}

static void drop_ended(struct unwind_tables *tables)
{
	uint32_t *ended = calloc(UNWIND_PROCESSES_MAX, sizeof(*ended));
	size_t count = 0, at = 0;
	const void *key;
	void *value;

	while (ended && map_next(&tables->processes, &at, &key, &value)) {
		uint32_t pid;

		memcpy(&pid, key, sizeof(pid));
		if (has_ended(pid))
			ended[count++] = pid;
	}
	for (size_t i = 0; i < count; i++)
		drop(tables, ended[i]);
	free(ended);
}

static size_t make_spans(struct unwind_tables *tables, uint32_t pid, const char *maps, size_t len)
{
	const char *at = maps, *end = maps + len;
	struct code_mapping m;
	size_t count = 0;

	while (process_map_next(&at, end, &m)) {
		if (kernel_symbols_has(m.start))
			continue;
		if (count == UNWIND_SPANS_MAX) {
			tables->refused++;
			break;
		}
		count += unwind_files_spans(tables->files, pid, &m, tables->spans + count,
					    UNWIND_SPANS_MAX - count);
	}
	return count;
}

/* A walk that a new table comes in between is lost, and what the kernel half has found by the old one. */
static bool is_same(const struct unwind_tables *tables, const struct process_news *news,
		    const struct process *process, size_t count)
{
	return process->area.count == count && process->program == news->program &&
	       !memcmp(process->spans, tables->spans, count * sizeof(*tables->spans));
}

/* Puts the table into new memory, and only then in the place of the old one. */
static int put(struct unwind_tables *tables, const struct process_news *news,
	       struct process *process, size_t count)
{
	struct unwind_process entry = {
		.program = news->program,
	};
	struct unwind_area area;
	struct unwind_span *spans;
	int err;

	if (is_same(tables, news, process, count))
		return 0;
	err = unwind_memory_spans(tables->memory, count, &area, &spans);
	if (err)
		return err;
	memcpy(spans, tables->spans, count * sizeof(*spans));
	entry.generation = ++tables->generation;
	entry.chunk = area.chunk;
	entry.first = area.first;
	entry.count = area.count;
	if (bpf_map_update_elem(tables->tasks_fd, &news->pid, &entry, BPF_ANY)) {
		err = -errno;
		unwind_memory_give_back(tables->memory, &area);
		return err;
	}
	if (process->area.count)
		unwind_memory_give_back(tables->memory, &process->area);
	*process = (struct process){.program = news->program, .area = area, .spans = spans};
	return 0;
}

int unwind_tables_process(struct unwind_tables *tables, const struct process_news *news,
			  const char *maps, size_t len)
{
	const size_t count = make_spans(tables, news->pid, maps, len);
	struct process *process;
	int err;

	if (!count)
		return 0;
	if (!(++tables->looked_at % LOOK_FOR_ENDED) ||
	    (tables->processes.count == UNWIND_PROCESSES_MAX &&
	     !map_get(&tables->processes, &news->pid)))
		drop_ended(tables);
	process = map_at(&tables->processes, &news->pid);
	err = process ? put(tables, news, process, count) : -ENOSPC;
	if (!err)
		return 0;
	tables->refused++;
	drop(tables, news->pid);
	return err == -ENOMEM ? err : 0;
}
