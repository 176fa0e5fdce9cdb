// SPDX-License-Identifier: BSD-2-Clause
#include "ctf/metadata_write.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "wire/record.h"

static const char types[] =
	"typealias integer { size = 8; align = 8; signed = false; } := u8;\n"
	"typealias integer { size = 8; align = 8; signed = false; encoding = UTF8; } := text8;\n"
	"typealias integer { size = 16; align = 16; signed = false; } := u16;\n"
	"typealias integer { size = 32; align = 32; signed = false; } := u32;\n"
	"typealias integer { size = 32; align = 32; signed = true; } := s32;\n"
	"typealias integer { size = 64; align = 32; signed = false; } := u64;\n"
	"typealias integer { size = 64; align = 32; signed = true; } := s64;\n"
	"typealias integer { size = 64; align = 32; signed = false; base = 16; } := x64;\n\n";

/* The record head of wire/record.h. */
static const char event_header[] =
	"struct event_header {\n"
	"	enum : integer { size = 10; align = 1; signed = false; }\n"
	"		{ compact = 0 ... 1022, extended = 1023 } id;\n"
	"	variant <id> {\n"
	"		struct { time32 timestamp; } compact;\n"
	"		struct { u32 id; time64 timestamp; } extended;\n"
	"	} v;\n"
	"} align(32);\n\n" /* RECORD_ALIGN: behind a text there may be padding */
	"struct event_context {\n"
	"	integer { size = 22; align = 1; signed = false; } tid;\n"
	"};\n\n";

static void write_uuid(struct buffer *out, const uint8_t *uuid)
{
	for (int i = 0; i < 16; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			buffer_char(out, '-');
		buffer_hex(out, uuid[i], 2);
	}
}

/* A string literal: quotes, backslashes and control characters escaped. */
static void write_string(struct buffer *out, const char *text)
{
	buffer_char(out, '"');
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c == '"' || c == '\\')
			buffer_char(out, '\\');
		if (c < 0x20 || c == 0x7f)
			buffer_format(out, "\\%03o", c);
		else
			buffer_char(out, (char)c);
	}
	buffer_char(out, '"');
}

/* Inside a comment nothing may look like its end. */
static void write_comment_text(struct buffer *out, const char *text)
{
	for (; text && *text; text++) {
		if (text[0] == '/' && out->len && out->data[out->len - 1] == '*')
			buffer_char(out, ' ');
		buffer_char(out, *text < ' ' && *text >= 0 ? ' ' : *text);
	}
}

static void write_trace(struct buffer *out, const struct metadata_spec *spec)
{
	buffer_string(out, "trace {\n\tmajor = 1;\n\tminor = 8;\n\tuuid = \"");
	write_uuid(out, spec->uuid);
	buffer_string(out, __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? "\";\n\tbyte_order = le;\n" :
								       "\";\n\tbyte_order = be;\n");
	buffer_string(out, "\tpacket.header := struct { u32 magic; u8 uuid[16]; u32 stream_id; };\n"
			   "};\n\n");
}

static void write_env(struct buffer *out, const struct metadata_spec *spec)
{
	buffer_string(out, "env {\n");
	for (size_t i = 0; i < spec->env_count; i++) {
		const struct trace_env *env = &spec->env[i];

		buffer_format(out, "\t%s = ", env->name);
		if (env->text)
			write_string(out, env->text);
		else
			buffer_int(out, env->number);
		buffer_string(out, ";\n");
	}
	buffer_string(out, "};\n\n");
}

static void write_clock(struct buffer *out, const struct metadata_spec *spec)
{
	int64_t seconds = spec->wall_offset_ns / (int64_t)NS_PER_SEC;
	int64_t rest = spec->wall_offset_ns % (int64_t)NS_PER_SEC;

	if (rest < 0) {
		rest += (int64_t)NS_PER_SEC;
		seconds--;
	}
	buffer_string(out, "clock {\n\tname = monotonic;\n");
	if (spec->clock_uuid)
		buffer_format(out, "\tuuid = \"%s\";\n", spec->clock_uuid);
	buffer_format(out,
		      "\tdescription = \"CLOCK_MONOTONIC\";\n\tfreq = 1000000000;\n"
		      "\toffset_s = %lld;\n\toffset = %lld;\n};\n\n",
		      (long long)seconds, (long long)rest);
	buffer_string(out, "typealias integer { size = 32; align = 1; signed = false; "
			   "map = clock.monotonic.value; } := time32;\n"
			   "typealias integer { size = 64; align = 32; signed = false; "
			   "map = clock.monotonic.value; } := time64;\n\n");
}

