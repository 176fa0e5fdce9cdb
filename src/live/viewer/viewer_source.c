// SPDX-License-Identifier: BSD-2-Clause
#include "live/viewer/viewer_source.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/diag.h"
#include "ctf/trace_class.h"
#include "live/access/credentials.h"
#include "live/proto/live_url.h"
#include "live/viewer/viewer.h"
#include "live/viewer/viewer_dial.h"
#include "live/viewer/viewer_feed.h"
#include "live/viewer/viewer_list.h"
#include "live/viewer/viewer_outlet.h"
#include "live/viewer/viewer_set.h"
#include "live/viewer/viewer_trace.h"
#include "schema/lost.h"
#include "schema/source.h"
#include "schema/trace_info.h"
#include "symbol/symbols.h"
#include "trace/merge.h"
#include "trace/merged_info.h"

/*
 * What the traces of a live session tell of themselves, as one; their classes are not copied,
 * but numbered through (ctf_trace_class_place).
 */

struct viewer_info {
	struct trace_info info;
	struct merged_info merged; /* of several */
	struct problem_list breaches; /* of all */
	const struct event_class **classes;
};

static const struct event_class *const no_classes[] = {&lost_class};

/* Of none yet. */
static void viewer_info_init(struct viewer_info *of)
{
	*of = (struct viewer_info){.info = {.class_count = 1, .classes = no_classes}};
}

static void viewer_info_fini(struct viewer_info *of)
{
	if (of->merged.parts)
		merged_info_fini(&of->merged);
	problem_list_fini(&of->breaches);
	free(of->classes);
}

static struct trace_info info_of(const struct ctf_trace_class *trace)
{
	return (struct trace_info){
		.class_count = trace->class_count,
		.classes = trace->classes,
		.env_count = trace->env_count,
		.env = trace->env,
		.stream_count = trace->stream_count,
		.streams = trace->kinds,
		.clock = trace->clock,
	};
}

/* The traces' own classes under the numbers of the whole. */
static int number(struct viewer_info *of, struct ctf_trace_class *const *traces)
{
	const struct merged_info *merged = &of->merged;
	size_t first = 1;

	of->classes = calloc(merged->info.class_count, sizeof(*of->classes));
	if (!of->classes)
		return -ENOMEM;
	of->classes[0] = &lost_class;
	for (size_t i = 0; i < merged->part_count; i++) {
		const struct ctf_trace_class *trace = traces[i];

		ctf_trace_class_place(traces[i], first, merged->parts[i].first_stream);
		for (size_t j = 1; j < trace->class_count; j++)
			of->classes[first++] = trace->classes[j];
	}
	return 0;
}

static int set_many(struct viewer_info *of, struct ctf_trace_class *const *traces, size_t count)
{
	struct trace_info *infos = calloc(count, sizeof(*infos));
	const struct trace_info **each = calloc(count, sizeof(*each));
	int err = infos && each ? 0 : -ENOMEM;

	for (size_t i = 0; i < count && !err; i++) {
		infos[i] = info_of(traces[i]);
		each[i] = &infos[i];
	}
	err = err ?: merged_info_init(&of->merged, each, count);
	err = err ?: number(of, traces);
	free(infos);
	free(each);
	if (err)
		return err;
	of->info = of->merged.info;
	of->info.classes = of->classes;
	return 0;
}

