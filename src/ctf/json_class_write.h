/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * json_class_write: types as field classes of CTF 2 (section 5.3), which lie as the types do.
 */
#ifndef SONDE_CTF_JSON_CLASS_WRITE_H
#define SONDE_CTF_JSON_CLASS_WRITE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/json_writer.h"
#include "ctf/arena.h"
#include "ctf/json_origin.h"
#include "wire/ctf.h"

struct ctf_doc;
struct ctf_trace_class;
struct ctf_type;
struct diag;

/* The state of one writing of CTF 2 metadata. */
struct json_class_writer {
	struct json_writer json;
	const struct ctf_trace_class *trace;
	struct diag *diag;
	struct arena arena; /* for what is of no use afterwards */
	enum json_origin origin; /* of the structure that is being written */
	const struct ctf_type *roots[JSON_NOWHERE]; /* up to that one; NULL = none */
	bool has_clock; /* the data stream has a default clock */
	/* Structures around, the outermost first, with the members of them that are being written. */
	const struct ctf_type *frames[CTF_DEPTH_MAX + 1];
	size_t members[CTF_DEPTH_MAX + 1];
	size_t depth;
};

int json_class_writer_no_memory(struct json_class_writer *writer);

/* One of the outermost structures, as property @name; NULL writes nothing. */
int json_class_write_root(struct json_class_writer *writer, const char *name,
			  enum json_origin origin, const struct ctf_type *type);
/* "attributes" of our own where there is something to tell; @doc may be that of a member. */
void json_class_write_doc(struct json_class_writer *writer, const struct ctf_doc *doc);

#endif /* SONDE_CTF_JSON_CLASS_WRITE_H */
