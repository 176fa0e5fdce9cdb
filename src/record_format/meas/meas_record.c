// SPDX-License-Identifier: BSD-2-Clause
#include "record_format/meas/meas_record.h"

#include <errno.h>
#include <string.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/diag.h"
#include "record_format/meas/meas_form.h"

#define US_NS ((int64_t)NS_PER_US)

/* A record's parts, in place. */
struct raw {
	enum byte_order order;
	uint16_t id;
	uint8_t part;
	uint16_t words;
	uint16_t wide;
	const uint8_t *at; /* of its words */
};

static struct raw raw_of(const struct meas_layout *layout, const uint8_t *bytes)
{
	const enum byte_order order = meas_order(layout);
	return (struct raw){
		.order = order,
		.id = (uint16_t)byte_order_load(bytes, 2, order),
		.part = bytes[2],
		.words = (uint16_t)byte_order_load(bytes + 4, 2, order),
		.wide = (uint16_t)byte_order_load(bytes + 6, 2, order),
		.at = bytes + MEAS_RECORD_HEAD_BYTES,
	};
}

int meas_record_bytes(const struct meas_layout *layout, const uint8_t *bytes, size_t len,
		      struct diag *diag)
{
	struct raw raw;
	size_t need;

	if (len < MEAS_RECORD_HEAD_BYTES)
		return 0;
	raw = raw_of(layout, bytes);
	if (bytes[3])
		return diag_set(diag, -EBADMSG, "a record whose fourth byte is %u, not 0",
				bytes[3]);
	if (raw.words > MEAS_WORDS_MAX || raw.wide > MEAS_WORDS_MAX)
		return diag_set(diag, -EBADMSG,
				"a record that says it has %u words and %u wide ones: at most %u",
				raw.words, raw.wide, MEAS_WORDS_MAX);
	if (layout->wide ? raw.wide < MEAS_WIDE_COMMON_WORDS : raw.wide > 0)
		return diag_set(diag, -EBADMSG, "a record with %u wide words, in a file %s",
				raw.wide,
				layout->wide ? "that has at least 4 in each" : "without any");
	need = MEAS_RECORD_HEAD_BYTES + 4u * (raw.words + raw.wide);
	return len < need ? 0 : (int)need;
}

size_t meas_record_slots(const struct meas_layout *layout, const uint8_t *bytes)
{
	struct raw raw = raw_of(layout, bytes);
	const struct meas_form *form = meas_form_find(raw.id, raw.part);

	if (!form)
		return MEAS_UNKNOWN_FIRST + (size_t)raw.words + raw.wide;
	if (form->shape == MEAS_SHAPE_NAME)
		return MEAS_NAME_BYTES / 8;
	return meas_form_slots(form) + 1 + raw.words;
}

static uint32_t word_get(const struct raw *raw, size_t i)
{
	return (uint32_t)byte_order_load(raw->at + 4 * i, 4, raw->order);
}

static const uint8_t *wide_at(const struct raw *raw)
{
	return raw->at + 4u * raw->words;
}

/* Whether the lengths are those of the form. */
static bool fits(const struct raw *raw, const struct meas_form *form, bool wide)
{
	size_t most = form->words;

	if (wide && raw->wide != MEAS_WIDE_COMMON_WORDS + meas_form_wide(form))
		return false;
	if (form->shape == MEAS_SHAPE_QUEUE)
		most += MEAS_QUEUE_MAX;
	if (form->shape == MEAS_SHAPE_NAME)
		most = MEAS_NAME_BYTES / 4;
	return raw->words <= most && raw->words >= form->words;
}

/* The @i-th value of a field. False: its word says something else than the wide part. */
static bool take_field(const struct raw *raw, const struct record_field *field, size_t i, bool wide,
		       uint64_t *ret)
{
	const struct record_layout in_words = {raw->order, MEAS_IN_WORDS};
	const struct record_layout in_wide = {raw->order, MEAS_IN_WIDE};
	const struct record_place *place = &field->place[MEAS_IN_WORDS];
	uint64_t part = place->bytes ? record_load_at(field, &in_words, raw->at, i) : 0;
	uint64_t differ;

	*ret = part;
	if (!wide || !field->place[MEAS_IN_WIDE].bytes)
		return true;
	*ret = record_load_at(field, &in_wide, wide_at(raw), i);
	differ = *ret ^ part;
	return !place->bytes || !(differ & (UINT32_MAX >> (place->bits ? 32 - place->bits : 0)));
}

