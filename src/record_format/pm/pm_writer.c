// SPDX-License-Identifier: BSD-2-Clause
#include "record_format/pm/pm_writer.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/diag.h"
#include "record_format/pm/pm_columns.h"
#include "record_format/pm/pm_head.h"
#include "record_format/pm/pm_layout.h"
#include "record_format/pm/pm_reader.h"
#include "record_format/pm/pm_sheet.h"
#include "schema/event.h"
#include "schema/lost.h"
#include "schema/trace_info.h"

/*
 * The entries of a .pm file, all or some of them, as they were, behind the head that they
 * had: from the file itself, or from a trace that was made of it and keeps the head (PM_ENV_HEAD). Where a
 * selection left entries out, numbers close up: a gap means that events were lost.
 */

struct pm_copy {
	const struct trace_info *info;
	uint8_t *own_head; /* as a trace keeps it; NULL = the source is a .pm file and has it */
	const uint8_t *head;
	size_t head_bytes;
	struct pm_layout layout;
	/* Of a trace, by event_class.index: for each field of the layout, which of the class it is. NULL: its
	 * events are not entries. */
	size_t **fields;
	bool any; /* an entry was written */
	uint64_t last; /* sequence number of the last, as it came */
	uint64_t lost; /* since then */
	uint64_t left_out; /* numbers that later ones close up by */
};

/* -EBADMSG if it is not a head; then nothing needs to be freed. */
static int read_layout(struct pm_copy *copy)
{
	struct problem_list problems; /* the reader has reported them */
	struct pm_head head;
	int err;

	problem_list_init(&problems);
	err = pm_head_parse(copy->head, copy->head_bytes, &head, &problems, NULL);
	if (!err) {
		copy->head_bytes = head.bytes;
		err = pm_layout_init(&copy->layout, &head, &problems);
		pm_head_fini(&head);
	}
	problem_list_fini(&problems);
	return err;
}

static int digit_of(char c)
{
	static const char digits[] = "0123456789abcdef";
	const char *at = c ? strchr(digits, c) : NULL;

	return at ? (int)(at - digits) : -1;
}

/* -EBADMSG where @hex is not what the reader writes. */
static int take_hex(struct pm_copy *copy, const char *hex)
{
	size_t len = strlen(hex) / 2;

	copy->own_head = malloc(len ?: 1);
	if (!copy->own_head)
		return -ENOMEM;
	for (size_t i = 0; i < len; i++) {
		int high = digit_of(hex[2 * i]), low = digit_of(hex[2 * i + 1]);

		if (high < 0 || low < 0)
			return -EBADMSG;
		copy->own_head[i] = (uint8_t)(high << 4 | low);
	}
	copy->head = copy->own_head;
	copy->head_bytes = len;
	return 0;
}

static bool is_number(const struct field *field)
{
	return field->kind == FIELD_INT && !field_is_many(field);
}

/* Whether @field, of a trace, has all bytes that @wanted, of the layout, has. */
static bool is_same(const struct field *field, const struct field *wanted)
{
	if (field_varies(field) || field->optional || is_number(field) != is_number(wanted))
		return false;
	if (is_number(wanted))
		return field->bits >= wanted->bits;
	return field->bits == 8 && field->count == wanted->count;
}

/* -EBADMSG: @class does not have all of the layout's fields. */
static int find_fields(struct pm_copy *copy, const struct event_class *class, struct diag *note)
{
	const struct pm_layout *layout = &copy->layout;
	size_t *fields = calloc(layout->field_count + 1, sizeof(*fields));

	copy->fields[class->index] = fields;
	if (!fields)
		return -ENOMEM;
	for (size_t i = 0; i < layout->field_count; i++) {
		int at = event_class_find(class, layout->fields[i].name);

		if (at < 0 || !is_same(&class->fields[at], &layout->fields[i]))
			return diag_set(note, -EBADMSG,
					"the events have no field %s of the size that it says",
					layout->fields[i].name);
		fields[i] = (size_t)at;
	}
	return 0;
}

