// SPDX-License-Identifier: BSD-2-Clause
#include "record_format/meas/meas_record.h"

#include <errno.h>
#include <string.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/diag.h"
#include "record_format/meas/meas_form.h"
#include "record_format/meas/meas_word.h"

#define US_NS ((int64_t)NS_PER_US)

/* A record's parts, in place. */
struct raw {
	const struct meas_form *form;
	bool big;
	uint16_t id;
	uint8_t part;
	uint16_t words;
	uint16_t wide;
	const uint8_t *at; /* of its words */
};

static struct raw raw_of(const struct meas_layout *layout, const uint8_t *bytes)
{
	bool big = layout->big_endian;
	struct raw raw = {
		.big = big,
		.id = meas_get16(bytes, big),
		.part = bytes[2],
		.words = meas_get16(bytes + 4, big),
		.wide = meas_get16(bytes + 6, big),
		.at = bytes + MEAS_RECORD_HEAD_BYTES,
	};

	raw.form = meas_form_find(raw.id, raw.part);
	return raw;
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

	if (!raw.form)
		return MEAS_UNKNOWN_FIRST + (size_t)raw.words + raw.wide;
	if (raw.form->shape == MEAS_SHAPE_NAME)
		return MEAS_NAME_BYTES / 8;
	return meas_form_slots(raw.form) + 1 + raw.words;
}

static uint32_t word_get(const struct raw *raw, size_t i)
{
	return meas_get32(raw->at + 4 * i, raw->big);
}

static uint64_t wide_get(const struct raw *raw, size_t i, uint8_t words)
{
	size_t at = raw->words + i;

	if (words < 2)
		return word_get(raw, at);
	return (uint64_t)word_get(raw, at) << 32 | word_get(raw, at + 1);
}

static uint64_t extend(uint64_t value, unsigned int bits, bool is_signed)
{
	uint64_t sign = 1ull << (bits - 1);

	return is_signed ? (value ^ sign) - sign : value;
}

static uint64_t mask_of(const struct meas_field *field)
{
	return (1ull << field->bits) - 1;
}

/* Whether the lengths are those of the form. */
static bool fits(const struct raw *raw, bool wide)
{
	const struct meas_form *form = raw->form;
	size_t most = form->words;

	if (wide && raw->wide != MEAS_WIDE_COMMON_WORDS + meas_form_wide(form))
		return false;
	if (form->shape == MEAS_SHAPE_QUEUE)
		most += MEAS_QUEUE_MAX;
	if (form->shape == MEAS_SHAPE_NAME)
		most = MEAS_NAME_BYTES / 4;
	return raw->words <= most && raw->words >= form->words;
}

/* The value of a field. False: its word says something else than the wide part. */
static bool take_field(const struct raw *raw, const struct meas_field *field, uint32_t i, bool wide,
		       size_t *wide_at, uint64_t *ret)
{
	uint64_t word = 0, whole = 0;

	if (field->word != MEAS_WIDE_ONLY)
		word = word_get(raw, field->word + i) >> field->shift & mask_of(field);
	if (wide && field->wide) {
		whole = wide_get(raw, *wide_at, field->wide);
		*wide_at += field->wide;
		*ret = extend(whole, 32u * field->wide, field->is_signed);
		return field->word == MEAS_WIDE_ONLY || (whole & mask_of(field)) == word;
	}
	*ret = field->word == MEAS_WIDE_ONLY ? 0 : extend(word, field->bits, field->word_signed);
	return true;
}

static bool take_fields(struct meas_record *record, const struct raw *raw, bool wide)
{
	size_t wide_at = MEAS_WIDE_COMMON_WORDS, slot = 0;
	bool agree = true;

	for (const struct meas_field *field = raw->form->fields; field->name; field++) {
		for (uint32_t i = 0; i < meas_field_count(field); i++)
			agree &= take_field(raw, field, i, wide, &wide_at, &record->slots[slot++]);
	}
	return agree;
}

static void take_queue(struct meas_record *record, const struct raw *raw)
{
	uint64_t *to = record->slots + meas_form_slots(raw->form);
	size_t count = (size_t)raw->words - raw->form->words;

	*to++ = count;
	for (size_t i = 0; i < count; i++)
		*to++ = extend(word_get(raw, raw->form->words + i), 32, true);
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
	bool has_words = raw->form && raw->form->time_word != MEAS_NO_TIME;
	uint32_t sec = has_words ? word_get(raw, raw->form->time_word) : 0;
	uint32_t usec = has_words ? word_get(raw, raw->form->time_word + 1u) : 0;
	int64_t time_ns = (int64_t)sec * (int64_t)NS_PER_SEC + (int64_t)usec * US_NS;

	record->cpu = wide ? (int32_t)wide_get(raw, 2, 1) : -1;
	record->tid = wide ? (int32_t)wide_get(raw, 3, 1) : -1;
	if (wide)
		record->time_ns = (int64_t)wide_get(raw, 0, 2);
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
	bool wide = layout->wide, agree;

	record->form = raw.form;
	agree = take_time(record, &raw, wide);
	if (!raw.form) {
		take_unknown(record, &raw, wide);
		return 0;
	}
	if (!fits(&raw, wide))
		return diag_set(diag, -EBADMSG, "a record of %s with %u words and %u wide ones",
				raw.form->name, raw.words, raw.wide);
	if (raw.form->shape == MEAS_SHAPE_NAME)
		agree &= take_name(record, &raw);
	else
		agree &= take_fields(record, &raw, wide);
	if (raw.form->shape == MEAS_SHAPE_QUEUE)
		take_queue(record, &raw);
	if (!agree)
		return diag_set(diag, -EBADMSG, "a record of %s whose words contradict each other",
				raw.form->name);
	return 0;
}