static bool take_fields(struct meas_record *record, const struct raw *raw, bool wide)
{
	uint64_t *slot = record->slots;
	bool agree = true;

	for (const struct record_field *field = record->form->fields; field->name; field++) {
		for (uint32_t i = 0; i < meas_field_count(field); i++)
			agree &= take_field(raw, field, i, wide, slot++);
	}
	return agree;
}

static void take_queue(struct meas_record *record, const struct raw *raw)
{
	const struct meas_form *form = record->form;
	uint64_t *to = record->slots + meas_form_slots(form);
	size_t count = (size_t)raw->words - form->words;

	*to++ = count;
	for (size_t i = 0; i < count; i++)
		*to++ = (uint64_t)(int32_t)word_get(raw, form->words + i);
}

static bool take_name(struct meas_record *record, const struct raw *raw)
{
	char *text = (char *)record->slots;
	size_t len = 4u * raw->words;

	memset(text, 0, MEAS_NAME_BYTES);
	memcpy(text, raw->at, len);
	/* Whole words, the last padded; bytes after the first NUL would be lost. */
	return raw->words == (strnlen(text, len) + 3) / 4;
}

static void take_unknown(struct meas_record *record, const struct raw *raw, bool wide)
{
	size_t skip = wide ? MEAS_WIDE_COMMON_WORDS : 0, count = raw->words + raw->wide - skip;
	uint64_t *to = record->slots + MEAS_UNKNOWN_FIRST;

	record->slots[MEAS_UNKNOWN_ID] = raw->id;
	record->slots[MEAS_UNKNOWN_PART] = raw->part;
	record->slots[MEAS_UNKNOWN_NARROW] = raw->words;
	record->slots[MEAS_UNKNOWN_COUNT] = count;
	for (size_t i = 0; i < count; i++)
		to[i] = word_get(raw, i < raw->words ? i : i + skip);
}

/* False: words and wide part do not agree. */
static bool take_time(struct meas_record *record, const struct raw *raw, bool wide)
{
	const struct meas_form *form = record->form;
	bool has_words = form && form->time_word != MEAS_NO_TIME;
	uint32_t sec = has_words ? word_get(raw, form->time_word) : 0;
	uint32_t usec = has_words ? word_get(raw, form->time_word + 1u) : 0;
	int64_t time_ns = (int64_t)sec * (int64_t)NS_PER_SEC + (int64_t)usec * US_NS;

	record->cpu = wide ? (int32_t)word_get(raw, raw->words + 2u) : -1;
	record->tid = wide ? (int32_t)word_get(raw, raw->words + 3u) : -1;
	if (wide)
		record->time_ns = (int64_t)byte_order_load(wide_at(raw), 8, raw->order);
	else if (has_words)
		record->time_ns = time_ns;
	if (!has_words)
		return true;
	return usec < 1000000 && record->time_ns - record->time_ns % US_NS == time_ns;
}

int meas_record_unpack(struct meas_record *record, const struct meas_layout *layout,
		       const uint8_t *bytes, struct diag *diag)
{
	struct raw raw = raw_of(layout, bytes);
	const struct meas_form *form = meas_form_find(raw.id, raw.part);
	bool wide = layout->wide, agree;

	record->form = form;
	agree = take_time(record, &raw, wide);
	if (!form) {
		take_unknown(record, &raw, wide);
		return 0;
	}
	if (!fits(&raw, form, wide))
		return diag_set(diag, -EBADMSG, "a record of %s with %u words and %u wide ones",
				form->name, raw.words, raw.wide);
	if (form->shape == MEAS_SHAPE_NAME)
		agree &= take_name(record, &raw);
	else
		agree &= take_fields(record, &raw, wide);
	if (form->shape == MEAS_SHAPE_QUEUE)
		take_queue(record, &raw);
	if (!agree)
		return diag_set(diag, -EBADMSG, "a record of %s whose words contradict each other",
				form->name);
	return 0;
}

/* The low 32 bits of each. */
static uint8_t *put_words(const uint64_t *from, size_t count, enum byte_order order, uint8_t *to)
{
	for (size_t i = 0; i < count; i++, to += 4)
		byte_order_store(to, 4, order, from[i]);
	return to;
}

