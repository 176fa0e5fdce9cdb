/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * json_role: what fields mean to a reader (CTF 2, sections 5.3.3, 5.6.1, 5.8.1).
 */
#ifndef SONDE_CTF_JSON_ROLE_H
#define SONDE_CTF_JSON_ROLE_H

#include <jansson.h>

#include "ctf/json_origin.h"
#include "ctf/type.h"

struct ctf_trace_class;
struct json_place;
struct json_reader;
struct json_root;

/*
 * The role that @object, the field class of which @type was made, gives its fields. A timestamp
 * becomes one of the data stream's clock.
 */
int json_role_read(struct json_reader *reader, const struct json_place *place, const json_t *object,
		   struct json_root *root, struct ctf_type *type, enum ctf_role *ret);
/*
 * The name of the role that @member of a structure at @origin has in CTF 2, or NULL. @has_clock: of
 * the data stream; @first: it is the first of all.
 */
const char *json_role_name(const struct ctf_trace_class *trace, enum json_origin origin,
			   const struct ctf_member *member, bool has_clock, bool first);
/* Whether some member inside @type is a time; NULL has none. */
bool json_role_has_time(const struct ctf_type *type);
/* CTF 2 has no roles for CPUs and tasks: these are known by their names, as in CTF 1.8. */
enum ctf_role json_role_by_name(const char *name);

#endif /* SONDE_CTF_JSON_ROLE_H */
