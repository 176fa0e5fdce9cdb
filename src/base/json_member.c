// SPDX-License-Identifier: BSD-2-Clause
#include "base/json_member.h"

#include <string.h>

#include "base/buffer.h"

void json_member_key(struct buffer *out, const char *before, const char *key)
{
	buffer_string(out, before);
	buffer_char(out, '"');
	buffer_string(out, key);
	buffer_string(out, "\":");
}

void json_member_uint(struct buffer *out, const char *before, const char *key, uint64_t value)
{
	json_member_key(out, before, key);
	buffer_uint(out, value);
}

void json_member_int(struct buffer *out, const char *before, const char *key, int64_t value)
{
	json_member_key(out, before, key);
	buffer_int(out, value);
}

void json_member_text(struct buffer *out, const char *before, const char *key, const char *text,
		      size_t len)
{
	json_member_key(out, before, key);
	buffer_char(out, '"');
	buffer_json_text(out, text, len);
	buffer_char(out, '"');
}
