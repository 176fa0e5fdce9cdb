// SPDX-License-Identifier: BSD-2-Clause
#include "record/meter.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/io.h"
#include "probe/catalogue.h"
#include "probe/loader.h"
#include "probe/run_stats.h"
#include "probe/warden.h"

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

int meter_open(const struct catalogue *cat, const struct loader *loader, struct warden *warden,
	       uint32_t cpus, struct meter **ret)
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

void meter_close(struct meter *m)
{
	if (!m)
		return;
	fd_close(m->stats_fd);
	fd_close(m->timer_fd);
	cost_fini(&m->cost);
	free(m);
}

int meter_fd(const struct meter *m)
{
	return m->timer_fd;
}

struct cost *meter_cost(struct meter *m)
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

void meter_start(struct meter *m)
{
	m->looked_ns = clock_monotonic_ns();
	m->cpu_ns = clock_cpu_ns();
	m->window_ns = WINDOW_FIRST_NS;
	open_window(m);
}

int meter_pump(struct meter *m)
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

void meter_restart(struct meter *m)
{
	if (m->begin_ns)
		end_window(m);
	m->have_keys = false;
	m->window_ns = WINDOW_FIRST_NS;
	(void)wake_in(m, m->pause_ns);
}

void meter_finish(struct meter *m)
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
