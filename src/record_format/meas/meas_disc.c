// SPDX-License-Identifier: BSD-2-Clause
#include "record_format/meas/meas_disc.h"

#include <stdlib.h>
#include <string.h>

#include "analyse/disk_pair.h"
#include "analyse/disk_queue.h"
#include "base/map.h"
#include "record_format/meas/meas_kind.h"
#include "record_format/meas/meas_making.h"

#define REQUESTS_MAX (1u << 20)
/* Linux does not report cylinders. These are of the geometry that partition tables reckon with: 255 heads, 63
 * sectors. They count from 1, since 0 is said of arrivals and could not be negative. */
#define CYLINDER_SECTORS (255u * 63u)
#define OP_READ 0u
#define CLASS_REALTIME 1u

enum kind { KIND_QUEUE, KIND_ISSUE, KIND_COMPLETE, KIND_MERGE, KIND_COUNT };
enum disc_field {
	DISC_SECTOR,
	DISC_REQUEST,
	DISC_BYTES,
	DISC_MAJOR,
	DISC_MINOR,
	DISC_OP,
	DISC_NAME,
	DISC_CLASS,
	DISC_MORE, /* of an end: the remaining bytes; of a merge: its kind */
};

#define IO_FIELDS "sector", "request", "bytes", "major", "minor", "op", "disk", "prio_class"

static const struct meas_kind kinds[KIND_COUNT] = {
	[KIND_QUEUE] = {"disk.queue", {IO_FIELDS}},
	[KIND_ISSUE] = {"disk.issue", {IO_FIELDS}},
	[KIND_COMPLETE] = {"disk.complete", {IO_FIELDS, "left"}},
	[KIND_MERGE] = {"disk.merge", {IO_FIELDS, "kind"}},
};

struct request_key {
	char disk[DISK_NAME_BYTES];
	uint32_t request;
};

/* What all records of a transfer say. */
struct request {
	uint64_t sector;
	uint64_t bytes;
};

struct meas_disc {
	struct meas_kind_class *classes; /* by event_class.index */
	struct map requests; /* struct request on its way, by request_key */
	struct disk_queues *queues;
};

struct meas_disc *meas_disc_new(const struct trace_info *info)
{
	struct meas_disc *disc = calloc(1, sizeof(*disc));

	if (!disc)
		return NULL;
	map_init(&disc->requests, sizeof(struct request_key), sizeof(struct request), REQUESTS_MAX);
	disc->classes = meas_kinds_find(info, kinds, KIND_COUNT);
	disc->queues = disk_queues_new(info);
	if (!disc->classes || !disc->queues) {
		meas_disc_free(disc);
		return NULL;
	}
	return disc;
}

void meas_disc_free(struct meas_disc *disc)
{
	if (!disc)
		return;
	map_fini(&disc->requests);
	disk_queues_free(disc->queues);
	free(disc->classes);
	free(disc);
}

static uint64_t value(const struct event *event, const int *fields, enum disc_field field)
{
	return event_uint(event, (size_t)fields[field]);
}

static uint64_t cylinder_of(uint64_t sector)
{
	return sector / CYLINDER_SECTORS + 1;
}

static void key_make(struct request_key *key, const struct event *event, const int *fields)
{
	size_t len;
	const char *name = event_text(event, (size_t)fields[DISC_NAME], &len);

	memset(key, 0, sizeof(*key));
	memcpy(key->disk, name, len < sizeof(key->disk) ? len : sizeof(key->disk));
	key->request = (uint32_t)value(event, fields, DISC_REQUEST);
}

/* The second driver is that of the faster link: Alink then, NVMe now. Release 1.0 has but one. */
static bool is_second(const struct request_key *key, const struct meas_making *making)
{
	return making->release >= MEAS_RELEASE_1_1 && !strncmp(key->disk, "nvme", 4);
}

static void put(struct meas_making *making, uint16_t id, const struct event *event,
		const int *fields, const struct request *request, uint64_t cylinder)
{
	uint64_t *slot = making->slots;

	if (!making->on[id])
		return;
	*slot++ = request->bytes;
	*slot++ = meas_device_word(value(event, fields, DISC_MAJOR),
				   value(event, fields, DISC_MINOR));
	*slot++ = request->sector;
	*slot++ = cylinder;
	*slot++ = value(event, fields, DISC_OP) == OP_READ;
	*slot++ = value(event, fields, DISC_MAJOR);
	*slot++ = value(event, fields, DISC_MINOR);
	*slot++ = value(event, fields, DISC_REQUEST);
	meas_making_put(making, meas_form_find(id, 0), event);
}

