// SPDX-License-Identifier: BSD-2-Clause
#include "record/cost.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe/catalogue.h"

void cost_init(struct cost *cost, uint32_t cpus, double bias_ns)
{
	*cost = (struct cost){.cpus = cpus, .bias_ns = bias_ns};
}

void cost_fini(struct cost *cost)
{
	free(cost->rows);
	cost->rows = NULL;
	cost->count = cost->room = 0;
}

void cost_begin(struct cost *cost, uint64_t window_ns)
{
	cost->windows++;
	cost->window_ns += window_ns;
	for (size_t i = 0; i < cost->count; i++)
		cost->rows[i].last = (struct cost_sum){0};
	cost->last_window_ns = window_ns;
}

static bool is_same(const struct cost_key *a, const struct cost_key *b)
{
	if (a->service || b->service)
		return a->service && b->service && !strcmp(a->service, b->service);
	return a->count == b->count && !memcmp(a->items, b->items, a->count * sizeof(*a->items));
}

static struct cost_row *row_at(struct cost *cost, const struct cost_key *key)
{
	for (size_t i = 0; i < cost->count; i++) {
		if (is_same(&cost->rows[i].key, key))
			return &cost->rows[i];
	}
	if (cost->count == cost->room) {
		size_t room = cost->room ? 2 * cost->room : 16;
		struct cost_row *rows = realloc(cost->rows, room * sizeof(*rows));

		if (!rows)
			return NULL;
		cost->rows = rows;
		cost->room = room;
	}
	cost->rows[cost->count] = (struct cost_row){.key = *key};
	return &cost->rows[cost->count++];
}

static void sum_add(struct cost_sum *sum, uint64_t window_ns, uint64_t runs, uint64_t run_ns)
{
	sum->window_ns += window_ns;
	sum->runs += runs;
	sum->run_ns += run_ns;
}

static void row_add(struct cost_row *row, uint64_t window_ns, uint64_t runs, uint64_t run_ns)
{
	sum_add(&row->all, window_ns, runs, run_ns);
	sum_add(&row->last, window_ns, runs, run_ns);
	sum_add(&row->fresh, window_ns, runs, run_ns);
}

int cost_add(struct cost *cost, const struct cost_key *key, uint64_t runs, uint64_t ns)
{
	struct cost_row *row = row_at(cost, key);
	uint64_t bias = (uint64_t)(cost->bias_ns * (double)runs);

	if (!row)
		return -ENOMEM;
	/* Several programs may have one key: the window is the same. */
	row_add(row, row->last.window_ns ? 0 : cost->last_window_ns, runs,
		ns > bias ? ns - bias : 0);
	return 0;
}

void cost_add_recorder(struct cost *cost, uint64_t elapsed_ns, uint64_t cpu_ns)
{
	cost->recorder.last = (struct cost_sum){0};
	row_add(&cost->recorder, elapsed_ns, 0, cpu_ns);
}

void cost_noted(struct cost *cost)
{
	for (size_t i = 0; i < cost->count; i++)
		cost->rows[i].fresh = (struct cost_sum){0};
	cost->recorder.fresh = (struct cost_sum){0};
}

double cost_load(const struct cost_sum *sum)
{
	return sum->window_ns ? (double)sum->run_ns / (double)sum->window_ns : 0;
}

bool cost_ns_each(const struct cost_sum *sum, double *ns)
{
	if (sum->runs < COST_RUNS_LEAST)
		return false;
	*ns = (double)sum->run_ns / (double)sum->runs;
	return true;
}

double cost_last_share(const struct cost *cost)
{
	double load = cost_load(&cost->recorder.last);

	for (size_t i = 0; i < cost->count; i++)
		load += cost_load(&cost->rows[i].last);
	return load / cost->cpus;
}

static int compare_rows(const void *a, const void *b)
{
	double x = cost_load(&((const struct cost_row *)a)->all);
	double y = cost_load(&((const struct cost_row *)b)->all);

	return x > y ? -1 : x < y;
}

void cost_sort(struct cost *cost)
{
	if (cost->count)
		qsort(cost->rows, cost->count, sizeof(*cost->rows), compare_rows);
}

char *cost_label(const struct cost_key *key, const struct catalogue *cat, char *text, size_t room)
{
	size_t len = 0;

	*text = 0;
	if (key->service)
		snprintf(text, room, "(%s)", key->service);
	for (uint32_t i = 0; i < key->count && len < room; i++)
		len += (size_t)snprintf(text + len, room - len, "%s%s", i ? ", " : "",
					cat->items[key->items[i]].name);
	return text;
}
