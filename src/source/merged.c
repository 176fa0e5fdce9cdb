// SPDX-License-Identifier: BSD-2-Clause
#include "source/merged.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/diag.h"
#include "schema/lost.h"
#include "schema/source.h"
#include "schema/trace_info.h"
#include "trace/merged_info.h"
#include "trace/stream_chain.h"

#define BATCH_EVENTS 1024u
#define PATIENCE_NS (100 * NS_PER_MS) /* for something to come, of all together */

#define ASK_NS \
	(10 * NS_PER_MS) /* between two times that one which has nothing is asked by the way */

/* One of the SOURCEs: what it gave last, and whether there is more, none, or nothing yet. */
struct merged_input {
	char *name;
	struct event_source *source;
	const struct event *events; /* what it gave last, from `at` on not passed on yet */
	size_t at;
	size_t count;
	bool ended;
	bool waits; /* it had nothing when it was asked last */
	bool stale; /* it is to be renewed */
	int64_t until_ns; /* of one that waits: the others go so far without it */
	uint64_t ask_ns; /* of one that waits: not to be asked before, if no other source needs it */
	bool seeks; /* to `span`, before it is asked for more */
	source_stop_fn *is_stopped; /* NULL: it is not stopped */
	struct source_span span;
	bool *taught; /* of `span`, by event_class.index of the source */
	size_t problems; /* reported so far */
	size_t missing; /* likewise */
	size_t breaches;
};

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

static int make_room(struct merged_input *input, struct diag *diag)
{
	const size_t count = input->source->info->class_count ?: 1;
	bool *taught = realloc(input->taught, count * sizeof(*taught));

	if (!taught)
		return diag_set(diag, -ENOMEM, "no memory");
	input->taught = taught;
	return 0;
}

/* The diag has the name. 0 or -errno. */
static int input_open(struct merged_input *input, const char *name,
		      const struct merged_opener *opener, struct diag *diag)
{
	int err;

	input->name = strdup(name);
	if (!input->name)
		return diag_set(diag, -ENOMEM, "no memory");
	err = opener->open(opener->ctx, input->name, &input->source, diag);
	return err ?: make_room(input, diag);
}

static void input_close(struct merged_input *input)
{
	if (input->source)
		input->source->ops->close(input->source);
	free(input->taught);
	free(input->name);
}

/* It has nothing yet: how far the others may go. */
static void wait_for_it(struct merged_input *input)
{
	const struct source_ops *ops = input->source->ops;

	input->waits = true;
	input->until_ns = ops->until ? ops->until(input->source) : INT64_MAX;
	input->ask_ns = clock_monotonic_ns() + ASK_NS;
}

/* What has nothing may be asked, by the way, at @now_ns. */
static bool input_is_due(const struct merged_input *input, uint64_t now_ns)
{
	return !input->ended && !input->stale && input->at == input->count &&
	       (!input->waits || input->ask_ns <= now_ns);
}

/* Asks for more events, once all earlier ones are used up; it waits @patience_ns at most. 0 or -errno. */
static int input_ask(struct merged_input *input, uint64_t patience_ns)
{
	const struct source_ops *ops = input->source->ops;
	int got = input->seeks && ops->seek ? ops->seek(input->source, &input->span) : 0;

	input->seeks = false;
	if (ops->patience)
		ops->patience(input->source, patience_ns);
	got = got ?: ops->next(input->source, &input->events);
	input->at = input->count = 0;
	input->waits = false;
	input->stale = got == -ESTALE && ops->renew;
	if (got == -EAGAIN)
		wait_for_it(input);
	if (got == -EAGAIN || input->stale)
		return 0;
	if (got < 0)
		return got;
	input->count = (size_t)got;
	input->ended = !got;
	return 0;
}

/* As source_ops.stop_when, also after it was opened again. */
static void input_stop_when(struct merged_input *input, source_stop_fn *is_stopped)
{
	const struct source_ops *ops = input->source->ops;

	input->is_stopped = is_stopped;
	if (ops->stop_when)
		ops->stop_when(input->source, is_stopped);
}

/* From its first event again. */
static int open_again(struct merged_input *input, const struct merged_opener *opener,
		      struct diag *diag)
{
	struct event_source *source;
	int err = opener->open(opener->ctx, input->name, &source, diag);

