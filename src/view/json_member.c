// SPDX-License-Identifier: BSD-2-Clause
#include "view/json_member.h"

#include <string.h>

#include "base/buffer.h"
#include "schema/trace_end.h"
#include "schema/trace_info.h"
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

void json_member_trace_end(struct buffer *out, const struct trace_info *info)
{
	const char *word = trace_end_word(info), *text;

	if (!info->end || info->end->kind == TRACE_END_UNKNOWN)
		return;
	json_member_text(out, ",", "end_mark", word, strlen(word));
	for (size_t i = 0; (text = trace_end_missing(info, i)); i++) {
		if (i)
			buffer_char(out, ',');
		else
			buffer_string(out, ",\"missing\":[");
		buffer_char(out, '"');
		buffer_json_text(out, text, strlen(text));
		buffer_char(out, '"');
	}
	if (trace_end_missing(info, 0))
		buffer_char(out, ']');
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
