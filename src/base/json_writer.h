/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * json_writer: JSON appended to a buffer. It knows what is open, and so writes commas and closing brackets
 * itself. Everything that is not written once per event uses it.
 *
 * @key names a member of an object, and is escaped; it is NULL in an array and for the outermost value.
 */
#ifndef SONDE_BASE_JSON_WRITER_H
#define SONDE_BASE_JSON_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JSON_WRITER_DEPTH 256u /* objects and arrays inside each other */

struct buffer;

/* The buffer may be appended to in between only behind json_writer_key, and at depth 0. */
struct json_writer {
	struct buffer *out; /* borrowed */
	unsigned int depth; /* of what is open */
	bool filled; /* the innermost one that is open has something in it */
	uint64_t arrays[JSON_WRITER_DEPTH / 64]; /* by depth: an array, not an object */
};

void json_writer_init(struct json_writer *json, struct buffer *out);

/* Each is closed by json_writer_end. */
void json_writer_object(struct json_writer *json, const char *key);
void json_writer_array(struct json_writer *json, const char *key);
/* Closes the innermost one. */
void json_writer_end(struct json_writer *json);
/* Closes all and ends the line. */
void json_writer_finish(struct json_writer *json);

/* What stands before a value, which the caller appends to the buffer. */
void json_writer_key(struct json_writer *json, const char *key);

void json_writer_uint(struct json_writer *json, const char *key, uint64_t value);
void json_writer_int(struct json_writer *json, const char *key, int64_t value);
/* With so many digits behind the point; null for what is not a number. */
void json_writer_real(struct json_writer *json, const char *key, double value, int digits);
void json_writer_bool(struct json_writer *json, const char *key, bool value);
void json_writer_null(struct json_writer *json, const char *key);
/* Escaped. */
void json_writer_text(struct json_writer *json, const char *key, const char *text, size_t len);
/* Escaped; null for NULL. */
void json_writer_string(struct json_writer *json, const char *key, const char *text);
/* A string whose text is escaped already. */
void json_writer_quoted(struct json_writer *json, const char *key, const char *text, size_t len);

#endif /* SONDE_BASE_JSON_WRITER_H */
