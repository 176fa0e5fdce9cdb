// SPDX-License-Identifier: BSD-2-Clause
#include "ctf/json_fragment.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "ctf/arena.h"
#include "ctf/json_class.h"
#include "ctf/json_doc.h"
#include "ctf/json_reader.h"
#include "ctf/trace_class.h"
#include "wire/ctf.h"

/* Clock classes of CTF 2 (section 5.7). */

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static int read_offset(struct json_reader *reader, const json_t *object, struct ctf_clock *clock)
{
	static const struct json_property properties[] = {
		{"seconds", JSON_WANT_INT, false},
		{"cycles", JSON_WANT_UINT, false},
	};
	const struct json_place place = {.name = "offset-from-origin"};
	uint64_t cycles = json_reader_uint(object, "cycles", 0);
	int err = object ?
			  json_reader_check(reader, &place, object, properties, COUNT(properties)) :
			  0;

	if (err)
		return err;
	if (cycles >= clock->freq)
		return json_reader_fail(reader, -EBADMSG, &place,
					"'cycles' has to be below the frequency");
	clock->offset_s = json_integer_value(json_object_get(object, "seconds"));
	clock->offset = (int64_t)cycles;
	return 0;
}

/* Section 5.7.1. Which origin it is does not matter within one trace. */
static int check_origin(struct json_reader *reader, const json_t *origin)
{
	static const struct json_property properties[] = {
		{"namespace", JSON_WANT_STRING, false},
		{"name", JSON_WANT_STRING, true},
		{"uid", JSON_WANT_STRING, true},
	};
	const struct json_place place = {.name = "origin"};

	if (json_is_object(origin))
		return json_reader_check(reader, &place, origin, properties, COUNT(properties));
	if (origin && strcmp(json_string_value(origin), "unix-epoch") != 0)
		return json_reader_fail(reader, -EBADMSG, &place,
					"this has to be \"unix-epoch\" or an object");
	return 0;
}

/* The one whose id is @id; NULL = not found. */
static struct ctf_clock *json_clock_find(const struct ctf_trace_class *trace, const char *id)
{
	for (size_t i = 0; i < trace->clock_count; i++) {
		if (!strcmp(trace->clocks[i]->id, id))
			return trace->clocks[i];
	}
	return NULL;
}

static int add_clock(struct json_reader *reader, const char *id, struct ctf_clock **ret)
{
	struct ctf_trace_class *trace = reader->trace;
	struct ctf_clock *clock = arena_alloc(&trace->arena, sizeof(*clock)), **slot;
	void *array = trace->clocks;

	if (json_clock_find(trace, id))
		return json_reader_fail(reader, -EBADMSG, NULL,
					"another clock class has the id '%.60s'", id);
	if (trace->clock_count >= CTF_CLOCKS_MAX)
		return json_reader_fail(reader, -E2BIG, NULL, "there are more than %u clocks",
					CTF_CLOCKS_MAX);
	slot = clock ? arena_push(&trace->arena, &array, &trace->clock_count, sizeof(*slot)) : NULL;
	if (!slot)
		return json_reader_no_memory(reader);
	trace->clocks = (struct ctf_clock **)array;
	*slot = *ret = clock;
	return json_reader_copy(reader, id, &clock->id);
}

static int copy_optional(struct json_reader *reader, const json_t *object, const char *property,
			 const char **ret)
{
	const char *text = json_reader_string(object, property);

	return text ? json_reader_copy(reader, text, ret) : 0;
}

/* Takes in one fragment. */
static int json_clock_read(struct json_reader *reader, const json_t *fragment)
{
	static const struct json_property properties[] = {
		JSON_IDENTITY,
		{"id", JSON_WANT_STRING, true},
		{"frequency", JSON_WANT_UINT, true},
		{"origin", JSON_WANT_ORIGIN, false},
		{"offset-from-origin", JSON_WANT_OBJECT, false},
		{"precision", JSON_WANT_UINT, false},
		{"accuracy", JSON_WANT_UINT, false},
		{"description", JSON_WANT_STRING, false},
	};
	const struct json_place frequency = {.name = "frequency"};
	struct ctf_clock *clock = NULL;
	int err = json_reader_check(reader, NULL, fragment, properties, COUNT(properties));

	err = err ? err : add_clock(reader, json_reader_string(fragment, "id"), &clock);
	if (err)
		return err;
	clock->freq = json_reader_uint(fragment, "frequency", 0);
	clock->precision = json_reader_uint(fragment, "precision", 0);
	if (!clock->freq)
		return json_reader_fail(reader, -EBADMSG, &frequency, "this has to be above 0");
	err = copy_optional(reader, fragment, "name", &clock->name);
	clock->name = clock->name ? clock->name : clock->id;
	err = err ? err : copy_optional(reader, fragment, "uid", &clock->uid);
	err = err ? err : copy_optional(reader, fragment, "description", &clock->text);
	err = err ? err : check_origin(reader, json_object_get(fragment, "origin"));
	return err ? err :
		     read_offset(reader, json_object_get(fragment, "offset-from-origin"), clock);
}

