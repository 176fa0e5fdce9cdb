// SPDX-License-Identifier: BSD-2-Clause
#include "source/merged.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "schema/lost.h"
#include "schema/problem_list.h"
#include "schema/source.h"
#include "source/source.h"
#include "trace/merged_info.h"

#define BATCH_EVENTS 1024u

/* One of the sources. */
struct input {
	const char *name; /* borrowed */
	struct event_source *source;
	const struct event *events; /* what it gave last, from `at` on not passed on yet */
	size_t at;
	size_t count;
	bool ended;
	bool seeks; /* to `span`, before it is asked for more */
	struct source_span span;
	bool *taught; /* of `span`, by event_class.index of the source */
	size_t problems; /* told so far */
};

struct merged {
	struct event_source source; /* first: the vtable's functions get this */
	struct merged_info info;
	struct input *inputs;
	size_t input_count;
	struct event *events;
	struct lost_payload *lost; /* of those of `events` that tell of losses */
	struct problem_list problems;
};

static int refill(struct merged *merged, struct input *input)
{
	const struct source_ops *ops = input->source->ops;
	int got = input->seeks && ops->seek ? ops->seek(input->source, &input->span) : 0;

	input->seeks = false;
	got = got ?: ops->next(input->source, &input->events);
	if (got < 0)
		return got;
	input->at = 0;
	input->count = (size_t)got;
	input->ended = !got;
	merged_info_count(&merged->info);
	return 0;
}

/* The one with the earliest event, of equal times the first; @next_ns: the earliest of the others.
 * NULL: none has any. */
static struct input *find_first(struct merged *merged, int64_t *next_ns)
{
	struct input *first = NULL;

	*next_ns = INT64_MAX;
	for (size_t i = 0; i < merged->input_count; i++) {
		struct input *input = &merged->inputs[i];
		int64_t ns;

		if (input->ended)
			continue;
		ns = input->events[input->at].time_ns;
		if (!first || ns < first->events[first->at].time_ns) {
			*next_ns = first ? first->events[first->at].time_ns : *next_ns;
			first = input;
		} else if (ns < *next_ns) {
			*next_ns = ns;
		}
	}
	return first;
}

/* Passes on what @input has up to @limit_ns. */
static size_t take(struct merged *merged, struct input *input, int64_t limit_ns, size_t count)
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

/* A source that has nothing left is asked for more only when nobody looks at what it gave. */
static int merged_next(struct event_source *source, const struct event **ret)
{
	struct merged *merged = (struct merged *)source;
	struct input *input;
	size_t count = 0;
	int64_t limit_ns;
	int err = 0;

	for (size_t i = 0; i < merged->input_count && !err; i++) {
		input = &merged->inputs[i];
		if (!input->ended && input->at == input->count)
			err = refill(merged, input);
	}
	if (err)
		return err;
	while (count < BATCH_EVENTS && (input = find_first(merged, &limit_ns))) {
		count = take(merged, input, limit_ns, count);
		if (input->at == input->count)
			break;
	}
	*ret = merged->events;
	return (int)count;
}

/* Those of all, behind the name of the source, as far as they are known by now. */
static const char *merged_problem(const struct event_source *source, size_t i)
{
	struct merged *merged = (struct merged *)(uintptr_t)source;

	for (size_t j = 0; j < merged->input_count; j++) {
		struct input *input = &merged->inputs[j];
		const char *text;

		while ((text = input->source->ops->problem(input->source, input->problems))) {
			problem_list_add(&merged->problems, "%s: %s", input->name, text);
			input->problems++;
		}
	}
	return problem_list_get(&merged->problems, i);
}

/* Each by the classes that are its own, and only when all that it gave has been passed on: what a
 * source gave is gone when it seeks. */
static int merged_seek(struct event_source *source, const struct source_span *span)
{
	struct merged *merged = (struct merged *)source;

	for (size_t i = 0; i < merged->input_count; i++) {
		struct input *input = &merged->inputs[i];
		const struct merged_part *part = &merged->info.parts[i];

		for (size_t j = 0; span->taught && j < part->info->class_count; j++)
			input->taught[j] = span->taught[part->classes[j]->index];
		input->span = *span;
		input->span.taught = span->taught ? input->taught : NULL;
		input->seeks = true;
		input->ended = false;
	}
	return 0;
}

static void merged_close(struct event_source *source)
{
	struct merged *merged = (struct merged *)source;

	if (!merged)
		return;
	for (size_t i = 0; merged->inputs && i < merged->input_count; i++) {
		if (merged->inputs[i].source)
			merged->inputs[i].source->ops->close(merged->inputs[i].source);
		free(merged->inputs[i].taught);
	}
	merged_info_fini(&merged->info);
	problem_list_fini(&merged->problems);
	free(merged->inputs);
	free(merged->events);
	free(merged->lost);
	free(merged);
}

static const struct source_ops merged_ops = {
	.next = merged_next,
	.problem = merged_problem,
	.seek = merged_seek,
	.close = merged_close,
};

static int open_all(struct merged *merged, char *const *names, struct diag *diag)
{
	const struct trace_info **infos = calloc(merged->input_count, sizeof(struct trace_info *));
	int err = infos ? 0 : diag_set(diag, -ENOMEM, "no memory");

	for (size_t i = 0; i < merged->input_count && !err; i++) {
		merged->inputs[i].name = names[i];
		err = source_open(names[i], &merged->inputs[i].source, diag);
		if (err)
			break;
		infos[i] = merged->inputs[i].source->info;
		merged->inputs[i].taught = calloc(infos[i]->class_count ?: 1, sizeof(bool));
		if (!merged->inputs[i].taught)
			err = diag_set(diag, -ENOMEM, "no memory");
	}
	if (!err && merged_info_init(&merged->info, infos, merged->input_count))
		err = diag_set(diag, -ENOMEM, "no memory");
	free(infos);
	return err;
}

int merged_open(char *const *names, int count, struct event_source **ret, struct diag *diag)
{
	struct merged *merged = calloc(1, sizeof(*merged));
	int err;

	if (!merged)
		return diag_set(diag, -ENOMEM, "no memory");
	merged->source = (struct event_source){.ops = &merged_ops, .info = &merged->info.info};
	problem_list_init(&merged->problems);
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
