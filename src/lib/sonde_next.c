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
	int err = read_session_bind(source->session, NULL, NULL);

	source->started = true;
	return err ?: read_session_start(source->session);
}

/*
 * A trace that is followed has more classes than it had, or a live session has. The handles that the caller holds stay
 * valid: handles of classes are the old ones, and lead to the classes of the source that they were made from.
 */
static int renew(struct sonde_source *source)
{
	int err;

	source_drop_plans(source);
	err = read_session_renew(source->session, false, NULL, NULL);
	err = err ?: source_take_classes(source);
	return err ?: read_session_start(source->session);
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
	got = read_session_next(source->session, &event);
	if (got == -ESTALE)
		got = renew(source) ?: -EAGAIN;
	if (got == -EAGAIN)
		return sonde_error_take(error, got, &diag);
	if (got < 0)
		source->err = got;
	if (got <= 0)
		return got ? fail(source, error) : 0;
	source->current.event = event;
	source->current.class = source->by_index[event->class->index];
	source->current.facts = analysis_facts(read_session_analysis(source->session));
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

static size_t text_bytes(const char *text)
{
	return text ? strlen(text) + 1 : 0;
}

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
	const char *container = sonde_event_container(event);
	const size_t texts = text_bytes(comm) + text_bytes(cgroup) + text_bytes(container);
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
	at = append_text(at, cgroup, &copy->handle.cgroup);
	(void)append_text(at, container, &copy->handle.container);
	return &copy->handle;
}

void sonde_event_free(struct sonde_event *event)
{
	free((struct event_copy *)event);
}