/* All snapshots must be entries of the file that once was: events of another kind have other columns. */
static int find_classes(struct pm_copy *copy, struct diag *note)
{
	const struct trace_info *info = copy->info;
	int err = 0;

	copy->fields = calloc(info->class_count ?: 1, sizeof(*copy->fields));
	if (!copy->fields)
		return -ENOMEM;
	for (size_t i = 0; i < info->class_count && !err; i++) {
		const struct event_class *class = info->classes[i];

		if (!strcmp(class->name, PM_CLASS_NAME))
			err = find_fields(copy, class, note);
		else if (pm_class_is_snapshot(class) && !class->again)
			err = diag_set(note, -EBADMSG,
				       "the source has snapshots of other kinds, too");
	}
	return err;
}

/* Whether one of several traces in @info keeps a head. */
static bool any_head(const struct trace_info *info)
{
	const size_t len = strlen(PM_ENV_HEAD);

	for (size_t i = 0; i < info->env_count; i++) {
		const char *name = info->env[i].name;

		if (strlen(name) >= len && !strcmp(name + strlen(name) - len, PM_ENV_HEAD))
			return true;
	}
	return false;
}

static int read_trace(struct pm_copy *copy, struct diag *note)
{
	const struct trace_env *env = trace_info_env(copy->info, PM_ENV_HEAD);
	int err;

	if (trace_info_traces(copy->info) > 1 || !env || !env->text)
		return any_head(copy->info) ?
			       diag_set(note, -EBADMSG, "the source has events of several files") :
			       -EBADMSG;
	err = take_hex(copy, env->text);
	err = err ?: read_layout(copy);
	if (err == -EBADMSG)
		return diag_set(note, err, "the trace's %s is not a valid header", PM_ENV_HEAD);
	return err ?: find_classes(copy, note);
}

/* NULL is fine. */
static void pm_copy_free(struct pm_copy *copy)
{
	if (!copy)
		return;
	for (size_t i = 0; copy->fields && i < copy->info->class_count; i++)
		free(copy->fields[i]);
	free(copy->fields);
	pm_layout_fini(&copy->layout);
	free(copy->own_head);
	free(copy);
}

/*
 * Borrows @info. 0 and *@ret untouched if entries have to be made again: @note says why if the trace once had
 * a head. -ENOMEM.
 */
static int pm_copy_new(const struct trace_info *info, struct pm_copy **ret, struct diag *note)
{
	struct pm_copy *copy = calloc(1, sizeof(*copy));
	int err;

	if (!copy)
		return -ENOMEM;
	copy->info = info;
	if (info->head) {
		copy->head = info->head;
		copy->head_bytes = info->head_bytes;
		err = read_layout(copy);
	} else {
		err = read_trace(copy, note);
	}
	if (err) {
		pm_copy_free(copy);
		return err == -ENOMEM ? err : 0;
	}
	*ret = copy;
	return 0;
}

static bool pm_copy_takes(const struct pm_copy *copy, const struct event_class *class)
{
	if (copy->fields)
		return class->index < copy->info->class_count && copy->fields[class->index];
	return !strcmp(class->name, PM_CLASS_NAME) &&
	       class->payload_bytes >= copy->layout.entry_bytes;
}

static void pm_copy_head(const struct pm_copy *copy, struct buffer *out)
{
	buffer_append(out, copy->head, copy->head_bytes);
}

static void pm_copy_lost(struct pm_copy *copy, uint64_t count)
{
	copy->lost += count;
}

/* Counts the numbers in front of @seq_no that are missing and were not lost. */
static void close_up(struct pm_copy *copy, uint64_t seq_no)
{
	uint64_t mask = UINT64_MAX >> (64 - 8 * copy->layout.seq_no.bytes);
	uint64_t step = (seq_no - copy->last) & mask;

	/* A number that goes back has started again. */
	if (copy->any && step > copy->lost + 1 && step <= mask / 2)
		copy->left_out += step - copy->lost - 1;
	copy->any = true;
	copy->last = seq_no;
	copy->lost = 0;
}

