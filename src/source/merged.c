// SPDX-License-Identifier: BSD-2-Clause
#include "source/merged.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/diag.h"
#include "schema/lost.h"
#include "schema/problem_list.h"
#include "schema/source.h"
#include "schema/trace_end.h"
#include "source/merged_input.h"
#include "trace/merged_info.h"
#include "trace/stream_chain.h"

#define BATCH_EVENTS 1024u
#define PATIENCE_NS (100 * NS_PER_MS) /* for something to come, of all together */

struct merged {
	struct event_source source; /* first: the vtable's functions get this */
	struct merged_info info;
	struct merged_opener opener;
	struct merged_input *inputs;
	size_t input_count;
	struct event *events;
	struct lost_payload *lost; /* of those of `events` that tell of losses */
	struct problem_list problems;
	struct problem_list breaches;
	struct trace_end end;
};

/* As much as the least complete of them. */
static void tell_end(struct merged *merged)
{
	merged->end.kind = TRACE_END_UNKNOWN;
	for (size_t i = 0; i < merged->input_count; i++) {
		const struct trace_end *end = merged->inputs[i].source->info->end;

		merged_input_tell_missing(&merged->inputs[i], &merged->end.missing);
		merged_input_tell_breaches(&merged->inputs[i], &merged->breaches);
		if (end && end->kind > merged->end.kind)
			merged->end.kind = end->kind;
	}
	merged->info.info.end = &merged->end;
	merged->info.info.breaches = &merged->breaches;
}

/* The one with the earliest event, of equal times the first; @limit_ns: the earliest of the others, or that one may
 * still have which waits. NULL: none has any that may go. */
static struct merged_input *find_first(struct merged *merged, int64_t *limit_ns)
{
	struct merged_input *first = NULL;
	int64_t until_ns = INT64_MAX;

	*limit_ns = INT64_MAX;
	for (size_t i = 0; i < merged->input_count; i++) {
		struct merged_input *input = &merged->inputs[i];
		int64_t ns;

		if (input->waits && input->until_ns < until_ns)
			until_ns = input->until_ns;
		if (input->at == input->count)
			continue;
		ns = input->events[input->at].time_ns;
		if (!first || ns < first->events[first->at].time_ns) {
			*limit_ns = first ? first->events[first->at].time_ns : *limit_ns;
			first = input;
		} else if (ns < *limit_ns) {
			*limit_ns = ns;
		}
	}
	if (until_ns < *limit_ns)
		*limit_ns = until_ns;
	return first && first->events[first->at].time_ns <= *limit_ns ? first : NULL;
}

/* Passes on what @input has up to @limit_ns. */
static size_t take(struct merged *merged, struct merged_input *input, int64_t limit_ns,
		   size_t count)
{
	const struct merged_part *part = &merged->info.parts[input - merged->inputs];

	while (count < BATCH_EVENTS && input->at < input->count &&
	       input->events[input->at].time_ns <= limit_ns) {
		struct event *event = &merged->events[count];

		*event = input->events[input->at++];
		event->class = part->classes[event->class->index];
		if (event->class->role == EVENT_ROLE_LOST) {
			memcpy(&merged->lost[count], event->payload, sizeof(*merged->lost));
			merged->lost[count].stream += part->first_stream;
			event->payload = (const uint8_t *)&merged->lost[count];
		}
		count++;
	}
	return count;
}

/* All that may go, until one of the sources has nothing left: it is asked for more only when nobody looks at what it
 * gave. */
static size_t pass(struct merged *merged)
{
	struct merged_input *input;
	size_t count = 0;
	int64_t limit_ns;

	while (count < BATCH_EVENTS && (input = find_first(merged, &limit_ns))) {
		count = take(merged, input, limit_ns, count);
		if (input->at == input->count)
			break;
	}
	return count;
}

/* Those that have nothing left, and of those that had nothing, now and then, each. */
static int ask_all(struct merged *merged)
{
	const uint64_t now_ns = clock_monotonic_ns();
	int err = 0;

	for (size_t i = 0; i < merged->input_count && !err; i++) {
		if (merged_input_is_due(&merged->inputs[i], now_ns))
			err = merged_input_ask(&merged->inputs[i], 0);
	}
	merged_info_count(&merged->info);
	return err;
}

static size_t count_stale(const struct merged *merged)
{
	size_t stale = 0;

	for (size_t i = 0; i < merged->input_count; i++)
		stale += merged->inputs[i].stale;
	return stale;
}

static size_t count_waiting(const struct merged *merged)
{
	size_t waiting = 0;

	for (size_t i = 0; i < merged->input_count; i++)
		waiting += merged->inputs[i].waits;
	return waiting;
}

/* Nothing may go: for those that had nothing, one after the other, until something has come. */
static int wait_for_any(struct merged *merged)
{
	const size_t waiting = count_waiting(merged);
	int err = 0;

	for (size_t i = 0; i < merged->input_count && !err; i++) {
		struct merged_input *input = &merged->inputs[i];

		if (!input->waits)
			continue;
		err = merged_input_ask(input, PATIENCE_NS / waiting);
		if (!input->waits)
			break;
	}
	return err;
}

static int merged_next(struct event_source *source, const struct event **ret)
{
	struct merged *merged = (struct merged *)source;
	int err = ask_all(merged);
	size_t count;

	if (err || count_stale(merged))
		return err ?: -ESTALE;
	count = pass(merged);
	if (!count && count_waiting(merged)) {
		err = wait_for_any(merged);
		if (err || count_stale(merged))
			return err ?: -ESTALE;
		count = pass(merged);
		if (!count)
			return -EAGAIN;
	}
	if (!count)
		tell_end(merged);
	*ret = merged->events;
	return (int)count;
}

