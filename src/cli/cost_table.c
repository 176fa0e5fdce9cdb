// SPDX-License-Identifier: BSD-2-Clause
#include "cli/cost_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/amount.h"
#include "base/clock.h"
#include "output/table.h"

static int compare_lines(const void *a, const void *b)
{
	const struct cost_line *x = a, *y = b;
	double load_x = cost_load(&x->sum), load_y = cost_load(&y->sum);

	if (load_x == load_y)
		return strcmp(x->label, y->label);
	return load_x > load_y ? -1 : 1;
}

static void put_loads(struct table *table, double load, uint32_t cpus)
{
	table_add(table, "%.3f %%", 100 * load);
	table_add(table, "%.3f %%", 100 * load / cpus);
}

static void put_line(struct table *table, const struct cost_line *line, uint32_t cpus)
{
	const struct cost_sum *sum = &line->sum;
	double seconds = (double)sum->window_ns / (double)NS_PER_SEC, each;

	table_add(table, "%s", line->label);
	table_add(table, "%s", amount_count((uint64_t)((double)sum->runs / seconds)).text);
	if (cost_ns_each(sum, &each)) {
		table_add(table, "%.0f", each);
		put_loads(table, cost_load(sum), cpus);
		return;
	}
	table_add(table, "%s", "too short to tell");
	table_add(table, "%s", "");
	table_add(table, "%s", "");
}

static void put_summary(struct table *table, const char *label, double load, uint32_t cpus)
{
	table_add(table, "%s", label);
	table_add(table, "%s", "");
	table_add(table, "%s", "");
	put_loads(table, load, cpus);
}

void cost_table(struct buffer *out, struct cost_line *lines, size_t count, uint32_t cpus,
		size_t shown, uint64_t bytes_per_s)
{
	char all[32], others[32], recorder[80];
	const char *const titles[] = {"cost", "runs/s", "ns each", "of a CPU", all, NULL};
	double programs = 0, rest = 0;
	struct table table;
	size_t ran = 0;

	snprintf(all, sizeof(all), "of %u CPU%s", cpus, cpus == 1 ? "" : "s");
	qsort(lines, count, sizeof(*lines), compare_lines);
	table_init(&table, titles);
	for (size_t i = 0; i < count; i++) {
		const struct cost_line *line = &lines[i];

		if (!line->sum.runs || !line->sum.window_ns)
			continue;
		programs += cost_load(&line->sum);
		if (ran++ < shown)
			put_line(&table, line, cpus);
		else
			rest += cost_load(&line->sum);
	}
	if (ran > shown) {
		snprintf(others, sizeof(others), "%zu others", ran - shown);
		put_summary(&table, others, rest, cpus);
	}
	if (ran)
		put_summary(&table, "all programs", programs, cpus);
	for (size_t i = 0; i < count; i++) {
		if (strcmp(lines[i].label, COST_RECORDER))
			continue;
		snprintf(recorder, sizeof(recorder), "recorder, %s/s",
			 amount_size(bytes_per_s).text);
		put_summary(&table, recorder, cost_load(&lines[i].sum), cpus);
	}
	table_write(&table, out);
	table_fini(&table);
}