/* Tells of these @count traces from here on, which are borrowed; `symbols`, `gaps`, `end` and `packets` stay. 0 or -ENOMEM. */
static int viewer_info_set(struct viewer_info *of, struct ctf_trace_class *const *traces,
			   size_t count)
{
	const struct trace_end *end = of->info.end;
	const struct trace_gaps *gaps = of->info.gaps;
	struct symbols *symbols = of->info.symbols;
	uint64_t packets = of->info.packets;
	int err = 0;

	viewer_info_fini(of);
	viewer_info_init(of);
	for (size_t i = 0; i < count; i++)
		ctf_trace_class_place(traces[i], 1, 0);
	if (count == 1)
		of->info = info_of(traces[0]);
	else if (count)
		err = set_many(of, traces, count);
	for (size_t i = 0; i < count; i++)
		problem_list_take(&of->breaches, &traces[i]->breaches, &(size_t){0}, NULL);
	of->info.breaches = &of->breaches;
	of->info.end = end;
	of->info.symbols = symbols;
	of->info.gaps = gaps;
	of->info.packets = packets;
	return err;
}

#define STEP_NS (100 * NS_PER_MS)
#define BACK_OFF_MIN_NS (100 * NS_PER_MS)
#define BACK_OFF_MAX_NS (5 * NS_PER_SEC)
/* A session that is not there when a relay is back may be about to come back as well. */
#define ABSENT_NS (10 * NS_PER_SEC)
/* lttng-relayd from 2.14 on keeps streams of processes that have ended until viewers have had all of them. */
#define MINOR_KEEPS_STREAMS 14u

struct viewer_source {
	struct event_source source; /* first: the vtable's functions get this */
	struct live_url url;
	struct viewer_options options;
	struct credentials credentials;
	struct viewer_info info;
	struct trace_gaps gaps; /* of all traces: a loss in one makes others unknown, too */
	struct viewer *viewer; /* NULL: the connection is lost */
	struct viewer_dial *dial; /* another one, in progress; NULL: none */
	struct viewer_feed *feed;
	struct viewer_set *set; /* that it fills */
	struct merge *merge;
	struct problem_list problems;
	struct trace_end end; /* what is missing, as far as known */
	uint32_t relay_minor; /* of the last relay that it was attached at */
	uint64_t step_ns; /* the longest that a caller waits */
	bool final; /* nothing more comes from the relay */
	bool over; /* as the session has ended */
	bool gap; /* what came before it was attached, or between two connections, was not received */
	uint64_t lost_ns; /* when the connection was */
	uint64_t absent_ns; /* since when the relay has not had the session; 0 = it was not there itself */
	uint64_t try_ns; /* to connect again, not before */
	uint64_t back_off_ns;
};

/* By @viewer, which it takes. 0 or -errno with the diag. */
static int attach(struct viewer_source *vs, struct viewer *viewer, uint32_t seek, struct diag *diag)
{
	int err = viewer_feed_attach(vs->feed, viewer, &vs->url, seek, diag);

	if (err)
		viewer_free(viewer);
	else
		vs->viewer = viewer;
	if (!err)
		vs->relay_minor = viewer_relay_minor(viewer);
	return err;
}

/* Once. Nothing that such a relay sends shows whether streams are missing. */
static void tell_missing(struct viewer_source *vs)
{
	if (vs->relay_minor >= MINOR_KEEPS_STREAMS || problem_list_get(&vs->end.missing, 0))
		return;
	if (vs->set->by_process)
		problem_list_add(&vs->end.missing,
				 "events may be missing: processes have buffers of their own "
				 "(--buffers-pid), and lttng-relayd before 2.14 drops what they "
				 "recorded just before they ended");
	else if (vs->final && !vs->set->has_streams)
		problem_list_add(
			&vs->end.missing,
			"events may be missing: the relay announced no stream, and "
			"lttng-relayd before 2.14 announces none of a process that has ended "
			"(--buffers-pid)");
}

/* Judged again for each reading: missing packets are found again. */
static void judge(struct viewer_source *vs)
{
	problem_list_fini(&vs->end.missing);
	problem_list_init(&vs->end.missing);
	viewer_outlet_judge(vs->set, !vs->gap, &vs->end);
}

/* What was received is all there will be. */
static void finalize(struct viewer_source *vs)
{
	vs->final = true;
	if (vs->over)
		judge(vs);
	tell_missing(vs);
	merge_look(vs->merge, false);
	merge_until(vs->merge, INT64_MAX);
}

