// SPDX-License-Identifier: BSD-2-Clause
/*
 * sonde_value: the values of an event's fields, by handle.
 */
#include <math.h>

#include "lib/handles.h"

#define TWO_TO_63 9223372036854775808.0

/* How many elements a field has that fits the event. */
static size_t count_of(const struct sonde_event *event, const struct sonde_field *field)
{
	return field->is_derived ? 1 : event_count(event->event, field->index);
}

/* The bits of an integer that is there. */
static uint64_t integer_at(const struct sonde_event *event, const struct sonde_field *field,
			   size_t i)
{
	if (field->is_derived)
		return event->facts->derived[field->index];
	return event_element_fast(event->event, field->index, (uint32_t)i);
}

bool sonde_value_is_present(const struct sonde_event *event, const struct sonde_field *field)
{
	return handle_fits(event, field);
}

size_t sonde_value_count(const struct sonde_event *event, const struct sonde_field *field)
{
	if (!handle_fits(event, field))
		return 0;
	return field->type == SONDE_TYPE_TEXT ? 1 : count_of(event, field);
}

static bool is_number(const struct sonde_field *field)
{
	return field->type != SONDE_TYPE_TEXT && field->type != SONDE_TYPE_LIST;
}

/* Whether there is a number at @i. */
static bool has_number(const struct sonde_event *event, const struct sonde_field *field, size_t i)
{
	return handle_fits(event, field) && is_number(field) && i < count_of(event, field);
}

/* C leaves it undefined what a double becomes that does not fit. */
static uint64_t double_to_uint(double value)
{
	if (!(value > 0))
		return 0;
	return value >= 2 * TWO_TO_63 ? UINT64_MAX : (uint64_t)value;
}

static int64_t double_to_int(double value)
{
	if (isnan(value))
		return 0;
	if (value >= TWO_TO_63)
		return INT64_MAX;
	return value < -TWO_TO_63 ? INT64_MIN : (int64_t)value;
}

uint64_t sonde_value_uint_at(const struct sonde_event *event, const struct sonde_field *field,
			     size_t i)
{
	if (!has_number(event, field, i))
		return 0;
	if (field->type == SONDE_TYPE_DOUBLE)
		return double_to_uint(event_float(event->event, field->index, (uint32_t)i));
	return integer_at(event, field, i);
}

int64_t sonde_value_int_at(const struct sonde_event *event, const struct sonde_field *field,
			   size_t i)
{
	if (!has_number(event, field, i))
		return 0;
	if (field->type == SONDE_TYPE_DOUBLE)
		return double_to_int(event_float(event->event, field->index, (uint32_t)i));
	return (int64_t)integer_at(event, field, i);
}

double sonde_value_double_at(const struct sonde_event *event, const struct sonde_field *field,
			     size_t i)
{
	uint64_t value;

	if (!has_number(event, field, i))
		return 0;
	if (field->type == SONDE_TYPE_DOUBLE)
		return event_float(event->event, field->index, (uint32_t)i);
	value = integer_at(event, field, i);
	return field->type == SONDE_TYPE_SIGNED ? (double)(int64_t)value : (double)value;
}

uint64_t sonde_value_uint(const struct sonde_event *event, const struct sonde_field *field)
{
	return sonde_value_uint_at(event, field, 0);
}

int64_t sonde_value_int(const struct sonde_event *event, const struct sonde_field *field)
{
	return sonde_value_int_at(event, field, 0);
}

double sonde_value_double(const struct sonde_event *event, const struct sonde_field *field)
{
	return sonde_value_double_at(event, field, 0);
}

/* Of a text that is there. */
static const char *text_of(const struct sonde_event *event, const struct sonde_field *field,
			   size_t *len)
{
	if (!field->is_derived)
		return event_text(event->event, field->index, len);
	*len = event->facts->files[0].len;
	return event->facts->files[0].name;
}

const char *sonde_value_text(const struct sonde_event *event, const struct sonde_field *field,
			     size_t *len)
{
	const char *text = NULL;
	size_t bytes = 0;

	if (handle_fits(event, field) && field->type == SONDE_TYPE_TEXT)
		text = text_of(event, field, &bytes);
	if (len)
		*len = bytes;
	return text;
}

/* Bit fields may begin within a byte. */
static bool has_bytes(const struct sonde_event *event, const struct sonde_field *field)
{
	return is_number(field) && field->type != SONDE_TYPE_DOUBLE && field->field->bits == 8 &&
	       event->event->offsets[field->index] % 8 == 0;
}

const void *sonde_value_bytes(const struct sonde_event *event, const struct sonde_field *field,
			      size_t *len)
{
	*len = 0;
	if (!handle_fits(event, field))
		return NULL;
	if (field->type == SONDE_TYPE_TEXT)
		return text_of(event, field, len);
	if (!has_bytes(event, field))
		return NULL;
	*len = event_count(event->event, field->index);
	return event_bytes(event->event, field->index);
}

/* What the caller's room becomes; of another type than the caller sees. */
struct item {
	struct sonde_event handle;
	struct event event;
} __attribute__((may_alias));

_Static_assert(sizeof(struct item) <= sizeof(struct sonde_item), "room for an item");

const struct sonde_event *sonde_value_item(const struct sonde_event *event,
					   const struct sonde_field *field, size_t i,
					   struct sonde_item *room)
{
	struct item *item = (struct item *)room;

	if (!handle_fits(event, field) || !field->items ||
	    i >= event_count(event->event, field->index))
		return NULL;
	item->handle = *event;
	item->handle.event = &item->event;
	item->handle.class = field->items;
	item->event = event_item(event->event, field->index, (uint32_t)i);
	return &item->handle;
}
