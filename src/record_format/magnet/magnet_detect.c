// SPDX-License-Identifier: BSD-2-Clause
#include "record_format/magnet/magnet_detect.h"

#include <errno.h>
#include <string.h>

#include "record_format/magnet/magnet_event.h"
#include "record_format/magnet/magnet_layout.h"

/* The event number of the first record, which shows size of pointers and byte order. */
static bool begins_with_sysinfo(const struct magnet_layout *layout, const uint8_t *head, size_t len)
{
	size_t at = layout->wide ? MAGNET_AT_EVENT_64 : MAGNET_AT_EVENT_32;

	return len >= at + 4 && magnet_load(layout, head + at, 4) == MAGNET_SYSINFO;
}

bool magnet_detect_is(const uint8_t *head, size_t len)
{
	for (unsigned int i = 0; i < MAGNET_LAYOUTS; i++) {
		struct magnet_layout layout = magnet_layout_of(i);

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

int magnet_detect_layout(const uint8_t *head, size_t len, uint64_t size, struct magnet_layout *ret)
{
	unsigned int best = 0;

	for (unsigned int i = 0; i < MAGNET_LAYOUTS; i++) {
		struct magnet_layout layout = magnet_layout_of(i);
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
