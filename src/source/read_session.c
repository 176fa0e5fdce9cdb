// SPDX-License-Identifier: BSD-2-Clause
#include "source/read_session.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "output/columns.h"
#include "source/merged.h"
#include "source/own_terms.h"
#include "source/read_session_state.h"
#include "source/source.h"

static int fail(enum read_fault *fault, enum read_fault which, int err)
{
	if (fault)
		*fault = which;
	return err;
}

static int fail_memory(enum read_fault *fault, struct diag *diag)
{
	return fail(fault, READ_FAULT_MEMORY, diag_set(diag, -ENOMEM, "no memory"));
}

struct read_session *read_session_new(const struct read_request *request, struct output *out)
{
	struct read_session *session = calloc(1, sizeof(*session));

	if (!session)
		return NULL;
	session->request = request;
	session->out = out;
	session->sink_asks = request->sink_asks;
	session->given_ns = session->again_ns = INT64_MIN;
	select_init(&session->select);
	return session;
}

static void drop_threads(struct read_session *session)
{
	for (size_t i = 0; i < session->thread_count; i++)
		read_session_free(session->threads[i]);
	free(session->threads);
	session->threads = NULL;
	session->thread_count = 0;
	session->disorder = false;
}

/* What has been learnt. */
static void analysis_fini(struct analysis *analysis)
{
	task_names_free(analysis->names);
	known_free(analysis->known);
	disk_queues_free(analysis->queues);
	derive_view_free(analysis->derives);
	*analysis = (struct analysis){0};
}

void read_session_free(struct read_session *session)
{
	if (!session)
		return;
	drop_threads(session);
	analysis_fini(&session->view.analysis);
	sieve_fini(&session->sieve);
	where_fini(&session->where);
	select_fini(&session->select);
	if (session->source)
		session->source->ops->close(session->source);
	for (size_t i = 0; i < session->retired_count; i++)
		session->retired[i]->ops->close(session->retired[i]);
	free(session->retired);
	free(session);
}

/* What stands beside a live session is not followed. */
static int open_one(void *ctx, const char *name, struct event_source **ret, struct diag *diag)
{
	const struct read_request *request = ctx;
	const bool follow = request->follow && request->source_count == 1;

	if (request->open)
		return request->open(request->open_ctx, name, follow, ret, diag);
	return follow ? source_follow(name, ret, diag) : source_open(name, ret, diag);
}

/* All of them as one source. *@ret is set only if all went well. */
static int open_source(const struct read_request *request, struct event_source **ret,
		       enum read_fault *fault, struct diag *diag)
{
	const struct merged_opener opener = {open_one, (void *)(uintptr_t)request};
	struct event_source *source = NULL;
	int err;

	if (request->source_count > 1)
		err = merged_open(request->sources, request->source_count, &opener, &source, diag);
	else
		err = open_one(opener.ctx, request->sources[0], &source, diag);
	if (err)
		return fail(fault, READ_FAULT_SOURCE, err);
	if (request->own_terms && own_terms_add(&source)) {
		source->ops->close(source);
		return fail_memory(fault, diag);
	}
	if (request->is_stopped && source->ops->stop_when)
		source->ops->stop_when(source, request->is_stopped);
	*ret = source;
	return 0;
}

static int parse_where(struct read_session *session, enum read_fault *fault, struct diag *diag)
{
	int err = 0;

	if (session->request->where && !session->where.expr)
		err = where_parse(&session->where, session->request->where, diag);
	return err ? fail(fault, READ_FAULT_WHERE, err) : 0;
}

int read_session_open(struct read_session *session, enum read_fault *fault, struct diag *diag)
{
	int err;

	assert(session->state == READ_CLOSED);
	err = parse_where(session, fault, diag);
	err = err ?: open_source(session->request, &session->source, fault, diag);
	if (!err)
		session->state = READ_OPEN;
	return err;
}

/* A pattern that no event matches is an error if that leaves nothing to wait for. */
static int bind_select(struct read_session *session, enum read_fault *fault, struct diag *diag)
{
	const struct event_source *source = session->source;
	struct diag why = {0};
	int err = select_bind(&session->select, source->info, &why);

	session->unmatched.text[0] = '\0';
	if (err == -ENOENT && (select_any(&session->select, source->info) || source->ops->renew)) {
		session->unmatched = why;
		return 0;
	}
	if (err && diag)
		*diag = why;
	return err ? fail(fault, READ_FAULT_EVENTS, err) : 0;
}

