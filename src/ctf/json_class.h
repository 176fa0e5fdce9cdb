/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * json_class: field classes of CTF 2 (section 5.3) as types of a trace class.
 *
 * A class that has a role or refers to another field means something else wherever it is used, so
 * an alias of such a class is read again in each place; all others are types that places share.
 */
#ifndef SONDE_CTF_JSON_CLASS_H
#define SONDE_CTF_JSON_CLASS_H

#include <jansson.h>

struct ctf_type;
struct json_found;
struct json_place;
struct json_reader;
struct json_root;

/* Reads the class @value, or the alias that it names. */
int json_class_read(struct json_reader *reader, const struct json_place *place, const json_t *value,
		    struct json_root *root, struct json_found *ret);
/* The same of a class that has to be a structure: one of the outermost. */
int json_class_read_root(struct json_reader *reader, const struct json_place *outer,
			 const json_t *object, const char *property, struct json_root *root,
			 const struct ctf_type **ret);

#endif /* SONDE_CTF_JSON_CLASS_H */
