// SPDX-License-Identifier: BSD-2-Clause
#include "source/merged_input.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/diag.h"
#include "schema/problem_list.h"
#include "schema/trace_end.h"

#define ASK_NS \
	(10 * NS_PER_MS) /* between two times that one which has nothing is asked by the way */

static int make_room(struct merged_input *input, struct diag *diag)
{
	const size_t count = input->source->info->class_count ?: 1;
	bool *taught = realloc(input->taught, count * sizeof(*taught));

	if (!taught)
		return diag_set(diag, -ENOMEM, "no memory");
	input->taught = taught;
	return 0;
}

int merged_input_open(struct merged_input *input, const char *name,
		      const struct merged_opener *opener, struct diag *diag)
{
	int err;

	input->name = strdup(name);
	if (!input->name)
		return diag_set(diag, -ENOMEM, "no memory");
	err = opener->open(opener->ctx, input->name, &input->source, diag);
	return err ?: make_room(input, diag);
}

void merged_input_close(struct merged_input *input)
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

int merged_input_ask(struct merged_input *input, uint64_t patience_ns)
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

void merged_input_stop_when(struct merged_input *input, source_stop_fn *is_stopped)
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
	merged_input_stop_when(input, input->is_stopped);
	return 0;
}

int merged_input_renew(struct merged_input *input, bool again, const struct merged_opener *opener,
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

void merged_input_seek(struct merged_input *input, const struct source_span *span,
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

void merged_input_tell(struct merged_input *input, struct problem_list *problems)
{
	const char *text;

	while ((text = input->source->ops->problem(input->source, input->problems))) {
		problem_list_add(problems, "%s: %s", input->name, text);
		input->problems++;
	}
}

void merged_input_tell_missing(struct merged_input *input, struct problem_list *missing)
{
	const char *text;

	while ((text = trace_end_missing(input->source->info, input->missing))) {
		problem_list_add(missing, "%s: %s", input->name, text);
		input->missing++;
	}
}

void merged_input_tell_breaches(struct merged_input *input, struct problem_list *breaches)
{
	const struct problem_list *list = input->source->info->breaches;

	if (list)
		problem_list_take(breaches, list, &input->breaches, input->name);
}
