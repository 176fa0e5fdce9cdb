// SPDX-License-Identifier: BSD-2-Clause
#include "ctf/natural.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/diag.h"
#include "ctf/metadata_field.h"
#include "wire/record.h"

#define HOST_IS_LITTLE (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
#define RECORD_ALIGN_BITS (8 * RECORD_ALIGN)
#define FIELD_SLACK_BYTES 16u /* of padding and of a last byte begun, for each field */

/* Elements of an array lie side by side, so that odd ones cannot begin on bytes. */
static uint16_t align_of(const struct field *field)
{
	if (field->bits % 8)
		return field_is_many(field) ? 1 : 8;
	if (field->bits == 64)
		return RECORD_ALIGN_BITS;
	return field->bits & (field->bits - 1) ? 8 : field->bits;
}

static uint64_t align_up(uint64_t at, uint32_t align)
{
	return (at + align - 1) & ~((uint64_t)align - 1);
}

/* Where the fields lie, as far as that is the same in all events. */
static void place_fields(struct natural *natural)
{
	struct event_class *class = &natural->class;
	uint64_t at = 0;

	class->fixed = true;
	for (size_t i = 0; i < class->field_count; i++) {
		struct field *field = &natural->fields[i];

		natural->aligns[i] = metadata_field_align(class, i);
		at = align_up(at, natural->aligns[i]);
		field->offset_bits = (uint32_t)at;
		at += (uint64_t)field->bits * field->count;
		class->fixed = class->fixed && !field_varies(field);
	}
	class->payload_bytes = class->fixed ? (uint32_t)((at + 7) / 8) : 0;
}

/* Whether @class can stay as it is, bit fields and all: then its events' bytes are copied. */
static bool is_fit(const struct natural *natural, const struct event_class *class)
{
	if (!HOST_IS_LITTLE || !class->fixed)
		return false;
	for (size_t i = 0; i < class->field_count; i++) {
		const struct field *field = &class->fields[i];

		if (field->offset_bits != natural->fields[i].offset_bits ||
		    natural->aligns[i] > RECORD_ALIGN_BITS ||
		    (field->big_endian && field->bits > 8))
			return false;
	}
	return true;
}

/* Natural alignments and order for all fields. */
static void straighten(struct natural *natural)
{
	for (size_t i = 0; i < natural->class.field_count; i++) {
		if (!natural->fields[i].bits) /* of variable length */
			natural->fields[i].bits = 64;
		natural->fields[i].align_bits = align_of(&natural->fields[i]);
		natural->fields[i].big_endian = false;
	}
	place_fields(natural);
}

/* What has no form of ours. */
static int check_fields(const struct event_class *class, struct diag *diag)
{
	for (size_t i = 0; i < class->field_count; i++) {
		const struct field *field = &class->fields[i];

		if (field->kind == FIELD_LIST || field->optional || field->count_at)
			return diag_set(diag, -ENOTSUP,
					"field '%s' of event '%s' is %s, which cannot be written "
					"to a trace yet; leave the event out with -e",
					field->name, class->name,
					field->optional		  ? "of a variant" :
					field->kind == FIELD_LIST ? "an array of no numbers" :
								    "as long as no field tells");
	}
	return 0;
}

int natural_init(struct natural *natural, const struct event_class *class, struct diag *diag)
{
	size_t count = class->field_count;
	int err = check_fields(class, diag);

	if (err)
		return err;
	*natural = (struct natural){.class = *class};
	natural->fields = calloc(count ?: 1, sizeof(*natural->fields));
	natural->aligns = calloc(count ?: 1, sizeof(*natural->aligns));
	if (!natural->fields || !natural->aligns) {
		natural_fini(natural);
		return diag_set(diag, -ENOMEM, "no memory");
	}
	if (count)
		memcpy(natural->fields, class->fields, count * sizeof(*natural->fields));
	natural->class.fields = natural->fields;
	natural->class.offsets = NULL;
	place_fields(natural);
	natural->same = is_fit(natural, class);
	if (!natural->same)
		straighten(natural);
	return 0;
}

void natural_fini(struct natural *natural)
{
	free(natural->fields);
	free(natural->aligns);
	*natural = (struct natural){0};
}

/* A payload being written: bits from the start of the packet, whose bytes behind `at` are still
 * anything. */
struct pen {
	uint8_t *packet;
	uint64_t at;
};

static void pen_align(struct pen *pen, uint32_t align)
{
	uint64_t to = align_up(pen->at, align);
	size_t from = (size_t)((pen->at + 7) / 8);

	if (to / 8 > from)
		memset(pen->packet + from, 0, (size_t)(to / 8) - from);
	pen->at = to;
}

static void pen_bytes(struct pen *pen, const void *bytes, size_t len)
{
	memcpy(pen->packet + pen->at / 8, bytes, len);
	pen->at += (uint64_t)len * 8;
}

static void pen_number(struct pen *pen, uint64_t value, unsigned int bits)
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
static bool is_plain(const struct event *event, size_t i)
{
	const struct field *field = &event->class->fields[i];

	return field->bits == 8 || (HOST_IS_LITTLE && !field->big_endian && !(field->bits % 8));
}

/* @bits: of each as it is written. */
static void pen_numbers(struct pen *pen, const struct event *event, size_t i, unsigned int bits)
{
	const struct field *field = &event->class->fields[i];
	uint32_t count = event_count(event, i);

	if (bits == field->bits && is_plain(event, i) && !(event->offsets[i] & 7)) {
		pen_bytes(pen, event_bytes(event, i), (size_t)count * field->bits / 8);
		return;
	}
	for (uint32_t j = 0; j < count; j++)
		pen_number(pen, event_element(event, i, j), bits);
}

static void pen_field(struct pen *pen, const struct event *event, size_t i, unsigned int bits)
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

/* At most, with all padding. */
static size_t payload_room(const struct event *event)
{
	const struct event_class *class = event->class;
	size_t room = FIELD_SLACK_BYTES, len;

	for (size_t i = 0; i < class->field_count; i++) {
		const struct field *field = &class->fields[i];

		room += FIELD_SLACK_BYTES;
		if (field->kind == FIELD_STRING) {
			(void)event_text(event, i, &len);
			room += len;
		} else {
			room += (size_t)event_count(event, i) * (field->bits ?: 64) / 8;
		}
	}
	return room;
}

static void pack_same(const struct natural *natural, const struct event *event, struct buffer *out)
{
	buffer_append(out, event->payload, natural->class.payload_bytes);
}

void natural_pack(const struct natural *natural, const struct event *event, struct buffer *out)
{
	size_t from = out->len;
	struct pen pen;

	if (natural->same && event->offsets == event->class->offsets) {
		pack_same(natural, event, out);
		return;
	}
	if (!buffer_reserve(out, payload_room(event)))
		return;
	pen = (struct pen){(uint8_t *)out->data, (uint64_t)from * 8};
	for (size_t i = 0; i < natural->class.field_count; i++) {
		pen_align(&pen, natural->aligns[i]);
		pen_field(&pen, event, i, natural->fields[i].bits);
	}
	pen_align(&pen, 8);
	buffer_advance(out, (size_t)(pen.at / 8) - from);
}
