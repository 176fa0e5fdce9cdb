// SPDX-License-Identifier: BSD-2-Clause
#include "output/stats_disks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/disk_times.h"
#include "base/amount.h"
#include "base/buffer.h"
#include "base/escape.h"
#include "base/json_writer.h"
#include "output/table.h"

/* All that one disk did. */
struct disk_sum {
	const char *name;
	uint64_t requests;
	uint64_t read_bytes;
	uint64_t written_bytes;
	uint64_t errors;
	uint64_t served; /* of the requests, those of which it is known how long they took */
	uint64_t service_ns; /* of these */
	uint64_t longest_ns;
};

static struct disk_sum sum_of(const struct disk *disk)
{
	struct disk_sum sum = {
		.name = disk->name,
		.read_bytes = disk->ops[DISK_READ].bytes,
		.written_bytes = disk->ops[DISK_WRITE].bytes,
	};

	for (enum disk_op op = 0; op < DISK_OP_COUNT; op++) {
		const struct disk_counts *counts = &disk->ops[op];

		sum.requests += counts->requests;
		sum.errors += counts->errors;
		sum.served += counts->service.count;
		sum.service_ns += counts->service.total_ns;
		if (counts->service.count && counts->service.max_ns > sum.longest_ns)
			sum.longest_ns = counts->service.max_ns;
	}
	return sum;
}

/* By what was asked of them, equal ones by name. */
static int compare(const void *left, const void *right)
{
	const struct disk_sum *a = left, *b = right;

	if (a->requests != b->requests)
		return a->requests < b->requests ? 1 : -1;
	return strcmp(a->name, b->name);
}

/* Disks of which only submitted requests were seen are skipped. NULL = no memory. */
static struct disk_sum *rank(const struct disk_times *times, size_t *count)
{
	struct disk_sum *sums = calloc(times->disk_count + 1, sizeof(*sums));

	*count = 0;
	for (size_t i = 0; sums && i < times->disk_count; i++) {
		sums[*count] = sum_of(times->disks[i]);
		*count += sums[*count].requests > 0;
	}
	if (sums)
		qsort(sums, *count, sizeof(*sums), compare);
	return sums;
}

static size_t shown(size_t count, size_t rows)
{
	return rows && count > rows ? rows : count;
}

static uint64_t average_ns(const struct disk_sum *sum)
{
	return sum->served ? sum->service_ns / sum->served : 0;
}

int stats_disks_text(const struct disk_times *times, size_t rows, struct buffer *out)
{
	static const char *const titles[] = {"disk",   "requests", "read",    "written",
					     "errors", "average",  "longest", NULL};
	char name[ESCAPE_FACTOR * DISK_NAME_BYTES + 8];
	size_t count;
	struct disk_sum *sums = rank(times, &count);
	struct table table;

	if (!sums)
		return -ENOMEM;
	table_init(&table, titles);
	for (size_t i = 0; i < shown(count, rows); i++) {
		const struct disk_sum *sum = &sums[i];

		*escape_terminal(name, sum->name, strlen(sum->name)) = 0;
		table_add(&table, "%s", name);
		table_add(&table, "%s", amount_count(sum->requests).text);
		table_add(&table, "%s", amount_size(sum->read_bytes).text);
		table_add(&table, "%s", amount_size(sum->written_bytes).text);
		table_add(&table, "%s", amount_count_or_blank(sum->errors).text);
		table_add(&table, "%s", amount_time_or_blank(average_ns(sum), sum->served).text);
		table_add(&table, "%s", amount_time_or_blank(sum->longest_ns, sum->served).text);
	}
	if (count)
		table_finish(&table, out, shown(count, rows), count);
	else
		table_fini(&table);
	free(sums);
	return 0;
}

int stats_disks_json(const struct disk_times *times, size_t rows, struct json_writer *json)
{
	size_t count;
	struct disk_sum *sums = rank(times, &count);

	if (!sums)
		return -ENOMEM;
	json_writer_array(json, "disks");
	for (size_t i = 0; i < shown(count, rows); i++) {
		const struct disk_sum *sum = &sums[i];

		json_writer_object(json, NULL);
		json_writer_string(json, "disk", sum->name);
		json_writer_uint(json, "requests", sum->requests);
		json_writer_uint(json, "read_bytes", sum->read_bytes);
		json_writer_uint(json, "written_bytes", sum->written_bytes);
		json_writer_uint(json, "errors", sum->errors);
		if (sum->served) {
			json_writer_uint(json, "service_avg_ns", average_ns(sum));
			json_writer_uint(json, "service_max_ns", sum->longest_ns);
		}
		json_writer_end(json);
	}
	json_writer_end(json);
	free(sums);
	return 0;
}