	if (err)
		return err;
	input->source->ops->close(input->source);
	input->source = source;
	input_stop_when(input, input->is_stopped);
	return 0;
}

/* As source_ops.renew, also for one that cannot: with @again it is opened again. 0 or -errno with the diag. */
static int input_renew(struct merged_input *input, bool again, const struct merged_opener *opener,
		       struct diag *diag)
{
	const struct source_ops *ops = input->source->ops;
	int err;

	if (!input->stale && !again)
		return 0;
	if (ops->renew)
		err = ops->renew(input->source, again, diag);
	else
		err = open_again(input, opener, diag);
	input->at = input->count = 0;
	input->ended = input->waits = input->stale = input->seeks = false;
	return err ?: make_room(input, diag);
}

/* As source_ops.seek; @taught by the numbers of the whole, to which @classes lead. */
static void input_seek(struct merged_input *input, const struct source_span *span,
		       const struct event_class *const *classes)
{
	const size_t count = input->source->info->class_count;

	for (size_t i = 0; span->taught && i < count; i++)
		input->taught[i] = span->taught[classes[i]->index];
	input->span = *span;
	input->span.taught = span->taught ? input->taught : NULL;
	input->seeks = true;
	input->ended = false;
}

/* Adds its new problems to @problems, after its name. */
static void input_tell(struct merged_input *input, struct problem_list *problems)
{
	const char *text;

	while ((text = input->source->ops->problem(input->source, input->problems))) {
		problem_list_add(problems, "%s: %s", input->name, text);
		input->problems++;
	}
}

/* The same of what is missing in it (schema/trace_info.h). */
static void input_tell_missing(struct merged_input *input, struct problem_list *missing)
{
	const char *text;

	while ((text = trace_end_missing(input->source->info, input->missing))) {
		problem_list_add(missing, "%s: %s", input->name, text);
		input->missing++;
	}
}

/* The same of where it breaks the standard of its format. */
static void input_tell_breaches(struct merged_input *input, struct problem_list *breaches)
{
	const struct problem_list *list = input->source->info->breaches;

	if (list)
		problem_list_take(breaches, list, &input->breaches, input->name);
}

/* As much as the least complete of them. */
static void tell_end(struct merged *merged)
{
	merged->end.kind = TRACE_END_UNKNOWN;
	for (size_t i = 0; i < merged->input_count; i++) {
		const struct trace_end *end = merged->inputs[i].source->info->end;

		input_tell_missing(&merged->inputs[i], &merged->end.missing);
		input_tell_breaches(&merged->inputs[i], &merged->breaches);
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

/* Gives all events that may go, until one of the sources has none left: it is asked for more only
 * when the events that it gave are no longer used. */
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
		if (input_is_due(&merged->inputs[i], now_ns))
			err = input_ask(&merged->inputs[i], 0);
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
		err = input_ask(input, PATIENCE_NS / waiting);
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
		input_tell(&merged->inputs[j], &merged->problems);
	return problem_list_get(&merged->problems, i);
}

/* Each by the classes that are its own, and only when all that it gave has been passed on: what a
 * source gave is gone when it seeks. */
static int merged_seek(struct event_source *source, const struct source_span *span)
{
	struct merged *merged = (struct merged *)source;

	for (size_t i = 0; i < merged->input_count; i++)
		input_seek(&merged->inputs[i], span, merged->info.parts[i].classes);
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
		err = input_renew(&merged->inputs[i], again, &merged->opener, diag);
	if (!err && again)
		err = link_streams(merged, diag);
	return err ?: tell_info(merged, diag);
}

static void merged_stop_when(struct event_source *source, source_stop_fn *is_stopped)
{
	struct merged *merged = (struct merged *)source;

	for (size_t i = 0; i < merged->input_count; i++)
		input_stop_when(&merged->inputs[i], is_stopped);
}

static void merged_close(struct event_source *source)
{
	struct merged *merged = (struct merged *)source;

	if (!merged)
		return;
	for (size_t i = 0; merged->inputs && i < merged->input_count; i++)
		input_close(&merged->inputs[i]);
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
		err = input_open(&merged->inputs[i], names[i], &merged->opener, diag);
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
