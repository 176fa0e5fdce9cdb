/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pen: a payload being written bit by bit, little-endian, into room that the caller has found. Inline, as
 * every field of every event that is written again goes through here.
 */
#ifndef SONDE_CTF_PEN_H
#define SONDE_CTF_PEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "schema/event.h"

#define PEN_HOST_IS_LITTLE (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
#define PEN_SLACK_BYTES 16u /* of padding and of a last byte begun, for each field */

/* Bits from the start of the packet, whose bytes behind `at` are still anything. */
struct pen {
	uint8_t *packet;
	uint64_t at;
};

static inline void pen_align(struct pen *pen, uint32_t align)
{
	uint64_t to = (pen->at + align - 1) & ~((uint64_t)align - 1);
	size_t from = (size_t)((pen->at + 7) / 8);

	if (to / 8 > from)
		memset(pen->packet + from, 0, (size_t)(to / 8) - from);
	pen->at = to;
}

static inline void pen_bytes(struct pen *pen, const void *bytes, size_t len)
{
	memcpy(pen->packet + pen->at / 8, bytes, len);
	pen->at += (uint64_t)len * 8;
}

static inline void pen_number(struct pen *pen, uint64_t value, unsigned int bits)
{
	while (bits) {
		unsigned int skip = pen->at & 7, now = 8 - skip < bits ? 8 - skip : bits;
		uint8_t part = (uint8_t)((value & ((1u << now) - 1)) << skip);
		uint8_t *byte = &pen->packet[pen->at / 8];

		*byte = skip ? *byte | part : part;
		value >>= now;
		bits -= now;
		pen->at += now;
	}
}

/* Whether the elements lie there as they are written. */
static inline bool pen_is_plain(const struct event *event, size_t i)
{
	const struct field *field = &event->class->fields[i];

	return field->bits == 8 || (PEN_HOST_IS_LITTLE && !field->big_endian && !(field->bits % 8));
}

/* @bits: of each as written. */
static inline void pen_numbers(struct pen *pen, const struct event *event, size_t i,
			       unsigned int bits)
{
	const struct field *field = &event->class->fields[i];
	uint32_t count = event_count(event, i);

	if (bits == field->bits && pen_is_plain(event, i) && !(event->offsets[i] & 7)) {
		pen_bytes(pen, event_bytes(event, i), (size_t)count * field->bits / 8);
		return;
	}
	for (uint32_t j = 0; j < count; j++)
		pen_number(pen, event_element(event, i, j), bits);
}

/* Field @i, with @bits for each element. */
static inline void pen_field(struct pen *pen, const struct event *event, size_t i,
			     unsigned int bits)
{
	size_t len;
	const char *text;

	if (event->class->fields[i].kind != FIELD_STRING) {
		pen_numbers(pen, event, i, bits);
		return;
	}
	text = event_text(event, i, &len);
	pen_bytes(pen, text, len + 1);
}

/* Room that field @i takes at most, with all padding. */
static inline size_t pen_field_room(const struct event *event, size_t i)
{
	const struct field *field = &event->class->fields[i];
	size_t len;

	if (field->kind != FIELD_STRING)
		return PEN_SLACK_BYTES + (size_t)event_count(event, i) * (field->bits ?: 64) / 8;
	(void)event_text(event, i, &len);
	return PEN_SLACK_BYTES + len;
}

#endif /* SONDE_CTF_PEN_H */
