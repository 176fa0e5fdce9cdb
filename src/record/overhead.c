// SPDX-License-Identifier: BSD-2-Clause
#include "record/overhead.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/diag.h"
#include "base/io.h"
#include "probe/catalogue.h"
#include "probe/loader.h"
#include "probe/run_stats.h"
#include "record/meter.h"
#include "record/notes.h"

#define NOTE_NS 60000000000u

struct overhead {
	const struct catalogue *cat;
	const struct loader *loader;
	struct meter *meter;
	struct budget budget; /* .items NULL: none */
	bool *switchable; /* by class.index, as the next two */
	bool *which;
	uint64_t noted_ns;
};

/* A budget that cannot be kept is refused rather than ignored. */
static int check_permission(struct diag *diag)
{
	int stats = -1, err = run_stats_open(&stats);

	fd_close(stats);
	if (!err)
		return 0;
	return diag_set(diag, err, "--budget: cannot read the cost of programs: %s%s",
			strerror(-err), err == -EPERM ? " (need CAP_SYS_ADMIN)" : "");
}

static int open_budget(struct overhead *o, double limit, struct diag *diag)
{
	int err = check_permission(diag);

	if (err)
		return err;
	o->switchable = calloc(2 * o->cat->room, sizeof(*o->switchable));
	if (!o->switchable || budget_init(&o->budget, limit, o->cat->room))
		return diag_set(diag, -ENOMEM, "no memory");
	o->which = o->switchable + o->cat->room;
	return 0;
}

int overhead_open(const struct catalogue *cat, const struct loader *loader, struct warden *warden,
		  uint32_t cpus, double limit, struct overhead **ret, struct diag *diag)
{
	struct overhead *o = calloc(1, sizeof(*o));
	int err;

	if (!o)
		return diag_set(diag, -ENOMEM, "no memory");
	o->cat = cat;
	o->loader = loader;
	err = meter_open(cat, loader, warden, cpus, &o->meter);
	if (err)
		diag_set(diag, err, "a timer cannot be made: %s", strerror(-err));
	else if (limit > 0)
		err = open_budget(o, limit, diag);
	if (err) {
		overhead_close(o);
		return err;
	}
	*ret = o;
	return 0;
}

void overhead_close(struct overhead *o)
{
	if (!o)
		return;
	meter_close(o->meter);
	budget_fini(&o->budget);
	free(o->switchable);
	free(o);
}

void overhead_start(struct overhead *o)
{
	o->noted_ns = clock_monotonic_ns();
	meter_start(o->meter);
}

int overhead_fd(const struct overhead *o)
{
	return meter_fd(o->meter);
}

static int note(struct notes *notes, const struct cost *cost, const struct cost_row *row,
		const char *label)
{
	return row->fresh.run_ns ? notes_add_cost(notes, label, &row->fresh, cost->cpus) : 0;
}

static int note_all(struct overhead *o, struct notes *notes, uint64_t now_ns)
{
	struct cost *cost = meter_cost(o->meter);
	char label[COST_LABEL_BYTES];
	int err = 0;

	for (size_t i = 0; !err && i < cost->count; i++)
		err = note(notes, cost, &cost->rows[i],
			   cost_label(&cost->rows[i].key, o->cat, label, sizeof(label)));
	err = err ?: note(notes, cost, &cost->recorder, COST_RECORDER);
	cost_noted(cost);
	o->noted_ns = now_ns;
	return err;
}

static enum budget_verdict judge(struct overhead *o, uint64_t now_ns)
{
	enum budget_verdict verdict;

	for (size_t i = 0; i < o->cat->count; i++) {
		const struct measurement *m = &o->cat->items[i];

		o->switchable[i] = !measurement_internal(m) && loader_is_on(o->loader, m);
	}
	verdict = budget_judge(&o->budget, now_ns, meter_cost(o->meter), o->switchable, o->which);
	if (verdict == BUDGET_WATCH)
		meter_restart(o->meter);
	return verdict;
}

int overhead_pump(struct overhead *o, struct notes *notes, enum budget_verdict *verdict,
		  const bool **which)
{
	uint64_t now_ns = clock_monotonic_ns();
	int err = 0;

	*verdict = BUDGET_KEEP;
	if (meter_pump(o->meter) != 1)
		return 0;
	if (now_ns - o->noted_ns >= NOTE_NS)
		err = note_all(o, notes, now_ns);
	if (o->budget.items)
		*verdict = judge(o, now_ns);
	*which = o->which;
	return err;
}

void overhead_restart(struct overhead *o)
{
	meter_restart(o->meter);
}

void overhead_release(struct overhead *o, const bool *which)
{
	uint64_t now_ns = clock_monotonic_ns();

	for (size_t i = 0; i < o->budget.count; i++) {
		if (which[i])
			budget_release(&o->budget, now_ns, i);
	}
}

int overhead_finish(struct overhead *o, struct notes *notes)
{
	uint64_t now_ns = clock_monotonic_ns();

	meter_finish(o->meter);
	for (size_t i = 0; i < o->budget.count; i++)
		budget_release(&o->budget, now_ns, i);
	return note_all(o, notes, now_ns);
}

struct cost *overhead_cost(struct overhead *o)
{
	return meter_cost(o->meter);
}

const struct budget *overhead_budget(const struct overhead *o)
{
	return o->budget.items ? &o->budget : NULL;
}
