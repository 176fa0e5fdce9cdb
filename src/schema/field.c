// SPDX-License-Identifier: BSD-2-Clause
#include "schema/field.h"

#include <string.h>

static const char *const scope_names[] = {
	[FIELD_SCOPE_MONITOR] = "monitor",
	[FIELD_SCOPE_SYSTEM] = "system",
	[FIELD_SCOPE_OBJECT] = "object",
};

static const char *const show_names[FIELD_SHOW_COUNT] = {
	[FIELD_SHOW_DECIMAL] = "decimal", [FIELD_SHOW_HEX] = "hex",
	[FIELD_SHOW_OCTAL] = "octal",	  [FIELD_SHOW_BINARY] = "binary",
	[FIELD_SHOW_SYSCALL] = "syscall", [FIELD_SHOW_RESULT] = "result",
	[FIELD_SHOW_ADDRESS] = "address", [FIELD_SHOW_FLAG] = "flag",
	[FIELD_SHOW_NETNS] = "netns",	  [FIELD_SHOW_CGROUP] = "cgroup",
	[FIELD_SHOW_FILE] = "file",	  [FIELD_SHOW_SYMBOL] = "symbol",
	[FIELD_SHOW_FLAGS] = "flags",	  [FIELD_SHOW_SOCKADDR] = "sockaddr",
	[FIELD_SHOW_TEXTS] = "texts",
};

const char *field_label(const struct field *field, int64_t value)
{
	size_t i;

	for (i = 0; i < field->label_count; i++) {
		const struct field_label *label = &field->labels[i];

		if (field_label_has(field, label, value))
			return label->name;
	}
	return NULL;
}

/* How many labels count up from 0 at the beginning: not one alone. */
static size_t count_alternatives(const struct field *field)
{
	size_t count = 0;

	while (count < field->label_count && field->labels[count].first == (int64_t)count)
		count++;
	return count > 1 ? count : 0;
}

/* Takes @bits, those of label @i, out of @rest. Nothing can follow the last of them. */
static int take_flags(const struct field *field, size_t i, uint64_t bits, uint64_t *rest,
		      size_t *at)
{
	*rest &= ~bits;
	if (!*rest)
		*at = field->label_count;
	return (int)i;
}

int field_flags_next(const struct field *field, uint64_t *rest, size_t *at)
{
	size_t count = *at ? 0 : count_alternatives(field);

	if (count) {
		uint64_t mask = (2ull << (63 - __builtin_clzll(count - 1))) - 1;
		uint64_t value = *rest & mask;

		*at = count;
		if (value < count)
			return take_flags(field, value, mask, rest, at);
	}
	while (*at < field->label_count) {
		size_t i = (*at)++;
		uint64_t bits = (uint64_t)field->labels[i].first;

		if (bits ? (*rest & bits) == bits : !*rest)
			return take_flags(field, i, bits, rest, at);
	}
	return -1;
}

const char *field_scope_name(enum field_scope scope)
{
	return scope_names[scope];
}

const char *field_show_name(enum field_show show)
{
	return show_names[show];
}

enum field_show field_show_parse(const char *name, size_t len)
{
	int i;

	for (i = 0; i < FIELD_SHOW_COUNT; i++) {
		if (strlen(show_names[i]) == len && memcmp(show_names[i], name, len) == 0)
			return (enum field_show)i;
	}
	return FIELD_SHOW_DECIMAL;
}

unsigned int field_unit_fraction(const char *unit, const char **whole)
{
	static const struct {
		const char *unit;
		const char *whole;
		unsigned int bits;
	} fractions[] = {{"us/8", "us", 3}, {"us/4", "us", 2}};

	for (size_t i = 0; unit && i < sizeof(fractions) / sizeof(fractions[0]); i++) {
		if (strcmp(fractions[i].unit, unit) != 0)
			continue;
		*whole = fractions[i].whole;
		return fractions[i].bits;
	}
	return 0;
}

void field_cut_fraction(struct field *field)
{
	const char *whole;
	unsigned int bits = field_unit_fraction(field->unit, &whole);

	if (!bits || field->kind != FIELD_INT || field_is_many(field) || field->bits <= bits)
		return;
	field->unit = whole;
	field->bits = (uint16_t)(field->bits - bits);
	field->align_bits = 1;
	if (!field->big_endian)
		field->offset_bits += bits;
}