static void put_field(const struct pm_layout *layout, size_t i, const struct event *event,
		      size_t from, uint8_t *entry)
{
	const struct field *field = &layout->fields[i];
	const struct pm_place *place = &layout->places[i];

	if (!place->bytes)
		pm_layout_put_runs(layout, event_bytes(event, from), entry);
	else if (!is_number(field))
		memcpy(entry + place->offset, event_bytes(event, from), place->bytes);
	else /* of a column that counts fractions, the field counts whole units */
		byte_order_store(entry + place->offset, place->bytes, place->order,
				 event_uint(event, from) << (8u * place->bytes - field->bits));
}

/* An entry again, of an event that went through another format. */
static void put_entry(const struct pm_copy *copy, const struct event *event, uint8_t *entry)
{
	const size_t *fields = copy->fields[event->class->index];

	memset(entry, 0, copy->layout.entry_bytes);
	for (size_t i = 0; i < copy->layout.field_count; i++)
		put_field(&copy->layout, i, event, fields[i], entry);
	if (copy->layout.time.bytes)
		pm_layout_put_time(&copy->layout.time, event->time_ns, entry);
}

static void pm_copy_entry(struct pm_copy *copy, const struct event *event, struct buffer *out)
{
	const struct pm_place *place = &copy->layout.seq_no;
	uint8_t *entry = (uint8_t *)buffer_reserve(out, copy->layout.entry_bytes);
	uint64_t seq_no;

	if (!entry)
		return;
	if (copy->fields)
		put_entry(copy, event, entry);
	else
		memcpy(entry, event->payload, copy->layout.entry_bytes);
	buffer_advance(out, copy->layout.entry_bytes);
	if (!place->bytes)
		return;
	seq_no = byte_order_load(entry + place->offset, place->bytes, place->order);
	close_up(copy, seq_no);
	if (copy->left_out)
		byte_order_store(entry + place->offset, place->bytes, place->order,
				 seq_no - copy->left_out);
}

struct pm_writer {
	struct pm_copy *copy; /* of a source that is a .pm file; else NULL */
	struct pm_sheet *sheet;
};

int pm_writer_new(const struct trace_info *info, const struct pm_sheet_config *config,
		  struct pm_writer **ret, struct diag *note, struct diag *diag)
{
	struct pm_writer *writer = calloc(1, sizeof(*writer));
	int err = -ENOMEM;

	if (writer)
		err = pm_copy_new(info, &writer->copy, note);
	if (writer && !err && !writer->copy)
		err = pm_sheet_new(info, config, &writer->sheet);
	if (!err) {
		*ret = writer;
		return 0;
	}
	pm_writer_free(writer);
	return diag_set(diag, err,
			err == -ENOTSUP ? "none of its events is a snapshot of a TCP connection, "
					  "as tcp.* are" :
			err == -E2BIG	? "its events have more columns than a .pm file can" :
					  "no memory");
}

void pm_writer_free(struct pm_writer *writer)
{
	if (!writer)
		return;
	pm_copy_free(writer->copy);
	pm_sheet_free(writer->sheet);
	free(writer);
}

bool pm_writer_takes(const struct pm_writer *writer, const struct event_class *class)
{
	if (class->role == EVENT_ROLE_LOST)
		return true;
	return writer->copy ? pm_copy_takes(writer->copy, class) :
			      pm_sheet_takes(writer->sheet, class);
}

void pm_writer_head(const struct pm_writer *writer, struct buffer *out)
{
	if (writer->copy)
		pm_copy_head(writer->copy, out);
	else
		pm_sheet_head(writer->sheet, out);
}

/* The events of overwritten packets are not counted: one each, at least. */
static uint64_t count_lost(const struct event *event)
{
	return event_uint(event, LOST_COUNT) + event_uint(event, LOST_PACKETS);
}

void pm_writer_event(struct pm_writer *writer, const struct event *event, struct buffer *out)
{
	bool is_lost = event->class->role == EVENT_ROLE_LOST;

	if (writer->copy && is_lost)
		pm_copy_lost(writer->copy, count_lost(event));
	else if (writer->copy)
		pm_copy_entry(writer->copy, event, out);
	else if (is_lost)
		pm_sheet_lost(writer->sheet, count_lost(event));
	else
		pm_sheet_entry(writer->sheet, event, out);
}
