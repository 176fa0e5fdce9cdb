// SPDX-License-Identifier: BSD-2-Clause
#include "output/report_disk.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/disk_times.h"
#include "analyse/latency.h"
#include "base/amount.h"
#include "base/buffer.h"
#include "base/escape.h"
#include "base/json_writer.h"
#include "output/latency_write.h"
#include "output/table.h"
#include "output/view.h"

static const char *const op_names[DISK_OP_COUNT] = {"read", "write", "other"};

struct class_entry {
	bool lost;
	struct disk_fields fields;
};

struct disk_report {
	struct report report;
	struct class_entry *classes; /* by event_class.index */
	struct disk_times times;
	struct disk_counts all; /* at the end, and so is the next one */
	struct latency depth;
};

/* One row: an operation of a disk. */
struct disk_row {
	const struct disk *disk;
	enum disk_op op;
	const struct disk_counts *counts;
};

static void disk_batch(struct report *report, const struct event *events, size_t count)
{
	struct disk_report *dr = (struct disk_report *)report;

	for (size_t i = 0; i < count; i++) {
		const struct class_entry *entry = &dr->classes[events[i].class->index];

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

static struct disk_row *rank_rows(const struct disk_report *dr, size_t *count)
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

static void add_times(struct table *table, const struct latency *latency)
{
	bool known = latency->count;

	table_add(table, "%s", amount_time_or_blank(latency_percentile(latency, 500), known).text);
	table_add(table, "%s", amount_time_or_blank(latency_percentile(latency, 990), known).text);
	table_add(table, "%s", amount_time_or_blank(latency->max_ns, known).text);
}

static void add_counts(struct table *table, const struct disk_counts *counts)
{
	table_add(table, "%s", amount_count(counts->requests).text);
	table_add(table, "%s", amount_size(counts->bytes).text);
	table_add(table, "%s", amount_count_or_blank(counts->errors).text);
	add_times(table, &counts->queue);
	add_times(table, &counts->service);
}

/* Names of disks come from a file: they may be anything. */
static const char *shown_name(const char *name, char room[ESCAPE_FACTOR * DISK_NAME_BYTES + 8])
{
	*escape_terminal(room, name, strlen(name)) = 0;
	return room;
}

static void write_table(const struct disk_report *dr, const struct disk_row *rows, size_t count,
			size_t shown, struct buffer *out)
{
	static const char *const titles[] = {"disk",	   "requests", "bytes",	  "errors",
					     "queued p50", "p99",      "longest", "served p50",
					     "p99",	   "longest",  NULL};
	char name[ESCAPE_FACTOR * DISK_NAME_BYTES + 8];
	struct table table;

	table_init(&table, titles);
	table_add(&table, "(all)");
	add_counts(&table, &dr->all);
	for (size_t i = 0; i < shown; i++) {
		table_add(&table, "%s %s", shown_name(rows[i].disk->name, name),
			  op_names[rows[i].op]);
		add_counts(&table, rows[i].counts);
	}
	table_finish(&table, out, shown, count);
}

static void write_notes(const struct disk_report *dr, struct buffer *out)
{
	if (dr->depth.count)
		buffer_format(out, "When one was queued, %.1f waited on average, at most %s.\n",
			      (double)dr->depth.total_ns / (double)dr->depth.count,
			      amount_count(dr->depth.max_ns).text);
	if (dr->all.direct)
		buffer_format(out, "%s the driver took at once: they were never queued.\n",
			      amount_count(dr->all.direct).text);
	if (dr->times.unmatched)
		buffer_format(out, "%s stages of requests fit no other: not timed.\n",
			      amount_count(dr->times.unmatched).text);
}

static void write_histogram(const char *title, const struct latency *latency, struct buffer *out)
{
	if (!latency->count)
		return;
	buffer_format(out, "\n%s\n", title);
	latency_write_text(latency, out);
}

int report_disk_text(const struct report *report, const struct report_options *options,
		     struct buffer *out)
{
	const struct disk_report *dr = (const struct disk_report *)report;
	char name[ESCAPE_FACTOR * DISK_NAME_BYTES + 8], title[sizeof(name) + 64];
	size_t count, shown;
	struct disk_row *rows = rank_rows(dr, &count);

	if (!rows)
		return -ENOMEM;
	shown = report_rows(options, count);
	buffer_format(out, "Disks: %s requests, %s\n", amount_count(dr->all.requests).text,
		      amount_size(dr->all.bytes).text);
	write_table(dr, rows, count, shown, out);
	write_notes(dr, out);
	write_histogram("in the queue, all disks", &dr->all.queue, out);
	write_histogram("served, all disks", &dr->all.service, out);
	for (size_t i = 0; options->histograms && i < shown; i++) {
		snprintf(title, sizeof(title), "%s %s, served",
			 shown_name(rows[i].disk->name, name), op_names[rows[i].op]);
		write_histogram(title, &rows[i].counts->service, out);
	}
	free(rows);
	return 0;
}

static void put_counts(struct json_writer *json, const struct disk_counts *counts)
{
	json_writer_uint(json, "requests", counts->requests);
	json_writer_uint(json, "bytes", counts->bytes);
	json_writer_uint(json, "errors", counts->errors);
	json_writer_uint(json, "direct", counts->direct);
	latency_write_object(&counts->queue, "queue", json);
	latency_write_object(&counts->service, "service", json);
}

int report_disk_json(const struct report *report, const struct report_options *options,
		     struct json_writer *json)
{
	const struct disk_report *dr = (const struct disk_report *)report;
	size_t count;
	struct disk_row *rows = rank_rows(dr, &count);

	if (!rows)
		return -ENOMEM;
	put_counts(json, &dr->all);
	json_writer_uint(json, "unmatched", dr->times.unmatched);
	json_writer_uint(json, "waiting_max", dr->depth.count ? dr->depth.max_ns : 0);
	json_writer_uint(json, "waiting_total", dr->depth.total_ns);
	json_writer_array(json, "by_disk");
	for (size_t i = 0; i < report_rows(options, count); i++) {
		json_writer_object(json, NULL);
		json_writer_text(json, "disk", rows[i].disk->name, strlen(rows[i].disk->name));
		json_writer_text(json, "op", op_names[rows[i].op], strlen(op_names[rows[i].op]));
		put_counts(json, rows[i].counts);
		json_writer_end(json);
	}
	json_writer_end(json);
	free(rows);
	return 0;
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

struct report *report_disk_new(const struct view *view)
{
	struct disk_report *dr = calloc(1, sizeof(*dr));

	if (!dr)
		return NULL;
	dr->report = (struct report){.ops = &disk_ops, .view = view};
	disk_times_init(&dr->times);
	dr->classes = calloc(view->analysis.info->class_count ?: 1, sizeof(*dr->classes));
	if (!dr->classes) {
		disk_free(&dr->report);
		return NULL;
	}
	for (size_t i = 0; i < view->analysis.info->class_count; i++) {
		const struct event_class *class = view->analysis.info->classes[i];

		dr->classes[i].lost = class->role == EVENT_ROLE_LOST;
		if (select_shows(view->analysis.select, class))
			disk_fields_find(&dr->classes[i].fields, class);
	}
	return &dr->report;
}
