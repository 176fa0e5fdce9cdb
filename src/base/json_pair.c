// SPDX-License-Identifier: BSD-2-Clause
#include "base/json_pair.h"

#include <string.h>

#include "base/buffer.h"

void json_pair_text(struct buffer *out, const char *key, const char *text)
{
	buffer_format(out, ",\"%s\":\"", key);
	buffer_json_text(out, text, strlen(text));
	buffer_char(out, '"');
}

void json_pair_number(struct buffer *out, const char *key, uint64_t number)
{
	buffer_format(out, ",\"%s\":%llu", key, (unsigned long long)number);
}

void json_pair_flag(struct buffer *out, const char *key, bool flag)
{
	buffer_format(out, ",\"%s\":%s", key, flag ? "true" : "false");
}