static size_t unknown_words(const struct meas_record *record, uint32_t *words)
{
	size_t count = (size_t)record->slots[MEAS_UNKNOWN_NARROW];

	for (size_t i = 0; i < count; i++)
		words[i] = (uint32_t)record->slots[MEAS_UNKNOWN_FIRST + i];
	return count;
}

static size_t name_words(const struct meas_record *record, uint32_t *words)
{
	const char *text = (const char *)record->slots;
	size_t count = (strnlen(text, MEAS_NAME_BYTES) + 3) / 4;

	memcpy(words, text, 4 * count);
	return count;
}

static size_t queue_words(const struct meas_record *record, uint32_t *words)
{
	const uint64_t *from = record->slots + meas_form_slots(record->form);
	size_t count = (size_t)*from++;

	for (size_t i = 0; i < count; i++)
		words[i] = (uint32_t)from[i];
	return count;
}

size_t meas_record_words(const struct meas_record *record, uint32_t words[MEAS_WORDS_MAX])
{
	const struct meas_form *form = record->form;
	const uint64_t *slot = record->slots;

	if (!form)
		return unknown_words(record, words);
	if (form->shape == MEAS_SHAPE_NAME)
		return name_words(record, words);
	memset(words, 0, 4u * form->words);
	if (form->time_word != MEAS_NO_TIME) {
		words[form->time_word] = (uint32_t)(record->time_ns / (int64_t)NS_PER_SEC);
		words[form->time_word + 1] =
			(uint32_t)(record->time_ns % (int64_t)NS_PER_SEC / US_NS);
	}
	for (const struct meas_field *field = form->fields; field->name; field++) {
		for (uint32_t i = 0; i < meas_field_count(field); i++, slot++) {
			if (field->word != MEAS_WIDE_ONLY)
				words[field->word + i] |=
					(uint32_t)((*slot & mask_of(field)) << field->shift);
		}
	}
	if (form->shape != MEAS_SHAPE_QUEUE)
		return form->words;
	return form->words + queue_words(record, words + form->words);
}

/* What is whole here. */
static size_t wide_words(const struct meas_record *record, uint32_t *words)
{
	const uint64_t *slot = record->slots;
	uint32_t *to = words;

	*to++ = (uint32_t)((uint64_t)record->time_ns >> 32);
	*to++ = (uint32_t)record->time_ns;
	*to++ = (uint32_t)record->cpu;
	*to++ = (uint32_t)record->tid;
	if (!record->form) {
		for (uint64_t i = slot[MEAS_UNKNOWN_NARROW]; i < slot[MEAS_UNKNOWN_COUNT]; i++)
			*to++ = (uint32_t)slot[MEAS_UNKNOWN_FIRST + i];
		return (size_t)(to - words);
	}
	for (const struct meas_field *field = record->form->fields; field->name; field++) {
		for (uint32_t i = 0; i < meas_field_count(field); i++, slot++) {
			if (field->wide > 1)
				*to++ = (uint32_t)(*slot >> 32);
			if (field->wide)
				*to++ = (uint32_t)*slot;
		}
	}
	return (size_t)(to - words);
}

/* A name's bytes stay in their order. */
static void put_words(struct buffer *out, const uint32_t *words, size_t count, bool big, bool bytes)
{
	uint8_t *to = (uint8_t *)buffer_reserve(out, 4 * count);

	if (!to)
		return;
	for (size_t i = 0; !bytes && i < count; i++)
		meas_put32(to + 4 * i, words[i], big);
	if (bytes)
		memcpy(to, words, 4 * count);
	buffer_advance(out, 4 * count);
}

void meas_record_pack(const struct meas_record *record, const struct meas_layout *layout,
		      struct buffer *out)
{
	uint8_t head[MEAS_RECORD_HEAD_BYTES] = {0};
	const struct meas_form *form = record->form;
	bool big = layout->big_endian, name = form && form->shape == MEAS_SHAPE_NAME;
	uint32_t words[MEAS_WORDS_MAX], wide[MEAS_WORDS_MAX];
	size_t count, wide_count;

	if (name) /* memory need not end in whole words */
		memset(words, 0, MEAS_NAME_BYTES);
	count = meas_record_words(record, words);
	wide_count = layout->wide ? wide_words(record, wide) : 0;
	meas_put16(head, form ? form->id : (uint16_t)record->slots[MEAS_UNKNOWN_ID], big);
	head[2] = form ? form->part : (uint8_t)record->slots[MEAS_UNKNOWN_PART];
	meas_put16(head + 4, (uint16_t)count, big);
	meas_put16(head + 6, (uint16_t)wide_count, big);
	buffer_append(out, head, sizeof(head));
	put_words(out, words, count, big, name);
	put_words(out, wide, wide_count, big, false);
}
