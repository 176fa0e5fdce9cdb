// SPDX-License-Identifier: BSD-2-Clause
#include "source/slices.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <stdlib.h>

#include "base/gate.h"
#include "base/io.h"
#include "source/read_session_state.h"

#define JOBS_MAX 16u /* threads */
#define TRACE_MIN_BYTES (8u << 20) /* one thread is done with less before others have begun */
#define CLASS_BYTES \
	(16u << 10) /* as much is read while a thread describes one more class for itself */
#define HOLD_BYTES (48u << 20) /* output that waits for its turn, of all threads */
#define SLICE_MIN_BYTES (256u << 10)
#define SLICES_MAX (1u << 20)
#define OUTPUT_FACTOR 8u /* a slice as text or JSON is some times as long */
#define SLICES_PER_JOB 4u /* where nothing has to wait: so that all end at about the same time */

struct slices;

struct worker {
	struct slices *all;
	struct read_session *session;
	struct output out; /* of a session that is made here */
	struct event_sink *sink;
	struct gate_part part;
	pthread_t thread;
	bool started;
};

struct slices {
	const struct slice_sinks *sinks;
	const struct read_session *main;
	struct gate gate;
	pthread_mutex_t making; /* of sinks: their settings are one for all */
	int64_t *moments; /* where slices begin, but for the first */
	size_t count; /* of slices */
	int64_t from_ns, to_ns; /* of all */
	pthread_mutex_t taking; /* of the next ones */
	size_t next; /* the next free slice */
	/* Derived values at the beginning of a slice need the events before it, and lines of text those that are shown
	 * before it. So one more session, which shows nothing, goes ahead from slice to slice. NULL: nothing is
	 * derived, and then each line ends with its event. */
	struct read_session *scout;
	const struct event *ahead; /* events that it has and did not look at */
	size_t ahead_count;
	struct call_line last_line; /* behind the last slice */
	enum read_side side; /* of the first error; under the gate's lock */
};

/* Whether others still find work once they have described the classes. */
static bool is_large(const struct trace_info *info)
{
	return info->bytes >= TRACE_MIN_BYTES + (uint64_t)info->class_count * CLASS_BYTES;
}

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

static unsigned int jobs_of(const struct read_session *session)
{
	unsigned int jobs = session->request->jobs ? session->request->jobs : default_jobs();

	if (session->alone)
		return 1;
	return jobs < JOBS_MAX ? jobs : JOBS_MAX;
}

bool slices_can(const struct read_session *session)
{
	const struct source_ops *ops = session->source->ops;

	return ops->seek && ops->cut && jobs_of(session) > 1 &&
	       is_large(session->view.analysis.info) && !session->select.limit &&
	       !session->select.done && !session->where.derive && !session->view.analysis.queues &&
	       session->out && !session->out->eager && !session->request->follow;
}

/* The moments at which a slice begins and ends. */
static void slice_bounds(const struct slices *all, size_t i, int64_t *from_ns, int64_t *to_ns)
{
	*from_ns = i ? all->moments[i - 1] : all->from_ns;
	*to_ns = i + 1 < all->count ? all->moments[i] - 1 : all->to_ns;
}

static void stop(struct worker *worker, int err, enum read_side side)
{
	struct slices *all = worker->all;

	(void)pthread_mutex_lock(&all->gate.lock);
	if (!all->gate.closed)
		all->side = side;
	(void)pthread_mutex_unlock(&all->gate.lock);
	gate_close(&all->gate, err);
}

static bool scout_shows(struct read_session *scout, const struct event *event)
{
	return event->time_ns >= scout->select.from_ns && event->time_ns <= scout->select.to_ns &&
	       select_shows(&scout->select, event->class) && !sieve_hides(&scout->sieve, event);
}

/* As the views do with @event, whether the expression lets it through or not. */
static void scout_ask(struct read_session *scout, const struct event *event)
{
	struct sieve_run run;

	if (event->time_ns < scout->select.from_ns) {
		sieve_learn(&scout->sieve, event, 1);
		return;
	}
	(void)sieve_next(&scout->sieve, event, 1, &run);
	if (!run.count)
		return;
	analysis_learn(&scout->view.analysis, event);
	if (scout_shows(scout, event))
		call_line_follow(&scout->line, &scout->view, event);
}

