// SPDX-License-Identifier: BSD-2-Clause
#include "base/json_writer.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/buffer.h"

void json_writer_init(struct json_writer *json, struct buffer *out)
{
	*json = (struct json_writer){.out = out};
}

static bool is_array(const struct json_writer *json)
{
	const unsigned int at = json->depth - 1;

	return json->arrays[at / 64] >> at % 64 & 1;
}

void json_writer_key(struct json_writer *json, const char *key)
{
	assert(!json->depth || !key == is_array(json));
	if (json->depth && json->filled)
		buffer_char(json->out, ',');
	json->filled = true;
	if (!key)
		return;
	buffer_char(json->out, '"');
	buffer_json_text(json->out, key, strlen(key));
	buffer_append(json->out, "\":", 2);
}

static void begin(struct json_writer *json, const char *key, bool array)
{
	const uint64_t bit = 1ull << json->depth % 64;
	uint64_t *word = &json->arrays[json->depth / 64];

	assert(json->depth < JSON_WRITER_DEPTH);
	json_writer_key(json, key);
	buffer_char(json->out, array ? '[' : '{');
	*word = array ? *word | bit : *word & ~bit;
	json->depth++;
	json->filled = false;
}

void json_writer_object(struct json_writer *json, const char *key)
{
	begin(json, key, false);
}

void json_writer_array(struct json_writer *json, const char *key)
{
	begin(json, key, true);
}

void json_writer_end(struct json_writer *json)
{
	assert(json->depth);
	buffer_char(json->out, is_array(json) ? ']' : '}');
	json->depth--;
	json->filled = true;
}

void json_writer_finish(struct json_writer *json)
{
	while (json->depth)
		json_writer_end(json);
	buffer_char(json->out, '\n');
}

void json_writer_uint(struct json_writer *json, const char *key, uint64_t value)
{
	json_writer_key(json, key);
	buffer_uint(json->out, value);
}

void json_writer_int(struct json_writer *json, const char *key, int64_t value)
{
	json_writer_key(json, key);
	buffer_int(json->out, value);
}

void json_writer_real(struct json_writer *json, const char *key, double value, int digits)
{
	json_writer_key(json, key);
	if (isfinite(value))
		buffer_format(json->out, "%.*f", digits, value);
	else
		buffer_string(json->out, "null");
}

void json_writer_bool(struct json_writer *json, const char *key, bool value)
{
	json_writer_key(json, key);
	buffer_string(json->out, value ? "true" : "false");
}

void json_writer_null(struct json_writer *json, const char *key)
{
	json_writer_key(json, key);
	buffer_string(json->out, "null");
}

void json_writer_text(struct json_writer *json, const char *key, const char *text, size_t len)
{
	json_writer_key(json, key);
	buffer_char(json->out, '"');
	buffer_json_text(json->out, text, len);
	buffer_char(json->out, '"');
}

void json_writer_string(struct json_writer *json, const char *key, const char *text)
{
	if (text)
		json_writer_text(json, key, text, strlen(text));
	else
		json_writer_null(json, key);
}

void json_writer_quoted(struct json_writer *json, const char *key, const char *text, size_t len)
{
	json_writer_key(json, key);
	buffer_char(json->out, '"');
	buffer_append(json->out, text, len);
	buffer_char(json->out, '"');
}