/* The connection is of no more use. */
static void lose(struct viewer_source *vs, int err, const struct diag *diag)
{
	const bool lied = err == -EBADMSG || err == -E2BIG || err == -EPROTO;

	viewer_feed_break(vs->feed);
	viewer_free(vs->viewer);
	vs->viewer = NULL;
	vs->lost_ns = clock_monotonic_ns();
	vs->absent_ns = 0;
	vs->back_off_ns = BACK_OFF_MIN_NS;
	vs->try_ns = vs->lost_ns;
	if (lied || vs->options.no_reconnect) {
		problem_list_add(&vs->problems, "%s", diag->text);
		finalize(vs);
	} else {
		problem_list_add(&vs->problems, "%s; trying to connect again", diag->text);
	}
}

/* Whether there is any use in another try, after one has failed with @err. */
static bool may_return(struct viewer_source *vs, int err, uint64_t now_ns)
{
	if (err == -ENOENT && !vs->absent_ns)
		vs->absent_ns = now_ns;
	if (err == -ENOENT)
		return now_ns - vs->absent_ns < ABSENT_NS;
	return err != -EACCES && err != -EBADMSG && err != -E2BIG && err != -EPROTO &&
	       err != -ENOTSUP;
}

/* One try to connect again, when it is time; -EAGAIN: it is not, or is under way. */
static int try_again(struct viewer_source *vs, struct diag *diag)
{
	struct viewer *viewer;
	int err;

	if (!vs->dial && clock_monotonic_ns() >= vs->try_ns)
		vs->dial = viewer_dial_new(&vs->url, &vs->credentials);
	if (!vs->dial || !viewer_dial_is_done(vs->dial))
		return -EAGAIN;
	err = viewer_dial_take(vs->dial, &viewer, diag);
	vs->dial = NULL;
	return err ?: attach(vs, viewer, LIVE_SEEK_LAST, diag);
}

/* The same, or a short wait, and what follows. */
static void reconnect(struct viewer_source *vs)
{
	const struct timespec pause = {0, (long)vs->step_ns};
	struct diag diag = {0};
	uint64_t now_ns;
	char text[32];
	int err = try_again(vs, &diag);

	if (err == -EAGAIN) {
		(void)nanosleep(&pause, NULL); /* cut short by a signal: the caller's business */
		return;
	}
	now_ns = clock_monotonic_ns();
	if (!err) {
		vs->gap = true;
		problem_list_add(
			&vs->problems,
			"connected again after %s: what the relay had in between is missing",
			duration_format(text, sizeof(text), now_ns - vs->lost_ns));
		return;
	}
	if (!may_return(vs, err, now_ns)) {
		problem_list_add(&vs->problems, "after connecting again: %s", diag.text);
		finalize(vs);
		return;
	}
	vs->try_ns = now_ns + vs->back_off_ns;
	vs->back_off_ns *= 2;
	if (vs->back_off_ns > BACK_OFF_MAX_NS)
		vs->back_off_ns = BACK_OFF_MAX_NS;
}

/* What has come goes where it belongs. 0, -ESTALE or -ENOMEM. */
static int pass_on(struct viewer_source *vs)
{
	tell_missing(vs);
	if (viewer_outlet_has_grown(vs->set))
		return -ESTALE;
	if (viewer_outlet_open(vs->set, vs->merge))
		return -ENOMEM;
	if (vs->final)
		return 0;
	if (vs->viewer && viewer_feed_is_over(vs->feed)) {
		viewer_feed_detach(vs->feed);
		vs->over = true;
		finalize(vs);
		return 0;
	}
	merge_look(vs->merge, true);
	merge_until(vs->merge, viewer_outlet_until(vs->set));
	return 0;
}

