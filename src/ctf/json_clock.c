// SPDX-License-Identifier: BSD-2-Clause
#include "ctf/json_clock.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "ctf/arena.h"
#include "ctf/json_reader.h"
#include "ctf/trace_class.h"
#include "wire/ctf.h"

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

struct ctf_clock *json_clock_find(const struct ctf_trace_class *trace, const char *id)
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

int json_clock_read(struct json_reader *reader, const json_t *fragment)
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
