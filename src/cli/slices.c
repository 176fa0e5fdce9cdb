// SPDX-License-Identifier: BSD-2-Clause
#include "cli/slices.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <stdlib.h>

#include "base/gate.h"
#include "cli/interrupt.h"
#include "cli/reading_open.h"
#include "cli/reading_pump.h"
#include "cli/reading_state.h"

#define TRACE_MIN_BYTES (8u << 20) /* one thread is done with less before others have begun */
#define HOLD_BYTES (48u << 20) /* output that waits for its turn, of all threads */
#define SLICE_MIN_BYTES (256u << 10)
#define SLICES_MAX (1u << 20)
#define OUTPUT_FACTOR 8u /* a slice as text or JSON is some times as long */
#define SLICES_PER_JOB 4u /* where nothing has to wait: so that all end at about the same time */

struct slices;

struct worker {
	struct slices *all;
	struct reading *reading;
	struct event_sink *sink;
	struct gate_part part;
	pthread_t thread;
	bool started;
};

struct slices {
	const struct reading_verb *verb;
	void *settings;
	const struct reading *main;
	struct gate gate;
	pthread_mutex_t making; /* of sinks: settings are one for all */
	int64_t *moments; /* where slices begin, but for the first */
	size_t count; /* of slices */
	int64_t from_ns, to_ns; /* of all */
	pthread_mutex_t taking; /* of the next ones */
	size_t next; /* the next free slice */
	/* Derived values at the beginning of a slice need the events before it. So one more
	 * reading, which shows nothing, goes ahead from slice to slice. NULL: nothing is derived. */
	struct reading *scout;
	const struct event *ahead; /* events that it has and did not look at */
	size_t ahead_count;
	const char *side; /* of the first error; under the gate's lock */
};

/* As many as there are CPUs for this process. */
static unsigned int default_jobs(void)
{
	cpu_set_t *set = CPU_ALLOC(8192);
	size_t bytes = CPU_ALLOC_SIZE(8192);
	int count = 1;

	if (set && !sched_getaffinity(0, bytes, set))
		count = CPU_COUNT_S(bytes, set);
	CPU_FREE(set);
	return count < 1 ? 1 : (unsigned int)count;
}

static unsigned int jobs_of(const struct reading *reading)
{
	unsigned int jobs = reading->jobs ? reading->jobs : default_jobs();

	return jobs < READING_JOBS_MAX ? jobs : READING_JOBS_MAX;
}

bool slices_can(const struct reading_verb *verb, const void *settings,
		const struct reading *reading, const struct event_sink *sink)
{
	const struct source_ops *ops = reading->source->ops;

	return verb->can_slice && ops->seek && ops->cut && jobs_of(reading) > 1 &&
	       reading->view.analysis.info->bytes >= TRACE_MIN_BYTES && !reading->select.limit &&
	       !reading->select.done && !reading->where.derive && !reading->view.analysis.queues &&
	       !reading->out.eager && !reading->follow && verb->can_slice(settings, sink);
}

/* The moments at which a slice begins and ends. */
static void slice_bounds(const struct slices *all, size_t i, int64_t *from_ns, int64_t *to_ns)
{
	*from_ns = i ? all->moments[i - 1] : all->from_ns;
	*to_ns = i + 1 < all->count ? all->moments[i] - 1 : all->to_ns;
}

static void stop(struct worker *worker, int err, const char *side)
{
	struct slices *all = worker->all;

	(void)pthread_mutex_lock(&all->gate.lock);
	if (!all->gate.closed)
		all->side = side;
	(void)pthread_mutex_unlock(&all->gate.lock);
	gate_close(&all->gate, err);
}

/* The scout learns from all events before @until_ns. */
static int scout_until(struct slices *all, int64_t until_ns)
{
	struct event_source *source = all->scout->source;
	int got;

	for (;;) {
		for (; all->ahead_count && all->ahead->time_ns < until_ns; all->ahead_count--)
			derive_view_follow(all->scout->view.analysis.derives, all->ahead++,
					   &all->scout->select);
		if (all->ahead_count || interrupt_seen())
			return 0;
		got = source->ops->next(source, &all->ahead);
		if (got <= 0)
			return got == -EINTR ? 0 : got;
		all->ahead_count = (size_t)got;
	}
}

/* Whether what the first slice needs is known from the events that the main reading was given before. */
static bool knows_first(const struct slices *all)
{
	return all->main->given_ns >= all->from_ns;
}