/* Of events that all go through: only the last one that is shown says how its line ends. */
static void scout_learn(struct read_session *scout, const struct event *events, size_t count)
{
	for (size_t i = 0; i < count; i++)
		derive_view_follow(scout->view.analysis.derives, &events[i], &scout->select);
	while (count && !scout_shows(scout, &events[count - 1]))
		count--;
	if (count)
		call_line_follow(&scout->line, &scout->view, &events[count - 1]);
}

/* The scout learns from all events before @until_ns. */
static int scout_until(struct slices *all, int64_t until_ns)
{
	struct event_source *source = all->scout->source;
	int got;

	for (;;) {
		size_t count = 0;

		while (count < all->ahead_count && all->ahead[count].time_ns < until_ns)
			count++;
		if (all->scout->sieve.open)
			scout_learn(all->scout, all->ahead, count);
		for (size_t i = 0; !all->scout->sieve.open && i < count; i++)
			scout_ask(all->scout, &all->ahead[i]);
		all->ahead += count;
		all->ahead_count -= count;
		if (all->ahead_count || read_session_is_stopped(all->scout))
			return 0;
		got = source->ops->next(source, &all->ahead);
		if (got <= 0)
			return got == -EINTR ? 0 : got;
		all->ahead_count = (size_t)got;
	}
}

/* Whether what the first slice needs is known from the events that the main session was given before. */
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
			      derive_copy(worker->session->view.analysis.derives->derive,
					  all->scout->view.analysis.derives->derive);
		worker->session->line = all->scout->line;
	}
	(void)pthread_mutex_unlock(&all->taking);
	return err;
}

/* Until the source, or the time that was sought, ends. */
static int pump_all(struct read_session *session, struct event_sink *sink, enum read_side *side)
{
	int more = 1;

	while (more > 0)
		more = read_session_pump(session, sink, side);
	return more;
}

static int read_slice(struct worker *worker, size_t i, enum read_side *side)
{
	struct read_session *session = worker->session;
	bool ordered = !worker->all->sinks->add;
	int64_t from_ns, to_ns;
	int err;

	worker->part.number = i;
	slice_bounds(worker->all, i, &from_ns, &to_ns);
	*side = READ_SIDE_SOURCE;
	err = read_session_seek(session, from_ns, to_ns);
	err = err ? err : pump_all(session, worker->sink, side);
	if (err || !ordered)
		return err;
	*side = READ_SIDE_SINK;
	if (i + 1 == worker->all->count)
		worker->all->last_line = session->line;
	err = output_flush(session->out);
	return err ? err : gate_end(&worker->part);
}

/* From slice @i on, which is taken. */
static void read_slices(struct worker *worker, size_t i)
{
	enum read_side side = READ_SIDE_SINK;

	while (i < worker->all->count) {
		int err = read_slice(worker, i, &side);

		err = err ?: take_slice(worker, &i);
		if (err || read_session_is_stopped(worker->session)) {
			stop(worker, err == -ECANCELED ? 0 : err, side);
			return;
		}
	}
}

static int put(void *part, const void *bytes, size_t len)
{
	return gate_put(part, bytes, len);
}

/* The worker's output goes through the gate, in the order of the slices. */
static void lead_through_gate(struct worker *worker)
{
	worker->session->out->put = put;
	worker->session->out->put_ctx = &worker->part;
	worker->session->notes_order = true;
}

static void lead_past_gate(struct worker *worker)
{
	worker->session->out->put = NULL;
	worker->session->out->put_ctx = NULL;
	worker->session->notes_order = false;
}

static int open_thread(struct read_session *session)
{
	int err = read_session_open(session, NULL, NULL);

	return err ?: read_session_bind(session, NULL, NULL);
}

