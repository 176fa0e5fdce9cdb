// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/descriptor_tasks.h"

#include <stdlib.h>

#define TASKS_MAX (1u << 16) /* beyond them all are forgotten */
#define BIRTHS_MAX 4096u
#define LISTED_MAX 65536u /* tasks of the kernel half list */

struct place *place_new(struct file_name *path)
{
	struct place *place = calloc(1, sizeof(*place));

	if (place) {
		place->refs = 1;
		place->path = file_name_ref(path);
	}
	return place;
}

struct place *place_ref(struct place *place)
{
	if (place)
		place->refs++;
	return place;
}

void place_unref(struct place *place)
{
	if (!place || --place->refs)
		return;
	file_name_unref(place->path);
	free(place);
}

void place_set(struct place *place, struct file_name *path, uint64_t now)
{
	(void)file_name_ref(path);
	file_name_unref(place->path);
	place->path = path;
	place->changed = now;
}

void descriptor_begun_drop(struct descriptor_tasks *tasks, struct descriptor_begun *call)
{
	if (call->active && call->act == DESCRIPTOR_FORK)
		tasks->forking--;
	fd_table_unref(call->table);
	file_name_unref(call->name);
	file_name_unref(call->used);
	*call = (struct descriptor_begun){0};
}

void descriptor_task_fini(struct descriptor_tasks *tasks, struct descriptor_task *task)
{
	descriptor_begun_drop(tasks, &task->call);
	fd_table_unref(task->table);
	place_unref(task->place);
	*task = (struct descriptor_task){0};
}

void descriptor_birth_fini(struct descriptor_birth *birth)
{
	fd_table_unref(birth->table);
	place_unref(birth->place);
	*birth = (struct descriptor_birth){0};
}

static void drop(struct map *map, size_t max)
{
	const void *key;
	size_t at = 0;
	void *value;

	while (map_next(map, &at, &key, &value))
		descriptor_birth_fini(value);
	map_fini(map);
	map_init(map, sizeof(int32_t), sizeof(struct descriptor_birth), max);
}

void descriptor_births_drop(struct descriptor_tasks *tasks)
{
	drop(&tasks->births, BIRTHS_MAX);
}

void descriptor_listed_drop(struct descriptor_tasks *tasks)
{
	drop(&tasks->listed, LISTED_MAX);
}

void descriptor_tasks_forget(struct descriptor_tasks *tasks)
{
	struct descriptor_task *task;
	const void *key;
	size_t at = 0;
	void *value;

	descriptor_births_drop(tasks);
	descriptor_listed_drop(tasks);
	while (map_next(&tasks->by_tid, &at, &key, &value)) {
		task = value;
		descriptor_begun_drop(tasks, &task->call);
	}
	at = 0;
	while (map_next(&tasks->by_tid, &at, &key, &value)) {
		task = value;
		if (task->table)
			task->known &= !fd_table_is_shared(task->table) &&
				       !fd_table_is_open(task->table);
	}
	at = 0;
	while (map_next(&tasks->by_tid, &at, &key, &value)) {
		const bool known = ((struct descriptor_task *)value)->known;

		task = value;
		descriptor_task_fini(tasks, task);
		task->known = known;
		task->seen = task->made = true;
	}
}

static void replace(struct map *map, const struct fd_table *table, struct fd_table *with)
{
	const void *key;
	size_t at = 0;
	void *value;

	while (map_next(map, &at, &key, &value)) {
		struct descriptor_birth *birth = value;

		if (birth->table != table)
			continue;
		fd_table_unref(birth->table);
		birth->table = fd_table_ref(with);
	}
}

void descriptor_births_replace(struct descriptor_tasks *tasks, const struct fd_table *table,
			       struct fd_table *with)
{
	replace(&tasks->births, table, with);
	replace(&tasks->listed, table, with);
}

static void move(struct map *map, const struct place *place, struct place *with)
{
	const void *key;
	size_t at = 0;
	void *value;

	while (map_next(map, &at, &key, &value)) {
		struct descriptor_birth *birth = value;

		if (birth->place != place)
			continue;
		place_unref(birth->place);
		birth->place = place_ref(with);
	}
}

void descriptor_births_move(struct descriptor_tasks *tasks, const struct place *place,
			    struct place *with)
{
	move(&tasks->births, place, with);
	move(&tasks->listed, place, with);
}

