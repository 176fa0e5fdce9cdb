// SPDX-License-Identifier: BSD-2-Clause
#include "output/perfetto_disk.h"

#include <stdio.h>
#include <string.h>

#include "schema/event.h"

void perfetto_disks_init(struct perfetto_disks *disks, struct perfetto_out *po)
{
	*disks = (struct perfetto_disks){.po = po};
	disk_pairs_init(&disks->pairs);
	map_init(&disks->disks, DISK_NAME_BYTES, sizeof(struct perfetto_disk), PERFETTO_DISK_MAX);
}

void perfetto_disks_fini(struct perfetto_disks *disks)
{
	disk_pairs_fini(&disks->pairs);
	map_fini(&disks->disks);
}

static struct perfetto_place place_of(const struct perfetto_disk *disk)
{
	return (struct perfetto_place){PERFETTO_DISKS + disk->number,
				       PERFETTO_DISKS + disk->number};
}

/* NULL: no memory, or more disks than there can be. */
static struct perfetto_disk *disk_at(struct perfetto_disks *disks, const char *name)
{
	struct perfetto_disk *disk = map_at(&disks->disks, name);
	char text[DISK_NAME_BYTES + 8];
	struct perfetto_place at;
	int len;

	if (!disk || disk->number)
		return disk;
	disk->number = (uint32_t)disks->disks.count;
	at = place_of(disk);
	len = snprintf(text, sizeof(text), "Disk %.*s", (int)DISK_NAME_BYTES, name);
	perfetto_name_process(disks->po, at.pid, text, (size_t)len);
	perfetto_sort(disks->po, "process", at, -3);
	perfetto_name_thread(disks->po, at, "other events", 12);
	return disk;
}

/* One of a pair that encloses the slice; name and id tell whose they are. */
static void put_end(struct perfetto_disks *disks, char phase, int64_t time_ns,
		    struct perfetto_place at, const char *what, const struct disk_fields *fields,
		    const struct event *event)
{
	struct perfetto_out *po = disks->po;
	char id[32], before[32];

	(void)snprintf(id, sizeof(id), "0x%x", (uint32_t)event_uint(event, fields->request));
	(void)snprintf(before, sizeof(before), "%s", what);
	perfetto_open(po, phase, time_ns, at);
	perfetto_plain(po, "cat", *what == 'i' ? "disk.queue" : "disk.service");
	perfetto_plain(po, "id", id);
	perfetto_field_name(po, "name", before, event, fields->op);
}

static void put_slice(struct perfetto_disks *disks, struct perfetto_place at, const char *what,
		      uint64_t ns, const struct disk_fields *fields, const struct event *event)
{
	put_end(disks, 'b', (int64_t)((uint64_t)event->time_ns - ns), at, what, fields, event);
	perfetto_args(disks->po);
	perfetto_fields(disks->po, event, 0);
	perfetto_close(disks->po);
	put_end(disks, 'e', event->time_ns, at, what, fields, event);
	perfetto_close(disks->po);
}

static void put_counter(struct perfetto_disks *disks, int64_t time_ns, struct perfetto_place at,
			const char *name, int64_t value)
{
	perfetto_open(disks->po, 'C', time_ns, at);
	perfetto_plain(disks->po, "name", name);
	perfetto_args(disks->po);
	perfetto_number(disks->po, "requests", value);
	perfetto_close(disks->po);
}

/* Those that were there before the trace began are not counted: never below none. */
static void count(struct perfetto_disks *disks, int64_t time_ns, struct perfetto_place at,
		  const char *name, int64_t *value, int change)
{
	if (!change || (change < 0 && !*value))
		return;
	*value += change;
	put_counter(disks, time_ns, at, name, *value);
}

void perfetto_disk_event(struct perfetto_disks *disks, const struct disk_fields *fields,
			 const struct event *event)
{
	char name[DISK_NAME_BYTES];
	struct perfetto_disk *disk;
	struct perfetto_place at;
	struct disk_step step;
	int64_t now = event->time_ns;
	bool begun = fields->stage == DISK_QUEUED || fields->stage == DISK_ISSUED;

	disk_fields_name(fields, event, name);
	disk = disk_at(disks, name);
	if (!disk)
		return;
	at = place_of(disk);
	step = disk_pairs_step(&disks->pairs, fields, name, event);
	if (step.has_queue)
		put_slice(disks, at, "in queue: ", step.queue_ns, fields, event);
	if (step.has_service)
		put_slice(disks, at, "", step.service_ns, fields, event);
	if (!begun && !step.has_service)
		perfetto_instant(disks->po, event, at);
	count(disks, now, at, "waiting", &disk->waiting, (int)step.waits - (int)step.waited);
	if (fields->stage == DISK_ISSUED)
		count(disks, now, at, "in flight", &disk->issued, 1);
	else if (step.has_service || (fields->stage == DISK_REQUEUED && step.waits))
		count(disks, now, at, "in flight", &disk->issued, -1);
}

void perfetto_disks_lose(struct perfetto_disks *disks, int64_t time_ns)
{
	const void *key;
	void *value;

	(void)disk_pairs_lose(&disks->pairs);
	for (size_t i = 0; map_next(&disks->disks, &i, &key, &value);) {
		struct perfetto_disk *disk = value;

		if (disk->waiting)
			put_counter(disks, time_ns, place_of(disk), "waiting", 0);
		if (disk->issued)
			put_counter(disks, time_ns, place_of(disk), "in flight", 0);
		disk->waiting = disk->issued = 0;
	}
}