/* The next slice, its number in *@ret, and what is under way at its beginning. */
static int take_slice(struct worker *worker, size_t *ret)
{
	struct slices *all = worker->all;
	int64_t from_ns, to_ns;
	int err = 0;
	size_t i;

	(void)pthread_mutex_lock(&all->taking);
	i = *ret = all->next++;
	if (all->scout && i < all->count && (i || !knows_first(all))) {
		slice_bounds(all, i, &from_ns, &to_ns);
		err = scout_until(all, from_ns) ?:
			      derive_copy(worker->reading->view.analysis.derives->derive,
					  all->scout->view.analysis.derives->derive);
	}
	(void)pthread_mutex_unlock(&all->taking);
	return err;
}

static int read_slice(struct worker *worker, size_t i, const char **side)
{
	struct reading *reading = worker->reading;
	bool ordered = !worker->all->verb->add;
	int64_t from_ns, to_ns;
	int err;

	worker->part.number = i;
	slice_bounds(worker->all, i, &from_ns, &to_ns);
	*side = reading->name;
	err = reading_pump_seek(reading, from_ns, to_ns);
	err = err ? err : reading_pump(reading, worker->sink, side);
	if (err || !ordered)
		return err;
	*side = "output";
	err = output_flush(&reading->out);
	return err ? err : gate_end(&worker->part);
}

/* From slice @i on, which is taken. */
static void read_slices(struct worker *worker, size_t i)
{
	const char *side = "output";

	while (i < worker->all->count) {
		int err = read_slice(worker, i, &side);

		err = err ?: take_slice(worker, &i);
		if (err || interrupt_seen()) {
			stop(worker, err == -ECANCELED ? 0 : err, side);
			return;
		}
	}
}

static int put(struct output *out, const void *bytes, size_t len)
{
	struct reading *reading = (struct reading *)((char *)out - offsetof(struct reading, out));

	return gate_put(reading->part, bytes, len);
}

static int make_sink(struct worker *worker)
{
	struct slices *all = worker->all;

	(void)pthread_mutex_lock(&all->making);
	worker->sink = reading_make_sink(all->verb, all->settings, worker->reading, NULL);
	(void)pthread_mutex_unlock(&all->making);
	return worker->sink ? 0 : -ENOMEM;
}

/* What is derived at the beginning of each slice comes from the scout: nothing before it has to be read. */
static void leave_to_scout(struct reading *reading)
{
	if (reading->view.analysis.derives)
		reading->view.analysis.derives->exact = false;
}

static void *work(void *arg)
{
	struct worker *worker = arg;
	struct slices *all = worker->all;
	size_t i;
	int err;

	/* That the main reading could be opened and this one cannot: the others will do without it. */
	if (reading_open_again(worker->reading, all->main) || make_sink(worker))
		return NULL;
	worker->reading->out.put = put;
	worker->reading->part = &worker->part;
	leave_to_scout(worker->reading);
	err = take_slice(worker, &i);
	if (err)
		stop(worker, err, all->main->name);
	else
		read_slices(worker, i);
	return NULL;
}

/* Cuts what is left of the time asked for. */
static int cut(struct slices *all, struct reading *reading, unsigned int jobs)
{
	const struct source_ops *ops = reading->source->ops;
	uint64_t total = reading->view.analysis.info->bytes,
		 bytes = total / (jobs * SLICES_PER_JOB);
	size_t room, got, kept = 0;

	if (!all->verb->add && bytes > HOLD_BYTES / jobs / OUTPUT_FACTOR)
		bytes = HOLD_BYTES / jobs / OUTPUT_FACTOR;
	if (bytes < SLICE_MIN_BYTES)
		bytes = SLICE_MIN_BYTES;
	room = total / bytes < SLICES_MAX ? (size_t)(total / bytes) + 64 : SLICES_MAX;
	all->moments = calloc(room, sizeof(*all->moments));
	if (!all->moments)
		return -ENOMEM;
	got = ops->cut(reading->source, bytes, all->moments, room);
	for (size_t i = 0; i < got; i++)
		if (all->moments[i] > reading->given_ns && all->moments[i] > all->from_ns &&
		    all->moments[i] <= all->to_ns)
			all->moments[kept++] = all->moments[i];
	all->count = kept + 1;
	return 0;
}

/* The last worker, which is the first to begin, uses the existing reading and sink. */
static int run_workers(struct worker *workers, unsigned int jobs)
{
	struct worker *own = &workers[jobs - 1];
	size_t first;
	int err;

	leave_to_scout(own->reading);
	err = take_slice(own, &first);
	if (err)
		return err;
	for (unsigned int i = 0; i < jobs - 1; i++)
		workers[i].started = !pthread_create(&workers[i].thread, NULL, work, &workers[i]);
	own->reading->out.put = put;
	own->reading->part = &own->part;
	read_slices(own, first);
	for (unsigned int i = 0; i < jobs - 1; i++)
		if (workers[i].started)
			(void)pthread_join(workers[i].thread, NULL);
	own->reading->out.put = NULL;
	own->reading->part = NULL;
	return 0;
}

