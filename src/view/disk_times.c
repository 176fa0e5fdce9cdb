// SPDX-License-Identifier: BSD-2-Clause
#include "view/disk_times.h"

#include <stdlib.h>
#include <string.h>

#include "schema/event.h"

#define OPEN_MAX_REQUESTS (1u << 20) /* no kernel has as many on their way */
#define DISKS_MAX 4096u

struct open_key {
	uint32_t disk;
	uint32_t request;
};

struct open_request {
	int64_t queue_ns; /* while it waits */
	int64_t issue_ns;
	bool waiting; /* in its disk's queue */
	bool issued;
};

static const struct {
	const char *name;
	enum disk_stage stage;
} stages[] = {
	{"disk.queue", DISK_QUEUED},	 {"disk.issue", DISK_ISSUED}, {"disk.complete", DISK_DONE},
	{"disk.requeue", DISK_REQUEUED}, {"disk.merge", DISK_MERGED},
};

void disk_times_init(struct disk_times *times)
{
	*times = (struct disk_times){0};
	map_init(&times->open, sizeof(struct open_key), sizeof(struct open_request),
		 OPEN_MAX_REQUESTS);
	map_init(&times->names, DISK_NAME_BYTES, sizeof(uint32_t), DISKS_MAX);
}

void disk_times_fini(struct disk_times *times)
{
	map_fini(&times->open);
	map_fini(&times->names);
	for (size_t i = 0; i < times->disk_count; i++)
		free(times->disks[i]);
	free(times->disks);
}

static bool find(const struct event_class *class, const char *name, size_t *ret)
{
	int i = event_class_find(class, name);

	*ret = i < 0 ? 0 : (size_t)i;
	return i >= 0;
}

/* The names are ours, but the trace is somebody's: a class that lacks a field is none of these. */
void disk_fields_find(struct disk_fields *fields, const struct event_class *class)
{
	enum disk_stage stage = DISK_NONE;
	bool good;

	*fields = (struct disk_fields){0};
	for (size_t i = 0; i < sizeof(stages) / sizeof(stages[0]); i++) {
		if (!strcmp(class->name, stages[i].name))
			stage = stages[i].stage;
	}
	if (stage == DISK_NONE)
		return;
	good = find(class, "request", &fields->request) && find(class, "bytes", &fields->bytes) &&
	       find(class, "op", &fields->op) && find(class, "disk", &fields->disk) &&
	       class->fields[fields->disk].kind == FIELD_TEXT;
	if (stage == DISK_DONE)
		good = good && find(class, "left", &fields->left) &&
		       find(class, "status", &fields->status);
	if (stage == DISK_MERGED)
		good = good && find(class, "kind", &fields->kind);
	if (good)
		fields->stage = stage;
}

static struct disk *disk_add(struct disk_times *times, const char name[DISK_NAME_BYTES])
{
	struct disk *disk = calloc(1, sizeof(*disk));
	struct disk **more =
		reallocarray(times->disks, times->disk_count + 1, sizeof(struct disk *));

	if (more)
		times->disks = more;
	if (!disk || !more) {
		free(disk);
		return NULL;
	}
	memcpy(disk->name, name, DISK_NAME_BYTES);
	times->disks[times->disk_count++] = disk;
	return disk;
}

/* The disk that the event is about, and its number; NULL: no memory, or too many. */
static struct disk *disk_of(struct disk_times *times, const struct disk_fields *fields,
			    const struct event *event, uint32_t *number)
{
	char name[DISK_NAME_BYTES] = {0};
	size_t len, before = times->names.count;
	const char *text = event_text(event, fields->disk, &len);
	uint32_t *at;

	memcpy(name, text, len < sizeof(name) ? len : sizeof(name));
	at = map_at(&times->names, name);
	if (!at)
		return NULL;
	if (times->names.count > before) {
		if (!disk_add(times, name)) {
			map_remove(&times->names, name);
			return NULL;
		}
		*at = (uint32_t)times->disk_count - 1;
	}
	*number = *at;
	return times->disks[*at];
}

