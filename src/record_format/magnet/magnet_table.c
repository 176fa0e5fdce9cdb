// SPDX-License-Identifier: BSD-2-Clause
#include "record_format/magnet/magnet_table.h"

#include "base/buffer.h"
#include "base/clock.h"
#include "record_format/magnet/magnet_event.h"
#include "record_format/magnet/magnet_layout.h"
#include "record_format/magnet/magnet_source.h"
#include "schema/event.h"

static unsigned int column_count(const struct magnet_layout *layout)
{
	return layout->data ? MAGNET_VALUE_COUNT : MAGNET_VALUE_DATA;
}

void magnet_table_head(const struct magnet_layout *layout, struct buffer *out)
{
	buffer_string(out, "time");
	for (unsigned int id = 0; id < column_count(layout); id++) {
		buffer_char(out, '\t');
		buffer_string(out, magnet_values[id].name);
	}
	buffer_char(out, '\n');
}

/* Seconds since 1970. */
static void write_time(int64_t ns, struct buffer *out)
{
	uint64_t size = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;

	if (ns < 0)
		buffer_char(out, '-');
	buffer_uint(out, size / NS_PER_SEC);
	buffer_char(out, '.');
	buffer_digits(out, size % NS_PER_SEC, 9);
}

static void write_value(const struct magnet_layout *layout, enum magnet_value_id id,
			const uint8_t *record, struct buffer *out)
{
	const struct magnet_value *value = &magnet_values[id];
	const uint8_t *at = record + magnet_value_at(value, layout);
	uint64_t number;

	if (value->type == MAGNET_BIT) {
		unsigned int bit = layout->big_endian ? 7u - value->bit : value->bit;

		buffer_char(out, at[0] >> bit & 1 ? '1' : '0');
		return;
	}
	number = magnet_load(layout, at, magnet_value_bytes(value, layout));
	if (value->type == MAGNET_S32)
		buffer_int(out, (int32_t)number);
	else
		buffer_uint(out, number);
}

static void write_event(uint32_t number, struct buffer *out)
{
	const struct magnet_event *event = magnet_event_find(number);

	if (event)
		buffer_string(out, event->name);
	else
		buffer_uint(out, number);
}

void magnet_table_row(const struct magnet_layout *layout, const struct event *event,
		      struct buffer *out)
{
	const uint8_t *record = magnet_record_of(event);
	const struct magnet_event *kind;
	struct magnet_head head;

	magnet_head_load(layout, record, &head);
	kind = magnet_event_find(head.event);
	write_time(event->time_ns, out);
	for (unsigned int id = 0; id < column_count(layout); id++) {
		buffer_char(out, '\t');
		if (id == MAGNET_VALUE_EVENT)
			write_event(head.event, out);
		else if (id < MAGNET_VALUE_DATA || (kind && magnet_event_has(kind, layout, id)))
			write_value(layout, id, record, out);
	}
	buffer_char(out, '\n');
}
