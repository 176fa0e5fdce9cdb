/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * json_member: members of JSON objects, for the views that write one object at their end. @before
 * is what stands in front of the member: "," or, for the first of an object, "{".
 */
#ifndef SONDE_VIEW_JSON_MEMBER_H
#define SONDE_VIEW_JSON_MEMBER_H

#include <stddef.h>
#include <stdint.h>

struct buffer;
struct name;
struct trace_info;

/* The value follows. @key is one of ours: it is not escaped. */
void json_member_key(struct buffer *out, const char *before, const char *key);
void json_member_uint(struct buffer *out, const char *before, const char *key, uint64_t value);
void json_member_int(struct buffer *out, const char *before, const char *key, int64_t value);
void json_member_text(struct buffer *out, const char *before, const char *key, const char *text,
		      size_t len);
/* "end_mark", and "missing" if something is (schema/trace_end.h); nothing where the source does not say. */
void json_member_trace_end(struct buffer *out, const struct trace_info *info);
/* A text that escape_json has written already; nothing where it is NULL. */
void json_member_name(struct buffer *out, const char *before, const char *key,
		      const struct name *name);

#endif /* SONDE_VIEW_JSON_MEMBER_H */
