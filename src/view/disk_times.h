/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * disk_times: when requests to disks were queued, handed to the driver and done, from the records
 * of each stage: how long each waited and was served, and how many waited when one was queued.
 * Exact where nothing was lost; what a loss may have cut in two is forgotten, and counted.
 */
#ifndef SONDE_VIEW_DISK_TIMES_H
#define SONDE_VIEW_DISK_TIMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "view/latency.h"

struct event;
struct event_class;

#define DISK_NAME_BYTES 16u
#define DISK_MERGE_REQUESTS 2 /* the kind of merge in which a request is gone, probe/disk.bpf.c */

enum disk_stage { DISK_NONE, DISK_QUEUED, DISK_ISSUED, DISK_DONE, DISK_REQUEUED, DISK_MERGED };
enum disk_op { DISK_READ, DISK_WRITE, DISK_OTHER, DISK_OP_COUNT };

/* Where a class of events says what. */
struct disk_fields {
	enum disk_stage stage; /* DISK_NONE: it is none of these */
	size_t request;
	size_t bytes;
	size_t op;
	size_t disk;
	size_t left; /* DISK_DONE only, and so is the next one */
	size_t status;
	size_t kind; /* DISK_MERGED only */
};

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
	struct map open; /* requests on their way, by disk and number */
	struct map names; /* index in disks, by name */
	struct disk **disks;
	size_t disk_count;
	uint64_t unmatched; /* stages that fit no other */
};

void disk_times_init(struct disk_times *times);
void disk_times_fini(struct disk_times *times);
/* Looks up the fields of @class. */
void disk_fields_find(struct disk_fields *fields, const struct event_class *class);
/* What there is no memory for is counted as unmatched. */
void disk_times_count(struct disk_times *times, const struct disk_fields *fields,
		      const struct event *event);
/* Events are missing here: nothing is known of what is on its way. */
void disk_times_lose(struct disk_times *times);

#endif /* SONDE_VIEW_DISK_TIMES_H */
