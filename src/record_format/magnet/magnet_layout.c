// SPDX-License-Identifier: BSD-2-Clause
#include "record_format/magnet/magnet_layout.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

struct magnet_layout magnet_layout_of(unsigned int number)
{
	return (struct magnet_layout){
		.big_endian = number & 1, .wide = number & 2, .data = number & 4};
}

int magnet_layout_parse(const char *text, struct magnet_layout *ret)
{
	char name[MAGNET_LAYOUT_NAME_BYTES];

	for (unsigned int i = 0; i < MAGNET_LAYOUTS; i++) {
		struct magnet_layout layout = magnet_layout_of(i);

		magnet_layout_format(&layout, name);
		if (!strcmp(name, text)) {
			*ret = layout;
			return 0;
		}
	}
	return -EINVAL;
}

void magnet_layout_format(const struct magnet_layout *layout, char name[MAGNET_LAYOUT_NAME_BYTES])
{
	snprintf(name, MAGNET_LAYOUT_NAME_BYTES, "%s%s%s", layout->big_endian ? "be" : "le",
		 layout->wide ? "64" : "32", layout->data ? "+data" : "");
}

bool magnet_layout_equals(const struct magnet_layout *a, const struct magnet_layout *b)
{
	return a->big_endian == b->big_endian && a->wide == b->wide && a->data == b->data;
}

uint64_t magnet_load(const struct magnet_layout *layout, const uint8_t *at, size_t bytes)
{
	uint64_t value = 0;

	for (size_t i = 0; i < bytes; i++)
		value = value << 8 | at[layout->big_endian ? i : bytes - 1 - i];
	return value;
}

void magnet_store(const struct magnet_layout *layout, uint8_t *at, size_t bytes, uint64_t value)
{
	for (size_t i = 0; i < bytes; i++) {
		at[layout->big_endian ? bytes - 1 - i : i] = (uint8_t)value;
		value >>= 8;
	}
}

void magnet_head_load(const struct magnet_layout *layout, const uint8_t *record,
		      struct magnet_head *ret)
{
	bool wide = layout->wide;

	ret->sockid = magnet_load(layout, record + MAGNET_AT_SOCKID, wide ? 8 : 4);
	ret->timestamp = magnet_load(
		layout, record + (wide ? MAGNET_AT_TIMESTAMP_64 : MAGNET_AT_TIMESTAMP_32), 8);
	ret->event = (uint32_t)magnet_load(
		layout, record + (wide ? MAGNET_AT_EVENT_64 : MAGNET_AT_EVENT_32), 4);
	ret->size = (int32_t)magnet_load(
		layout, record + (wide ? MAGNET_AT_SIZE_64 : MAGNET_AT_SIZE_32), 4);
}

void magnet_head_store(const struct magnet_layout *layout, uint8_t *record,
		       const struct magnet_head *head)
{
	bool wide = layout->wide;

	magnet_store(layout, record + MAGNET_AT_SOCKID, wide ? 8 : 4, head->sockid);
	magnet_store(layout, record + (wide ? MAGNET_AT_TIMESTAMP_64 : MAGNET_AT_TIMESTAMP_32), 8,
		     head->timestamp);
	magnet_store(layout, record + (wide ? MAGNET_AT_EVENT_64 : MAGNET_AT_EVENT_32), 4,
		     head->event);
	magnet_store(layout, record + (wide ? MAGNET_AT_SIZE_64 : MAGNET_AT_SIZE_32), 4,
		     (uint32_t)head->size);
}
