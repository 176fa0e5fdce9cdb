/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * json_writer: the state of one writing of CTF 2 metadata, and the pieces of JSON that it is made of.
 *
 * An object's members are written by functions that put the comma in front, all but after "type".
 */
#ifndef SONDE_CTF_JSON_WRITER_H
#define SONDE_CTF_JSON_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "ctf/arena.h"
#include "ctf/json_origin.h"
#include "ctf/type.h"
#include "wire/ctf.h"

struct ctf_trace_class;
struct diag;

struct json_writer {
	const struct ctf_trace_class *trace;
	struct buffer *out;
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

int json_writer_no_memory(struct json_writer *writer);
/* -ENOTSUP: @what of @type has no form in CTF 2. */
int json_writer_fail(struct json_writer *writer, const struct ctf_type *type, const char *what);

/* {"type":"NAME" */
void json_writer_begin(struct json_writer *writer, const char *type);
void json_writer_end(struct json_writer *writer);
/* ,"NAME": */
void json_writer_name(struct json_writer *writer, const char *name);
void json_writer_text(struct json_writer *writer, const char *name, const char *text);
void json_writer_uint(struct json_writer *writer, const char *name, uint64_t number);
/* "TEXT" alone. */
void json_writer_string(struct json_writer *writer, const char *text);
/* [FIRST,LAST] */
void json_writer_range(struct json_writer *writer, int64_t first, int64_t last, bool is_signed);

#endif /* SONDE_CTF_JSON_WRITER_H */
