// SPDX-License-Identifier: BSD-2-Clause
#include "record/budget.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "record/cost.h"

int budget_init(struct budget *budget, double limit, size_t measurements)
{
	*budget = (struct budget){.limit = limit, .count = measurements};
	budget->items = calloc(measurements, sizeof(*budget->items));
	return budget->items ? 0 : -ENOMEM;
}

void budget_fini(struct budget *budget)
{
	free(budget->items);
	budget->items = NULL;
	budget->count = 0;
}

/* One of a service's or the recorder's own stays. */
static bool is_switchable(const struct cost_key *key, const bool *switchable)
{
	for (uint32_t i = 0; i < key->count; i++) {
		if (!switchable[key->items[i]])
			return false;
	}
	return key->count > 0;
}

/* In the last window; NULL where nothing that can be turned off has taken time. */
static const struct cost_row *find_dearest(const struct cost *cost, const bool *switchable)
{
	const struct cost_row *dearest = NULL;

	for (size_t i = 0; i < cost->count; i++) {
		const struct cost_row *row = &cost->rows[i];

		if (!row->last.run_ns || !is_switchable(&row->key, switchable))
			continue;
		if (!dearest || cost_load(&row->last) > cost_load(&dearest->last))
			dearest = row;
	}
	return dearest;
}

static void hold(struct budget *b, uint64_t now_ns, size_t i, double share)
{
	struct budget_item *item = &b->items[i];
	uint64_t wait_ns = item->wait_ns ? 2 * item->wait_ns : BUDGET_WAIT_FIRST_NS;

	item->held = true;
	item->on_trial = false;
	item->changed_ns = now_ns;
	item->wait_ns = wait_ns < BUDGET_WAIT_LAST_NS ? wait_ns : BUDGET_WAIT_LAST_NS;
	item->times++;
	item->share = share;
}

static bool any_on_trial(const struct budget *b)
{
	for (size_t i = 0; i < b->count; i++) {
		if (b->items[i].on_trial)
			return true;
	}
	return false;
}

static enum budget_verdict judge_excess(struct budget *b, uint64_t now_ns, const struct cost *cost,
					const bool *switchable, bool *which)
{
	const struct cost_row *row = find_dearest(cost, switchable);
	bool sure = b->was_over || any_on_trial(b);

	b->was_over = true;
	if (!row)
		return BUDGET_KEEP; /* it is the recorder itself, or a service */
	if (!sure)
		return BUDGET_WATCH;
	for (uint32_t i = 0; i < row->key.count; i++) {
		which[row->key.items[i]] = true;
		hold(b, now_ns, row->key.items[i], cost_load(&row->last) / cost->cpus);
	}
	b->was_over = false; /* the recorder still writes what came before */
	return BUDGET_OFF;
}

/* When it may be tried again. */
static uint64_t due_ns(const struct budget_item *item)
{
	return item->changed_ns + item->wait_ns;
}

/* What went off together is tried together, the one that is due longest first. */
static enum budget_verdict try_again(struct budget *b, uint64_t now_ns, bool *which)
{
	const struct budget_item *first = NULL;
	uint64_t due;

	for (size_t i = 0; i < b->count; i++) {
		const struct budget_item *item = &b->items[i];

		if (item->held && due_ns(item) <= now_ns &&
		    (!first || due_ns(item) < due_ns(first)))
			first = item;
	}
	if (!first)
		return BUDGET_KEEP;
	due = due_ns(first);
	for (size_t i = 0; i < b->count; i++) {
		if (!b->items[i].held || due_ns(&b->items[i]) != due)
			continue;
		budget_release(b, now_ns, i);
		b->items[i].on_trial = true;
		which[i] = true;
	}
	return BUDGET_ON;
}

static void forgive(struct budget *b, uint64_t now_ns)
{
	for (size_t i = 0; i < b->count; i++) {
		struct budget_item *item = &b->items[i];

		item->on_trial = false;
		if (!item->held && now_ns - item->changed_ns >= BUDGET_CALM_NS)
			item->wait_ns = 0;
	}
}

enum budget_verdict budget_judge(struct budget *b, uint64_t now_ns, const struct cost *cost,
				 const bool *switchable, bool *which)
{
	memset(which, 0, b->count * sizeof(*which));
	if (cost_last_share(cost) > b->limit)
		return judge_excess(b, now_ns, cost, switchable, which);
	b->was_over = false;
	forgive(b, now_ns);
	return try_again(b, now_ns, which);
}

void budget_release(struct budget *b, uint64_t now_ns, size_t i)
{
	struct budget_item *item = &b->items[i];

	if (!item->held)
		return;
	item->held = false;
	item->held_ns += now_ns - item->changed_ns;
	item->changed_ns = now_ns;
}

bool budget_was_exceeded(const struct budget *b)
{
	for (size_t i = 0; i < b->count; i++) {
		if (b->items[i].times)
			return true;
	}
	return false;
}

uint64_t budget_held_ns(const struct budget *b, uint64_t now_ns, size_t i)
{
	const struct budget_item *item = &b->items[i];

	return item->held_ns + (item->held ? now_ns - item->changed_ns : 0);
}
