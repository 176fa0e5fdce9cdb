// SPDX-License-Identifier: BSD-2-Clause
#include "schema/event.h"

#include <string.h>

#include "base/cursor.h"

bool event_class_is_note(const struct event_class *class)
{
	switch (class->role) {
	case EVENT_ROLE_PLAIN:
		return !strcmp(class->name, "sonde.cost") ||
		       !strcmp(class->name, "sonde.descriptor");
	case EVENT_ROLE_LOST:
		return false;
	default:
		return true;
	}
}

int event_class_find_any(const struct event_class *class, const char *name)
{
	size_t i;

	for (i = 0; i < class->field_count; i++) {
		if (strcmp(class->fields[i].name, name) == 0)
			return (int)i;
	}
	return -1;
}

int event_class_find(const struct event_class *class, const char *name)
{
	int i = event_class_find_any(class, name);

	return i >= 0 && class->fields[i].optional ? -1 : i;
}

int event_class_find_number(const struct event_class *class, const char *name)
{
	int i = event_class_find(class, name);

	if (i >= 0 && (class->fields[i].kind != FIELD_INT || field_is_many(&class->fields[i])))
		return -1;
	return i;
}

int event_class_find_inode(const struct event_class *class)
{
	for (size_t i = 0; i < class->field_count; i++) {
		if (class->fields[i].show == FIELD_SHOW_FILE && !field_is_many(&class->fields[i]) &&
		    class->fields[i].kind == FIELD_INT && !class->fields[i].optional)
			return event_class_find_number(class, "major") >= 0 &&
					       event_class_find_number(class, "minor") >= 0 ?
				       (int)i :
				       -1;
	}
	return -1;
}

/* CTF 1.8.3, 4.1.2: a little-endian integer takes its bits from the least significant end. */
static uint64_t load_little(const uint8_t *p, unsigned int skip, unsigned int bits)
{
	uint64_t value = *p >> skip;
	unsigned int have;

	for (have = 8 - skip; have < bits; have += 8) {
		p++;
		value |= (uint64_t)*p << have;
	}
	return value;
}

/* ... and a big-endian one from the most significant end, its own highest bit first. */
static uint64_t load_big(const uint8_t *p, unsigned int skip, unsigned int bits)
{
	uint64_t value = *p & (0xffu >> skip);
	unsigned int have = 8 - skip;

	if (have >= bits)
		return value >> (have - bits);
	for (; bits - have >= 8; have += 8) {
		p++;
		value = value << 8 | (uint64_t)*p;
	}
	if (have < bits) {
		p++;
		value = value << (bits - have) | (uint64_t)*p >> (8 - (bits - have));
	}
	return value;
}

uint64_t event_element(const struct event *event, size_t field, uint32_t i)
{
	const struct field *f = &event->class->fields[field];
	unsigned int bits = f->bits;
	uint64_t at = event->offsets[field] + (uint64_t)i * bits;
	const uint8_t *p = event->payload + (at >> 3);
	unsigned int skip = at & 7;
	uint64_t value, sign;

	if (!bits) /* the code that found its offset has found its end, too */
		return leb128_get(p, LEB128_MAX_BYTES, f->is_signed, &value) > 0 ? value : 0;
	value = f->big_endian ? load_big(p, skip, bits) : load_little(p, skip, bits);
	if (bits < 64) {
		sign = 1ull << (bits - 1);
		value &= (sign << 1) - 1;
		if (f->is_signed)
			value = (value ^ sign) - sign;
	}
	return value;
}

double event_float(const struct event *event, size_t field, uint32_t i)
{
	uint64_t raw = event_element_fast(event, field, i);

	if (event->class->fields[field].bits == 32) {
		uint32_t raw32 = (uint32_t)raw;
		float value;

		memcpy(&value, &raw32, sizeof(value));
		return (double)value;
	} else {
		double value;

		memcpy(&value, &raw, sizeof(value));
		return value;
	}
}

const char *event_text(const struct event *event, size_t field, size_t *len)
{
	const struct field *f = &event->class->fields[field];
	const char *text = (const char *)event_bytes(event, field);

	*len = f->kind == FIELD_TEXT ? strnlen(text, event_count(event, field)) : strlen(text);
	return text;
}