static void put_time(const struct meas_record *record, enum byte_order order, uint8_t *to)
{
	const int64_t s = record->time_ns / (int64_t)NS_PER_SEC;
	const int64_t us = record->time_ns % (int64_t)NS_PER_SEC / US_NS;

	put_words((const uint64_t[]){(uint64_t)s, (uint64_t)us}, 2, order, to);
}

/* Those of its fields that have the place: returns what is behind the last of them. */
static uint8_t *put_fields(const struct meas_record *record, const struct record_layout *layout,
			   uint8_t *to)
{
	const uint64_t *slot = record->slots;
	uint8_t *end = to;

	for (const struct record_field *field = record->form->fields; field->name; field++) {
		const struct record_place *place = &field->place[layout->place];
		const uint32_t count = meas_field_count(field);

		for (uint32_t i = 0; place->bytes && i < count; i++)
			record_store_at(field, layout, to, i, slot[i]);
		if (place->bytes)
			end = to + place->at + count * place->bytes;
		slot += count;
	}
	return end;
}

/* A name's bytes stay in their order. */
static uint8_t *put_name(const struct meas_record *record, uint8_t *to)
{
	const char *text = (const char *)record->slots;
	size_t bytes = (strnlen(text, MEAS_NAME_BYTES) + 3) / 4 * 4;

	memcpy(to, text, bytes);
	return to + bytes;
}

/* The words of @record. Returns what is behind them, as does put_wide. */
static uint8_t *put_narrow(const struct meas_record *record, enum byte_order order, uint8_t *to)
{
	const struct meas_form *form = record->form;
	const struct record_layout layout = {order, MEAS_IN_WORDS};
	const uint64_t *slot = record->slots;

	if (!form)
		return put_words(slot + MEAS_UNKNOWN_FIRST, slot[MEAS_UNKNOWN_NARROW], order, to);
	if (form->shape == MEAS_SHAPE_NAME)
		return put_name(record, to);
	memset(to, 0, 4u * form->words);
	if (form->time_word != MEAS_NO_TIME)
		put_time(record, order, to + 4u * form->time_word);
	(void)put_fields(record, &layout, to);
	to += 4u * form->words;
	if (form->shape != MEAS_SHAPE_QUEUE)
		return to;
	slot += meas_form_slots(form);
	return put_words(slot + 1, *slot, order, to);
}

static uint8_t *put_wide(const struct meas_record *record, enum byte_order order, uint8_t *to)
{
	const struct record_layout layout = {order, MEAS_IN_WIDE};
	const uint64_t *slot = record->slots;
	uint8_t *fields = to + 4 * MEAS_WIDE_COMMON_WORDS, *end;

	byte_order_store(to, 8, order, (uint64_t)record->time_ns);
	byte_order_store(to + 8, 4, order, (uint32_t)record->cpu);
	byte_order_store(to + 12, 4, order, (uint32_t)record->tid);
	if (!record->form)
		return put_words(slot + MEAS_UNKNOWN_FIRST + slot[MEAS_UNKNOWN_NARROW],
				 slot[MEAS_UNKNOWN_COUNT] - slot[MEAS_UNKNOWN_NARROW], order,
				 fields);
	end = put_fields(record, &layout, to);
	return end > fields ? end : fields;
}

size_t meas_record_words(const struct meas_record *record, uint32_t words[MEAS_WORDS_MAX])
{
	uint8_t *to = (uint8_t *)words;

	return (size_t)(put_narrow(record, BYTE_ORDER_HOST, to) - to) / 4;
}

void meas_record_pack(const struct meas_record *record, const struct meas_layout *layout,
		      struct buffer *out)
{
	const struct meas_form *form = record->form;
	const enum byte_order order = meas_order(layout);
	uint8_t *head = (uint8_t *)buffer_reserve(out, MEAS_RECORD_MAX_BYTES), *wide, *end;

	if (!head)
		return;
	wide = put_narrow(record, order, head + MEAS_RECORD_HEAD_BYTES);
	end = layout->wide ? put_wide(record, order, wide) : wide;
	byte_order_store(head, 2, order, form ? form->id : record->slots[MEAS_UNKNOWN_ID]);
	head[2] = form ? form->part : (uint8_t)record->slots[MEAS_UNKNOWN_PART];
	head[3] = 0;
	byte_order_store(head + 4, 2, order, (uint64_t)(wide - head - MEAS_RECORD_HEAD_BYTES) / 4);
	byte_order_store(head + 6, 2, order, (uint64_t)(end - wide) / 4);
	buffer_advance(out, (size_t)(end - head));
}