/* Data stream classes and the event record classes in them (CTF 2, sections 5.8, 5.9). */

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

/* Each takes in one fragment. */
static int json_stream_read(struct json_reader *reader, const json_t *fragment)
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

static int json_stream_read_event(struct json_reader *reader, const json_t *fragment)
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

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

typedef int fragment_fn(struct json_reader *reader, json_t *fragment, size_t values);

static int read_uuid(struct json_reader *reader, const json_t *array)
{
	const struct json_place place = {.name = "uuid"};

	for (size_t i = 0; i < CTF_UUID_BYTES; i++) {
		const json_t *byte = json_array_get(array, i);

		if (json_array_size(array) != CTF_UUID_BYTES || !json_is_integer(byte) ||
		    json_integer_value(byte) < 0 || json_integer_value(byte) > 255)
			return json_reader_fail(reader, -EBADMSG, &place,
						"this has to be an array of 16 bytes");
		reader->trace->uuid[i] = (uint8_t)json_integer_value(byte);
	}
	reader->trace->has_uuid = true;
	return 0;
}

/* Section 5.1: a reader that does not know an extension must not read the trace. */
static int refuse_extensions(struct json_reader *reader, json_t *extensions)
{
	const struct json_place place = {.name = "extensions"};
	const char *namespace, *name;
	json_t *inner, *value;

	json_object_foreach(extensions, namespace, inner)
	{
		const struct json_place at = {.outer = &place, .name = namespace};

		if (!json_is_object(inner))
			return json_reader_fail(reader, -EBADMSG, &at, "this has to be an object");
		json_object_foreach(inner, name, value) return json_reader_fail(
			reader, -ENOTSUP, &at,
			"the trace needs the extension '%.60s', which "
			"is not supported",
			name);
	}
	return 0;
}

static int read_preamble(struct json_reader *reader, json_t *fragment, size_t values)
{
	static const struct json_property properties[] = {
		{"version", JSON_WANT_UINT, true},
		{"uuid", JSON_WANT_ARRAY, false},
		{"extensions", JSON_WANT_OBJECT, false},
	};
	int err = json_reader_check(reader, NULL, fragment, properties, COUNT(properties));

	(void)values;
	if (err)
		return err;
	if (reader->fragment > 1)
		return json_reader_fail(reader, -EBADMSG, NULL, "only the first is a preamble");
	if (json_reader_uint(fragment, "version", 0) != 2)
		return json_reader_fail(reader, -ENOTSUP, NULL,
					"metadata of CTF %" PRIu64 " cannot be read",
					json_reader_uint(fragment, "version", 0));
	err = refuse_extensions(reader, json_object_get(fragment, "extensions"));
	if (!err && json_object_get(fragment, "uuid"))
		err = read_uuid(reader, json_object_get(fragment, "uuid"));
	return err;
}

static int add_alias(struct json_reader *reader, const char *name, const struct json_alias *alias)
{
	void *array = reader->aliases;
	json_t *index = json_integer((json_int_t)reader->alias_count);
	struct json_alias *slot;

	if (!index || json_object_set_new(reader->alias_names, name, index))
		return json_reader_no_memory(reader);
	slot = arena_push(&reader->trace->arena, &array, &reader->alias_count, sizeof(*slot));
	if (!slot)
		return json_reader_no_memory(reader);
	reader->aliases = array;
	*slot = *alias;
	json_incref(slot->class);
	reader->alias_values += alias->values;
	return 0;
}

/* Section 5.5. One that names another is the same as that. */
static int read_alias(struct json_reader *reader, json_t *fragment, size_t values)
{
	static const struct json_property properties[] = {
		{"name", JSON_WANT_STRING, true},
		{"field-class", JSON_WANT_CLASS, true},
	};
	const struct json_place place = {.name = "field-class"};
	const char *name = json_reader_string(fragment, "name");
	struct json_root root = {.origin = JSON_NOWHERE};
	struct json_alias alias = {.class = json_object_get(fragment, "field-class"),
				   .values = values};
	struct json_found found;
	int err = json_reader_check(reader, NULL, fragment, properties, COUNT(properties));

	if (err)
		return err;
	if (json_object_get(reader->alias_names, name))
		return json_reader_fail(reader, -EBADMSG, NULL,
					"another field class is called '%.60s'", name);
	if (reader->alias_values > CTF_JSON_VALUES_MAX)
		return json_reader_fail(reader, -E2BIG, NULL, "there are too many field classes");
	err = json_class_read(reader, &place, alias.class, &root, &found);
	if (err)
		return err;
	if (!root.bound)
		alias.type = found.type;
	if (json_is_string(alias.class)) {
		const json_t *index =
			json_object_get(reader->alias_names, json_string_value(alias.class));

		alias.class = reader->aliases[json_integer_value(index)].class;
	}
	return add_alias(reader, name, &alias);
}

