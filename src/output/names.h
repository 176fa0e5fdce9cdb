/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * names: readable names for values, escaped once for the form of output they go to, so that
 * showing one is a copy: system calls, errors, and the labels of enumerations.
 *
 * Names come from the trace (schema/syscalls.h), so they are escaped, and those that are longer
 * than NAME_MAX_BYTES are treated as absent: the number still shows.
 */
#ifndef SONDE_OUTPUT_NAMES_H
#define SONDE_OUTPUT_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyse/call_stats.h"
#include "base/escape.h"

struct field;
struct trace_info;

#define NAME_MAX_BYTES 200u
#define NAMES_ERRORS 576u /* includes the kernel's own ERESTARTSYS and friends */
#define NAMES_LABELS 1024u /* values of a field up to this far apart are looked up by table, */
#define NAMES_OVERLAP 256u /* labels of a field of which a value may have several */
#define NAMES_SPARSE 8u /* if no more than so many for each label */

struct name {
	char *text; /* owned, padded for emit_short; NULL = none */
	size_t len;
};

struct names {
	struct name calls[2][CALL_NUMBERS]; /* native, compat */
	struct name errors[NAMES_ERRORS];
};

/* Labels of one field: by value - first, or, where they are spread, one for each label. */
struct label_names {
	int64_t first;
	size_t count;
	struct name *names;
	const struct field *spread; /* NULL: by value */
	uint32_t *order; /* of those that are spread, by value; NULL: some overlap */
	/* Of flags, and of a field some of whose values have several: all, one for each label, and how long they are. */
	struct name *every;
	size_t every_count;
	size_t every_bytes;
};

/* NULL: no memory. Copies what it needs from @info. */
struct names *names_new(const struct trace_info *info, escape_write escape);
/* Not escaped, for what escapes itself. */
struct names *names_plain_new(const struct trace_info *info);
void names_free(struct names *names);

/* 0 or -ENOMEM. Borrows @field. */
int label_names_init(struct label_names *labels, const struct field *field, escape_write escape);
void label_names_fini(struct label_names *labels);

/* 0 or -ENOMEM; a name too long to keep becomes none. */
int name_init(struct name *name, const char *text, escape_write escape);

static inline const struct name *names_call(const struct names *names, bool compat, int64_t number)
{
	const struct name *name;

	if (number < 0 || number >= (int64_t)CALL_NUMBERS)
		return NULL;
	name = &names->calls[compat][number];
	return name->text ? name : NULL;
}

/* @value: what a system call returned; NULL if it is not an error. */
static inline const struct name *names_error(const struct names *names, int64_t value)
{
	const struct name *name;

	if (value >= 0 || value <= -(int64_t)NAMES_ERRORS)
		return NULL;
	name = &names->errors[-value];
	return name->text ? name : NULL;
}

/* For label_names_get: where the labels are spread. */
const struct name *label_names_find(const struct label_names *labels, int64_t value);

/* Walks all names of @value, from *@at = 0 on, where there are several; NULL: no more. */
const struct name *label_names_next(const struct label_names *labels, const struct field *field,
				    int64_t value, size_t *at);

/* The names of the flags in @value, with '|' between them, and in base 16 what has none. Their room is every_bytes
 * and that of a number. */
char *label_names_flags(char *p, const struct label_names *labels, const struct field *field,
			uint64_t value);

/* The name of @value, or NULL. */
static inline const struct name *label_names_get(const struct label_names *labels, int64_t value)
{
	uint64_t i = (uint64_t)value - (uint64_t)labels->first;

	if (labels->spread)
		return label_names_find(labels, value);
	return i < labels->count && labels->names[i].text ? &labels->names[i] : NULL;
}

#endif /* SONDE_OUTPUT_NAMES_H */