static int make_sink(struct worker *worker)
{
	const struct slice_sinks *sinks = worker->all->sinks;

	(void)pthread_mutex_lock(&worker->all->making);
	worker->sink = sinks->make(sinks->ctx, worker->session);
	(void)pthread_mutex_unlock(&worker->all->making);
	return worker->sink ? read_session_start(worker->session) : -ENOMEM;
}

/* What is derived at the beginning of each slice comes from the scout: nothing before it has to be read. */
static void leave_to_scout(struct read_session *session)
{
	if (session->view.analysis.derives)
		session->view.analysis.derives->exact = false;
}

static void *work(void *arg)
{
	struct worker *worker = arg;
	size_t i;
	int err;

	/* That the main session could be opened and this one cannot: the others will do without it. */
	if (open_thread(worker->session) || make_sink(worker))
		return NULL;
	lead_through_gate(worker);
	leave_to_scout(worker->session);
	err = take_slice(worker, &i);
	if (err)
		stop(worker, err, READ_SIDE_SOURCE);
	else
		read_slices(worker, i);
	return NULL;
}

/* Cuts what is left of the time asked for. */
static int cut(struct slices *all, struct read_session *session, unsigned int jobs)
{
	const struct source_ops *ops = session->source->ops;
	uint64_t total = session->view.analysis.info->bytes,
		 bytes = total / (jobs * SLICES_PER_JOB);
	size_t room, got, kept = 0;

	if (!all->sinks->add && bytes > HOLD_BYTES / jobs / OUTPUT_FACTOR)
		bytes = HOLD_BYTES / jobs / OUTPUT_FACTOR;
	if (bytes < SLICE_MIN_BYTES)
		bytes = SLICE_MIN_BYTES;
	room = total / bytes < SLICES_MAX ? (size_t)(total / bytes) + 64 : SLICES_MAX;
	all->moments = calloc(room, sizeof(*all->moments));
	if (!all->moments)
		return -ENOMEM;
	got = ops->cut(session->source, bytes, all->moments, room);
	for (size_t i = 0; i < got; i++)
		if (all->moments[i] > session->given_ns && all->moments[i] > all->from_ns &&
		    all->moments[i] <= all->to_ns)
			all->moments[kept++] = all->moments[i];
	all->count = kept + 1;
	return 0;
}

/* The last worker, which is the first to begin, uses the existing session and sink. */
static int run_workers(struct worker *workers, unsigned int jobs)
{
	struct worker *own = &workers[jobs - 1];
	size_t first;
	int err;

	leave_to_scout(own->session);
	err = take_slice(own, &first);
	if (err)
		return err;
	for (unsigned int i = 0; i < jobs - 1; i++)
		workers[i].started = !pthread_create(&workers[i].thread, NULL, work, &workers[i]);
	lead_through_gate(own);
	read_slices(own, first);
	for (unsigned int i = 0; i < jobs - 1; i++)
		if (workers[i].started)
			(void)pthread_join(workers[i].thread, NULL);
	lead_past_gate(own);
	own->session->line = own->all->last_line;
	return 0;
}

/* What a worker has counted becomes that of the main session. */
static void collect(const struct slices *all, struct read_session *session, struct event_sink *sink,
		    struct worker *worker)
{
	struct read_session *own = worker->session;

	if (worker->sink && all->sinks->add && !all->sinks->add(sink, worker->sink))
		session->disorder = true;
	session->select.matched += own->select.matched;
	session->select.lost += own->select.lost;
	session->select.overwritten += own->select.overwritten;
	session->disorder |= own->disorder;
	if (worker->sink)
		worker->sink->ops->free(worker->sink);
	own->out = own->view.out = NULL; /* the worker's */
}

/* One more session for the same, CLOSED yet. NULL: no memory. */
static struct read_session *new_thread(const struct read_session *session, struct output *out)
{
	struct read_session *thread = read_session_new(session->request, out);

	if (thread)
		thread->is_thread = true;
	return thread;
}

