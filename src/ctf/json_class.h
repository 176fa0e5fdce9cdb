/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * json_class: field classes of CTF 2 (section 5.3) as types of a trace class.
 *
 * A class that has a role or refers to another field means something else wherever it is used, so
 * an alias of such a class is read again in each place; all others are types that places share.
 */
#ifndef SONDE_CTF_JSON_CLASS_H
#define SONDE_CTF_JSON_CLASS_H

#include <stdbool.h>

#include <jansson.h>

#include "ctf/json_origin.h"
#include "ctf/type.h"

struct ctf_clock;
struct json_place;
struct json_reader;

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

/* Reads the class @value, or the alias that it names. */
int json_class_read(struct json_reader *reader, const struct json_place *place, const json_t *value,
		    struct json_root *root, struct json_found *ret);
/* The same of a class that has to be a structure: one of the outermost. */
int json_class_read_root(struct json_reader *reader, const struct json_place *outer,
			 const json_t *object, const char *property, struct json_root *root,
			 const struct ctf_type **ret);

#endif /* SONDE_CTF_JSON_CLASS_H */