/* Classes that cannot satisfy the expression are not shown. */
static int bind_where(struct read_session *session, enum read_fault *fault, struct diag *diag)
{
	const struct trace_info *info = session->source->info;
	int err = parse_where(session, fault, diag);

	if (err || !session->request->where)
		return err;
	err = where_bind(&session->where, info, diag);
	if (err)
		return fail(fault, READ_FAULT_WHERE, err);
	for (size_t i = 0; !session->sink_asks && i < info->class_count; i++) {
		if (info->classes[i]->role != EVENT_ROLE_LOST)
			session->select.shown[i] &=
				expr_may_match(session->where.code, info->classes[i]);
	}
	return 0;
}

/* Of the derived values, those that are shown like fields. */
static uint32_t shown_derived(const struct read_session *session)
{
	const struct trace_info *info = session->source->info;
	uint32_t known = derived_known(info), shown = 0;

	known = field_choice_derived(&session->request->fields, known);
	for (size_t i = 0; known && i < info->class_count; i++) {
		if (select_shows(&session->select, info->classes[i]))
			shown |= derived_of(info->classes[i], known);
	}
	return shown;
}

/* Takes what @learnt has, also if it fails. */
static int make_view(struct read_session *session, struct analysis *learnt)
{
	const struct read_request *request = session->request;
	const struct trace_info *info = session->source->info;
	const bool exact = field_choice_names_derived(&request->fields) || session->where.derive;
	struct analysis *analysis = &session->view.analysis;

	session->view = (struct view){
		.out = session->out,
		.fields = request->fields,
		.columns = request->columns,
		.time = request->time,
		.line = &session->line,
		.continued = session->is_thread,
	};
	session->line.kept = false;
	*analysis = (struct analysis){
		.info = info,
		.select = &session->select,
		.names = task_names_renew(learnt->names, info),
		.known = known_renew(learnt->known, info),
		.derived = (request->derives ? shown_derived(session) : 0) |
			   (request->owners && derive_knows_owners(info) ? 1u << DERIVED_OWNER : 0),
	};
	learnt->names = NULL;
	learnt->known = NULL;
	session->where.known = analysis->known;
	if (request->queues) {
		analysis->queues = disk_queues_renew(learnt->queues, info);
		learnt->queues = NULL;
	}
	if (analysis->derived) {
		analysis->derives =
			derive_view_renew(learnt->derives, info, analysis->derived, exact);
		learnt->derives = NULL;
	}
	analysis_fini(learnt);
	if (!analysis->names || !analysis->known || (request->queues && !analysis->queues) ||
	    (analysis->derived && !analysis->derives))
		return -ENOMEM;
	return 0;
}

/* What the output cannot hold is not chosen. */
static void narrow(struct read_session *session)
{
	const struct trace_info *info = session->source->info;

	for (size_t i = 0; session->request->holds && i < info->class_count; i++) {
		if (info->classes[i]->role != EVENT_ROLE_LOST)
			session->select.shown[i] &= session->request->holds(info->classes[i]);
	}
}

/* Binds the whole request to the open source. Takes over the contents of @learnt. */
static int bind(struct read_session *session, struct analysis *learnt, enum read_fault *fault,
		struct diag *diag)
{
	int err = bind_select(session, fault, diag);

	err = err ?: bind_where(session, fault, diag);
	if (!err &&
	    columns_check(&session->request->fields, session->source->info, &session->select, diag))
		err = fail(fault, READ_FAULT_FIELDS, -ENOENT);
	if (err) {
		analysis_fini(learnt);
		return err;
	}
	if (make_view(session, learnt))
		return fail_memory(fault, diag);
	narrow(session);
	session->state = READ_BOUND;
	return 0;
}

int read_session_bind(struct read_session *session, enum read_fault *fault, struct diag *diag)
{
	struct analysis nothing = {0};

	assert(session->state == READ_OPEN);
	if (select_copy(&session->select, &session->request->select))
		return fail_memory(fault, diag);
	return bind(session, &nothing, fault, diag);
}