/* Those of all, as far as they are known by now. */
static const char *merged_problem(const struct event_source *source, size_t i)
{
	struct merged *merged = (struct merged *)(uintptr_t)source;

	for (size_t j = 0; j < merged->input_count; j++)
		merged_input_tell(&merged->inputs[j], &merged->problems);
	return problem_list_get(&merged->problems, i);
}

/* Each by the classes that are its own, and only when all that it gave has been passed on: what a
 * source gave is gone when it seeks. */
static int merged_seek(struct event_source *source, const struct source_span *span)
{
	struct merged *merged = (struct merged *)source;

	for (size_t i = 0; i < merged->input_count; i++)
		merged_input_seek(&merged->inputs[i], span, merged->info.parts[i].classes);
	return 0;
}

static int tell_info(struct merged *merged, struct diag *diag)
{
	const struct trace_info **infos = calloc(merged->input_count, sizeof(struct trace_info *));
	int err = -ENOMEM;

	for (size_t i = 0; infos && i < merged->input_count; i++)
		infos[i] = merged->inputs[i].source->info;
	if (infos)
		err = merged->info.parts ?
			      merged_info_renew(&merged->info, infos, merged->input_count) :
			      merged_info_init(&merged->info, infos, merged->input_count);
	free(infos);
	tell_end(merged);
	return err ? diag_set(diag, err, "no memory") : 0;
}

static int merged_chain(struct event_source *source, struct stream_chain *chain)
{
	struct merged *merged = (struct merged *)source;
	int err = 0;

	for (size_t i = 0; i < merged->input_count && !err; i++) {
		struct event_source *input = merged->inputs[i].source;

		err = input->ops->chain ? input->ops->chain(input, chain) : 0;
	}
	return err;
}

/* One stream may be in files of several sources: the chunks of a session that was rotated. */
static int link_streams(struct merged *merged, struct diag *diag)
{
	struct stream_chain chain;
	int err;

	stream_chain_init(&chain);
	err = merged_chain(&merged->source, &chain);
	if (!err)
		stream_chain_link(&chain);
	stream_chain_fini(&chain);
	return err ? diag_set(diag, err, "no memory") : 0;
}

static int merged_renew(struct event_source *source, bool again, struct diag *diag)
{
	struct merged *merged = (struct merged *)source;
	int err = 0;

	for (size_t i = 0; i < merged->input_count && !err; i++)
		err = merged_input_renew(&merged->inputs[i], again, &merged->opener, diag);
	if (!err && again)
		err = link_streams(merged, diag);
	return err ?: tell_info(merged, diag);
}

static void merged_stop_when(struct event_source *source, source_stop_fn *is_stopped)
{
	struct merged *merged = (struct merged *)source;

	for (size_t i = 0; i < merged->input_count; i++)
		merged_input_stop_when(&merged->inputs[i], is_stopped);
}

static void merged_close(struct event_source *source)
{
	struct merged *merged = (struct merged *)source;

	if (!merged)
		return;
	for (size_t i = 0; merged->inputs && i < merged->input_count; i++)
		merged_input_close(&merged->inputs[i]);
	merged_info_fini(&merged->info);
	problem_list_fini(&merged->problems);
	problem_list_fini(&merged->breaches);
	problem_list_fini(&merged->end.missing);
	free(merged->inputs);
	free(merged->events);
	free(merged->lost);
	free(merged);
}

static const struct source_ops merged_ops = {
	.next = merged_next,
	.problem = merged_problem,
	.seek = merged_seek,
	.chain = merged_chain,
	.stop_when = merged_stop_when,
	.close = merged_close,
};

static const struct source_ops renewed_ops = {
	.next = merged_next,
	.problem = merged_problem,
	.seek = merged_seek,
	.stop_when = merged_stop_when,
	.renew = merged_renew,
	.chain = merged_chain,
	.close = merged_close,
};

static int open_all(struct merged *merged, char *const *names, struct diag *diag)
{
	int err = 0;

	for (size_t i = 0; i < merged->input_count && !err; i++) {
		err = merged_input_open(&merged->inputs[i], names[i], &merged->opener, diag);
		if (!err && merged->inputs[i].source->ops->renew)
			merged->source.ops = &renewed_ops;
	}
	return err ?: link_streams(merged, diag) ?: tell_info(merged, diag);
}

int merged_open(char *const *names, int count, const struct merged_opener *opener,
		struct event_source **ret, struct diag *diag)
{
	struct merged *merged = calloc(1, sizeof(*merged));
	int err;

	if (!merged)
		return diag_set(diag, -ENOMEM, "no memory");
	merged->source = (struct event_source){.ops = &merged_ops, .info = &merged->info.info};
	merged->opener = *opener;
	problem_list_init(&merged->problems);
	problem_list_init(&merged->breaches);
	problem_list_init(&merged->end.missing);
	merged->input_count = (size_t)count;
	merged->inputs = calloc(merged->input_count, sizeof(*merged->inputs));
	merged->events = calloc(BATCH_EVENTS, sizeof(*merged->events));
	merged->lost = calloc(BATCH_EVENTS, sizeof(*merged->lost));
	if (!merged->inputs || !merged->events || !merged->lost)
		err = diag_set(diag, -ENOMEM, "no memory");
	else
		err = open_all(merged, names, diag);
	if (err)
		merged_close(&merged->source);
	else
		*ret = &merged->source;
	return err;
}