/* What a worker has counted becomes that of the main reading. */
static void collect(const struct slices *all, struct reading *reading, struct event_sink *sink,
		    struct worker *worker)
{
	if (worker->sink && all->verb->add && !all->verb->add(sink, worker->sink))
		reading->disorder = true;
	reading->select.matched += worker->reading->select.matched;
	reading->select.lost += worker->reading->select.lost;
	reading->select.overwritten += worker->reading->select.overwritten;
	reading->disorder |= worker->reading->disorder;
	if (worker->sink)
		worker->sink->ops->free(worker->sink);
}

static int make_workers(struct slices *all, struct reading *reading, struct event_sink *sink,
			unsigned int jobs, struct worker **ret)
{
	struct worker *workers = calloc(jobs, sizeof(*workers));

	reading->others = calloc(jobs - 1, sizeof(*reading->others));
	if (!workers || !reading->others) {
		free(workers);
		return -ENOMEM;
	}
	reading->other_count = jobs - 1;
	for (unsigned int i = 0; i < jobs; i++) {
		workers[i].all = all;
		workers[i].reading = i < jobs - 1 ? &reading->others[i] : reading;
		workers[i].sink = i < jobs - 1 ? NULL : sink;
		workers[i].part.gate = &all->gate;
		buffer_init(&workers[i].part.held);
	}
	*ret = workers;
	return 0;
}

static void fini_scout(struct slices *all)
{
	if (all->scout)
		reading_fini(all->scout);
	free(all->scout);
}

/* 0 or -errno. fini_scout is due in both cases. */
static int init_scout(struct slices *all, const struct reading *reading)
{
	const struct derive_view *derives = reading->view.analysis.derives;
	const struct source_span span = {all->from_ns, all->to_ns, NULL};
	struct event_source *source;

	if (!derives)
		return 0;
	all->scout = calloc(1, sizeof(*all->scout));
	if (!all->scout || reading_open_again(all->scout, reading) ||
	    !all->scout->view.analysis.derives)
		return -ENOMEM;
	all->scout->select.from_ns = all->from_ns;
	source = all->scout->source;
	return derives->exact ? 0 : source->ops->seek(source, &span);
}

/* What names are at the end is what totals are shown with. */
static int learn_rest(struct reading *reading, struct event_sink *sink, int64_t to_ns,
		      const char **side)
{
	int err = reading_pump_seek(reading, INT64_MAX, to_ns);

	*side = reading->name;
	return err ? err : reading_pump(reading, sink, side);
}

int slices_run(const struct reading_verb *verb, void *settings, struct reading *reading,
	       struct event_sink *sink, const char **side)
{
	unsigned int jobs = jobs_of(reading);
	struct slices all = {
		.verb = verb,
		.settings = settings,
		.main = reading,
		.from_ns = reading->select.from_ns,
		.to_ns = reading->select.to_ns,
		.side = "output",
	};
	struct worker *workers = NULL;
	int err;

	gate_init(&all.gate, reading->out.fd, HOLD_BYTES / jobs);
	(void)pthread_mutex_init(&all.making, NULL);
	(void)pthread_mutex_init(&all.taking, NULL);
	*side = reading->name;
	err = cut(&all, reading, jobs);
	if (!err && all.count < jobs)
		jobs = (unsigned int)all.count;
	if (!err && jobs > 1)
		err = make_workers(&all, reading, sink, jobs, &workers) ?:
									  init_scout(&all, reading);
	if (!err && workers)
		err = run_workers(workers, jobs);
	if (!err && workers) {
		for (unsigned int i = 0; i < jobs; i++) {
			if (i < jobs - 1)
				collect(&all, reading, sink, &workers[i]);
			buffer_fini(&workers[i].part.held);
		}
		*side = all.side;
		err = all.gate.err;
		if (!err && verb->add && !reading->disorder)
			err = learn_rest(reading, sink, all.to_ns, side);
		if (!err && verb->add && reading->disorder) {
			reading->jobs = 1;
			err = -ESTALE;
		}
	} else if (!err) {
		err = reading_pump(reading, sink, side);
	}
	free(workers);
	free(all.moments);
	fini_scout(&all);
	(void)pthread_mutex_destroy(&all.making);
	(void)pthread_mutex_destroy(&all.taking);
	gate_fini(&all.gate);
	return err;
}
