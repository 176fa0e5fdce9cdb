/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * json_class_write: types as field classes of CTF 2 (section 5.3), which lie as the types do.
 */
#ifndef SONDE_CTF_JSON_CLASS_WRITE_H
#define SONDE_CTF_JSON_CLASS_WRITE_H

#include "ctf/json_origin.h"

struct ctf_doc;
struct ctf_type;
struct json_writer;

/* One of the outermost structures, as property @name; NULL writes nothing. */
int json_class_write_root(struct json_writer *writer, const char *name, enum json_origin origin,
			  const struct ctf_type *type);
/* "attributes" of our own where there is something to tell; @doc may be that of a member. */
void json_class_write_doc(struct json_writer *writer, const struct ctf_doc *doc);

#endif /* SONDE_CTF_JSON_CLASS_WRITE_H */
