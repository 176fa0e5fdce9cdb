// SPDX-License-Identifier: BSD-2-Clause
#include "ctf/metadata_field.h"

#include <stdbool.h>
#include <string.h>

#include "base/buffer.h"
#include "schema/event.h"

void metadata_string(struct buffer *out, const char *text)
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

void metadata_comment(struct buffer *out, const char *text)
{
	for (; text && *text; text++) {
		if (text[0] == '/' && out->len && out->data[out->len - 1] == '*')
			buffer_char(out, ' ');
		buffer_char(out, (unsigned char)*text < ' ' ? ' ' : *text);
	}
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

/* Of an unsigned enumeration the upper half is not negative. */
static void write_value(struct buffer *out, const struct field *field, int64_t value)
{
	if (field->is_signed)
		buffer_int(out, value);
	else
		buffer_uint(out, (uint64_t)value);
}

static void write_enum(struct buffer *out, const struct field *field)
{
	buffer_string(out, "enum : ");
	write_integer(out, field);
	buffer_string(out, " {");
	for (size_t i = 0; i < field->label_count; i++) {
		const struct field_label *label = &field->labels[i];

		buffer_string(out, i ? ", " : " ");
		metadata_string(out, label->name);
		buffer_string(out, " = ");
		write_value(out, field, label->first);
		if (label->last != label->first) {
			buffer_string(out, " ... ");
			write_value(out, field, label->last);
		}
	}
	buffer_string(out, " }");
}

/* CTF 1.8.3, C.1.2. No C program has a field called by most of them, but the kernel has events. Nor
 * may a field be called like one of our types: what stands there would be the type. Types that fields share
 * (struct field) end with "_t". */
static bool is_taken(const char *name, size_t len)
{
	static const char *const words[] = {
		"align",
		"callsite",
		"char",
		"clock",
		"const",
		"double",
		"enum",
		"env",
		"event",
		"float",
		"floating_point",
		"int",
		"integer",
		"long",
		"short",
		"signed",
		"stream",
		"string",
		"struct",
		"trace",
		"typealias",
		"typedef",
		"unsigned",
		"variant",
		"void",
		"u8",
		"u16",
		"u32",
		"u64",
		"s32",
		"s64",
		"x64",
		"text8",
		"time32",
		"time64",
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (strlen(words[i]) == len && !memcmp(words[i], name, len))
			return true;
	}
	return len > 2 && !memcmp(name + len - 2, "_t", 2);
}

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

bool metadata_is_name(const char *text)
{
	size_t len = strlen(text);

	if (!len || (*text >= '0' && *text <= '9') || is_taken(text, len))
		return false;
	for (size_t i = 0; i < len; i++) {
		if (!is_word(text[i]))
			return false;
	}
	return true;
}

static bool is_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

bool metadata_is_uuid(const char *text)
{
	size_t i = 0;

	for (; text && text[i]; i++) {
		if (i == 8 || i == 13 || i == 18 || i == 23 ? text[i] != '-' : !is_hex(text[i]))
			return false;
	}
	return i == 36;
}

void metadata_name(struct buffer *out, const char *name, size_t len)
{
	if (!len || *name == '_' || (*name >= '0' && *name <= '9') || is_taken(name, len))
		buffer_char(out, '_');
	for (size_t i = 0; i < len; i++)
		buffer_char(out, is_word(name[i]) ? name[i] : '_');
}

void metadata_path(struct buffer *out, const char *name)
{
	for (;;) {
		size_t len = strcspn(name, ".");

		metadata_name(out, name, len);
		if (!name[len])
			return;
		buffer_char(out, '.');
		name += len + 1;
	}
}

/* An inner name might hide the one that is meant. */
static void write_length(struct buffer *out, const struct event_class *class,
			 const struct field *field)
{
	const char *length = class->fields[field->length - 1].name;
	size_t at = (size_t)(field - class->fields);

	buffer_char(out, '[');
	if (field->length - 1 < class->context_count)
		buffer_string(out, at < class->context_count && !strchr(field->name, '.') &&
						   !strchr(length, '.') ?
					   "" :
					   "event.context.");
	else if (strchr(field->name, '.') || strchr(length, '.'))
		buffer_string(out, "event.fields.");
	metadata_path(out, length);
	buffer_char(out, ']');
}

void metadata_type(struct buffer *out, const struct field *field)
{
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
}

void metadata_doc(struct buffer *out, const struct field *field)
{
	buffer_format(out, "; /** [%s; %s; %s] ", field->unit ? field->unit : "",
		      field_scope_name(field->scope), field_show_name(field->show));
	metadata_comment(out, field->text);
	buffer_string(out, " */\n");
}

/* @scope: what of its name the structures around it are called. */
static void write_field(struct buffer *out, const struct event_class *class,
			const struct field *field, size_t scope)
{
	if (field->shared_type)
		buffer_string(out, field->shared_type);
	else
		metadata_type(out, field);
	buffer_char(out, ' ');
	metadata_name(out, field->name + scope, strlen(field->name + scope));
	if (field->length)
		write_length(out, class, field);
	else if (field_is_many(field))
		buffer_format(out, "[%u]", field->count);
	if (field->shared_type)
		buffer_string(out, ";\n");
	else
		metadata_doc(out, field);
}

/* Where the context, or the payload, ends that field @i is in. */
static size_t scope_end(const struct event_class *class, size_t i)
{
	return i < class->context_count ? class->context_count : class->field_count;
}

/* How many fields from @first on have the first @len bytes of its name. */
static size_t count_group(const struct event_class *class, size_t first, size_t len)
{
	const char *name = class->fields[first].name;
	size_t end = first + 1, last = scope_end(class, first);

	while (end < last && !strncmp(class->fields[end].name, name, len))
		end++;
	return end - first;
}

/* The fields [@first, @end), which are members of structures @depth deep. */
static void write_members(struct buffer *out, const struct event_class *class, size_t first,
			  size_t end, size_t scope, unsigned int depth)
{
	while (first < end) {
		const char *name = class->fields[first].name + scope;
		size_t len = strcspn(name, "."), count;

		buffer_pad(out, '\t', depth);
		if (!name[len]) {
			write_field(out, class, &class->fields[first++], scope);
			continue;
		}
		count = count_group(class, first, scope + len + 1);
		buffer_string(out, "struct {\n");
		write_members(out, class, first, first + count, scope + len + 1, depth + 1);
		buffer_pad(out, '\t', depth);
		buffer_string(out, "} ");
		metadata_name(out, name, len);
		buffer_string(out, ";\n");
		first += count;
	}
}

void metadata_fields(struct buffer *out, const struct event_class *class)
{
	write_members(out, class, class->context_count, class->field_count, 0, 2);
}

void metadata_context(struct buffer *out, const struct event_class *class)
{
	write_members(out, class, 0, class->context_count, 0, 2);
}

/* The widest of @count fields. */
static uint32_t widest(const struct event_class *class, size_t first, size_t count)
{
	uint32_t align = 1;

	for (size_t i = first; i < first + count; i++) {
		if (class->fields[i].align_bits > align)
			align = class->fields[i].align_bits;
	}
	return align;
}

uint32_t metadata_field_align(const struct event_class *class, size_t i)
{
	const char *name = class->fields[i].name;
	uint32_t align = class->fields[i].align_bits;

	if (!i || i == class->context_count)
		return widest(class, i, scope_end(class, i) - i);
	for (const char *dot = strchr(name, '.'); dot; dot = strchr(dot + 1, '.')) {
		size_t len = (size_t)(dot + 1 - name);
		uint32_t inside;

		if (!strncmp(class->fields[i - 1].name, name, len))
			continue; /* it began before */
		inside = widest(class, i, count_group(class, i, len));
		align = inside > align ? inside : align;
	}
	return align;
}
