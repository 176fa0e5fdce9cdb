/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * variant: which fields of a class (struct event_class) are alternatives, and what chooses among them.
 *
 * Readers of events need not ask: event_has says what is present. Writers of the class need it. A
 * variant inside an option of another comes behind it, and its fields are among that option's.
 */
#ifndef SONDE_SCHEMA_VARIANT_H
#define SONDE_SCHEMA_VARIANT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/field.h"

/* The fields [first, end) of the class. */
struct event_option {
	const char *name;
	uint32_t first;
	uint32_t end;
};

/* These values of the tag choose `option`; of several such ranges the first one does. */
struct event_choice {
	int64_t first;
	int64_t last;
	uint32_t option;
};

struct event_variant {
	uint32_t first; /* its fields: [first, end) of the class */
	uint32_t end;
	uint32_t name_len; /* so much of their names is its own; 0 = an item that is nothing else */
	bool optional; /* of one option, which has the variant's name and may be absent */
	struct field_ref tag; /* nowhere: no field has it */
	const struct event_option *options;
	size_t option_count;
	const struct event_choice *choices;
	size_t choice_count;
};

#endif /* SONDE_SCHEMA_VARIANT_H */
