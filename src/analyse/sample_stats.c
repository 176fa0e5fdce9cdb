// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/sample_stats.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/analysis.h"
#include "analyse/code_names.h"
#include "analyse/task_names.h"
#include "schema/event.h"
#include "symbol/kernel_symbols.h"
#include "symbol/symbols.h"

#define FIRST_ROOM 64u

static int find_stack(const struct event_class *class, const char *name)
{
	int i = event_class_find(class, name);
	const struct field *field = i >= 0 ? &class->fields[i] : NULL;

	return field && field->kind == FIELD_INT && field_is_many(field) ? i : -1;
}

bool sample_fields_find(struct sample_fields *fields, const struct event_class *class)
{
	*fields = (struct sample_fields){
		.pc = event_class_find_number(class, "pc"),
		.pid = event_class_find_number(class, "pid"),
		.state = event_class_find_number(class, "state"),
		.missed = event_class_find_number(class, "missed"),
		.idle = event_class_find_number(class, "idle"),
		.cut = event_class_find_number(class, "cut"),
		.kernel_stack = find_stack(class, "kernel_stack"),
		.user_stack = find_stack(class, "user_stack"),
	};
	return !strcmp(class->name, "cpu.sample") && fields->pc >= 0 && fields->pid >= 0 &&
	       fields->state >= 0;
}

/* Room for one more, with zeros in it. */
static bool grow(void **items, size_t count, size_t *room, size_t bytes)
{
	size_t larger = *room ? 2 * *room : FIRST_ROOM;
	void *moved;

	if (count < *room)
		return true;
	moved = realloc(*items, larger * bytes);
	if (!moved)
		return false;
	memset((char *)moved + *room * bytes, 0, (larger - *room) * bytes);
	*items = moved;
	*room = larger;
	return true;
}

int sample_stats_init(struct sample_stats *stats, bool want_tree)
{
	*stats = (struct sample_stats){.want_tree = want_tree};
	map_init(&stats->function_index, sizeof(uint64_t), sizeof(uint32_t), SAMPLE_LIMIT);
	map_init(&stats->process_index, sizeof(uint32_t), sizeof(uint32_t), SAMPLE_LIMIT);
	map_init(&stats->node_index, sizeof(uint64_t), sizeof(uint32_t), SAMPLE_LIMIT);
	map_init(&stats->comm_index, SAMPLE_COMM_BYTES, sizeof(uint32_t), SAMPLE_LIMIT);
	if (!grow((void **)&stats->functions, 0, &stats->function_room,
		  sizeof(*stats->functions)) ||
	    !grow((void **)&stats->processes, 0, &stats->process_room, sizeof(*stats->processes)) ||
	    !grow((void **)&stats->nodes, 0, &stats->node_room, sizeof(*stats->nodes)))
		return -ENOMEM;
	stats->function_count = stats->process_count = stats->node_count = 1;
	return 0;
}

void sample_stats_fini(struct sample_stats *stats)
{
	free(stats->functions);
	free(stats->processes);
	free(stats->nodes);
	free(stats->comms);
	map_fini(&stats->function_index);
	map_fini(&stats->process_index);
	map_fini(&stats->node_index);
	map_fini(&stats->comm_index);
	*stats = (struct sample_stats){0};
}

/* The number of the function, from 1; 0 if the table is full. Names are borrowed from
 * tables that do not move, so a function is known by where its name is. */
static uint32_t function_of(struct sample_stats *stats, const struct symbol_place *place,
			    bool kernel)
{
	const char *name = place->function ?: place->module;
	uint64_t key = (uint64_t)(uintptr_t)name;
	uint32_t *i;

	if (!grow((void **)&stats->functions, stats->function_count, &stats->function_room,
		  sizeof(*stats->functions)))
		return 0;
	i = map_at(&stats->function_index, &key);
	if (!i)
		return 0;
	if (!*i) {
		*i = (uint32_t)stats->function_count++;
		stats->functions[*i] = (struct function_count){
			.function = place->function,
			.module = place->module,
			.kernel = kernel,
		};
	}
	return *i;
}

static struct process_count *process_of(struct sample_stats *stats, uint32_t pid)
{
	uint32_t *i;

	if (!grow((void **)&stats->processes, stats->process_count, &stats->process_room,
		  sizeof(*stats->processes)))
		return &stats->processes[0];
	i = map_at(&stats->process_index, &pid);
	if (!i)
		return &stats->processes[0];
	if (!*i) {
		*i = (uint32_t)stats->process_count++;
		stats->processes[*i].pid = pid;
	}
	return &stats->processes[*i];
}

/* The child of @parent with this label, made if missing; @parent itself if the tree
 * is full. */
static uint32_t child_of(struct sample_stats *stats, uint32_t parent, uint32_t label)
{
	uint64_t key = (uint64_t)parent << 32 | label;
	uint32_t *i;

	if (!grow((void **)&stats->nodes, stats->node_count, &stats->node_room,
		  sizeof(*stats->nodes)))
		return parent;
	i = map_at(&stats->node_index, &key);
	if (!i)
		return parent;
	if (!*i) {
		*i = (uint32_t)stats->node_count++;
		stats->nodes[*i] = (struct stack_node){.parent = parent, .label = label};
	}
	return *i;
}