/* The last is that of @session itself. */
static int make_workers(struct slices *all, struct read_session *session, struct event_sink *sink,
			unsigned int jobs, struct worker **ret)
{
	struct worker *workers = calloc(jobs, sizeof(*workers));

	session->threads = calloc(jobs - 1, sizeof(*session->threads));
	if (!workers || !session->threads) {
		free(workers);
		return -ENOMEM;
	}
	*ret = workers;
	for (unsigned int i = 0; i < jobs; i++) {
		workers[i] = (struct worker){.all = all, .part.gate = &all->gate};
		buffer_init(&workers[i].part.held);
	}
	workers[jobs - 1].session = session;
	workers[jobs - 1].sink = sink;
	for (unsigned int i = 0; i < jobs - 1; i++) {
		output_init(&workers[i].out, session->out->fd, false);
		workers[i].session = new_thread(session, &workers[i].out);
		if (!workers[i].session)
			return -ENOMEM;
		session->threads[session->thread_count++] = workers[i].session;
	}
	return 0;
}

/* 0 or -errno. The scout is to be freed in both cases. */
static int init_scout(struct slices *all, const struct read_session *session)
{
	const struct derive_view *derives = session->view.analysis.derives;

	if (!derives)
		return 0;
	all->scout = new_thread(session, NULL);
	if (!all->scout || open_thread(all->scout) || !all->scout->view.analysis.derives ||
	    read_session_start(all->scout))
		return -ENOMEM;
	return read_session_seek(all->scout, all->from_ns, all->to_ns);
}

/* What names are at the end is what totals are shown with. */
static int learn_rest(struct read_session *session, struct event_sink *sink, int64_t to_ns,
		      enum read_side *side)
{
	int err = read_session_seek(session, INT64_MAX, to_ns);

	*side = READ_SIDE_SOURCE;
	return err ? err : pump_all(session, sink, side);
}

/* The sessions of the other threads stay, without an output. */
static void free_workers(struct worker *workers, unsigned int jobs)
{
	for (unsigned int i = 0; workers && i < jobs; i++) {
		buffer_fini(&workers[i].part.held);
		output_fini(&workers[i].out);
	}
	free(workers);
}

/* All slices, by workers that are there. 0 or -errno, and @side. */
static int read_all(struct slices *all, struct read_session *session, struct event_sink *sink,
		    struct worker *workers, unsigned int jobs, enum read_side *side)
{
	int err = init_scout(all, session) ?: run_workers(workers, jobs);

	if (err)
		return err;
	for (unsigned int i = 0; i < jobs - 1; i++)
		collect(all, session, sink, &workers[i]);
	*side = all->side;
	if (all->gate.err || !all->sinks->add)
		return all->gate.err;
	if (!session->disorder)
		return learn_rest(session, sink, all->to_ns, side);
	session->alone = true;
	session->state = READ_STALE;
	return -ESTALE;
}

int slices_run(struct read_session *session, struct event_sink *sink,
	       const struct slice_sinks *sinks, enum read_side *side)
{
	unsigned int jobs = jobs_of(session);
	struct slices all = {
		.sinks = sinks,
		.main = session,
		.from_ns = session->select.from_ns,
		.to_ns = session->select.to_ns,
		.side = READ_SIDE_SINK,
	};
	struct worker *workers = NULL;
	int err;

	gate_init(&all.gate, session->out->fd, HOLD_BYTES / jobs);
	(void)pthread_mutex_init(&all.making, NULL);
	(void)pthread_mutex_init(&all.taking, NULL);
	*side = READ_SIDE_SOURCE;
	err = cut(&all, session, jobs);
	if (!err && all.count < jobs)
		jobs = (unsigned int)all.count;
	if (!err && jobs > 1)
		err = make_workers(&all, session, sink, jobs, &workers) ?:
			      read_all(&all, session, sink, workers, jobs, side);
	else if (!err)
		err = pump_all(session, sink, side);
	free_workers(workers, jobs);
	free(all.moments);
	read_session_free(all.scout);
	(void)pthread_mutex_destroy(&all.making);
	(void)pthread_mutex_destroy(&all.taking);
	gate_fini(&all.gate);
	return err;
}
