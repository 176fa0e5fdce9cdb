// SPDX-License-Identifier: BSD-2-Clause
/*
 * sonde_next: from one event of a source to the next, and copies of those that are to stay.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "lib/handles.h"

/* Losses are hidden by no expression. */
static bool holds(struct sonde_source *source, const struct event *event)
{
	struct where *where = &source->where;

	if (where_takes(where, event->class) && where_holds(where, event, source->view.names))
		return true;
	return event->class->role == EVENT_ROLE_LOST;
}

/* Learns from @event. Whether it was asked for. */
static bool takes(struct sonde_source *source, const struct event *event)
{
	bool shown = view_takes(&source->view, event);

	if (source->has_where && !holds(source, event))
		return false;
	if (shown)
		(void)select_count(&source->select, event, 1);
	return shown;
}

/* The next batch, as far as it is within the time asked for: 1, 0 at the end, or -errno. */
static int refill(struct sonde_source *source)
{
	struct event_source *from = source->source;
	const struct event *events;
	size_t first, end;
	int got;

	if (source->select.done)
		return 0;
	got = from->ops->next(from, &events);
	if (got <= 0)
		return got;
	select_cut(&source->select, events, (size_t)got, &first, &end);
	view_learn_batch(&source->view, events, first);
	for (size_t i = 0; source->has_where && i < first; i++)
		(void)holds(source, &events[i]);
	source->events = events + first;
	source->events_end = events + end;
	return 1;
}

/* The event that comes next among those at hand, or NULL. */
static const struct event *take(struct sonde_source *source)
{
	while (source->events < source->events_end) {
		const struct event *event = source->events++;

		if (takes(source, event))
			return event;
	}
	return NULL;
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
	const struct event *event;
	int got;

	source->started = true;
	if (source->err)
		return fail(source, error);
	while (!(event = take(source))) {
		got = refill(source);
		if (got < 0) {
			source->err = got;
			return fail(source, error);
		}
		if (!got)
			return 0;
	}
	source->current.event = event;
	source->current.class = &source->classes[event->class->index];
	*ret = &source->current;
	return 1;
}

/* Bytes from the start of its payload to the end of its last field. */
static size_t payload_bytes(const struct event *event)
{
	uint64_t end = 0;

	for (size_t i = 0; i < event->class->field_count; i++) {
		const struct field *field = &event->class->fields[i];
		uint64_t bits = (uint64_t)event_count(event, i) * field->bits;
		size_t len;

		if (field->kind == FIELD_STRING) {
			(void)event_text(event, i, &len);
			bits = ((uint64_t)len + 1) * 8;
		}
		if (event->offsets[i] + bits > end)
			end = event->offsets[i] + bits;
	}
	return (size_t)((end + 7) / 8);
}

/* A copy is one block: this, offsets, payload, and what is known of the task. */
struct event_copy {
	struct sonde_event handle; /* first: what the caller gets */
	struct event event;
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
	const size_t offsets = from->class->field_count * sizeof(uint32_t);
	const size_t payload = payload_bytes(from);
	const char *comm = sonde_event_comm(event), *cgroup = sonde_event_cgroup(event);
	const size_t texts = (comm ? strlen(comm) + 1 : 0) + (cgroup ? strlen(cgroup) + 1 : 0);
	struct event_copy *copy = malloc(sizeof(*copy) + offsets + payload + texts);
	char *at;

	if (!copy)
		return NULL;
	at = (char *)copy->offsets + offsets;
	copy->event = *from;
	copy->event.offsets = memcpy(copy->offsets, from->offsets, offsets);
	copy->event.payload = memcpy(at, from->payload, payload);
	copy->handle = (struct sonde_event){.event = &copy->event,
					    .class = event->class,
					    .source = event->source,
					    .is_copy = true};
	at = append_text(at + payload, comm, &copy->handle.comm);
	(void)append_text(at, cgroup, &copy->handle.cgroup);
	return &copy->handle;
}

void sonde_event_free(struct sonde_event *event)
{
	free((struct event_copy *)event);
}