/* Waits for what comes. 0, or -ENOMEM. */
static int receive(struct viewer_source *vs)
{
	struct diag diag = {0};
	int err;

	if (!vs->viewer) {
		reconnect(vs);
		return 0;
	}
	err = viewer_feed_step(vs->feed, vs->step_ns, &diag);
	if (err == -ENOMEM)
		return err;
	if (err && err != -EINTR)
		lose(vs, err, &diag);
	return 0;
}

static int source_next(struct event_source *source, const struct event **ret)
{
	struct viewer_source *vs = (struct viewer_source *)source;
	int got;

	if (viewer_outlet_has_grown(vs->set))
		return -ESTALE;
	viewer_outlet_drop(vs->set, vs->merge);
	got = merge_next(vs->merge, ret);
	if (!got && !vs->final) {
		got = receive(vs) ?: pass_on(vs);
		got = got ?: merge_next(vs->merge, ret);
		got = got ?: -EAGAIN;
	}
	vs->info.info.packets = merge_packets(vs->merge);
	return got;
}

/* Updates the info from the traces that are described by now. */
static int tell_info(struct viewer_source *vs)
{
	struct ctf_trace_class **traces = NULL;
	struct viewer_trace *trace;
	size_t count = 0;
	int err;

	while (viewer_outlet_trace(vs->set, count))
		count++;
	traces = calloc(count ?: 1, sizeof(*traces));
	if (!traces)
		return -ENOMEM;
	for (size_t i = 0; (trace = viewer_outlet_trace(vs->set, i)); i++)
		traces[i] = viewer_trace_used(trace);
	err = viewer_info_set(&vs->info, traces, count);
	free(traces);
	return err;
}

/* All that was kept, from the begin. */
static int rewind_all(struct viewer_source *vs)
{
	struct merge *merge = merge_new(), *old = vs->merge;
	int err = merge ? viewer_outlet_rewind(vs->set, merge) : -ENOMEM;

	if (!merge)
		return err;
	vs->merge = merge;
	merge_free(old);
	return err;
}

static int renew(struct viewer_source *vs, bool again)
{
	int err = viewer_outlet_describe(vs->set);

	err = err ?: tell_info(vs);
	if (!err && again)
		err = rewind_all(vs);
	return err ?: pass_on(vs);
}

static int source_renew(struct event_source *source, bool again, struct diag *diag)
{
	struct viewer_source *vs = (struct viewer_source *)source;
	int err = renew(vs, again);

	if (!err && vs->final)
		finalize(vs);
	return err ? diag_set(diag, err, "%s", strerror(-err)) : 0;
}

/* A lost connection does not delay other sources: the time of its return is unknown. */
static int64_t source_until(struct event_source *source)
{
	struct viewer_source *vs = (struct viewer_source *)source;

	return vs->viewer ? viewer_outlet_until(vs->set) : INT64_MAX;
}

static void source_patience(struct event_source *source, uint64_t ns)
{
	((struct viewer_source *)source)->step_ns = ns < STEP_NS ? ns : STEP_NS;
}

static const char *source_problem(const struct event_source *source, size_t i)
{
	return problem_list_get(&((const struct viewer_source *)source)->problems, i);
}

static void source_retire(struct event_source *source)
{
	struct viewer_source *vs = (struct viewer_source *)source;

	if (vs->viewer)
		viewer_feed_detach(vs->feed);
	viewer_free(vs->viewer);
	viewer_dial_free(vs->dial);
	vs->viewer = NULL;
	vs->dial = NULL;
	vs->final = true;
}

static void source_close(struct event_source *source)
{
	struct viewer_source *vs = (struct viewer_source *)source;

	if (vs->feed)
		source_retire(source);
	merge_free(vs->merge);
	viewer_feed_free(vs->feed);
	symbols_free(vs->info.info.symbols);
	trace_gaps_fini(&vs->gaps);
	viewer_info_fini(&vs->info);
	problem_list_fini(&vs->problems);
	problem_list_fini(&vs->end.missing);
	credentials_fini(&vs->credentials);
	free(vs);
}

