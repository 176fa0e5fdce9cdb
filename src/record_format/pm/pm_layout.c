// SPDX-License-Identifier: BSD-2-Clause
#include "record_format/pm/pm_layout.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record_format/pm/pm_columns.h"
#include "record_format/pm/pm_head.h"
#include "schema/trace_info.h"

_Static_assert((int)PM_ORDER_LITTLE == BYTE_ORDER_LITTLE && (int)PM_ORDER_BIG == BYTE_ORDER_BIG &&
		       (int)PM_ORDER_PDP == BYTE_ORDER_PDP,
	       "the numbers of byte orders in files are ours");

#define US_PER_S 1000000
#define NS_PER_US 1000
#define NS_PER_S (US_PER_S * NS_PER_US)
#define MASKED_NAME "masked" /* of the field that has the runs */
/* From 1970: the difference of any two times is one, too. */
#define TIME_MAX_S (INT64_MAX / 2 / US_PER_S / NS_PER_US - 86400)

/* Names of fields are those that every format can write: letters, digits and underscores. */
static void take_name(char *name, const struct pm_column *column)
{
	size_t len = 0;

	if (isdigit((unsigned char)column->name[0]))
		name[len++] = '_';
	for (const char *c = column->name; *c; c++)
		name[len++] = *c == '_' || (*c > 0 && isalnum((unsigned char)*c)) ? *c : '_';
	name[len] = '\0';
}

static bool is_host_integer(const struct pm_column *column)
{
	return column->flags == PM_FLAGS_HOST && pm_is_integer(column->length);
}

/* What a column is here. Bytes: its meaning is unknown, or it is an address. */
static enum record_kind kind_of(const struct pm_column *column, const struct record_field *known,
				uint32_t order)
{
	bool integer = pm_is_integer(column->length);

	if (column->flags == PM_FLAGS_BITS)
		return known && known->show == FIELD_SHOW_ADDRESS && column->length == 16 ?
			       RECORD_BYTES :
			       RECORD_TEXT;
	if (column->flags > PM_FLAGS_BITS || !integer ||
	    (is_host_integer(column) && order == PM_ORDER_COUNT && column->length > 1))
		return RECORD_BYTES;
	return RECORD_UINT;
}

/* Only a number has labels, and only 16 bytes are an address. */
static void describe(const struct pm_column *column, const struct record_field *known,
		     const char *name, uint32_t order, struct field *ret)
{
	const struct record_layout layout = {
		order == PM_ORDER_BIG ? BYTE_ORDER_BIG : BYTE_ORDER_LITTLE, 0};
	struct record_field field = known ? *known : (struct record_field){.text = NULL};
	bool address = field.show == FIELD_SHOW_ADDRESS;

	field.name = name;
	field.kind = kind_of(column, known, order);
	field.scope = column->scope <= PM_SCOPE_SYSTEM ? (enum field_scope)column->scope :
							 FIELD_SCOPE_OBJECT;
	field.network = column->flags == PM_FLAGS_NETWORK;
	field.place[0] = (struct record_place){column->offset, column->length, 0, 0};
	if (field.kind == RECORD_BYTES)
		field.show = address && column->length == 16 ? FIELD_SHOW_ADDRESS : FIELD_SHOW_HEX;
	else if (field.kind == RECORD_TEXT)
		field.show = FIELD_SHOW_DECIMAL;
	else if (address)
		field.show = FIELD_SHOW_HEX;
	if (field.kind != RECORD_UINT)
		field.label_count = 0;
	record_describe(&field, &layout, 0, ret);
}

static void add_swap(struct pm_layout *layout, struct field *field, const struct pm_column *column)
{
	layout->swaps[layout->swap_count++] =
		(struct pm_swap){column->offset, column->length, layout->payload_bytes};
	field->offset_bits = 8 * layout->payload_bytes;
	field->big_endian = BYTE_ORDER_HOST == BYTE_ORDER_BIG;
	layout->payload_bytes += column->length;
}

static struct pm_place place_of(const struct pm_column *column, uint32_t order)
{
	if (column->flags == PM_FLAGS_NETWORK)
		order = PM_ORDER_BIG;
	return (struct pm_place){column->offset, order < PM_ORDER_COUNT ? column->length : 0,
				 order};
}

static void add_field(struct pm_layout *layout, const struct pm_column *column, uint32_t order)
{
	const struct record_field *known = pm_known_find(column->name);
	struct field *field = &layout->fields[layout->field_count];

	layout->places[layout->field_count] = place_of(column, order);
	layout->places[layout->field_count].bytes = column->length;
	describe(column, known, layout->names[layout->field_count++], order, field);
	if (order == PM_ORDER_PDP && is_host_integer(column) && column->length > 1)
		add_swap(layout, field, column);
	field_cut_fraction(field);
}

static bool has_field(const struct pm_layout *layout, const char *name)
{
	for (size_t i = 0; i < layout->field_count; i++) {
		if (!strcmp(layout->fields[i].name, name))
			return true;
	}
	return false;
}

