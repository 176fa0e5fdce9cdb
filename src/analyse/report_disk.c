// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/report_disk.h"

#include <stdlib.h>
#include <string.h>

#include "analyse/analysis.h"
#include "analyse/disk_times.h"
#include "analyse/latency.h"

struct disk_class {
	bool lost;
	struct disk_fields fields;
};

static void disk_batch(struct report *report, const struct event *events, size_t count)
{
	struct disk_report *dr = (struct disk_report *)report;

	for (size_t i = 0; i < count; i++) {
		const struct disk_class *entry = &dr->classes[events[i].class->index];

		if (entry->fields.stage != DISK_NONE) {
			disk_times_count(&dr->times, &entry->fields, &events[i]);
			dr->report.events += !dr->times.learning;
		} else if (__builtin_expect(entry->lost, 0)) {
			disk_times_lose(&dr->times);
		}
	}
}

static void disk_learn(struct report *report, const struct event *events, size_t count)
{
	struct disk_report *dr = (struct disk_report *)report;

	dr->times.learning = true;
	disk_batch(report, events, count);
	dr->times.learning = false;
}

static void disk_end(struct report *report, const struct report_span *span)
{
	struct disk_report *dr = (struct disk_report *)report;

	(void)span;
	for (size_t i = 0; i < dr->times.disk_count; i++) {
		latency_merge(&dr->depth, &dr->times.disks[i]->depth);
		for (size_t op = 0; op < DISK_OP_COUNT; op++) {
			const struct disk_counts *counts = &dr->times.disks[i]->ops[op];

			dr->all.requests += counts->requests;
			dr->all.bytes += counts->bytes;
			dr->all.errors += counts->errors;
			dr->all.direct += counts->direct;
			latency_merge(&dr->all.queue, &counts->queue);
			latency_merge(&dr->all.service, &counts->service);
		}
	}
	dr->all_row.counts = &dr->all;
}

/* The busiest disk and operation first. */
static int compare_rows(const void *left, const void *right)
{
	const struct disk_row *a = left, *b = right;
	uint64_t a_ns = a->counts->queue.total_ns + a->counts->service.total_ns;
	uint64_t b_ns = b->counts->queue.total_ns + b->counts->service.total_ns;
	int order = strcmp(a->disk->name, b->disk->name);

	if (a_ns != b_ns)
		return a_ns > b_ns ? -1 : 1;
	return order ?: (int)a->op - (int)b->op;
}

struct disk_row *report_disk_rank(const struct disk_report *dr, size_t *count)
{
	struct disk_row *rows = calloc(dr->times.disk_count * DISK_OP_COUNT + 1, sizeof(*rows));

	*count = 0;
	for (size_t i = 0; rows && i < dr->times.disk_count; i++) {
		for (enum disk_op op = 0; op < DISK_OP_COUNT; op++) {
			const struct disk_counts *counts = &dr->times.disks[i]->ops[op];

			if (counts->requests || counts->queue.count)
				rows[(*count)++] =
					(struct disk_row){dr->times.disks[i], op, counts};
		}
	}
	if (rows)
		qsort(rows, *count, sizeof(*rows), compare_rows);
	return rows;
}

static void disk_free(struct report *report)
{
	struct disk_report *dr = (struct disk_report *)report;

	disk_times_fini(&dr->times);
	free(dr->classes);
	free(dr);
}

static const struct report_ops disk_ops = {
	disk_batch,
	disk_learn,
	disk_end,
	disk_free,
};

struct report *report_disk_new(const struct analysis *analysis)
{
	struct disk_report *dr = calloc(1, sizeof(*dr));

	if (!dr)
		return NULL;
	dr->report = (struct report){.ops = &disk_ops, .analysis = analysis};
	disk_times_init(&dr->times);
	dr->classes = calloc(analysis->info->class_count ?: 1, sizeof(*dr->classes));
	if (!dr->classes) {
		disk_free(&dr->report);
		return NULL;
	}
	for (size_t i = 0; i < analysis->info->class_count; i++) {
		const struct event_class *class = analysis->info->classes[i];

		dr->classes[i].lost = class->role == EVENT_ROLE_LOST;
		if (select_shows(analysis->select, class))
			disk_fields_find(&dr->classes[i].fields, class);
	}
	return &dr->report;
}