static const struct source_ops source_ops = {
	.next = source_next,
	.problem = source_problem,
	.renew = source_renew,
	.until = source_until,
	.patience = source_patience,
	.retire = source_retire,
	.close = source_close,
};

/* Until a trace is described, or there will be none, or it takes too long. */
static int await(struct viewer_source *vs, struct diag *diag)
{
	const uint64_t begin_ns = clock_monotonic_ns();
	const char *problem;
	int err = 0;

	while (!err && !viewer_outlet_has_grown(vs->set) && !viewer_feed_is_over(vs->feed)) {
		if (vs->options.await_ns && clock_monotonic_ns() - begin_ns > vs->options.await_ns)
			break;
		err = viewer_feed_step(vs->feed, STEP_NS, diag);
		problem = problem_list_get(&vs->problems, 0);
		if (!err && problem)
			err = diag_set(diag, -EBADMSG, "%s", problem);
		if (!err && vs->options.is_stopped && vs->options.is_stopped())
			err = -EINTR;
	}
	if (err == -EINTR)
		return diag_set(diag, err, "interrupted before anything in it was described");
	if (err)
		return err;
	err = renew(vs, false);
	return err ? diag_set(diag, err, "%s", strerror(-err)) : 0;
}

static int make(struct viewer_source *vs, struct diag *diag)
{
	struct viewer_set_config config = {
		.problems = &vs->problems, .gaps = &vs->gaps, .keep = vs->options.keep};

	vs->merge = merge_new();
	vs->info.info.gaps = &vs->gaps;
	config.symbols = vs->info.info.symbols = symbols_new();
	vs->feed = viewer_feed_new(&config);
	vs->set = vs->feed ? viewer_feed_set(vs->feed) : NULL;
	return vs->merge && vs->feed && vs->info.info.symbols ?
		       0 :
		       diag_set(diag, -ENOMEM, "no memory");
}

/* The relay alone is named: which session, the user is to say. */
static int fail_unnamed(const struct live_url *url, struct diag *diag)
{
	return diag_set(diag, -EINVAL,
			"which session? Name it as net://RELAY/host/HOST/SESSION; 'sonde sessions "
			"net://%s:%s' lists them",
			url->relay, url->port);
}

static int open_url(struct viewer_source *vs, const char *url, struct diag *diag)
{
	const uint32_t seek = vs->options.now ? LIVE_SEEK_LAST : LIVE_SEEK_BEGINNING;
	int err = *vs->url.session ? make(vs, diag) : fail_unnamed(&vs->url, diag);
	struct viewer *viewer;

	err = err ?: credentials_load(TLS_CLIENT, &vs->options.credentials, &vs->credentials, diag);
	err = err ?: viewer_connect(&vs->url, &vs->credentials, &viewer, diag);
	err = err ?: attach(vs, viewer, seek, diag);
	err = err ?: await(vs, diag);
	return err ? diag_prefix(diag, err, "%.200s", url) : 0;
}

int viewer_source_open(const char *url, const struct viewer_options *options,
		       struct event_source **ret, struct diag *diag)
{
	struct viewer_source *vs = calloc(1, sizeof(*vs));
	int err;

	if (!vs)
		return diag_set(diag, -ENOMEM, "no memory");
	vs->source = (struct event_source){.ops = &source_ops, .info = &vs->info.info};
	vs->options = *options;
	vs->gap = options->now;
	vs->step_ns = STEP_NS;
	problem_list_init(&vs->problems);
	problem_list_init(&vs->end.missing);
	viewer_info_init(&vs->info);
	vs->info.info.end = &vs->end;
	err = live_url_parse(url, &vs->url, diag) ?: open_url(vs, url, diag);
	if (err)
		source_close(&vs->source);
	else
		*ret = &vs->source;
	return err;
}
