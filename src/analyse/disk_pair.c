// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/disk_pair.h"

#include <string.h>

#include "schema/derived.h"
#include "schema/event.h"

#define OPEN_MAX_REQUESTS (1u << 20) /* no kernel has as many on their way */

struct open_key {
	char disk[DISK_NAME_BYTES];
	uint32_t request;
};

struct open_request {
	int64_t begin_ns; /* of the first that was seen */
	int32_t owner; /* the task of that */
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

void disk_pairs_init(struct disk_pairs *pairs)
{
	map_init(&pairs->open, sizeof(struct open_key), sizeof(struct open_request),
		 OPEN_MAX_REQUESTS);
}

void disk_pairs_fini(struct disk_pairs *pairs)
{
	map_fini(&pairs->open);
}

static bool find(const struct event_class *class, const char *name, size_t *ret)
{
	int i = event_class_find(class, name);

	*ret = i < 0 ? 0 : (size_t)i;
	return i >= 0;
}

/* The names are Sonde's, but the trace may be any: a class that lacks a field is not one of these. */
void disk_fields_find(struct disk_fields *fields, const struct event_class *class)
{
	enum disk_stage stage = DISK_NONE;
	bool good;

	*fields = (struct disk_fields){0};
	if (!strncmp(class->name, "disk.", 5)) {
		fields->has_writeback = find(class, "writeback", &fields->writeback);
		fields->has_owner = find(class, "owner_tid", &fields->owner);
	}
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

static bool is_writeback(const struct disk_fields *fields, const struct event *event)
{
	return fields->has_writeback && event_uint(event, fields->writeback);
}

int32_t disk_fields_owner(const struct disk_fields *fields, const struct event *event)
{
	if (!fields->has_owner || !is_writeback(fields, event))
		return event->tid;
	return (int32_t)event_uint(event, fields->owner) ?: OWNER_WRITEBACK;
}

void disk_fields_name(const struct disk_fields *fields, const struct event *event,
		      char name[DISK_NAME_BYTES])
{
	size_t len;
	const char *text = event_text(event, fields->disk, &len);

	memset(name, 0, DISK_NAME_BYTES);
	memcpy(name, text, len < DISK_NAME_BYTES ? len : DISK_NAME_BYTES);
}

static uint64_t since(int64_t from_ns, int64_t to_ns)
{
	return to_ns > from_ns ? (uint64_t)to_ns - (uint64_t)from_ns : 0;
}

static struct disk_step queued(struct disk_pairs *pairs, const struct open_key *key,
			       int64_t time_ns, int32_t owner)
{
	struct open_request *request = map_at(&pairs->open, key);
	struct disk_step step = {.waits = true};

	if (!request)
		return (struct disk_step){.unmatched = true};
	step.unmatched = step.waited = request->waiting; /* the end of the one before is missing */
	*request = (struct open_request){
		.begin_ns = time_ns, .owner = owner, .queue_ns = time_ns, .waiting = true};
	return step;
}

static struct disk_step issued(struct disk_pairs *pairs, const struct open_key *key,
			       int64_t time_ns, int32_t owner)
{
	size_t before = pairs->open.count;
	struct open_request *request = map_at(&pairs->open, key);
	struct disk_step step = {0};

	if (!request)
		return (struct disk_step){.unmatched = true};
	if (pairs->open.count > before) {
		request->begin_ns = time_ns;
		request->owner = owner;
	}
	if (request->waiting) {
		step.waited = step.has_queue = true;
		step.queue_ns = since(request->queue_ns, time_ns);
	}
	request->waiting = false;
	request->issued = true;
	request->issue_ns = time_ns;
	return step;
}

static struct disk_step done(struct disk_pairs *pairs, const struct open_key *key, int64_t time_ns)
{
	struct open_request *request = map_get(&pairs->open, key);
	struct disk_step step = {.unmatched = !request || !request->issued};

	if (!step.unmatched) {
		step.has_service = step.has_total = true;
		step.service_ns = since(request->issue_ns, time_ns);
		step.total_ns = since(request->begin_ns, time_ns);
	}
	if (request) {
		step.waited = request->waiting;
		map_remove(&pairs->open, key);
	}
	return step;
}

/* It waits again, from now on: what it has waited and been served is counted. */
static struct disk_step requeued(struct disk_pairs *pairs, const struct open_key *key,
				 int64_t time_ns)
{
	struct open_request *request = map_get(&pairs->open, key);

	if (!request || request->waiting)
		return (struct disk_step){0};
	request->queue_ns = time_ns;
	request->waiting = true;
	request->issued = false;
	return (struct disk_step){.waits = true};
}

/* A request that has become part of another one never ends by itself. */
static struct disk_step merged(struct disk_pairs *pairs, const struct open_key *key)
{
	struct open_request *request = map_get(&pairs->open, key);
	struct disk_step step = {.waited = request && request->waiting};

	if (request)
		map_remove(&pairs->open, key);
	return step;
}

static struct disk_step step_at(struct disk_pairs *pairs, const struct disk_fields *fields,
				const struct open_key *at, const struct event *event, int32_t owner)
{
	struct open_key key = *at;

	switch (fields->stage) {
	case DISK_QUEUED:
		return queued(pairs, &key, event->time_ns, owner);
	case DISK_ISSUED:
		return issued(pairs, &key, event->time_ns, owner);
	case DISK_DONE:
		if (event_uint(event, fields->left))
			break;
		return done(pairs, &key, event->time_ns);
	case DISK_REQUEUED:
		return requeued(pairs, &key, event->time_ns);
	case DISK_MERGED:
		if (event_uint(event, fields->kind) != DISK_MERGE_REQUESTS)
			break;
		return merged(pairs, &key);
	case DISK_NONE:
		break;
	}
	return (struct disk_step){0};
}

/* A request belongs to the task by which it is first seen: that queues it, or hands it to a disk without a queue; if
 * pages are written back, to the one that made them dirty. */
static int32_t owner_of(struct disk_pairs *pairs, const struct disk_fields *fields,
			const struct open_key *key, const struct event *event)
{
	const struct open_request *request = map_get(&pairs->open, key);

	if (fields->stage == DISK_QUEUED || (!request && fields->stage == DISK_ISSUED))
		return disk_fields_owner(fields, event);
	if (request)
		return request->owner;
	return is_writeback(fields, event) ? OWNER_WRITEBACK : OWNER_UNKNOWN;
}

struct disk_step disk_pairs_step(struct disk_pairs *pairs, const struct disk_fields *fields,
				 const char name[DISK_NAME_BYTES], const struct event *event)
{
	struct open_key key = {.request = (uint32_t)event_uint(event, fields->request)};
	struct disk_step step;
	int32_t owner;

	memcpy(key.disk, name, sizeof(key.disk));
	owner = owner_of(pairs, fields, &key, event);
	step = step_at(pairs, fields, &key, event, owner);
	/* A transfer that is merged into a request is not a request itself: its owner is in this event. */
	step.owner = key.request ? owner : disk_fields_owner(fields, event);
	return step;
}

size_t disk_pairs_lose(struct disk_pairs *pairs)
{
	size_t open = pairs->open.count;

	disk_pairs_fini(pairs);
	disk_pairs_init(pairs);
	return open;
}
