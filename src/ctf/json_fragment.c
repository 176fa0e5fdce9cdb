// SPDX-License-Identifier: BSD-2-Clause
#include "ctf/json_fragment.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "ctf/arena.h"
#include "ctf/json_class.h"
#include "ctf/json_clock.h"
#include "ctf/json_reader.h"
#include "ctf/json_stream.h"
#include "ctf/trace_class.h"
#include "wire/ctf.h"

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
