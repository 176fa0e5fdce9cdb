// SPDX-License-Identifier: BSD-2-Clause
#include "record/overhead.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/diag.h"
#include "base/io.h"
#include "probe/catalogue.h"
#include "probe/loader.h"
#include "probe/run_stats.h"
#include "probe/warden.h"
#include "record/cost.h"
#include "record/notes.h"

/*
 * Looks now and then at what the programs of a recording cost, and keeps the account.
 *
 * Timing each run makes it longer, so the kernel does it only in windows, less than 1 % of the time:
 * the first at once, 4 ms long, the next after half a second, then each twice as long and as late, up
 * to 20 ms every 2.5 s. Whenever something is turned on or off, it begins with short ones again.
 */

#define WINDOW_FIRST_NS (4 * NS_PER_MS)
#define WINDOW_LAST_NS (20 * NS_PER_MS)
#define WINDOW_LEAST_NS NS_PER_MS /* shorter windows say nothing */
#define PAUSES 124 /* behind a window, as long as it was: it takes 0.8 % of the time */
#define PAUSE_LAST_NS (5000 * NS_PER_MS) /* also behind one that a busy machine made long */

/* What the kernel had counted when the window began. */
struct reading {
	bool is_there;
	uint64_t runs;
	uint64_t ns;
};

struct meter {
	const struct catalogue *cat;
	const struct loader *loader;
	struct warden *warden; /* has the kernel count */
	struct cost cost;
	struct reading readings[LOADER_PROGRAMS_MAX];
	struct cost_key keys[LOADER_PROGRAMS_MAX]; /* as long as nothing is turned on or off */
	bool have_keys;
	int timer_fd;
	int stats_fd; /* the kernel counts: a window is open; -1 = none */
	uint64_t begin_ns; /* of the window that is open; 0 = none is */
	uint64_t window_ns; /* how long the next is to be */
	uint64_t pause_ns; /* behind the last one */
	uint64_t looked_ns; /* at the recorder itself, */
	uint64_t cpu_ns; /* and what it had taken */
};

/* NULL is fine. */
static void meter_close(struct meter *m)
{
	if (!m)
		return;
	fd_close(m->stats_fd);
	fd_close(m->timer_fd);
	cost_fini(&m->cost);
	free(m);
}

/* Borrows both until meter_close. -errno: no timer, or no memory. */
static int meter_open(const struct catalogue *cat, const struct loader *loader,
		      struct warden *warden, uint32_t cpus, struct meter **ret)
{
	struct meter *m = calloc(1, sizeof(*m));

	if (!m)
		return -ENOMEM;
	m->cat = cat;
	m->loader = loader;
	m->warden = warden;
	m->stats_fd = -1;
	m->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (m->timer_fd < 0) {
		int err = -errno;

		meter_close(m);
		return err;
	}
	cost_init(&m->cost, cpus, run_stats_bias_ns());
	*ret = m;
	return 0;
}

/* Readable when there is something to pump. */
static int meter_fd(const struct meter *m)
{
	return m->timer_fd;
}

/* Borrowed; changes with each pump. What the kernel does not let us see is in .denied. */
static struct cost *meter_cost(struct meter *m)
{
	return &m->cost;
}

static int wake_in(struct meter *m, uint64_t ns)
{
	struct itimerspec spec = {
		.it_value = {(time_t)(ns / NS_PER_SEC), (long)(ns % NS_PER_SEC)},
	};

	return timerfd_settime(m->timer_fd, 0, &spec, NULL) ? -errno : 0;
}

static void open_window(struct meter *m)
{
	int err = warden_run_stats(m->warden, &m->stats_fd);

	m->cost.denied = err;
	m->begin_ns = clock_monotonic_ns();
	for (size_t i = 0; !err && i < LOADER_PROGRAMS_MAX; i++) {
		struct reading *r = &m->readings[i];

		r->is_there = loader_program_runs(m->loader, i, &r->runs, &r->ns);
	}
	/* Where that is denied, the windows are still when the recorder is looked at. */
	(void)wake_in(m, m->window_ns);
}