/* Its column is the event's time, unless its meaning is unknown. */
static bool take_time(struct pm_layout *layout, const struct pm_column *column, uint32_t order,
		      struct problem_list *problems)
{
	if (strcmp(column->name, pm_known_get(PM_TIME)->name) != 0 || layout->time.bytes ||
	    order >= PM_ORDER_COUNT)
		return false;
	if (column->length != PM_TIME_SHORT_BYTES && column->length != PM_TIME_LONG_BYTES) {
		problem_list_add(
			problems,
			"column time: its %u bytes are not a struct timeval, which has %u or "
			"%u: the times of entries are unknown",
			column->length, PM_TIME_SHORT_BYTES, PM_TIME_LONG_BYTES);
		return false;
	}
	layout->time = place_of(column, order);
	return true;
}

static void take_column(struct pm_layout *layout, const struct pm_head *head, size_t i,
			struct problem_list *problems)
{
	const struct pm_column *column = &head->columns[i];
	char *name = layout->names[layout->field_count];

	if (!column->length || (column->mask && !(column->mask & head->mods)))
		return;
	take_name(name, column);
	if (column->offset + column->length > head->entry_bytes) {
		problem_list_add(
			problems,
			"column %s: its bytes %u to %u are beyond the entry, which has %u: "
			"it is left out",
			name, column->offset, column->offset + column->length - 1u,
			head->entry_bytes);
	} else if (take_time(layout, column, head->order, problems)) {
		return;
	} else if (has_field(layout, name)) {
		problem_list_add(problems, "column %s is described twice: the second is left out",
				 name);
	} else {
		if (!layout->seq_no.bytes && !strcmp(name, pm_known_get(PM_SEQ_NO)->name) &&
		    pm_is_integer(column->length) && column->flags <= PM_FLAGS_NETWORK)
			layout->seq_no = place_of(column, head->order);
		add_field(layout, column, head->order);
	}
}

/* Whether some byte of @column is taken; takes those that are not. *@ret: by which column. */
static bool overlaps(uint16_t *owners, const struct pm_column *column, size_t number, size_t *ret)
{
	bool found = false;

	for (unsigned int i = column->offset; i < column->offset + column->length; i++) {
		if (owners[i] && !found) {
			found = true;
			*ret = owners[i] - 1u;
		}
		if (!owners[i])
			owners[i] = (uint16_t)(number + 1);
	}
	return found;
}

/* Both are read as they are described, but one of the two cannot be right. */
static int check_overlaps(const struct pm_head *head, struct problem_list *problems)
{
	uint16_t *owners = calloc(head->entry_bytes, sizeof(*owners));
	char name[32], other[32];
	size_t owner = 0;

	if (!owners)
		return -ENOMEM;
	for (size_t i = 0; i < head->column_count; i++) {
		const struct pm_column *column = &head->columns[i];

		if (column->offset + column->length > head->entry_bytes ||
		    (column->mask && !(column->mask & head->mods)) ||
		    !overlaps(owners, column, i, &owner))
			continue;
		take_name(name, column);
		take_name(other, &head->columns[owner]);
		problem_list_add(problems,
				 "columns %s and %s overlap: one of them shows what is not its own",
				 other, name);
	}
	free(owners);
	return 0;
}

static void mark(uint8_t *bytes, unsigned int offset, unsigned int count, uint8_t as)
{
	memset(bytes + offset, as, count);
}

/* Marks the bytes of columns that are not fields. */
static void mark_masked(const struct pm_layout *layout, const struct pm_head *head, uint8_t *masked)
{
	for (size_t i = 0; i < head->column_count; i++) {
		const struct pm_column *column = &head->columns[i];

		if (column->offset + column->length <= head->entry_bytes)
			mark(masked, column->offset, column->length, 1);
	}
	for (size_t i = 0; i < layout->field_count; i++)
		mark(masked, layout->places[i].offset, layout->places[i].bytes, 0);
	mark(masked, layout->time.offset, layout->time.bytes, 0);
}

static void add_masked(struct pm_layout *layout, uint32_t bytes)
{
	char *name = layout->names[layout->field_count];

	snprintf(name, sizeof(*layout->names), MASKED_NAME);
	while (has_field(layout, name))
		strcat(name, "_");
	layout->fields[layout->field_count++] = (struct field){
		.name = name,
		.text = "columns that this kernel does not use",
		.scope = FIELD_SCOPE_MONITOR,
		.show = FIELD_SHOW_HEX,
		.bits = 8,
		.align_bits = 8,
		.is_array = true,
		.count = bytes,
		.offset_bits = 8 * layout->payload_bytes,
	};
	layout->payload_bytes += bytes;
}

