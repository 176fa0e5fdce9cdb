// SPDX-License-Identifier: BSD-2-Clause
#include "ctf/json_reader.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "ctf/arena.h"
#include "ctf/trace_class.h"
#include "wire/ctf.h"

#define PLACE_BYTES 256u

/* Puts the names in the order of reading. Names that do not fit are dropped at the outer end. */
static size_t format_place(const struct json_place *place, char *text)
{
	char part[PLACE_BYTES];
	size_t at = PLACE_BYTES - 1;

	text[at] = '\0';
	for (; place; place = place->outer) {
		int len = place->name ? snprintf(part, sizeof(part), "%s%.64s",
						 place->outer ? "." : "", place->name) :
					snprintf(part, sizeof(part), "[%zu]", place->index);

		if (len < 0 || (size_t)len > at)
			break;
		at -= (size_t)len;
		memcpy(text + at, part, (size_t)len);
	}
	return at;
}

int json_reader_fail(struct json_reader *reader, int err, const struct json_place *place,
		     const char *format, ...)
{
	char where[PLACE_BYTES], what[224];
	size_t at = format_place(place, where);
	va_list args;

	va_start(args, format);
	(void)vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	(void)diag_set(reader->diag, err, "fragment %u%s%s: %s", reader->fragment,
		       where[at] ? ", " : "", where + at, what);
	if (reader->diag)
		reader->diag->line = reader->fragment;
	return err;
}

void json_reader_breach(struct json_reader *reader, const struct json_place *place,
			const char *what)
{
	char where[PLACE_BYTES];
	size_t at = format_place(place, where);

	ctf_trace_class_breach(reader->trace, reader->fragment, "%s: %s", where + at, what);
}

int json_reader_no_memory(struct json_reader *reader)
{
	return diag_set(reader->diag, -ENOMEM, "out of memory");
}

/* The digits of an integer above INT64_MAX, as json_text leaves them. */
static bool is_large(const json_t *value)
{
	const char *text = json_string_value(value);
	size_t len = text ? json_string_length(value) : 0;

	if (len < 19 || len > 20 || strspn(text, "0123456789") != len || text[0] == '0')
		return false;
	return len == 20 ? strcmp(text, "18446744073709551615") <= 0 :
			   strcmp(text, "9223372036854775807") > 0;
}

bool json_reader_number(const json_t *value, int64_t *ret, bool *negative)
{
	if (is_large(value)) {
		*ret = (int64_t)strtoull(json_string_value(value), NULL, 10);
		*negative = false;
		return true;
	}
	if (!json_is_integer(value))
		return false;
	*ret = json_integer_value(value);
	*negative = *ret < 0;
	return true;
}

uint64_t json_reader_uint(const json_t *object, const char *name, uint64_t absent)
{
	const json_t *value = json_object_get(object, name);
	int64_t number;
	bool negative;

	return value && json_reader_number(value, &number, &negative) ? (uint64_t)number : absent;
}

const char *json_reader_string(const json_t *object, const char *name)
{
	return json_string_value(json_object_get(object, name));
}

int json_reader_copy(struct json_reader *reader, const char *text, const char **ret)
{
	*ret = arena_text(&reader->trace->arena, text, strlen(text));
	return *ret ? 0 : json_reader_no_memory(reader);
}

static bool is_wanted(const json_t *value, enum json_want want)
{
	int64_t number;
	bool negative;

	switch (want) {
	case JSON_WANT_STRING:
		return json_is_string(value);
	case JSON_WANT_UINT:
		return json_reader_number(value, &number, &negative) && !negative;
	case JSON_WANT_INT:
		return json_is_integer(value);
	case JSON_WANT_ARRAY:
		return json_is_array(value);
	case JSON_WANT_OBJECT:
		return json_is_object(value);
	case JSON_WANT_CLASS:
	case JSON_WANT_ORIGIN:
		return json_is_object(value) || json_is_string(value);
	}
	return false;
}

static const char *want_text(enum json_want want)
{
	switch (want) {
	case JSON_WANT_STRING:
		return "a string";
	case JSON_WANT_UINT:
		return "an integer that is not negative";
	case JSON_WANT_INT:
		return "an integer of 64 bits";
	case JSON_WANT_ARRAY:
		return "an array";
	case JSON_WANT_OBJECT:
		return "an object";
	case JSON_WANT_CLASS:
		return "a field class, or a string that names one";
	case JSON_WANT_ORIGIN:
		return "\"unix-epoch\" or an object";
	}
	return "something else";
}

/* Section 5.1: the preamble would have declared it, and that is refused. */
static int check_extensions(struct json_reader *reader, const struct json_place *place,
			    const json_t *extensions)
{
	struct json_place inner = {.outer = place, .name = "extensions"};

	if (!json_is_object(extensions))
		return json_reader_fail(reader, -EBADMSG, &inner, "this has to be an object");
	if (json_object_size(extensions))
		return json_reader_fail(reader, -EBADMSG, &inner,
					"the preamble does not declare this extension");
	return 0;
}

static int check_property(struct json_reader *reader, const struct json_place *place,
			  const char *name, const json_t *value,
			  const struct json_property *properties, size_t count)
{
	struct json_place inner = {.outer = place, .name = name};

	if (!strcmp(name, "type"))
		return 0;
	if (!strcmp(name, "attributes"))
		return json_is_object(value) ? 0 :
					       json_reader_fail(reader, -EBADMSG, &inner,
								"this has to be an object");
	for (size_t i = 0; i < count; i++) {
		if (strcmp(properties[i].name, name))
			continue;
		return is_wanted(value, properties[i].want) ?
			       0 :
			       json_reader_fail(reader, -EBADMSG, &inner, "this has to be %s",
						want_text(properties[i].want));
	}
	if (!strcmp(name, "extensions"))
		return check_extensions(reader, place, value);
	return json_reader_fail(reader, -EBADMSG, &inner, "CTF 2 has no such property here");
}

int json_reader_check(struct json_reader *reader, const struct json_place *place,
		      const json_t *value, const struct json_property *properties, size_t count)
{
	/* jansson's iterators take no const; nothing is changed. */
	json_t *object = (json_t *)value, *inner;
	const char *name;
	int err = 0;

	if (!json_is_object(value))
		return json_reader_fail(reader, -EBADMSG, place, "this has to be an object");
	json_object_foreach(object, name, inner)
	{
		err = check_property(reader, place, name, inner, properties, count);
		if (err)
			return err;
	}
	for (size_t i = 0; i < count; i++) {
		if (properties[i].required && !json_object_get(object, properties[i].name))
			return json_reader_fail(reader, -EBADMSG, place, "'%s' is missing",
						properties[i].name);
	}
	return 0;
}

int json_reader_type_new(struct json_reader *reader, enum ctf_kind kind, struct ctf_type **ret)
{
	struct ctf_type *type;

	if (reader->trace->type_count >= CTF_TYPES_MAX)
		return json_reader_fail(reader, -E2BIG, NULL,
					"there are more than %u field classes", CTF_TYPES_MAX);
	type = ctf_trace_class_type_new(reader->trace, kind, reader->fragment);
	if (!type)
		return json_reader_no_memory(reader);
	*ret = type;
	return 0;
}

int json_reader_type_done(struct json_reader *reader, const struct json_place *place,
			  struct ctf_type *type)
{
	int err = ctf_type_measure(type, &reader->trace->arena);

	if (err == -ENOMEM)
		return json_reader_no_memory(reader);
	if (err)
		return json_reader_fail(reader, err, place,
					"the %s is nested too deep or has too many members",
					ctf_type_name(type->kind));
	return 0;
}
