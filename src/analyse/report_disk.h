/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * report_disk: how long requests waited in the queues of disks, and how long disks took for them (disk_times).
 */
#ifndef SONDE_ANALYSE_REPORT_DISK_H
#define SONDE_ANALYSE_REPORT_DISK_H

#include <stddef.h>

#include "analyse/disk_times.h"
#include "analyse/latency.h"
#include "analyse/report_model.h"

struct disk_class; /* what a class of events means */

/* An operation of a disk. */
struct disk_row {
	const struct disk *disk; /* NULL: of all disks */
	enum disk_op op;
	const struct disk_counts *counts;
};

struct disk_report {
	struct report report;
	struct disk_class *classes; /* by event_class.index */
	struct disk_times times;
	/* At the end. */
	struct disk_counts all;
	struct disk_row all_row;
	struct latency depth;
};

report_new_fn report_disk_new;

/* The busiest disk and operation first; the caller frees the list, which borrows from @dr. NULL = no memory. */
struct disk_row *report_disk_rank(const struct disk_report *dr, size_t *count);

#endif /* SONDE_ANALYSE_REPORT_DISK_H */
