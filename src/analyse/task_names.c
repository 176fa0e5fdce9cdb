// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/task_names.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "schema/derived.h"
#include "schema/source.h"

struct tid_index *tid_index_new(uint32_t limit)
{
	struct tid_index *index = calloc(1, sizeof(*index));

	if (index)
		index->limit = limit;
	return index;
}

void tid_index_free(struct tid_index *index)
{
	size_t i;

	if (!index)
		return;
	for (i = 0; i < (TID_OWNERS + TID_LIMIT) / TID_PAGE; i++)
		free(index->pages[i]);
	free(index);
}

uint32_t tid_index_add(struct tid_index *index, int32_t tid)
{
	const uint32_t at = (uint32_t)tid + TID_OWNERS;
	uint32_t **page, *slot;

	if (at >= TID_OWNERS + TID_LIMIT || tid == OWNER_UNKNOWN)
		return 0;
	page = &index->pages[at / TID_PAGE];
	if (!*page) {
		if (index->count >= index->limit)
			return 0;
		*page = calloc(TID_PAGE, sizeof(**page));
		if (!*page)
			return 0;
	}
	slot = &(*page)[at % TID_PAGE];
	if (!*slot && index->count < index->limit)
		*slot = ++index->count;
	return *slot;
}

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

/* Names of owners that are no tasks. */
static const struct {
	int32_t owner;
	const char *name;
} owner_names[] = {
	{OWNER_WRITEBACK, "writeback"},
	{OWNER_INTERRUPT, "interrupt"},
	{OWNER_SOFTIRQ, "softirq"},
	{OWNER_TIMER, "timer"},
	/* include/linux/interrupt.h */
	{OWNER_VECTOR(0), "softirq HI"},
	{OWNER_VECTOR(1), "softirq TIMER"},
	{OWNER_VECTOR(2), "softirq NET_TX"},
	{OWNER_VECTOR(3), "softirq NET_RX"},
	{OWNER_VECTOR(4), "softirq BLOCK"},
	{OWNER_VECTOR(5), "softirq IRQPOLL"},
	{OWNER_VECTOR(6), "softirq TASKLET"},
	{OWNER_VECTOR(7), "softirq SCHED"},
	{OWNER_VECTOR(8), "softirq HRTIMER"},
	{OWNER_VECTOR(9), "softirq RCU"},
};

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
	for (size_t i = 0; i < sizeof(owner_names) / sizeof(owner_names[0]); i++)
		task_table_set(table, owner_names[i].owner, owner_names[i].name,
			       strlen(owner_names[i].name));
	return 0;
}

void task_table_fini(struct task_table *table)
{
	tid_index_free(table->index);
	free(table->names);
	free(table->cgroups);
	free(table->pids);
}

#define PAIRS_PER_CLASS 3u

/* One name in a class: @text is the field of the name, @tid that of the task, -1: event->tid; @pid
 * that of its process, -1: none. */
struct naming_pair {
	int tid;
	int text;
	int pid;
	bool irq; /* @tid is the number of an interrupt, @text the name of its handler */
};

struct task_naming {
	size_t count;
	struct naming_pair pairs[PAIRS_PER_CLASS];
	int tid, cgroup; /* fields that tell where a task is, or -1 */
	int irq; /* field with the number of an interrupt whose handler the class does not name, or -1 */
	uint32_t trace; /* that the class is of */
};

struct task_names {
	size_t class_count;
	struct task_naming *namings; /* by event_class.index */
	uint32_t trace_count;
	struct task_table tables[]; /* by trace */
};

static const struct {
	const char *event; /* NULL: any */
	const char *tid; /* NULL: the event's own */
	const char *text;
	const char *pid;
} known_pairs[] = {
	{"sonde.task", "tid", "comm", "pid"},
	{NULL, "next_tid", "next_comm", "next_pid"},
	{NULL, NULL, "prev_comm", "prev_pid"},
	{NULL, "wake_tid", "wake_comm", "wake_pid"},
	{NULL, "move_tid", "move_comm", "move_pid"},
	{NULL, NULL, "parent_comm", "parent_pid"},
	{NULL, "child_tid", "parent_comm", "child_pid"}, /* a name is inherited */
	{NULL, NULL, "exit_comm", "pid"},
	{"sched.exec", NULL, "filename", "pid"}, /* its last part becomes the name */
	{"irq.enter", "irq", "handler", NULL},
};