static uint32_t comm_of(struct sample_stats *stats, const struct task_name *name)
{
	char text[SAMPLE_COMM_BYTES] = "";
	uint32_t *i;

	memcpy(text, name->text, TASK_NAME_LEN(name));
	i = map_at(&stats->comm_index, text);
	if (!i || !grow((void **)&stats->comms, stats->comm_count, &stats->comm_room,
			sizeof(*stats->comms)))
		return 0;
	if (!*i) {
		memcpy(stats->comms[stats->comm_count], text, sizeof(text));
		*i = (uint32_t)++stats->comm_count;
	}
	return *i - 1;
}

/* The function that element @i of a field lies in; 0 = not known. */
static uint32_t function_at(struct sample_stats *stats, const struct sample_fields *fields,
			    const struct trace_info *info, const struct event *event, int field,
			    uint32_t i)
{
	uint64_t address = event_element_fast(event, (size_t)field, i);
	const struct analysis analysis = {.info = info}; /* a sample has its process */
	struct symbol_place place;

	if (!code_name_find(&analysis, event, (size_t)field, fields->pid, i, &place))
		return 0;
	return function_of(stats, &place, kernel_symbols_has(address));
}

/* Once a sample, however often it is in the stack. */
static void count_total(struct sample_stats *stats, uint32_t function)
{
	struct function_count *count = &stats->functions[function];

	if (count->last == stats->samples)
		return;
	count->last = stats->samples;
	count->total++;
}

/* The frames of one stack, outermost first, below @node; the node of the innermost. */
static uint32_t count_stack(struct sample_stats *stats, const struct sample_fields *fields,
			    const struct trace_info *info, const struct event *event, int field,
			    uint32_t node)
{
	uint32_t depth = field >= 0 ? event_count(event, (size_t)field) : 0;

	stats->stacks |= depth > 0;
	for (uint32_t i = depth; i-- > 0;) {
		uint32_t function = function_at(stats, fields, info, event, field, i);

		if (function)
			count_total(stats, function);
		if (stats->want_tree)
			node = child_of(stats, node, function);
	}
	return node;
}

static void count_code(struct sample_stats *stats, const struct sample_fields *fields,
		       const struct trace_info *info, const struct task_name *comm,
		       const struct event *event)
{
	uint32_t self = function_at(stats, fields, info, event, fields->pc, 0);
	uint32_t top = stats->want_tree ? child_of(stats, 0, comm_of(stats, comm)) : 0;
	uint32_t node = count_stack(stats, fields, info, event, fields->user_stack, top);

	node = count_stack(stats, fields, info, event, fields->kernel_stack, node);
	stats->functions[self].self++;
	count_total(stats, self);
	if (!stats->want_tree)
		return;
	if (node == top) /* without a stack the sampled address has to do */
		node = child_of(stats, node, self);
	stats->nodes[node].self++;
}

static uint64_t number_at(const struct event *event, int field)
{
	return field >= 0 ? event_uint(event, (size_t)field) : 0;
}

void sample_stats_count(struct sample_stats *stats, const struct sample_fields *fields,
			const struct trace_info *info, const struct task_name *comm,
			const struct event *event)
{
	uint64_t state = number_at(event, fields->state), idle = number_at(event, fields->idle);
	struct process_count *process;

	if (state >= SAMPLE_STATES)
		state = SAMPLE_SYS;
	stats->samples += idle + 1;
	stats->states[state]++;
	stats->states[SAMPLE_IDLE] += idle;
	stats->missed += number_at(event, fields->missed);
	stats->cut += number_at(event, fields->cut) != 0;
	if (state == SAMPLE_IDLE)
		return;
	process = process_of(stats, (uint32_t)number_at(event, fields->pid));
	process->samples++;
	process->states[state]++;
	count_code(stats, fields, info, comm, event);
}

static int compare_functions(const void *left, const void *right)
{
	const struct function_count *a = *(const struct function_count *const *)left;
	const struct function_count *b = *(const struct function_count *const *)right;

	if (a->self != b->self)
		return a->self > b->self ? -1 : 1;
	if (a->total != b->total)
		return a->total > b->total ? -1 : 1;
	return strcmp(a->function ?: "", b->function ?: "") ?:
		       strcmp(a->module ?: "", b->module ?: "");
}

const struct function_count **sample_stats_rank_functions(const struct sample_stats *stats,
							  size_t *count)
{
	const struct function_count **list = calloc(stats->function_count + 1, sizeof(*list));

	*count = 0;
	for (size_t i = 0; list && i < stats->function_count; i++) {
		if (stats->functions[i].total)
			list[(*count)++] = &stats->functions[i];
	}
	if (list)
		qsort(list, *count, sizeof(*list), compare_functions);
	return list;
}

static int compare_processes(const void *left, const void *right)
{
	const struct process_count *a = *(const struct process_count *const *)left;
	const struct process_count *b = *(const struct process_count *const *)right;

	if (a->samples != b->samples)
		return a->samples > b->samples ? -1 : 1;
	return (a->pid > b->pid) - (a->pid < b->pid);
}

const struct process_count **sample_stats_rank_processes(const struct sample_stats *stats,
							 size_t *count)
{
	const struct process_count **list = calloc(stats->process_count + 1, sizeof(*list));

	*count = 0;
	for (size_t i = 0; list && i < stats->process_count; i++) {
		if (stats->processes[i].samples)
			list[(*count)++] = &stats->processes[i];
	}
	if (list)
		qsort(list, *count, sizeof(*list), compare_processes);
	return list;
}
