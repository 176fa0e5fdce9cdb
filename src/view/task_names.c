// SPDX-License-Identifier: BSD-2-Clause
#include "view/task_names.h"

#include <stdlib.h>
#include <string.h>

#include "schema/source.h"
#include "view/escape.h"

#define PAIRS_PER_CLASS 3u

/* One name in a class: @text is the field of the name, @tid that of the task, -1: event->tid; @pid
 * that of its process, -1: there is none. */
struct naming_pair {
	int tid;
	int text;
	int pid;
};

struct task_naming {
	size_t count;
	struct naming_pair pairs[PAIRS_PER_CLASS];
	int tid, cgroup; /* fields that tell where a task is, or -1 */
};

struct task_names {
	struct tid_index *index;
	struct task_name *names; /* by number of the task; [0] is empty */
	uint64_t *cgroups; /* likewise: apart, since names are looked up for each event shown */
	uint32_t *pids; /* likewise */
	size_t room;
	size_t class_count;
	struct task_naming *namings; /* by event_class.index */
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

	naming->tid = naming->cgroup = -1;
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
				tid, text, event_class_find_number(class, known_pairs[i].pid)};
	}
}

struct task_names *task_names_new(const struct trace_info *info)
{
	struct task_names *names = calloc(1, sizeof(*names));
	size_t i;

	if (!names)
		return NULL;
	names->index = tid_index_new(TID_LIMIT);
	names->room = 256;
	names->names = calloc(names->room, sizeof(*names->names));
	names->cgroups = calloc(names->room, sizeof(*names->cgroups));
	names->pids = calloc(names->room, sizeof(*names->pids));
	names->class_count = info->class_count;
	names->namings = calloc(info->class_count ?: 1, sizeof(*names->namings));
	if (!names->index || !names->names || !names->cgroups || !names->pids || !names->namings) {
		task_names_free(names);
		return NULL;
	}
	for (i = 0; i < info->class_count; i++)
		naming_init(&names->namings[i], info->classes[i]);
	/* The idle task of each CPU, which nothing in a trace ever names. */
	task_names_set(names, 0, "swapper", strlen("swapper"));
	return names;
}

void task_names_free(struct task_names *names)
{
	if (!names)
		return;
	tid_index_free(names->index);
	free(names->names);
	free(names->cgroups);
	free(names->pids);
	free(names->namings);
	free(names);
}

bool task_names_has(const struct task_names *names, const struct event_class *class)
{
	return class->index < names->class_count && names->namings[class->index].count;
}

/* The entry of number @i. False: no memory; the task stays nameless. */
static bool make_room(struct task_names *names, size_t i)
{
	struct task_name *larger;
	uint64_t *cgroups;
	uint32_t *pids;

	if (i < names->room)
		return true;
	larger = realloc(names->names, names->room * 2 * sizeof(*larger));
	if (!larger)
		return false;
	names->names = larger;
	cgroups = realloc(names->cgroups, names->room * 2 * sizeof(*cgroups));
	if (!cgroups)
		return false;
	names->cgroups = cgroups;
	pids = realloc(names->pids, names->room * 2 * sizeof(*pids));
	if (!pids)
		return false;
	names->pids = pids;
	memset(pids + names->room, 0, names->room * sizeof(*pids));
	memset(larger + names->room, 0, names->room * sizeof(*larger));
	memset(cgroups + names->room, 0, names->room * sizeof(*cgroups));
	names->room *= 2;
	return true;
}

void task_names_set(struct task_names *names, int32_t tid, const char *text, size_t len)
{
	uint32_t i = tid_index_add(names->index, tid);
	struct task_name *name;

	if (!i || !make_room(names, i))
		return;
	name = &names->names[i];
	if (len > TASK_NAME_BYTES)
		len = TASK_NAME_BYTES;
	if (TASK_NAME_LEN(name) == len && !memcmp(name->text, text, len))
		return;
	memcpy(name->text, text, len);
	name->len = (uint8_t)len;
	if (!escape_is_plain(text, len))
		name->len |= TASK_NAME_ODD;
}

/* Names have no slash but for those of kernel threads ("kworker/0:1"), which never are paths. */
static void set_last_part(struct task_names *names, int32_t tid, const char *text, size_t len)
{
	const char *slash = len && (*text == '/' || *text == '.') ? memrchr(text, '/', len) : NULL;

	if (slash) {
		len -= (size_t)(slash + 1 - text);
		text = slash + 1;
	}
	task_names_set(names, tid, text, len);
}

void task_names_set_pid(struct task_names *names, int32_t tid, uint64_t pid)
{
	uint32_t i = tid_index_add(names->index, tid);

	if (i && make_room(names, i))
		names->pids[i] = pid < TID_LIMIT ? (uint32_t)pid : 0;
}

void task_names_set_cgroup(struct task_names *names, int32_t tid, uint64_t cgroup)
{
	uint32_t i = tid_index_add(names->index, tid);

	if (i && make_room(names, i))
		names->cgroups[i] = cgroup;
}

static void learn_cgroup(struct task_names *names, const struct task_naming *naming,
			 const struct event *event)
{
	task_names_set_cgroup(names, (int32_t)event_uint(event, (size_t)naming->tid),
			      event_uint(event, (size_t)naming->cgroup));
}

void task_names_learn(struct task_names *names, const struct event *event)
{
	const struct task_naming *naming = &names->namings[event->class->index];
	size_t i;

	for (i = 0; i < naming->count; i++) {
		const struct naming_pair *pair = &naming->pairs[i];
		int32_t tid = event->tid;
		const char *text;
		size_t len;

		if (pair->tid >= 0)
			tid = (int32_t)event_uint(event, (size_t)pair->tid);
		if (!tid) /* "swapper/3": one name for all CPUs is enough */
			continue;
		text = event_text(event, (size_t)pair->text, &len);
		set_last_part(names, tid, text, len);
		if (pair->pid >= 0)
			task_names_set_pid(names, tid, event_uint(event, (size_t)pair->pid));
	}
	if (naming->cgroup >= 0 && naming->tid >= 0)
		learn_cgroup(names, naming, event);
}

const struct task_name *task_names_get(const struct task_names *names, int32_t tid)
{
	uint32_t i = tid_index_get(names->index, tid);

	return &names->names[i < names->room ? i : 0];
}

uint64_t task_names_cgroup(const struct task_names *names, int32_t tid)
{
	uint32_t i = tid_index_get(names->index, tid);

	return i < names->room ? names->cgroups[i] : 0;
}

uint32_t task_names_pid(const struct task_names *names, int32_t tid)
{
	uint32_t i = tid_index_get(names->index, tid);

	return i < names->room ? names->pids[i] : 0;
}