static bool is_text(const struct field *field)
{
	return field->kind == FIELD_TEXT || field->kind == FIELD_STRING;
}

static bool is_number(const struct field *field)
{
	return field->kind == FIELD_INT && !field_is_many(field);
}

static void naming_init(struct task_naming *naming, const struct event_class *class)
{
	size_t i;

	naming->tid = naming->cgroup = naming->irq = -1;
	if (!strcmp(class->name, "irq.exit"))
		naming->irq = event_class_find_number(class, "irq");
	if (class->role == EVENT_ROLE_TASK) {
		naming->tid = event_class_find_number(class, "tid");
		naming->cgroup = event_class_find_number(class, "cgroup");
	}
	for (i = 0; i < sizeof(known_pairs) / sizeof(known_pairs[0]); i++) {
		const char *tid_name = known_pairs[i].tid;
		int text = event_class_find(class, known_pairs[i].text);
		int tid = tid_name ? event_class_find(class, tid_name) : -1;

		if (known_pairs[i].event && strcmp(class->name, known_pairs[i].event))
			continue;
		if (text < 0 || !is_text(&class->fields[text]))
			continue;
		if (tid_name && (tid < 0 || !is_number(&class->fields[tid])))
			continue;
		if (naming->count < PAIRS_PER_CLASS)
			naming->pairs[naming->count++] = (struct naming_pair){
				tid, text,
				known_pairs[i].pid ?
					event_class_find_number(class, known_pairs[i].pid) :
					-1,
				tid_name && !strcmp(tid_name, "irq")};
	}
}

bool task_names_tell_pids(const struct trace_info *info)
{
	for (size_t i = 0; i < info->class_count; i++) {
		struct task_naming naming = {0};

		naming_init(&naming, info->classes[i]);
		for (size_t k = 0; k < naming.count; k++) {
			if (naming.pairs[k].pid >= 0)
				return true;
		}
	}
	return false;
}

/* Names have no slash but for those of kernel threads ("kworker/0:1"), which never are paths. */
static void set_last_part(struct task_table *table, int32_t tid, const char *text, size_t len)
{
	const char *slash = len && (*text == '/' || *text == '.') ? memrchr(text, '/', len) : NULL;

	if (slash) {
		len -= (size_t)(slash + 1 - text);
		text = slash + 1;
	}
	task_table_set(table, tid, text, len);
}

struct task_names *task_names_new(const struct trace_info *info)
{
	uint32_t traces = trace_info_traces(info);
	struct task_names *names = calloc(1, sizeof(*names) + traces * sizeof(names->tables[0]));
	int err = 0;

	if (!names)
		return NULL;
	names->trace_count = traces;
	names->class_count = info->class_count;
	names->namings = calloc(info->class_count ?: 1, sizeof(*names->namings));
	for (uint32_t i = 0; i < traces && !err; i++)
		err = task_table_init(&names->tables[i]);
	if (err || !names->namings) {
		task_names_free(names);
		return NULL;
	}
	for (size_t i = 0; i < info->class_count; i++) {
		naming_init(&names->namings[i], info->classes[i]);
		names->namings[i].trace = trace_info_trace(info, info->classes[i]->stream);
	}
	return names;
}

void task_names_free(struct task_names *names)
{
	if (!names)
		return;
	for (uint32_t i = 0; i < names->trace_count; i++)
		task_table_fini(&names->tables[i]);
	free(names->namings);
	free(names);
}

struct task_names *task_names_renew(struct task_names *old, const struct trace_info *info)
{
	struct task_names *names = task_names_new(info);
	uint32_t shift, i;

	/* The only trace of a source has number 0, the first of several has 1. */
	shift = names && old && old->trace_count == 1 && names->trace_count > 1;
	for (i = 0; names && old && i < old->trace_count && i + shift < names->trace_count; i++) {
		struct task_table kept = old->tables[i];

		old->tables[i] = names->tables[i + shift];
		names->tables[i + shift] = kept;
	}
	task_names_free(old);
	return names;
}

bool task_names_has(const struct task_names *names, const struct event_class *class)
{
	return class->index < names->class_count &&
	       (names->namings[class->index].count || names->namings[class->index].irq >= 0);
}

