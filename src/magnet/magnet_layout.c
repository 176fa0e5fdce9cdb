// SPDX-License-Identifier: BSD-2-Clause
#include "magnet/magnet_layout.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "magnet/magnet_event.h"

#define LAYOUT_COUNT 8u

static struct magnet_layout layout_of(unsigned int number)
{
	return (struct magnet_layout){
		.big_endian = number & 1, .wide = number & 2, .data = number & 4};
}

int magnet_layout_parse(const char *text, struct magnet_layout *ret)
{
	char name[MAGNET_LAYOUT_NAME_BYTES];

	for (unsigned int i = 0; i < LAYOUT_COUNT; i++) {
		struct magnet_layout layout = layout_of(i);

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

/* The event number of the first record, which tells size of pointers and byte order. */
static bool begins_with_sysinfo(const struct magnet_layout *layout, const uint8_t *head, size_t len)
{
	size_t at = layout->wide ? MAGNET_AT_EVENT_64 : MAGNET_AT_EVENT_32;

	return len >= at + 4 && magnet_load(layout, head + at, 4) == MAGNET_SYSINFO;
}

bool magnet_layout_is(const uint8_t *head, size_t len)
{
	for (unsigned int i = 0; i < LAYOUT_COUNT; i++) {
		struct magnet_layout layout = layout_of(i);

		if (begins_with_sysinfo(&layout, head, len))
			return true;
	}
	return false;
}

static bool is_zero(const uint8_t *bytes, size_t len)
{
	return !len || (!bytes[0] && !memcmp(bytes, bytes + 1, len - 1));
}

/*
 * How many in a thousand of the records behind the first make sense: their event is one that we know;
 * or nothing follows.
 */
static unsigned int count_sense(const struct magnet_layout *layout, const uint8_t *head, size_t len)
{
	size_t bytes = magnet_record_bytes(layout), count = 0, good = 0;
	struct magnet_head record;

	for (size_t at = bytes; at + bytes <= len; at += bytes, count++) {
		magnet_head_load(layout, head + at, &record);
		if (!record.timestamp && is_zero(head + at, len - at))
			return (unsigned int)((good + 1) * 1000 / (count + 1));
		good += record.timestamp && magnet_event_find(record.event);
	}
	return count ? (unsigned int)(good * 1000 / count) : 0;
}

static bool is_marked(const struct magnet_layout *layout, const uint8_t *head, size_t len)
{
	size_t at = layout->wide ? MAGNET_AT_DATA_64 : MAGNET_AT_DATA_32;

	return len >= at + MAGNET_MARK_BYTES && !memcmp(head + at, MAGNET_MARK, MAGNET_MARK_BYTES);
}

/*
 * Sense decides; of a file without the data field every fifth record may look as if it had one, so where
 * most make sense without, it has none. Our own files with it are marked. Between equals: a file's size
 * is a multiple of its records'.
 */
static unsigned int rate(const struct magnet_layout *layout, const uint8_t *head, size_t len,
			 uint64_t size)
{
	unsigned int sense = count_sense(layout, head, len);

	if (layout->data && is_marked(layout, head, len))
		return UINT32_MAX;
	if (!layout->data && sense > 500)
		sense = 1001;
	return 1 + sense * 4 + (size && size % magnet_record_bytes(layout) == 0 ? 2 : 0) +
	       !layout->data;
}

int magnet_layout_detect(const uint8_t *head, size_t len, uint64_t size, struct magnet_layout *ret)
{
	unsigned int best = 0;

	for (unsigned int i = 0; i < LAYOUT_COUNT; i++) {
		struct magnet_layout layout = layout_of(i);
		unsigned int score;

		if (!begins_with_sysinfo(&layout, head, len))
			continue;
		score = rate(&layout, head, len, size);
		if (score > best) {
			best = score;
			*ret = layout;
		}
	}
	return best ? 0 : -EBADMSG;
}