/* Bytes that no column describes are padding. */
static int find_runs(struct pm_layout *layout, const struct pm_head *head)
{
	uint8_t *masked = calloc(head->entry_bytes, 1);
	uint32_t bytes = 0;

	layout->runs = calloc(head->column_count + 1, sizeof(*layout->runs));
	if (!masked || !layout->runs) {
		free(masked);
		return -ENOMEM;
	}
	mark_masked(layout, head, masked);
	for (uint32_t i = 0; i < head->entry_bytes; i++) {
		if (!masked[i])
			continue;
		if (!i || !masked[i - 1])
			layout->runs[layout->run_count++].offset = (uint16_t)i;
		layout->runs[layout->run_count - 1].bytes++;
		bytes++;
	}
	free(masked);
	if (bytes)
		add_masked(layout, bytes);
	return 0;
}

int pm_layout_init(struct pm_layout *layout, const struct pm_head *head,
		   struct problem_list *problems)
{
	size_t room = head->column_count + 1; /* the runs are a field, too */
	int err;

	*layout = (struct pm_layout){.entry_bytes = head->entry_bytes,
				     .payload_bytes = head->entry_bytes};
	layout->fields = calloc(room, sizeof(*layout->fields));
	layout->names = calloc(room, sizeof(*layout->names));
	layout->places = calloc(room, sizeof(*layout->places));
	layout->swaps = calloc(room, sizeof(*layout->swaps));
	err = layout->fields && layout->names && layout->places && layout->swaps ?
		      check_overlaps(head, problems) :
		      -ENOMEM;
	if (err) {
		pm_layout_fini(layout);
		return err;
	}
	for (size_t i = 0; i < head->column_count; i++)
		take_column(layout, head, i, problems);
	err = find_runs(layout, head);
	if (err)
		pm_layout_fini(layout);
	return err;
}

void pm_layout_fini(struct pm_layout *layout)
{
	free(layout->fields);
	free(layout->names);
	free(layout->places);
	free(layout->swaps);
	free(layout->runs);
	*layout = (struct pm_layout){.fields = NULL};
}

static void get_runs(const struct pm_layout *layout, const uint8_t *entry, uint8_t *payload)
{
	uint8_t *to = payload + layout->fields[layout->field_count - 1].offset_bits / 8;

	for (size_t i = 0; i < layout->run_count; i++) {
		memcpy(to, entry + layout->runs[i].offset, layout->runs[i].bytes);
		to += layout->runs[i].bytes;
	}
}

bool pm_layout_converts(const struct pm_layout *layout)
{
	return layout->payload_bytes > layout->entry_bytes;
}

void pm_layout_convert(const struct pm_layout *layout, const uint8_t *entry, uint8_t *payload)
{
	memcpy(payload, entry, layout->entry_bytes);
	for (size_t i = 0; i < layout->swap_count; i++) {
		const struct pm_swap *swap = &layout->swaps[i];
		uint64_t value = byte_order_load(entry + swap->from, swap->bytes, BYTE_ORDER_PDP);

		byte_order_store(payload + swap->to, swap->bytes, BYTE_ORDER_HOST, value);
	}
	if (layout->run_count)
		get_runs(layout, entry, payload);
}

void pm_layout_put_runs(const struct pm_layout *layout, const uint8_t *bytes, uint8_t *entry)
{
	for (size_t i = 0; i < layout->run_count; i++) {
		memcpy(entry + layout->runs[i].offset, bytes, layout->runs[i].bytes);
		bytes += layout->runs[i].bytes;
	}
}

/* Of a long one, microseconds may be an int with four bytes behind it. */
static int64_t load_us(const uint8_t *p, unsigned int order)
{
	int64_t us = (int64_t)byte_order_load(p, 8, order);

	if (us >= 0 && us < US_PER_S)
		return us;
	return (int32_t)byte_order_load(p, 4, order);
}

int64_t pm_layout_time_ns(const struct pm_layout *layout, const uint8_t *entry)
{
	const uint8_t *p = entry + layout->time.offset;
	unsigned int order = layout->time.order;
	int64_t seconds, us;

	if (!layout->time.bytes)
		return 0;
	if (layout->time.bytes == PM_TIME_SHORT_BYTES) {
		/* On machines of 32 bits it is signed, and ends in 2038. */
		seconds = (int32_t)byte_order_load(p, 4, order);
		us = (int32_t)byte_order_load(p + 4, 4, order);
	} else {
		seconds = (int64_t)byte_order_load(p, 8, order);
		us = load_us(p + 8, order);
	}
	if (seconds < -TIME_MAX_S || seconds > TIME_MAX_S)
		seconds = seconds < 0 ? -TIME_MAX_S : TIME_MAX_S;
	return seconds * US_PER_S * NS_PER_US + us * NS_PER_US;
}

void pm_layout_put_time(const struct pm_place *place, int64_t time_ns, uint8_t *entry)
{
	int64_t seconds = time_ns / NS_PER_S, rest = time_ns % NS_PER_S;
	unsigned int half = place->bytes / 2u;

	if (rest < 0) {
		rest += NS_PER_S;
		seconds--;
	}
	byte_order_store(entry + place->offset, half, place->order, (uint64_t)seconds);
	byte_order_store(entry + place->offset + half, half, place->order,
			 (uint64_t)rest / NS_PER_US);
}
