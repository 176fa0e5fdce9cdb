// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/disk_queue.h"

#include <stdlib.h>
#include <string.h>

#include "analyse/disk_pair.h"
#include "base/map.h"
#include "schema/event.h"
#include "schema/source.h"

#define WAITING_MAX (1u << 20) /* no kernel has as many on their way */
#define CLASS_REALTIME 1 /* include/uapi/linux/ioprio.h */

struct queue_key {
	char disk[DISK_NAME_BYTES];
	uint32_t request;
};

/* One request that waits; a list for each disk, by order of arrival. */
struct waiter {
	struct waiter *next, *prev;
	int64_t sector; /* negative: real-time */
};

struct queue {
	struct waiter *first, *last;
	size_t count;
};

struct queue_fields {
	struct disk_fields disk;
	size_t sector;
	size_t prio_class;
};

struct disk_queues {
	size_t class_count;
	struct queue_fields *fields; /* by event_class.index; of no stage: not about requests */
	bool *lost; /* likewise: events of this class say that others are missing */
	struct map waiters; /* struct waiter *, by queue_key; owned */
	struct map queues; /* struct queue, by the disk's name */
	int64_t sectors[DISK_QUEUE_SHOWN];
};

static void fields_find(struct queue_fields *fields, const struct event_class *class)
{
	int sector = event_class_find_number(class, "sector");
	int prio_class = event_class_find_number(class, "prio_class");

	disk_fields_find(&fields->disk, class);
	if (sector < 0 || prio_class < 0)
		fields->disk.stage = DISK_NONE;
	fields->sector = sector < 0 ? 0 : (size_t)sector;
	fields->prio_class = prio_class < 0 ? 0 : (size_t)prio_class;
}

struct disk_queues *disk_queues_new(const struct trace_info *info)
{
	struct disk_queues *queues = calloc(1, sizeof(*queues));

	if (!queues)
		return NULL;
	map_init(&queues->waiters, sizeof(struct queue_key), sizeof(struct waiter *), WAITING_MAX);
	map_init(&queues->queues, DISK_NAME_BYTES, sizeof(struct queue), WAITING_MAX);
	queues->class_count = info->class_count;
	queues->fields = calloc(info->class_count ?: 1, sizeof(*queues->fields));
	queues->lost = calloc(info->class_count ?: 1, sizeof(*queues->lost));
	if (!queues->fields || !queues->lost) {
		disk_queues_free(queues);
		return NULL;
	}
	for (size_t i = 0; i < info->class_count; i++) {
		fields_find(&queues->fields[i], info->classes[i]);
		queues->lost[i] = info->classes[i]->role == EVENT_ROLE_LOST;
	}
	return queues;
}

static void forget(struct disk_queues *queues)
{
	const void *key;
	void *value;

	for (size_t at = 0; map_next(&queues->waiters, &at, &key, &value);)
		free(*(struct waiter **)value);
	map_fini(&queues->waiters);
	map_fini(&queues->queues);
	map_init(&queues->waiters, sizeof(struct queue_key), sizeof(struct waiter *), WAITING_MAX);
	map_init(&queues->queues, DISK_NAME_BYTES, sizeof(struct queue), WAITING_MAX);
}

void disk_queues_free(struct disk_queues *queues)
{
	if (!queues)
		return;
	forget(queues);
	map_fini(&queues->waiters);
	map_fini(&queues->queues);
	free(queues->fields);
	free(queues->lost);
	free(queues);
}

struct disk_queues *disk_queues_renew(struct disk_queues *old, const struct trace_info *info)
{
	struct disk_queues *queues = disk_queues_new(info);

	if (old && queues) {
		const struct map waiters = queues->waiters, empty = queues->queues;

		queues->waiters = old->waiters;
		queues->queues = old->queues;
		old->waiters = waiters;
		old->queues = empty;
	}
	disk_queues_free(old);
	return queues;
}

static void key_make(struct queue_key *key, const struct queue_fields *fields,
		     const struct event *event)
{
	size_t len;
	const char *name = event_text(event, fields->disk.disk, &len);

	memset(key, 0, sizeof(*key));
	memcpy(key->disk, name, len < sizeof(key->disk) ? len : sizeof(key->disk));
	key->request = (uint32_t)event_uint(event, fields->disk.request);
}

static void leave(struct disk_queues *queues, const struct queue_key *key)
{
	struct queue *queue = map_get(&queues->queues, key->disk);
	struct waiter **at = map_get(&queues->waiters, key), *waiter = at ? *at : NULL;

	if (!waiter || !queue)
		return;
	*(waiter->prev ? &waiter->prev->next : &queue->first) = waiter->next;
	*(waiter->next ? &waiter->next->prev : &queue->last) = waiter->prev;
	queue->count--;
	map_remove(&queues->waiters, key);
	free(waiter);
}

static int64_t place(const struct queue_fields *fields, const struct event *event)
{
	int64_t sector = (int64_t)event_uint(event, fields->sector);

	return event_uint(event, fields->prio_class) == CLASS_REALTIME ? -sector : sector;
}

/* What was put back is served before the others. */
static void enter(struct disk_queues *queues, const struct queue_key *key, int64_t sector,
		  bool first)
{
	struct queue *queue = map_at(&queues->queues, key->disk);
	struct waiter **at = queue ? map_at(&queues->waiters, key) : NULL;
	struct waiter *waiter = at ? calloc(1, sizeof(*waiter)) : NULL;

	if (!waiter) {
		if (at)
			map_remove(&queues->waiters, key);
		return;
	}
	*at = waiter;
	waiter->sector = sector;
	waiter->prev = first ? NULL : queue->last;
	waiter->next = first ? queue->first : NULL;
	*(waiter->prev ? &waiter->prev->next : &queue->first) = waiter;
	*(waiter->next ? &waiter->next->prev : &queue->last) = waiter;
	queue->count++;
}

void disk_queues_follow(struct disk_queues *queues, const struct event *event)
{
	const struct queue_fields *fields = &queues->fields[event->class->index];
	enum disk_stage stage = fields->disk.stage;
	struct queue_key key;

	if (queues->lost[event->class->index])
		forget(queues);
	if (stage == DISK_NONE)
		return;
	if (stage == DISK_MERGED && event_uint(event, fields->disk.kind) != DISK_MERGE_REQUESTS)
		return;
	key_make(&key, fields, event);
	leave(queues, &key);
	if (stage == DISK_QUEUED || stage == DISK_REQUEUED)
		enter(queues, &key, place(fields, event), stage == DISK_REQUEUED);
}

bool disk_queues_inserted(struct disk_queues *queues, const struct event *event,
			  struct disk_waiting *ret)
{
	const struct queue_fields *fields = &queues->fields[event->class->index];
	const struct waiter *waiter;
	const struct queue *queue;
	struct queue_key key;

	if (fields->disk.stage != DISK_QUEUED)
		return false;
	key_make(&key, fields, event);
	queue = map_get(&queues->queues, key.disk);
	if (!queue)
		return false;
	*ret = (struct disk_waiting){.count = queue->count, .sectors = queues->sectors};
	for (waiter = queue->first; waiter && ret->shown < DISK_QUEUE_SHOWN; waiter = waiter->next)
		queues->sectors[ret->shown++] = waiter->sector;
	return true;
}
