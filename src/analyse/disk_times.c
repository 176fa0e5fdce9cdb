// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/disk_times.h"

#include <stdlib.h>
#include <string.h>

#include "schema/event.h"

#define DISKS_MAX 4096u

void disk_times_init(struct disk_times *times)
{
	*times = (struct disk_times){0};
	disk_pairs_init(&times->pairs);
	map_init(&times->names, DISK_NAME_BYTES, sizeof(uint32_t), DISKS_MAX);
}

void disk_times_fini(struct disk_times *times)
{
	disk_pairs_fini(&times->pairs);
	map_fini(&times->names);
	for (size_t i = 0; i < times->disk_count; i++)
		free(times->disks[i]);
	free(times->disks);
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

/* The disk that is called so; NULL: no memory, or too many. */
static struct disk *disk_of(struct disk_times *times, const char name[DISK_NAME_BYTES])
{
	size_t before = times->names.count;
	uint32_t *at = map_at(&times->names, name);

	if (!at)
		return NULL;
	if (times->names.count > before) {
		if (!disk_add(times, name)) {
			map_remove(&times->names, name);
			return NULL;
		}
		*at = (uint32_t)times->disk_count - 1;
	}
	return times->disks[*at];
}

static enum disk_op op_of(const struct disk_fields *fields, const struct event *event)
{
	uint64_t op = event_uint(event, fields->op);

	return op < DISK_OTHER ? (enum disk_op)op : DISK_OTHER;
}

static void issued(struct disk_counts *counts, const struct disk_step *step)
{
	if (step->has_queue)
		latency_add(&counts->queue, step->queue_ns);
	else if (!step->unmatched)
		counts->direct++;
}

static void done(struct disk_counts *counts, const struct disk_fields *fields,
		 const struct event *event, const struct disk_step *step)
{
	counts->bytes += event_uint(event, fields->bytes);
	counts->errors += event_uint(event, fields->status) != 0;
	counts->requests += !event_uint(event, fields->left);
	if (step->has_service)
		latency_add(&counts->service, step->service_ns);
}

void disk_times_count(struct disk_times *times, const struct disk_fields *fields,
		      const struct event *event)
{
	char name[DISK_NAME_BYTES];
	struct disk_step step;
	struct disk *disk;

	disk_fields_name(fields, event, name);
	disk = disk_of(times, name);
	if (!disk) {
		times->unmatched++;
		return;
	}
	step = disk_pairs_step(&times->pairs, fields, name, event);
	if (fields->stage == DISK_QUEUED && !step.unmatched && !times->learning)
		latency_add(&disk->depth, disk->waiting);
	disk->waiting += step.waits;
	disk->waiting -= step.waited;
	if (times->learning)
		return;
	times->unmatched += step.unmatched;
	if (fields->stage == DISK_ISSUED)
		issued(&disk->ops[op_of(fields, event)], &step);
	if (fields->stage == DISK_DONE)
		done(&disk->ops[op_of(fields, event)], fields, event, &step);
}

void disk_times_lose(struct disk_times *times)
{
	times->unmatched += disk_pairs_lose(&times->pairs);
	for (size_t i = 0; i < times->disk_count; i++)
		times->disks[i]->waiting = 0;
}
