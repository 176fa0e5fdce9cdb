// SPDX-License-Identifier: BSD-2-Clause
#include "ctf/json_stream.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "ctf/arena.h"
#include "ctf/json_class.h"
#include "ctf/json_clock.h"
#include "ctf/json_doc.h"
#include "ctf/json_reader.h"
#include "ctf/trace_class.h"
#include "wire/ctf.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static int add_stream(struct json_reader *reader, uint64_t id, struct ctf_stream_class **ret)
{
	struct ctf_trace_class *trace = reader->trace;
	struct ctf_stream_class *stream = arena_alloc(&trace->arena, sizeof(*stream)), **slot;
	void *array = trace->streams;

	if (ctf_trace_class_stream(trace, id))
		return json_reader_fail(reader, -EBADMSG, NULL,
					"another data stream class has the id %" PRIu64, id);
	if (trace->stream_count >= CTF_STREAMS_MAX)
		return json_reader_fail(reader, -E2BIG, NULL,
					"there are more than %u data stream classes",
					CTF_STREAMS_MAX);
	slot = stream ? arena_push(&trace->arena, &array, &trace->stream_count, sizeof(*slot)) :
			NULL;
	if (!slot)
		return json_reader_no_memory(reader);
	trace->streams = (struct ctf_stream_class **)array;
	*slot = *ret = stream;
	stream->id = id;
	stream->line = reader->fragment;
	return 0;
}

/* Reads the structure of one place after those before it. */
static int read_next(struct json_reader *reader, const json_t *fragment, const char *property,
		     struct json_root *root, enum json_origin origin, const struct ctf_type **ret)
{
	root->origin = origin;
	return json_class_read_root(reader, NULL, fragment, property, root, ret);
}

static int read_stream_classes(struct json_reader *reader, const json_t *fragment,
			       struct ctf_stream_class *stream)
{
	struct json_root root = {
		.clock = stream->clock,
		.roots[JSON_PACKET_HEADER] = reader->trace->packet_header,
	};
	int err = read_next(reader, fragment, "packet-context-field-class", &root,
			    JSON_PACKET_CONTEXT, &stream->packet_context);

	err = err ? err :
		    read_next(reader, fragment, "event-record-header-field-class", &root,
			      JSON_EVENT_HEADER, &stream->event_header);
	return err ? err :
		     read_next(reader, fragment, "event-record-common-context-field-class", &root,
			       JSON_COMMON_CONTEXT, &stream->event_context);
}

int json_stream_read(struct json_reader *reader, const json_t *fragment)
{
	static const struct json_property properties[] = {
		JSON_IDENTITY,
		{"id", JSON_WANT_UINT, false},
		{"default-clock-class-id", JSON_WANT_STRING, false},
		{"packet-context-field-class", JSON_WANT_CLASS, false},
		{"event-record-header-field-class", JSON_WANT_CLASS, false},
		{"event-record-common-context-field-class", JSON_WANT_CLASS, false},
	};
	const struct json_place place = {.name = "default-clock-class-id"};
	const char *clock = json_reader_string(fragment, place.name);
	struct ctf_stream_class *stream = NULL;
	int err = json_reader_check(reader, NULL, fragment, properties, COUNT(properties));

	err = err ? err : add_stream(reader, json_reader_uint(fragment, "id", 0), &stream);
	if (err)
		return err;
	if (clock) {
		stream->clock = json_clock_find(reader->trace, clock);
		if (!stream->clock)
			return json_reader_fail(reader, -EBADMSG, &place,
						"no clock class before this one has the id '%.60s'",
						clock);
	}
	return read_stream_classes(reader, fragment, stream);
}

static int add_event(struct json_reader *reader, const json_t *fragment,
		     struct ctf_event_decl **ret)
{
	struct ctf_trace_class *trace = reader->trace;
	struct ctf_event_decl *event = arena_alloc(&trace->arena, sizeof(*event)), **slot;
	const struct json_place place = {.name = "id"};
	void *array = trace->events;

	if (trace->event_count >= CTF_EVENTS_MAX)
		return json_reader_fail(reader, -E2BIG, NULL,
					"there are more than %u event record classes",
					CTF_EVENTS_MAX);
	if (json_reader_uint(fragment, "id", 0) > UINT32_MAX)
		return json_reader_fail(reader, -E2BIG, &place, "this does not fit 32 bits");
	slot = event ? arena_push(&trace->arena, &array, &trace->event_count, sizeof(*slot)) : NULL;
	if (!slot)
		return json_reader_no_memory(reader);
	trace->events = (struct ctf_event_decl **)array;
	*slot = *ret = event;
	event->id = json_reader_uint(fragment, "id", 0);
	event->stream_id = json_reader_uint(fragment, "data-stream-class-id", 0);
	event->has_stream_id = true;
	event->line = reader->fragment;
	return 0;
}

/* One without a name has its number. */
static int name_event(struct json_reader *reader, const json_t *fragment,
		      struct ctf_event_decl *event)
{
	const char *name = json_reader_string(fragment, "name");
	char number[32];

	(void)snprintf(number, sizeof(number), "event_%" PRIu64, event->id);
	return json_reader_copy(reader, name && *name ? name : number, &event->name);
}

static int read_event_classes(struct json_reader *reader, const json_t *fragment,
			      const struct ctf_stream_class *stream, struct ctf_event_decl *event)
{
	struct json_root root = {
		.clock = stream->clock,
		.roots = {[JSON_PACKET_HEADER] = reader->trace->packet_header,
			  [JSON_PACKET_CONTEXT] = stream->packet_context,
			  [JSON_EVENT_HEADER] = stream->event_header,
			  [JSON_COMMON_CONTEXT] = stream->event_context},
	};
	int err = read_next(reader, fragment, "specific-context-field-class", &root,
			    JSON_SPECIFIC_CONTEXT, &event->context);

	return err ? err :
		     read_next(reader, fragment, "payload-field-class", &root, JSON_PAYLOAD,
			       &event->fields);
}

int json_stream_read_event(struct json_reader *reader, const json_t *fragment)
{
	static const struct json_property properties[] = {
		JSON_IDENTITY,
		{"id", JSON_WANT_UINT, false},
		{"data-stream-class-id", JSON_WANT_UINT, false},
		{"specific-context-field-class", JSON_WANT_CLASS, false},
		{"payload-field-class", JSON_WANT_CLASS, false},
	};
	const struct json_place place = {.name = "data-stream-class-id"};
	const struct ctf_stream_class *stream;
	struct ctf_event_decl *event = NULL;
	uint64_t id = json_reader_uint(fragment, place.name, 0);
	int err = json_reader_check(reader, NULL, fragment, properties, COUNT(properties));

	if (err)
		return err;
	stream = ctf_trace_class_stream(reader->trace, id);
	if (!stream)
		return json_reader_fail(reader, -EBADMSG, &place,
					"no data stream class before this one has the id %" PRIu64,
					id);
	err = add_event(reader, fragment, &event);
	err = err ? err : name_event(reader, fragment, event);
	err = err ? err : json_doc_read_text(reader, fragment, &event->text);
	return err ? err : read_event_classes(reader, fragment, stream, event);
}