/* Once for each request: it may come back to the queue. */
static void arrive(struct meas_disc *disc, const struct event *event, const int *fields,
		   const struct request_key *key, struct meas_making *making)
{
	bool second = is_second(key, making), known = map_get(&disc->requests, key);
	struct request *at = map_at(&disc->requests, key), request;

	request.sector = value(event, fields, DISC_SECTOR);
	request.bytes = value(event, fields, DISC_BYTES);
	if (at)
		*at = request;
	if (known)
		return;
	if (making->release >= MEAS_RELEASE_3_0)
		put(making, second ? MEAS_DISC2_IO_QUEUE : MEAS_DISC_IO_QUEUE, event, fields,
		    &request, cylinder_of(request.sector));
	else
		put(making, second ? MEAS_DISC2_IO : MEAS_DISC_IO, event, fields, &request, 0);
}

static void issue(struct meas_disc *disc, const struct event *event, const int *fields,
		  const struct request_key *key, struct meas_making *making)
{
	const struct request *at,
		request = {value(event, fields, DISC_SECTOR), value(event, fields, DISC_BYTES)};

	arrive(disc, event, fields, key, making);
	at = map_get(&disc->requests, key) ?: &request;
	if (making->release >= MEAS_RELEASE_3_0)
		put(making, is_second(key, making) ? MEAS_DISC2_IO_ISSUE : MEAS_DISC_IO_ISSUE,
		    event, fields, at, cylinder_of(at->sector));
}

/* The last of its parts is the end of the transfer. */
static void complete(struct meas_disc *disc, const struct event *event, const int *fields,
		     const struct request_key *key, struct meas_making *making)
{
	const struct request *at = map_get(&disc->requests, key);
	const struct request request = {value(event, fields, DISC_SECTOR),
					value(event, fields, DISC_BYTES)};
	bool second = is_second(key, making);
	uint16_t id = second ? MEAS_DISC2_IO : MEAS_DISC_IO;

	if (value(event, fields, DISC_MORE))
		return;
	if (making->release >= MEAS_RELEASE_3_0)
		id = second ? MEAS_DISC2_IO_COMPLETE : MEAS_DISC_IO_COMPLETE;
	at = at ?: &request;
	put(making, id, event, fields, at, cylinder_of(at->sector));
	map_remove(&disc->requests, key);
}

static void insert(struct meas_disc *disc, const struct event *event, const int *fields,
		   struct meas_making *making)
{
	const struct meas_form *form = meas_form_find(MEAS_TIMESHARE_INSERT, 0);
	uint64_t cylinder = cylinder_of(value(event, fields, DISC_SECTOR));
	uint64_t *slot = making->slots;
	struct disk_waiting waiting;

	if (!making->on[MEAS_TIMESHARE_INSERT] ||
	    !disk_queues_inserted(disc->queues, event, &waiting))
		return;
	*slot++ = value(event, fields, DISC_CLASS) == CLASS_REALTIME ? -cylinder : cylinder;
	*slot++ = waiting.count;
	*slot++ = value(event, fields, DISC_MAJOR);
	*slot++ = value(event, fields, DISC_MINOR);
	*slot++ = waiting.shown;
	for (size_t i = 0; i < waiting.shown; i++) {
		int64_t sector = waiting.sectors[i];

		*slot++ = sector < 0 ? -cylinder_of((uint64_t)-sector) :
				       cylinder_of((uint64_t)sector);
	}
	meas_making_put(making, form, event);
}

static void lose(struct meas_disc *disc)
{
	map_fini(&disc->requests);
	map_init(&disc->requests, sizeof(struct request_key), sizeof(struct request), REQUESTS_MAX);
}

void meas_disc_take(struct meas_disc *disc, const struct event *event, struct meas_making *making)
{
	const struct meas_kind_class *class = &disc->classes[event->class->index];
	struct request_key key;

	disk_queues_follow(disc->queues, event);
	if (event->class->role == EVENT_ROLE_LOST)
		lose(disc);
	if (class->kind == MEAS_KIND_NONE)
		return;
	key_make(&key, event, class->fields);
	switch (class->kind) {
	case KIND_QUEUE:
		arrive(disc, event, class->fields, &key, making);
		insert(disc, event, class->fields, making);
		break;
	case KIND_ISSUE:
		issue(disc, event, class->fields, &key, making);
		break;
	case KIND_COMPLETE:
		complete(disc, event, class->fields, &key, making);
		break;
	default: /* KIND_MERGE: it is gone, the other one takes over its bytes */
		if (value(event, class->fields, DISC_MORE) == DISK_MERGE_REQUESTS)
			map_remove(&disc->requests, &key);
		break;
	}
}