static enum disk_op op_of(const struct disk_fields *fields, const struct event *event)
{
	uint64_t op = event_uint(event, fields->op);

	return op < DISK_OTHER ? (enum disk_op)op : DISK_OTHER;
}

static uint64_t since(int64_t from_ns, int64_t to_ns)
{
	return to_ns > from_ns ? (uint64_t)to_ns - (uint64_t)from_ns : 0;
}

static void queued(struct disk_times *times, struct disk *disk, const struct open_key *key,
		   const struct event *event)
{
	struct open_request *request = map_at(&times->open, key);

	if (!request || request->waiting)
		times->unmatched++; /* the end of the one before is not in the trace */
	else
		latency_add(&disk->depth, disk->waiting++);
	if (request)
		*request = (struct open_request){.queue_ns = event->time_ns, .waiting = true};
}

static void issued(struct disk_times *times, struct disk *disk, enum disk_op op,
		   const struct open_key *key, const struct event *event)
{
	struct open_request *request = map_at(&times->open, key);

	if (!request) {
		times->unmatched++;
		return;
	}
	if (request->waiting) {
		latency_add(&disk->ops[op].queue, since(request->queue_ns, event->time_ns));
		disk->waiting--;
	} else {
		disk->ops[op].direct++;
	}
	request->waiting = false;
	request->issued = true;
	request->issue_ns = event->time_ns;
}

static void done(struct disk_times *times, struct disk *disk, const struct disk_fields *fields,
		 const struct open_key *key, const struct event *event)
{
	struct disk_counts *counts = &disk->ops[op_of(fields, event)];
	struct open_request *request = map_get(&times->open, key);

	counts->bytes += event_uint(event, fields->bytes);
	counts->errors += event_uint(event, fields->status) != 0;
	if (event_uint(event, fields->left))
		return;
	counts->requests++;
	if (request && request->issued)
		latency_add(&counts->service, since(request->issue_ns, event->time_ns));
	else
		times->unmatched++;
	if (!request)
		return;
	disk->waiting -= request->waiting;
	map_remove(&times->open, key);
}

/* It waits again, from now on: what it has waited and been served is counted. */
static void requeued(struct disk_times *times, struct disk *disk, const struct open_key *key,
		     const struct event *event)
{
	struct open_request *request = map_get(&times->open, key);

	if (!request || request->waiting)
		return;
	*request = (struct open_request){.queue_ns = event->time_ns, .waiting = true};
	disk->waiting++;
}

/* A request that has become part of another one never ends by itself. */
static void merged(struct disk_times *times, struct disk *disk, const struct disk_fields *fields,
		   const struct open_key *key, const struct event *event)
{
	struct open_request *request = map_get(&times->open, key);

	if (event_uint(event, fields->kind) != DISK_MERGE_REQUESTS || !request)
		return;
	disk->waiting -= request->waiting;
	map_remove(&times->open, key);
}

void disk_times_count(struct disk_times *times, const struct disk_fields *fields,
		      const struct event *event)
{
	struct open_key key = {.request = (uint32_t)event_uint(event, fields->request)};
	struct disk *disk = disk_of(times, fields, event, &key.disk);

	if (!disk) {
		times->unmatched++;
		return;
	}
	switch (fields->stage) {
	case DISK_QUEUED:
		queued(times, disk, &key, event);
		break;
	case DISK_ISSUED:
		issued(times, disk, op_of(fields, event), &key, event);
		break;
	case DISK_DONE:
		done(times, disk, fields, &key, event);
		break;
	case DISK_REQUEUED:
		requeued(times, disk, &key, event);
		break;
	case DISK_MERGED:
		merged(times, disk, fields, &key, event);
		break;
	case DISK_NONE:
		break;
	}
}

void disk_times_lose(struct disk_times *times)
{
	times->unmatched += times->open.count;
	map_fini(&times->open);
	map_init(&times->open, sizeof(struct open_key), sizeof(struct open_request),
		 OPEN_MAX_REQUESTS);
	for (size_t i = 0; i < times->disk_count; i++)
		times->disks[i]->waiting = 0;
}