int read_session_start(struct read_session *session)
{
	const bool asks = session->request->where && !session->sink_asks;
	int err;

	assert(session->state == READ_BOUND);
	err = sieve_init(&session->sieve, &session->view.analysis, asks ? &session->where : NULL);
	if (!err)
		session->state = READ_RUNNING;
	return err;
}

/* Reads @next from now on. The old source is closed, or kept for its classes. 0 or -ENOMEM. */
static int replace_source(struct read_session *session, struct event_source *next)
{
	struct event_source *old = session->source, **retired;

	if (session->request->keeps_classes) {
		retired =
			realloc(session->retired, (session->retired_count + 1) * sizeof(*retired));
		if (!retired)
			return -ENOMEM;
		session->retired = retired;
		retired[session->retired_count++] = old;
		if (old->ops->retire)
			old->ops->retire(old);
	} else {
		old->ops->close(old);
	}
	session->source = next;
	return 0;
}

/* The view and the sieve of before; @learnt gets what is of use to the next view. */
static void drop_view(struct read_session *session, struct analysis *learnt)
{
	*learnt = session->view.analysis;
	session->view = (struct view){0};
	sieve_fini(&session->sieve);
	session->run = (struct sieve_run){0};
	session->events = session->events_end = NULL;
}

/* Continues with the same source. */
static int continue_source(struct read_session *session, bool again, enum read_fault *fault,
			   struct diag *diag)
{
	struct event_source *source = session->source;
	struct analysis learnt;
	int err;

	drop_view(session, &learnt);
	if (again) {
		analysis_fini(&learnt);
		where_fini(&session->where);
	}
	err = source->ops->renew(source, again, diag);
	if (err) {
		analysis_fini(&learnt);
		(void)diag_prefix(diag, err, "%s", session->request->name);
		return fail(fault, READ_FAULT_SOURCE, err);
	}
	session->again_ns = INT64_MIN;
	err = bind(session, &learnt, fault, diag);
	session->unmatched.text[0] = '\0'; /* it was said before, and an event may still come */
	return err;
}

/* Opened again by its name. If that fails, the view of before stays. */
static int open_again(struct read_session *session, bool again, enum read_fault *fault,
		      struct diag *diag)
{
	struct event_source *next = NULL;
	struct analysis learnt;
	int err = open_source(session->request, &next, fault, diag);

	if (err)
		return err;
	drop_view(session, &learnt);
	analysis_fini(&learnt);
	where_fini(&session->where); /* all events that it needs come again */
	if (replace_source(session, next)) {
		next->ops->close(next);
		return fail_memory(fault, diag);
	}
	session->again_ns = again ? INT64_MIN : session->given_ns;
	return bind(session, &learnt, fault, diag);
}

int read_session_renew(struct read_session *session, bool again, enum read_fault *fault,
		       struct diag *diag)
{
	assert(session->state == READ_STALE);
	drop_threads(session);
	if (again)
		select_rewind(&session->select);
	return session->source->ops->renew ? continue_source(session, again, fault, diag) :
					     open_again(session, again, fault, diag);
}

/* How many of the events were given before the source was opened again: these only teach. */
static size_t learn_again(struct read_session *session, const struct event *events, size_t count)
{
	size_t done = 0;

	while (done < count && events[done].time_ns <= session->again_ns)
		done++;
	sieve_learn(&session->sieve, events, done);
	if (done < count)
		session->again_ns = INT64_MIN;
	return done;
}

static void note_given(struct read_session *session, const struct event *events, size_t count)
{
	int64_t given_ns = session->given_ns;

	for (size_t i = 0; session->notes_order && i < count; i++) {
		session->disorder |= events[i].time_ns < given_ns;
		given_ns = events[i].time_ns;
	}
	session->given_ns = events[count - 1].time_ns;
}

/*
 * The next events within the time that was asked for, and their count, which may be 0: 1, 0 at the end, or -errno. What
 * comes before that time is learnt from, as what is under way then.
 */
static int fetch(struct read_session *session, const struct event **ret, size_t *count)
{
	struct event_source *source = session->source;
	size_t done, first, end;
	const struct event *events;
	int got;

	if (session->state == READ_STALE)
		return -ESTALE;
	assert(session->state == READ_RUNNING);
	/* The first events tell what the times mean, and so what may be left out. */
	got = sieve_seek(&session->sieve, source) ?: source->ops->next(source, &events);
	if (got == -ESTALE) {
		session->state = READ_STALE;
		session->line.kept = true;
	}
	if (got <= 0)
		return got;
	done = learn_again(session, events, (size_t)got);
	events += done;
	*count = (size_t)got - done;
	*ret = events;
	if (!*count)
		return 1;
	note_given(session, events, *count);
	select_cut(&session->select, events, *count, &first, &end);
	sieve_learn(&session->sieve, events, first);
	*ret = events + first;
	*count = end - first;
	return 1;
}

