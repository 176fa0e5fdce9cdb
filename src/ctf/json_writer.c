// SPDX-License-Identifier: BSD-2-Clause
#include "ctf/json_writer.h"

#include <errno.h>
#include <string.h>

#include "base/diag.h"
#include "ctf/trace_class.h"

int json_writer_no_memory(struct json_writer *writer)
{
	return diag_set(writer->diag, -ENOMEM, "out of memory");
}

int json_writer_fail(struct json_writer *writer, const struct ctf_type *type, const char *what)
{
	(void)diag_set(writer->diag, -ENOTSUP, "metadata %s %u: CTF 2 has no form for %s",
		       writer->trace->place, type->line, what);
	if (writer->diag)
		writer->diag->line = type->line;
	return -ENOTSUP;
}

void json_writer_string(struct json_writer *writer, const char *text)
{
	buffer_char(writer->out, '"');
	buffer_json_text(writer->out, text, strlen(text));
	buffer_char(writer->out, '"');
}

void json_writer_begin(struct json_writer *writer, const char *type)
{
	buffer_format(writer->out, "{\"type\":\"%s\"", type);
}

void json_writer_end(struct json_writer *writer)
{
	buffer_char(writer->out, '}');
}

void json_writer_name(struct json_writer *writer, const char *name)
{
	buffer_format(writer->out, ",\"%s\":", name);
}

void json_writer_text(struct json_writer *writer, const char *name, const char *text)
{
	json_writer_name(writer, name);
	json_writer_string(writer, text);
}

void json_writer_uint(struct json_writer *writer, const char *name, uint64_t number)
{
	json_writer_name(writer, name);
	buffer_uint(writer->out, number);
}

void json_writer_range(struct json_writer *writer, int64_t first, int64_t last, bool is_signed)
{
	buffer_char(writer->out, '[');
	if (is_signed)
		buffer_int(writer->out, first);
	else
		buffer_uint(writer->out, (uint64_t)first);
	buffer_char(writer->out, ',');
	if (is_signed)
		buffer_int(writer->out, last);
	else
		buffer_uint(writer->out, (uint64_t)last);
	buffer_char(writer->out, ']');
}
