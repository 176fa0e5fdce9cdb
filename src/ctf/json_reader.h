/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * json_reader: the state of one reading of CTF 2 metadata, and the ways to ask an object of it for
 * a property or to say what is wrong with one.
 *
 * Functions return 0 or -errno with the diag filled: the fragment, the place in it, and the error.
 */
#ifndef SONDE_CTF_JSON_READER_H
#define SONDE_CTF_JSON_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "ctf/json_origin.h"
#include "ctf/type.h"

struct ctf_clock;
struct ctf_trace_class;
struct diag;

/* A field class that fragments to come may name (CTF 2, section 5.5). */
struct json_alias {
	json_t *class; /* owned */
	const struct ctf_type *type; /* NULL: what it means depends on where it is used */
	size_t values; /* JSON values in it */
};

struct json_reader {
	struct ctf_trace_class *trace;
	struct diag *diag;
	unsigned int fragment; /* 1 = the first */
	bool has_trace;
	json_t *alias_names; /* name: index into the next */
	struct json_alias *aliases;
	size_t alias_count;
	size_t alias_values; /* of all */
	size_t expanded; /* values of those that were read once more */
	unsigned int depth; /* field classes inside field classes */
};

/* The way from a fragment to a value in it, as a list from the inside out. */
struct json_place {
	const struct json_place *outer; /* NULL: the fragment */
	const char *name; /* of a property; NULL = the next */
	size_t index; /* of an element */
};

/* A structure that is being read, and those around it. */
struct json_frame {
	const struct json_frame *outer;
	const struct ctf_type *type; /* has the members that stand before */
	const char *member; /* the one that is being read */
};

/* What a field class is read for. */
struct json_root {
	enum json_origin origin;
	const struct ctf_type *roots[JSON_NOWHERE]; /* what lies before it; NULL = nothing */
	const struct ctf_clock *clock; /* NULL = the data stream has none */
	const struct json_frame *frame; /* the innermost structure */
	bool bound; /* set where the class depends on the place */
};

struct json_found {
	const struct ctf_type *type;
	enum ctf_role role; /* of the fields */
};

/* "fragment 3, a.b[2]: ..."; returns @err. */
int json_reader_fail(struct json_reader *reader, int err, const struct json_place *place,
		     const char *format, ...) __attribute__((format(printf, 4, 5)));
/* What breaks the standard and is read all the same (ctf_trace_class_breach). */
void json_reader_breach(struct json_reader *reader, const struct json_place *place,
			const char *what);
int json_reader_no_memory(struct json_reader *reader);

/* One property that an object may have, and what it must be: CTF 2 has no others. */
enum json_want {
	JSON_WANT_STRING,
	JSON_WANT_UINT, /* 0 .. UINT64_MAX */
	JSON_WANT_INT, /* INT64_MIN .. INT64_MAX */
	JSON_WANT_ARRAY,
	JSON_WANT_OBJECT,
	JSON_WANT_CLASS, /* an object, or a string that names an alias */
	JSON_WANT_ORIGIN, /* the same of a clock's origin */
};

struct json_property {
	const char *name;
	enum json_want want;
	bool required;
};

/* What identifies classes beyond the metadata (section 5.7). */
#define JSON_IDENTITY                                                              \
	{"namespace", JSON_WANT_STRING, false}, {"name", JSON_WANT_STRING, false}, \
	{                                                                          \
		"uid", JSON_WANT_STRING, false                                     \
	}

/*
 * Checks that @value is an object, that it has every property of @properties (@count) that is
 * required, none beside them but "type", "attributes" and "extensions", and each of the right kind.
 */
int json_reader_check(struct json_reader *reader, const struct json_place *place,
		      const json_t *value, const struct json_property *properties, size_t count);

/* Of a property that json_reader_check has passed as a JSON_WANT_UINT; @absent where it is not. */
uint64_t json_reader_uint(const json_t *object, const char *name, uint64_t absent);
/* NULL where it is not there. */
const char *json_reader_string(const json_t *object, const char *name);
/* One number of a range: any integer of 64 bits, as two's complement. @negative: below 0. */
bool json_reader_number(const json_t *value, int64_t *ret, bool *negative);
/* A copy that lives as long as the trace class. */
int json_reader_copy(struct json_reader *reader, const char *text, const char **ret);

/* A new type of the trace. */
int json_reader_type_new(struct json_reader *reader, enum ctf_kind kind, struct ctf_type **ret);
/* ctf_type_measure, with a sentence where it fails. */
int json_reader_type_done(struct json_reader *reader, const struct json_place *place,
			  struct ctf_type *type);

#endif /* SONDE_CTF_JSON_READER_H */