/* The measurements that program @i makes; of a service, its name. */
static void find_key(const struct meter *m, size_t i, struct cost_key *key)
{
	const char *name, *section;
	uint64_t misses;

	*key = (struct cost_key){0};
	for (size_t j = 0; j < m->cat->count && key->count < COST_TOGETHER_MAX; j++) {
		if (loader_program_makes(m->loader, i, &m->cat->items[j]))
			key->items[key->count++] = (uint32_t)j;
	}
	if (!key->count && loader_program(m->loader, i, &name, &section, &misses))
		key->service = name;
}

/* Not in each window: where hundreds of programs run, that takes some milliseconds. */
static void find_keys(struct meter *m)
{
	for (size_t i = 0; !m->have_keys && i < LOADER_PROGRAMS_MAX; i++) {
		if (m->readings[i].is_there)
			find_key(m, i, &m->keys[i]);
	}
	m->have_keys = true;
}

static void look_at_recorder(struct meter *m, uint64_t now_ns)
{
	uint64_t cpu_ns = clock_cpu_ns();

	cost_add_recorder(&m->cost, now_ns - m->looked_ns, cpu_ns - m->cpu_ns);
	m->looked_ns = now_ns;
	m->cpu_ns = cpu_ns;
}

static int read_programs(struct meter *m)
{
	int err = 0;

	find_keys(m);
	for (size_t i = 0; !err && i < LOADER_PROGRAMS_MAX; i++) {
		const struct reading *before = &m->readings[i];
		uint64_t runs, ns;

		if (!before->is_there || !loader_program_runs(m->loader, i, &runs, &ns))
			continue;
		err = cost_add(&m->cost, &m->keys[i], runs - before->runs, ns - before->ns);
	}
	return err;
}

/* The kernel counts no more. */
static void end_window(struct meter *m)
{
	uint64_t took_ns = clock_monotonic_ns() - m->begin_ns;

	fd_close(m->stats_fd);
	m->stats_fd = -1;
	m->begin_ns = 0;
	m->pause_ns = PAUSES * took_ns < PAUSE_LAST_NS ? PAUSES * took_ns : PAUSE_LAST_NS;
}

static int close_window(struct meter *m)
{
	uint64_t now_ns = clock_monotonic_ns();
	int err = 0;

	cost_begin(&m->cost, m->cost.denied ? 0 : now_ns - m->begin_ns);
	if (!m->cost.denied)
		err = read_programs(m);
	end_window(m);
	look_at_recorder(m, now_ns);
	return err;
}

/* All is attached: the first window begins. */
static void meter_start(struct meter *m)
{
	m->looked_ns = clock_monotonic_ns();
	m->cpu_ns = clock_cpu_ns();
	m->window_ns = WINDOW_FIRST_NS;
	open_window(m);
}

/* Begins or ends a window. 1 = one has ended, and the account has it; 0, or -errno. */
static int meter_pump(struct meter *m)
{
	uint64_t times;
	int err;

	if (read(m->timer_fd, &times, sizeof(times)) != sizeof(times))
		return 0; /* it was set again by now */
	if (!m->begin_ns) {
		open_window(m);
		return 0;
	}
	err = close_window(m);
	m->window_ns = 2 * m->window_ns < WINDOW_LAST_NS ? 2 * m->window_ns : WINDOW_LAST_NS;
	return err ?: wake_in(m, m->pause_ns) ?: 1;
}

/* What runs has changed: a window that is open is thrown away. */
static void meter_restart(struct meter *m)
{
	if (m->begin_ns)
		end_window(m);
	m->have_keys = false;
	m->window_ns = WINDOW_FIRST_NS;
	(void)wake_in(m, m->pause_ns);
}

/* The last look, before all is detached: a window that is open counts as far as it came. */
static void meter_finish(struct meter *m)
{
	uint64_t now_ns = clock_monotonic_ns();

	if (!m->looked_ns)
		return; /* it never started */
	if (m->begin_ns && now_ns - m->begin_ns >= WINDOW_LEAST_NS)
		(void)close_window(m);
	else
		look_at_recorder(m, now_ns);
	meter_restart(m);
}

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
