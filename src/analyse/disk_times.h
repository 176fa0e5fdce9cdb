/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * disk_times: when requests to disks were queued, handed to the driver and done, from the records
 * of each stage: how long each waited and was served, and how many waited when one was queued.
 * Exact where nothing was lost; what a loss may have cut in two is forgotten, and counted.
 */
#ifndef SONDE_ANALYSE_DISK_TIMES_H
#define SONDE_ANALYSE_DISK_TIMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyse/disk_pair.h"
#include "analyse/latency.h"
#include "base/map.h"

struct event;

enum disk_op { DISK_READ, DISK_WRITE, DISK_OTHER, DISK_OP_COUNT };

struct disk_counts {
	uint64_t requests; /* done */
	uint64_t bytes;
	uint64_t errors;
	uint64_t direct; /* the driver took them at once: they were never queued */
	struct latency queue; /* from queue to hand-over, of those that were queued */
	struct latency service; /* from hand-over to the end */
};

struct disk {
	char name[DISK_NAME_BYTES + 1];
	uint64_t waiting; /* queued and not handed over, now */
	struct latency depth; /* how many waited when another came: numbers, not ns */
	struct disk_counts ops[DISK_OP_COUNT];
};

struct disk_times {
	struct disk_pairs pairs;
	struct map names; /* index in disks, by name */
	struct disk **disks;
	size_t disk_count;
	uint64_t unmatched; /* stages that fit no other */
	bool learning; /* stages are paired, and not counted */
};

void disk_times_init(struct disk_times *times);
void disk_times_fini(struct disk_times *times);
/* Requests without memory are counted as unmatched. */
void disk_times_count(struct disk_times *times, const struct disk_fields *fields,
		      const struct event *event);
/* Events are missing here: nothing is known of what is on its way. */
void disk_times_lose(struct disk_times *times);

#endif /* SONDE_ANALYSE_DISK_TIMES_H */
