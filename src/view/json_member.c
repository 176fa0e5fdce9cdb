// SPDX-License-Identifier: BSD-2-Clause
#include "view/json_member.h"

#include "base/buffer.h"
#include "view/names.h"

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

void json_member_name(struct buffer *out, const char *before, const char *key,
		      const struct name *name)
{
	if (!name)
		return;
	json_member_key(out, before, key);
	buffer_char(out, '"');
	buffer_append(out, name->text, name->len);
	buffer_char(out, '"');
}
