// SPDX-License-Identifier: BSD-2-Clause
/*
 * sonde_next: from one event of a source to the next, and copies of those that are to stay.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "lib/handles.h"

/* All that was asked for is known now. */
static int start(struct sonde_source *source)
{
	source->started = true;
	return source_ask(source);
}

/* How many of the events were given before the trace was opened again: these only teach. */
static size_t learn_again(struct sonde_source *source, const struct event *events, size_t count)
{
	size_t done = 0;

	while (done < count && events[done].time_ns <= source->again_ns)
		done++;
	sieve_learn(&source->sieve, events, done);
	if (done < count)
		source->again_ns = INT64_MIN;
	return done;
}

/* The next batch, within the requested time: 1, 0 at the end, -EAGAIN if it still
 * grows and has no event yet, or another -errno. */
static int refill(struct sonde_source *source)
{
	struct event_source *from = source->source;
	const struct event *events;
	size_t first, end, done;
	int got;

	if (source->select.done)
		return 0;
	got = sieve_seek(&source->sieve, from) ?: from->ops->next(from, &events);
	if (got == -ESTALE && source->name)
		return source_reopen(source) ?: -EAGAIN;
	if (got <= 0)
		return got;
	done = source->name ? learn_again(source, events, (size_t)got) : 0;
	events += done;
	got -= (int)done;
	if (!got)
		return 1;
	source->given_ns = events[got - 1].time_ns;
	select_cut(&source->select, events, (size_t)got, &first, &end);
	sieve_learn(&source->sieve, events, first);
	source->events = events + first;
	source->events_end = events + end;
	return 1;
}

/* The next event of the current batch, or NULL. */
static const struct event *take(struct sonde_source *source)
{
	struct sieve_run *run = &source->run;
	const struct event *event;

	for (;;) {
		while (run->count) {
			run->count--;
			event = run->events++;
			if (!analysis_takes(&source->view, event))
				continue;
			(void)select_count(&source->select, event, 1);
			return event;
		}
		if (source->events == source->events_end)
			return NULL;
		source->events += sieve_next(&source->sieve, source->events,
					     (size_t)(source->events_end - source->events), run);
	}
}

static int fail(const struct sonde_source *source, struct sonde_error *error)
{
	struct diag diag = {0};

	(void)diag_set(&diag, source->err, "reading goes no further: %s",
		       sonde_strerror(source->err));
	return sonde_error_take(error, source->err, &diag);
}

int sonde_next(struct sonde_source *source, const struct sonde_event **ret,
	       struct sonde_error *error)
{
	struct diag diag = {.text = "nothing has come yet"};
	const struct event *event;
	int got;

	if (!source->started)
		source->err = start(source);
	if (source->err)
		return fail(source, error);
	while (!(event = take(source))) {
		got = refill(source);
		if (got == -EAGAIN)
			return sonde_error_take(error, got, &diag);
		if (got < 0) {
			source->err = got;
			return fail(source, error);
		}
		if (!got)
			return 0;
	}
	source->current.event = event;
	source->current.class = source->by_index[event->class->index];
	source->current.facts = analysis_facts(&source->view);
	*ret = &source->current;
	return 1;
}

/* How far what belongs to an event reaches. */
struct extent {
	uint64_t payload_bits;
	const uint32_t *offsets_end;
};

static void measure(struct extent *extent, const struct event *event);

static uint64_t field_bits(struct extent *extent, const struct event *event, size_t i)
{
	const struct field *field = &event->class->fields[i];
	uint32_t count = event_count(event, i);
	size_t len;

	switch (field->kind) {
	case FIELD_STRING:
		(void)event_text(event, i, &len);
		return ((uint64_t)len + 1) * 8;
	case FIELD_LIST:
		/* Items without fields, of which there may be millions, have nothing. */
		for (uint32_t j = 0; j < count && field->items->field_count; j++) {
			struct event item = event_item(event, i, j);

			measure(extent, &item);
		}
		return 0;
	default:
		return (uint64_t)count * field->bits;
	}
}

static void measure(struct extent *extent, const struct event *event)
{
	const struct event_class *class = event->class;
	const uint32_t *end = event->offsets + (class->offset_count ?: class->field_count);

	if (end > extent->offsets_end)
		extent->offsets_end = end;
	for (size_t i = 0; i < class->field_count; i++) {
		uint64_t bits = event_has(event, i) ? field_bits(extent, event, i) : 0;

		if (bits && event->offsets[i] + bits > extent->payload_bits)
			extent->payload_bits = event->offsets[i] + bits;
	}
}

/* A copy is one block: this, offsets, payload, and what is known of the task. */
struct event_copy {
	struct sonde_event handle; /* first: what the caller gets */
	struct event event;
	struct event_facts facts;
	uint32_t offsets[];
};

static char *append_text(char *at, const char *text, const char **ret)
{
	if (!text)
		return at;
	*ret = at;
	return stpcpy(at, text) + 1;
}

struct sonde_event *sonde_event_copy(const struct sonde_event *event)
{
	const struct event *from = event->event;
	const char *comm = sonde_event_comm(event), *cgroup = sonde_event_cgroup(event);
	const size_t texts = (comm ? strlen(comm) + 1 : 0) + (cgroup ? strlen(cgroup) + 1 : 0);
	struct extent extent = {.offsets_end = from->offsets};
	struct event_copy *copy;
	size_t offsets, payload;
	char *at;

	measure(&extent, from);
	offsets = (size_t)(extent.offsets_end - from->offsets) * sizeof(uint32_t);
	payload = (size_t)((extent.payload_bits + 7) / 8);
	copy = malloc(sizeof(*copy) + offsets + payload + texts);
	if (!copy)
		return NULL;
	at = (char *)copy->offsets + offsets;
	copy->event = *from;
	copy->event.offsets = memcpy(copy->offsets, from->offsets, offsets);
	copy->event.payload = memcpy(at, from->payload, payload);
	copy->facts = event->facts ? *event->facts : (struct event_facts){0};
	copy->handle = (struct sonde_event){.event = &copy->event,
					    .class = event->class,
					    .source = event->source,
					    .facts = &copy->facts,
					    .is_copy = true};
	at = append_text(at + payload, comm, &copy->handle.comm);
	(void)append_text(at, cgroup, &copy->handle.cgroup);
	return &copy->handle;
}

void sonde_event_free(struct sonde_event *event)
{
	free((struct event_copy *)event);
}