static void write_stream(struct buffer *out, unsigned int id, const char *tail)
{
	buffer_format(out,
		      "stream {\n\tid = %u;\n\tpacket.context := %s;\n"
		      "\tevent.header := struct event_header;\n"
		      "\tevent.context := struct event_context;\n};\n\n",
		      id, tail);
}

/* The packet context, up to what only some streams have (struct packet_head). */
static void write_context(struct buffer *out, const char *name, const char *cause)
{
	buffer_format(out,
		      "struct %s {\n"
		      "\ttime64 timestamp_begin;\n"
		      "\ttime64 timestamp_end;\n"
		      "\tu64 content_size;\n"
		      "\tu64 packet_size;\n"
		      "\tu64 events_discarded;\n"
		      "\tu64 discarded_%s;\n"
		      "\tu64 packet_seq_num;\n",
		      name, cause);
}

static void write_streams(struct buffer *out)
{
	write_context(out, "packet_context", "nested");
	buffer_string(out, "\tu32 cpu_id;\n\tu32 level;\n};\n\n");
	/* The recorder is on no CPU, and what it knows as lost has another cause. */
	write_context(out, "recorder_context", "recursion");
	buffer_string(out, "\tu64 unused;\n};\n\n");
	buffer_string(out, event_header);
	write_stream(out, STREAM_CLASS_KERNEL, "struct packet_context");
	write_stream(out, STREAM_CLASS_RECORDER, "struct recorder_context");
}

static const char *base_of(const struct field *field)
{
	switch (field->show) {
	case FIELD_SHOW_HEX:
	case FIELD_SHOW_SYMBOL:
		return " base = 16;";
	case FIELD_SHOW_OCTAL:
		return " base = 8;";
	case FIELD_SHOW_BINARY:
		return " base = 2;";
	default:
		return "";
	}
}

