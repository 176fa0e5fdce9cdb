// SPDX-License-Identifier: BSD-2-Clause
#include "probe/tracepoint_field.h"

#include <stdlib.h>
#include <string.h>

#include "probe/tracepoint_print.h"

static const struct {
	const char *type;
	uint8_t bytes;
} sizes[] = {
	{"char", 1},	  {"signed char", 1}, {"unsigned char", 1},
	{"u8", 1},	  {"__u8", 1},	      {"uint8_t", 1},
	{"s8", 1},	  {"__s8", 1},	      {"bool", 1},
	{"u16", 2},	  {"__u16", 2},	      {"uint16_t", 2},
	{"short", 2},	  {"s16", 2},	      {"__be16", 2},
	{"int", 4},	  {"unsigned", 4},    {"unsigned int", 4},
	{"u32", 4},	  {"__u32", 4},	      {"uint32_t", 4},
	{"s32", 4},	  {"__be32", 4},      {"u64", 8},
	{"__u64", 8},	  {"uint64_t", 8},    {"s64", 8},
	{"long long", 8}, {"long", 8},	      {"unsigned long", 8},
	{"cpumask_t", 8}, {"dma_addr_t", 8},
};

/* Of a type that kernels on 64 bits declare so; 0 = not known. */
static uint32_t size_of(const char *type)
{
	if (!strncmp(type, "const ", 6))
		type += 6;
	if (strchr(type, '*'))
		return sizeof(uint64_t);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		if (!strcmp(sizes[i].type, type))
			return sizes[i].bytes;
	}
	return 0;
}

bool tracepoint_field_is_text(const struct format_field *from)
{
	return from->brackets && (!strcmp(from->type, "char") || !strcmp(from->type, "const char"));
}

static bool is_pointer(const struct format_field *from)
{
	return strchr(from->type, '*');
}

static bool is_width(uint32_t bytes)
{
	return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
}

/* Of the array's type, or, where that is not known, what its brackets leave each. */
uint32_t tracepoint_field_bytes(const struct format_field *from)
{
	uint32_t known = size_of(from->type);
	unsigned long count = from->brackets ? strtoul(from->brackets, NULL, 0) : 0;

	if (from->place != FORMAT_INSIDE)
		return known ?: 1;
	if (!from->brackets)
		return is_width(from->size) ? from->size : 1;
	if (!known && count && count <= from->size && !(from->size % count))
		known = (uint32_t)(from->size / count);
	return is_width(known) && !(from->size % known) ? known : 1;
}

/* By its type, or else as the kernel prints it. */
static enum field_show show_of(const char *print, const struct format_field *from,
			       const struct field *field)
{
	enum field_show show;

	if (field->kind != FIELD_INT)
		return FIELD_SHOW_DECIMAL;
	if (!strcmp(from->type, "bool"))
		return FIELD_SHOW_FLAG;
	if (is_pointer(from) || strstr(from->type, "cpumask"))
		return FIELD_SHOW_HEX;
	show = print_show(print, from->name);
	if (show == FIELD_SHOW_ADDRESS)
		return field->bits == 8 && field->count == 16 ? show : FIELD_SHOW_DECIMAL;
	return field->count == 1 ? show : FIELD_SHOW_DECIMAL;
}

struct field tracepoint_field_make(const struct format_field *from, const char *print)
{
	bool varies = from->place != FORMAT_INSIDE, text = tracepoint_field_is_text(from);
	uint32_t bytes = tracepoint_field_bytes(from);
	struct field field = {
		.name = from->name,
		.text = from->type,
		.scope = FIELD_SCOPE_OBJECT,
		.is_signed = from->is_signed && !text && !is_pointer(from),
		.big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__,
		.bits = (uint16_t)(bytes * 8),
		.count = !varies ? from->size / bytes : text,
	};

	if (text)
		field.kind = varies ? FIELD_STRING : FIELD_TEXT;
	field.show = show_of(print, from, &field);
	return field;
}

/* As the field holds it: -1 in a table is 0xffffffff in an unsigned field of 32 bits. */
static int64_t value_in(const struct field *field, int64_t value)
{
	unsigned int unused = 64u - field->bits;
	uint64_t high = (uint64_t)value << unused;

	return field->is_signed ? (int64_t)high >> unused : (int64_t)(high >> unused);
}

int tracepoint_field_name_values(struct field *field, const char *print)
{
	struct field_label *labels;
	int err;

	if (field->kind != FIELD_INT || field->count != 1)
		return 0;
	err = print_labels(print, field->name, &labels, &field->label_count);
	for (size_t i = 0; !err && i < field->label_count; i++)
		labels[i].first = labels[i].last = value_in(field, labels[i].first);
	field->labels = labels;
	return err;
}
