/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * perfetto_disk: the tracks of disks: a process for each, requests as asynchronous slices (how long
 * each waited in the queue, how long the disk worked on it), and how many there are of both.
 *
 * A request is written when it ends: only then is known that nothing of it is missing.
 */
#ifndef SONDE_OUTPUT_PERFETTO_DISK_H
#define SONDE_OUTPUT_PERFETTO_DISK_H

#include "analyse/disk_pair.h"
#include "base/map.h"
#include "output/perfetto_out.h"

#define PERFETTO_DISK_MAX 65536u

/* Zeros: a disk that is not known yet. */
struct perfetto_disk {
	uint32_t number; /* 1 = the first that was seen */
	int64_t waiting; /* requests in its queue */
	int64_t issued; /* and that it works on */
};

struct perfetto_disks {
	struct perfetto_out *po;
	struct disk_pairs pairs;
	struct map disks; /* struct perfetto_disk by name */
};

void perfetto_disks_init(struct perfetto_disks *disks, struct perfetto_out *po);
void perfetto_disks_fini(struct perfetto_disks *disks);
void perfetto_disk_event(struct perfetto_disks *disks, const struct disk_fields *fields,
			 const struct event *event);
/* Events are missing here. */
void perfetto_disks_lose(struct perfetto_disks *disks, int64_t time_ns);

#endif /* SONDE_OUTPUT_PERFETTO_DISK_H */