/* What the sieve lets through. */
static int pass(struct read_session *session, struct event_sink *sink, const struct event *events,
		size_t count)
{
	struct sieve_run run;
	size_t done = 0;
	int err = 0;

	while (!err && done < count && !select_is_full(&session->select)) {
		done += sieve_next(&session->sieve, events + done, count - done, &run);
		run.count = select_count(&session->select, run.events, run.count);
		if (run.count)
			err = sink->ops->batch(sink, run.events, run.count);
	}
	return err;
}

bool read_session_is_stopped(const struct read_session *session)
{
	return session->request->is_stopped && session->request->is_stopped();
}

int read_session_pump(struct read_session *session, struct event_sink *sink, enum read_side *side)
{
	const struct event *events;
	size_t count;
	int got, err;

	*side = READ_SIDE_SOURCE;
	if (session->select.done || read_session_is_stopped(session))
		return 0;
	got = fetch(session, &events, &count);
	if (got == -EAGAIN)
		return 1;
	if (got <= 0)
		return got == -EINTR && read_session_is_stopped(session) ? 0 : got;
	err = pass(session, sink, events, count);
	*side = READ_SIDE_SINK;
	return err ? err : 1;
}

bool read_session_has_times(const struct read_session *session)
{
	return session->select.started;
}

int read_session_seek(struct read_session *session, int64_t from_ns, int64_t to_ns)
{
	assert(session->state == READ_RUNNING);
	session->select.started = true;
	session->select.done = false;
	session->select.from_ns = from_ns;
	session->select.to_ns = to_ns;
	return sieve_seek_again(&session->sieve, session->source);
}

/* The next event of the batch that it has, or NULL. */
static const struct event *take(struct read_session *session)
{
	struct sieve_run *run = &session->run;
	const struct event *event;

	for (;;) {
		while (run->count) {
			run->count--;
			event = run->events++;
			if (!analysis_takes(&session->view.analysis, event))
				continue;
			(void)select_count(&session->select, event, 1);
			return event;
		}
		if (session->events == session->events_end)
			return NULL;
		session->events += sieve_next(&session->sieve, session->events,
					      (size_t)(session->events_end - session->events), run);
	}
}

int read_session_next(struct read_session *session, const struct event **ret)
{
	const struct event *event;
	size_t count;
	int got;

	while (!(event = take(session))) {
		if (session->select.done)
			return 0;
		got = fetch(session, &session->events, &count);
		if (got <= 0)
			return got;
		session->events_end = session->events + count;
	}
	*ret = event;
	return 1;
}

const struct trace_info *read_session_info(const struct read_session *session)
{
	return session->source ? session->source->info : NULL;
}

const struct view *read_session_view(const struct read_session *session)
{
	return &session->view;
}

const struct analysis *read_session_analysis(const struct read_session *session)
{
	return &session->view.analysis;
}

struct where *read_session_where(struct read_session *session)
{
	return session->request->where ? &session->where : NULL;
}

void read_session_set_sink_asks(struct read_session *session, bool asks)
{
	assert(session->state == READ_BOUND);
	session->sink_asks = asks;
}

const char *read_session_unmatched(const struct read_session *session)
{
	return session->unmatched.text[0] ? session->unmatched.text : NULL;
}

const struct select *read_session_select(const struct read_session *session)
{
	return &session->select;
}

int64_t read_session_given_ns(const struct read_session *session)
{
	return session->given_ns;
}

const char *read_session_problem(const struct read_session *session, size_t i)
{
	return session->source ? session->source->ops->problem(session->source, i) : NULL;
}

const struct read_session *read_session_thread(const struct read_session *session, size_t i)
{
	if (!i)
		return session;
	return i <= session->thread_count ? session->threads[i - 1] : NULL;
}

bool read_session_is_disordered(const struct read_session *session)
{
	return session->disorder;
}
