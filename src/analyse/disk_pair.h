/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * disk_pair: requests to disks on their way, matched from stage to stage: how long each waited in
 * the queue, was served by the disk, and took in all.
 */
#ifndef SONDE_ANALYSE_DISK_PAIR_H
#define SONDE_ANALYSE_DISK_PAIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"

struct event;
struct event_class;

#define DISK_NAME_BYTES 16u
#define DISK_MERGE_REQUESTS 2 /* the kind of merge in which a request is gone, probe/disk.bpf.c */

enum disk_stage { DISK_NONE, DISK_QUEUED, DISK_ISSUED, DISK_DONE, DISK_REQUEUED, DISK_MERGED };

/* Where a class of events says what. */
struct disk_fields {
	enum disk_stage stage; /* DISK_NONE: not one of these */
	size_t request;
	size_t bytes;
	size_t op;
	size_t disk;
	size_t left; /* DISK_DONE only, and so is the next one */
	size_t status;
	size_t kind; /* DISK_MERGED only */
	bool has_writeback, has_owner; /* of events that are not one of these, too */
	size_t writeback, owner;
};

struct disk_pairs {
	struct map open; /* requests on their way, by disk and number */
};

/* What one stage of a request ends. */
struct disk_step {
	bool unmatched; /* it fits no other */
	bool waited; /* it was in the queue, and is not any more */
	bool waits; /* it is in the queue now */
	bool has_queue, has_service, has_total;
	int32_t owner; /* the task whose it is, OWNER_WRITEBACK or OWNER_UNKNOWN (schema/derived.h) */
	uint64_t queue_ns; /* until it was handed over */
	uint64_t service_ns; /* from then until it was done */
	uint64_t total_ns; /* from the first that was seen of it until it was done */
};

void disk_pairs_init(struct disk_pairs *pairs);
void disk_pairs_fini(struct disk_pairs *pairs);
/* Looks up the fields of @class. */
void disk_fields_find(struct disk_fields *fields, const struct event_class *class);
/* The task, or OWNER_WRITEBACK, to which a transfer belongs that begins with @event. */
int32_t disk_fields_owner(const struct disk_fields *fields, const struct event *event);
/* The name of the disk, filled up with NUL. */
void disk_fields_name(const struct disk_fields *fields, const struct event *event,
		      char name[DISK_NAME_BYTES]);
/* @name: of the disk. Requests without memory are unmatched. */
struct disk_step disk_pairs_step(struct disk_pairs *pairs, const struct disk_fields *fields,
				 const char name[DISK_NAME_BYTES], const struct event *event);
/* Events are missing here: nothing is known of what is on its way. How much that was. */
size_t disk_pairs_lose(struct disk_pairs *pairs);

#endif /* SONDE_ANALYSE_DISK_PAIR_H */