/* The first that knows the task, or the first of all. */
static uint32_t find_trace(const struct task_names *names, int32_t tid)
{
	for (uint32_t i = 0; i < names->trace_count; i++) {
		if (TASK_NAME_LEN(task_table_get(&names->tables[i], tid)))
			return i;
	}
	return 0;
}

static const struct task_table *choose_table(const struct task_names *names,
					     const struct event_class *class, int32_t tid)
{
	uint32_t trace = 0;

	if (!class)
		trace = find_trace(names, tid);
	else if (class->index < names->class_count)
		trace = names->namings[class->index].trace;
	return &names->tables[trace];
}

static struct task_table *table_at(struct task_names *names, uint32_t trace)
{
	return &names->tables[trace < names->trace_count ? trace : 0];
}

void task_names_set(struct task_names *names, uint32_t trace, int32_t tid, const char *text,
		    size_t len)
{
	task_table_set(table_at(names, trace), tid, text, len);
}

void task_names_set_pid(struct task_names *names, uint32_t trace, int32_t tid, uint64_t pid)
{
	task_table_set_pid(table_at(names, trace), tid, pid);
}

void task_names_set_cgroup(struct task_names *names, uint32_t trace, int32_t tid, uint64_t cgroup)
{
	task_table_set_cgroup(table_at(names, trace), tid, cgroup);
}

static void learn_cgroup(struct task_table *table, const struct task_naming *naming,
			 const struct event *event)
{
	task_table_set_cgroup(table, (int32_t)event_uint(event, (size_t)naming->tid),
			      event_uint(event, (size_t)naming->cgroup));
}

/* Until its handler's name is known. */
static void number_irq(struct task_table *table, uint64_t number)
{
	char text[TASK_NAME_BYTES + 1];

	if (number >= OWNER_IRQS || TASK_NAME_LEN(task_table_get(table, OWNER_IRQ(number))))
		return;
	(void)snprintf(text, sizeof(text), "irq %u", (unsigned int)number);
	task_table_set(table, OWNER_IRQ(number), text, strlen(text));
}

void task_names_learn(struct task_names *names, const struct event *event)
{
	const struct task_naming *naming = &names->namings[event->class->index];
	struct task_table *table = &names->tables[naming->trace];
	size_t i;

	for (i = 0; i < naming->count; i++) {
		const struct naming_pair *pair = &naming->pairs[i];
		int32_t tid = event->tid;
		const char *text;
		size_t len;

		if (pair->tid >= 0)
			tid = (int32_t)event_uint(event, (size_t)pair->tid);
		text = event_text(event, (size_t)pair->text, &len);
		if (pair->irq) {
			if (tid >= 0 && tid < OWNER_IRQS)
				task_table_set(table, OWNER_IRQ(tid), text, len);
			continue;
		}
		if (tid <= 0) /* "swapper/3": one name for all CPUs is enough */
			continue;
		set_last_part(table, tid, text, len);
		if (pair->pid >= 0)
			task_table_set_pid(table, tid, event_uint(event, (size_t)pair->pid));
	}
	if (naming->cgroup >= 0 && naming->tid >= 0)
		learn_cgroup(table, naming, event);
	if (naming->irq >= 0)
		number_irq(table, event_uint(event, (size_t)naming->irq));
}

/* Out of line: an ordinary source is one trace, whose only table is asked at once. */
static __attribute__((noinline)) const struct task_name *
choose_name(const struct task_names *names, const struct event_class *class, int32_t tid)
{
	return task_table_get(choose_table(names, class, tid), tid);
}

const struct task_name *task_names_get(const struct task_names *names,
				       const struct event_class *class, int32_t tid)
{
	if (__builtin_expect(names->trace_count == 1, 1))
		return task_table_get(&names->tables[0], tid);
	return choose_name(names, class, tid);
}

static __attribute__((noinline)) uint64_t
choose_cgroup(const struct task_names *names, const struct event_class *class, int32_t tid)
{
	return task_table_cgroup(choose_table(names, class, tid), tid);
}

uint64_t task_names_cgroup(const struct task_names *names, const struct event_class *class,
			   int32_t tid)
{
	if (__builtin_expect(names->trace_count == 1, 1))
		return task_table_cgroup(&names->tables[0], tid);
	return choose_cgroup(names, class, tid);
}

uint32_t task_names_pid(const struct task_names *names, const struct event_class *class,
			int32_t tid)
{
	return task_table_pid(choose_table(names, class, tid), tid);
}
