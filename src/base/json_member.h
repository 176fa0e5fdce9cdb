/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * json_member: members of JSON objects, for the views that write one object at their end. @before
 * is what stands in front of the member: "," or, for the first of an object, "{".
 */
#ifndef SONDE_BASE_JSON_MEMBER_H
#define SONDE_BASE_JSON_MEMBER_H

#include <stddef.h>
#include <stdint.h>

struct buffer;

/* The value follows. @key is one of ours: it is not escaped. */
void json_member_key(struct buffer *out, const char *before, const char *key);
void json_member_uint(struct buffer *out, const char *before, const char *key, uint64_t value);
void json_member_int(struct buffer *out, const char *before, const char *key, int64_t value);
void json_member_text(struct buffer *out, const char *before, const char *key, const char *text,
		      size_t len);

#endif /* SONDE_BASE_JSON_MEMBER_H */