void descriptor_tasks_drop(struct descriptor_tasks *tasks)
{
	const void *key;
	size_t at = 0;
	void *value;

	descriptor_births_drop(tasks);
	descriptor_listed_drop(tasks);
	while (map_next(&tasks->by_tid, &at, &key, &value))
		descriptor_task_fini(tasks, value);
	map_fini(&tasks->by_tid);
	map_init(&tasks->by_tid, sizeof(int32_t), sizeof(struct descriptor_task), TASKS_MAX);
}

struct descriptor_task *descriptor_task_at(struct descriptor_tasks *tasks, int32_t tid)
{
	struct descriptor_task *task = map_at(&tasks->by_tid, &tid);

	if (!task) {
		descriptor_tasks_drop(tasks);
		task = map_at(&tasks->by_tid, &tid);
	}
	if (!task)
		return NULL;
	if (!task->table)
		task->table = fd_table_new(tasks->account);
	if (!task->place)
		task->place = place_new(NULL);
	return task->table && task->place ? task : NULL;
}

void descriptor_tasks_init(struct descriptor_tasks *tasks)
{
	*tasks = (struct descriptor_tasks){.account = calloc(1, sizeof(*tasks->account))};
	map_init(&tasks->by_tid, sizeof(int32_t), sizeof(struct descriptor_task), TASKS_MAX);
	map_init(&tasks->births, sizeof(int32_t), sizeof(struct descriptor_birth), BIRTHS_MAX);
	map_init(&tasks->listed, sizeof(int32_t), sizeof(struct descriptor_birth), LISTED_MAX);
}

void descriptor_tasks_fini(struct descriptor_tasks *tasks)
{
	descriptor_tasks_drop(tasks);
	map_fini(&tasks->by_tid);
	map_fini(&tasks->births);
	map_fini(&tasks->listed);
	free(tasks->account);
	tasks->account = NULL;
}

/* Tables and places that several tasks have stay those of all of them: what each has become, by its address. */
struct copying {
	struct descriptor_tasks *into;
	struct map copies;
	bool failed;
};

static void **copy_at(struct copying *copying, const void *of)
{
	void **copy = map_at(&copying->copies, &of);

	copying->failed |= !copy;
	return copy;
}

static struct fd_table *copy_table(struct copying *copying, const struct fd_table *table)
{
	void **copy = table ? copy_at(copying, table) : NULL;

	if (!copy)
		return NULL;
	if (*copy)
		return fd_table_ref(*copy);
	*copy = fd_table_clone(table, copying->into->account);
	copying->failed |= !*copy;
	return *copy;
}

static struct place *copy_place(struct copying *copying, const struct place *place)
{
	void **copy = place ? copy_at(copying, place) : NULL;
	struct place *made;

	if (!copy)
		return NULL;
	if (*copy)
		return place_ref(*copy);
	*copy = made = place_new(place->path);
	copying->failed |= !made;
	if (made)
		made->changed = place->changed;
	return made;
}

static void copy_task(struct copying *copying, int32_t tid, const struct descriptor_task *from)
{
	struct descriptor_task *task = map_at(&copying->into->by_tid, &tid);

	copying->failed |= !task;
	if (!task)
		return;
	*task = *from;
	task->table = copy_table(copying, from->table);
	task->place = copy_place(copying, from->place);
	task->call.table = copy_table(copying, from->call.table);
	(void)file_name_ref(task->call.name);
	(void)file_name_ref(task->call.used);
}

static void copy_birth(struct copying *copying, struct map *into, int32_t tid,
		       const struct descriptor_birth *from)
{
	struct descriptor_birth *birth = map_at(into, &tid);

	copying->failed |= !birth;
	if (!birth)
		return;
	birth->table = copy_table(copying, from->table);
	birth->place = copy_place(copying, from->place);
	birth->twice = from->twice;
}

bool descriptor_tasks_copy(struct descriptor_tasks *into, const struct descriptor_tasks *from)
{
	struct copying copying = {.into = into};
	const void *key;
	size_t at = 0;
	void *value;

	descriptor_tasks_drop(into);
	map_init(&copying.copies, sizeof(const void *), sizeof(void *), 0);
	while (map_next(&from->by_tid, &at, &key, &value))
		copy_task(&copying, *(const int32_t *)key, value);
	at = 0;
	while (map_next(&from->births, &at, &key, &value))
		copy_birth(&copying, &into->births, *(const int32_t *)key, value);
	at = 0;
	while (map_next(&from->listed, &at, &key, &value))
		copy_birth(&copying, &into->listed, *(const int32_t *)key, value);
	map_fini(&copying.copies);
	into->forking = from->forking;
	return !copying.failed;
}