/* Whether it lies as the integers of `types` do. */
static bool is_usual(const struct field *field)
{
	bool sized = field->bits == 8 || field->bits == 16 || field->bits == 32 ||
		     field->bits == 64;

	return sized && field->align_bits == (field->bits < 32 ? field->bits : 32) &&
	       field->big_endian == (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
}

/* Told where it is not the trace's. */
static const char *order_of(const struct field *field)
{
	if (field->big_endian == (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__))
		return "";
	return field->big_endian ? " byte_order = be;" : " byte_order = le;";
}

static void write_integer(struct buffer *out, const struct field *field)
{
	bool usual = is_usual(field);
	bool hex = field->show == FIELD_SHOW_HEX || field->show == FIELD_SHOW_SYMBOL;

	if (usual && field->bits == 64 && hex && !field->is_signed)
		buffer_string(out, "x64");
	else if (usual && !*base_of(field) && (!field->is_signed || field->bits >= 32))
		buffer_format(out, "%c%u", field->is_signed ? 's' : 'u', field->bits);
	else
		buffer_format(out, "integer { size = %u; align = %u; signed = %s;%s%s }",
			      field->bits, field->align_bits, field->is_signed ? "true" : "false",
			      base_of(field), order_of(field));
}

/* CTF 1.8.3, section 4.1.7: IEEE 754 of 32 or 64 bits. */
static void write_float(struct buffer *out, const struct field *field)
{
	unsigned int exponent = field->bits == 32 ? 8 : 11;

	buffer_format(out, "floating_point { exp_dig = %u; mant_dig = %u; align = %u;%s }",
		      exponent, field->bits - exponent, field->align_bits, order_of(field));
}

static void write_enum(struct buffer *out, const struct field *field)
{
	buffer_string(out, "enum : ");
	write_integer(out, field);
	buffer_string(out, " {");
	for (size_t i = 0; i < field->label_count; i++) {
		const struct field_label *label = &field->labels[i];

		buffer_string(out, i ? ", " : " ");
		write_string(out, label->name);
		buffer_format(out, " = %lld", (long long)label->first);
		if (label->last != label->first)
			buffer_format(out, " ... %lld", (long long)label->last);
	}
	buffer_string(out, " }");
}

/* CTF 1.8.3, C.1.2. No C program has a field called by most of them, but the kernel has events. */
static bool is_keyword(const char *name)
{
	static const char *const keywords[] = {
		"align",	  "callsite", "char",	  "clock",   "const",
		"double",	  "enum",     "env",	  "event",   "float",
		"floating_point", "int",      "integer",  "long",    "short",
		"signed",	  "stream",   "string",	  "struct",  "trace",
		"typealias",	  "typedef",  "unsigned", "variant", "void",
	};

	for (size_t i = 0; i < sizeof(keywords) / sizeof(*keywords); i++) {
		if (!strcmp(keywords[i], name))
			return true;
	}
	return false;
}

/* Readers drop an underscore in front (CTF 1.8.3, 7.3.2), which keeps a name apart from keywords;
 * one that begins with its own gets another. */
static void write_name(struct buffer *out, const char *name)
{
	if (*name == '_' || is_keyword(name))
		buffer_char(out, '_');
	buffer_string(out, name);
}

static void write_field(struct buffer *out, const struct event_class *class,
			const struct field *field)
{
	buffer_string(out, "\t\t");
	if (field->kind == FIELD_STRING)
		buffer_string(out, "string");
	else if (field->kind == FIELD_TEXT)
		buffer_string(out, "text8");
	else if (field->kind == FIELD_FLOAT)
		write_float(out, field);
	else if (field->label_count)
		write_enum(out, field);
	else
		write_integer(out, field);
	buffer_char(out, ' ');
	write_name(out, field->name);
	if (field->length) {
		buffer_char(out, '[');
		write_name(out, class->fields[field->length - 1].name);
		buffer_char(out, ']');
	} else if (field->count > 1)
		buffer_format(out, "[%u]", field->count);
	buffer_format(out, "; /** [%s; %s; %s] ", field->unit ? field->unit : "",
		      field_scope_name(field->scope), field_show_name(field->show));
	write_comment_text(out, field->text);
	buffer_string(out, " */\n");
}

/* Fields follow each other as their alignment has it, or a reader would look for them elsewhere. */
static int check_layout(const struct event_class *class)
{
	uint32_t at = 0;

	for (size_t i = 0; i < class->field_count; i++) {
		const struct field *field = &class->fields[i];

		if (field_varies(field))
			return 0;
		at += -at & (field->align_bits - 1u);
		if (field->offset_bits != at)
			return -EINVAL;
		at += field->bits * field->count;
	}
	return 0;
}

int metadata_write_event(struct buffer *out, const struct event_class *class, unsigned int stream)
{
	int err = check_layout(class);

	if (err)
		return err;
	buffer_string(out, "event {\n\t/** ");
	write_comment_text(out, class->text);
	buffer_format(out,
		      " */\n\tid = %u;\n\tstream_id = %u;\n\tname = \"%s\";\n"
		      "\tfields := struct {\n",
		      class->id, stream, class->name);
	for (size_t i = 0; i < class->field_count; i++)
		write_field(out, class, &class->fields[i]);
	buffer_string(out, "\t};\n};\n\n");
	return 0;
}

int metadata_write(const struct metadata_spec *spec, struct buffer *out)
{
	int err = 0;

	buffer_string(out, "/* CTF 1.8 */\n\n");
	buffer_string(out, types);
	write_trace(out, spec);
	write_env(out, spec);
	write_clock(out, spec);
	write_streams(out);
	for (size_t i = 0; !err && i < spec->class_count; i++)
		err = metadata_write_event(out, spec->classes[i], STREAM_CLASS_KERNEL);
	for (size_t i = 0; !err && i < spec->note_count; i++)
		err = metadata_write_event(out, spec->notes[i], STREAM_CLASS_RECORDER);
	return err ?: buffer_error(out);
}
