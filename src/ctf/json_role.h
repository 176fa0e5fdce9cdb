/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * json_role: what fields mean to a reader (CTF 2, sections 5.3.3, 5.6.1, 5.8.1).
 */
#ifndef SONDE_CTF_JSON_ROLE_H
#define SONDE_CTF_JSON_ROLE_H

#include <jansson.h>

#include "ctf/type.h"

struct json_place;
struct json_reader;
struct json_root;

/*
 * The role that @object, the field class of which @type was made, gives its fields. A timestamp
 * becomes one of the data stream's clock.
 */
int json_role_read(struct json_reader *reader, const struct json_place *place, const json_t *object,
		   struct json_root *root, struct ctf_type *type, enum ctf_role *ret);
/* CTF 2 has no roles for CPUs and tasks: these are told by their names, as in CTF 1.8. */
enum ctf_role json_role_by_name(const char *name);

#endif /* SONDE_CTF_JSON_ROLE_H */
