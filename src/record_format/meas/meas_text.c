// SPDX-License-Identifier: BSD-2-Clause
#include "record_format/meas/meas_text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/analysis.h"
#include "base/clock.h"
#include "base/escape.h"
#include "base/io.h"
#include "record_format/meas/meas_class.h"
#include "record_format/meas/meas_record.h"

#define PID_BITS 16

struct meas_text {
	struct event_sink sink; /* first: the vtable's functions get this */
	const struct analysis *analysis;
	struct output *out;
	bool wide;
	struct meas_bind *binds; /* by event_class.index */
	uint64_t cut;
	uint64_t slots[MEAS_RECORD_SLOTS_MAX];
	uint32_t words[MEAS_WORDS_MAX];
};

/* Text out of a file: nothing that a terminal would obey. */
static void write_name(struct buffer *buf, const char *name)
{
	char text[MEAS_NAME_BYTES + 1];

	snprintf(text, sizeof(text), "%.*s", (int)MEAS_NAME_BYTES, name);
	escape_blank(text);
	buffer_string(buf, text);
}

/* Whether the word at @i is shown with a sign: it is one value that has one. */
static bool is_signed(const struct meas_form *form, size_t i)
{
	if (form->shape == MEAS_SHAPE_QUEUE && i >= form->words)
		return true;
	for (const struct record_field *field = form->fields; field->name; field++) {
		const struct record_place *place = &field->place[MEAS_IN_WORDS];

		if (place->bytes && place->at == 4 * i)
			return field->kind == RECORD_INT && !place->bits;
	}
	return false;
}

static void write_words(struct meas_text *text, struct buffer *buf,
			const struct meas_record *record)
{
	size_t count = meas_record_words(record, text->words);

	for (size_t i = 0; i < count; i++) {
		buffer_char(buf, ' ');
		if (record->form && is_signed(record->form, i))
			buffer_int(buf, (int32_t)text->words[i]);
		else
			buffer_uint(buf, text->words[i]);
	}
}

static void write_time(struct buffer *buf, int64_t time_ns)
{
	buffer_char(buf, ' ');
	buffer_uint(buf, (uint64_t)time_ns / NS_PER_SEC);
	buffer_char(buf, ' ');
	buffer_uint(buf, (uint64_t)time_ns % NS_PER_SEC / NS_PER_US);
}

static void write_value(struct buffer *buf, uint64_t value, bool with_sign)
{
	buffer_char(buf, ' ');
	if (with_sign)
		buffer_int(buf, (int64_t)value);
	else
		buffer_uint(buf, value);
}

/* In the order of the words: the time stands where they have it. */
static void write_values(struct buffer *buf, const struct meas_record *record)
{
	const struct meas_form *form = record->form;
	const uint64_t *slot = record->slots;
	bool timed = form->time_word == MEAS_NO_TIME;

	for (const struct record_field *field = form->fields; field->name; field++) {
		const struct record_place *place = &field->place[MEAS_IN_WORDS];

		if (!timed && place->bytes && 4u * form->time_word < place->at) {
			write_time(buf, record->time_ns);
			timed = true;
		}
		for (uint32_t i = 0; i < meas_field_count(field); i++, slot++) {
			if (strcmp(field->name, "junk") && place->bytes)
				write_value(buf, *slot, field->kind == RECORD_INT);
		}
	}
	if (!timed)
		write_time(buf, record->time_ns);
	if (form->shape != MEAS_SHAPE_QUEUE)
		return;
	for (uint64_t left = *slot++; left; left--, slot++)
		write_value(buf, *slot, true);
}

static void count_cut(struct meas_text *text, const struct meas_record *record)
{
	const struct meas_form *form = record->form;

	if (form && form->fields->name && form->fields->place[MEAS_IN_WORDS].bits == PID_BITS &&
	    record->slots[0] >> PID_BITS)
		text->cut++;
}

/* Of exec all three are called so. */
static void write_head(struct buffer *buf, const struct meas_record *record)
{
	const struct meas_entry *entry = record->form ? meas_entry_find(record->form->id) : NULL;

	if (entry)
		buffer_string(buf, entry->name);
	else if (record->form)
		buffer_string(buf, "lost");
	else
		buffer_format(buf, "id %llu", (unsigned long long)record->slots[MEAS_UNKNOWN_ID]);
	buffer_char(buf, ':');
}

static void write_record(struct meas_text *text, struct buffer *buf,
			 const struct meas_record *record)
{
	write_head(buf, record);
	if (record->form && record->form->shape == MEAS_SHAPE_NAME) {
		buffer_char(buf, ' ');
		write_name(buf, (const char *)record->slots);
	} else if (text->wide && record->form) {
		write_values(buf, record);
	} else {
		write_words(text, buf, record);
		count_cut(text, record);
	}
	buffer_char(buf, '\n');
}

static int text_batch(struct event_sink *sink, const struct event *events, size_t count)
{
	struct meas_text *text = (struct meas_text *)sink;
	struct output *out = text->out;

	for (size_t i = 0; i < count; i++) {
		struct meas_record record = {.slots = text->slots};
		const struct meas_bind *bind = &text->binds[events[i].class->index];

		if (!analysis_takes(text->analysis, &events[i]) || !bind->is ||
		    !meas_bind_take(bind, &events[i], &record))
			continue;
		write_record(text, &out->buf, &record);
		if (output_end_line(out))
			return out->err;
	}
	return output_end_batch(out);
}

static int text_finish(struct event_sink *sink)
{
	return output_flush(((struct meas_text *)sink)->out);
}

static void text_free(struct event_sink *sink)
{
	struct meas_text *text = (struct meas_text *)sink;

	if (text)
		free(text->binds);
	free(text);
}

static const struct sink_ops text_ops = {
	.batch = text_batch,
	.finish = text_finish,
	.free = text_free,
};

struct event_sink *meas_text_new(const struct analysis *analysis, struct output *out, bool wide)
{
	const struct trace_info *info = analysis->info;
	struct meas_text *text = calloc(1, sizeof(*text));

	if (!text)
		return NULL;
	text->sink.ops = &text_ops;
	text->analysis = analysis;
	text->out = out;
	text->wide = wide;
	text->binds = calloc(info->class_count ?: 1, sizeof(*text->binds));
	if (!text->binds) {
		text_free(&text->sink);
		return NULL;
	}
	for (size_t i = 0; i < info->class_count; i++)
		(void)meas_bind_init(&text->binds[i], info->classes[i]);
	return &text->sink;
}

uint64_t meas_text_cut(const struct event_sink *sink)
{
	return ((const struct meas_text *)sink)->cut;
}