static int read_env_entry(struct json_reader *reader, const char *name, const json_t *value)
{
	const struct json_place place = {.name = "environment"};
	const struct json_place inner = {.outer = &place, .name = name};
	struct ctf_trace_class *trace = reader->trace;
	void *array = trace->env;
	struct trace_env *env;
	int err;

	if (!json_is_string(value) && !json_is_integer(value))
		return json_reader_fail(reader, -EBADMSG, &inner,
					"this has to be a string or an integer");
	if (trace->env_count >= CTF_ENV_MAX)
		return json_reader_fail(reader, -E2BIG, &place, "there are more than %u entries",
					CTF_ENV_MAX);
	env = arena_push(&trace->arena, &array, &trace->env_count, sizeof(*env));
	if (!env)
		return json_reader_no_memory(reader);
	trace->env = array;
	err = json_reader_copy(reader, name, &env->name);
	env->number = json_integer_value(value);
	if (!err && json_is_string(value))
		err = json_reader_copy(reader, json_string_value(value), &env->text);
	return err;
}

/* Section 5.6.1: a magic number that is not at the very beginning would confirm nothing. */
static int check_header(struct json_reader *reader)
{
	const struct ctf_type *header = reader->trace->packet_header;
	const struct json_place place = {.name = "packet-header-field-class"};

	for (size_t i = 1; header && i < header->member_count; i++) {
		if (header->members[i].role == CTF_ROLE_MAGIC)
			return json_reader_fail(reader, -EBADMSG, &place,
						"the magic number is not its first member");
	}
	return 0;
}

static int read_trace(struct json_reader *reader, json_t *fragment, size_t values)
{
	static const struct json_property properties[] = {
		JSON_IDENTITY,
		{"environment", JSON_WANT_OBJECT, false},
		{"packet-header-field-class", JSON_WANT_CLASS, false},
	};
	struct ctf_trace_class *trace = reader->trace;
	struct json_root root = {.origin = JSON_PACKET_HEADER};
	const char *name;
	json_t *value;
	int err = json_reader_check(reader, NULL, fragment, properties, COUNT(properties));

	(void)values;
	if (err)
		return err;
	if (reader->has_trace || trace->stream_count)
		return json_reader_fail(reader, -EBADMSG, NULL,
					"there is one trace class at most, and data stream classes "
					"follow it");
	reader->has_trace = true;
	json_object_foreach(json_object_get(fragment, "environment"), name, value)
	{
		err = read_env_entry(reader, name, value);
		if (err)
			return err;
	}
	err = json_class_read_root(reader, NULL, fragment, "packet-header-field-class", &root,
				   &trace->packet_header);
	return err ? err : check_header(reader);
}

static int take_clock(struct json_reader *reader, json_t *fragment, size_t values)
{
	(void)values;
	return json_clock_read(reader, fragment);
}

static int take_stream(struct json_reader *reader, json_t *fragment, size_t values)
{
	(void)values;
	return json_stream_read(reader, fragment);
}

static int take_event(struct json_reader *reader, json_t *fragment, size_t values)
{
	(void)values;
	return json_stream_read_event(reader, fragment);
}

int json_fragment_read(struct json_reader *reader, json_t *fragment, size_t values)
{
	static const struct {
		const char *type;
		fragment_fn *read;
	} fragments[] = {
		{"preamble", read_preamble},	    {"field-class-alias", read_alias},
		{"trace-class", read_trace},	    {"clock-class", take_clock},
		{"data-stream-class", take_stream}, {"event-record-class", take_event},
	};
	const char *type = json_reader_string(fragment, "type");

	if (!type)
		return json_reader_fail(reader, -EBADMSG, NULL,
					"a fragment is an object with a 'type', which is a string");
	if (reader->fragment == 1 && strcmp(type, "preamble") != 0)
		return json_reader_fail(reader, -EBADMSG, NULL, "the first has to be a preamble");
	if (reader->trace->without_events && !strcmp(type, "event-record-class")) {
		reader->trace->skipped_events++;
		return 0;
	}
	for (size_t i = 0; i < COUNT(fragments); i++) {
		if (!strcmp(fragments[i].type, type))
			return fragments[i].read(reader, fragment, values);
	}
	return json_reader_fail(reader, -EBADMSG, NULL, "unknown fragment '%.60s'", type);
}
