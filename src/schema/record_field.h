/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * record_field: the tables by which records of other programs are read and written. One entry has the name
 * of a value, its meaning, its bytes in the record, and the field of Sonde's own events that it is made of.
 *
 * Each record format (record_format/, rx/) is such tables, ended by an entry without a name. From them
 * come the fields of event classes (record_describe), the values of records (record_load, record_store)
 * and the values of events (record_find, record_value). The caller has checked that a record has all of
 * its bytes.
 */
#ifndef SONDE_SCHEMA_RECORD_FIELD_H
#define SONDE_SCHEMA_RECORD_FIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/byte_order.h"
#include "schema/field.h"

struct event;
struct event_class;

enum record_kind {
	RECORD_UINT,
	RECORD_INT, /* signed, where it is the whole of an integer */
	RECORD_BIT, /* in the unit of a C bit-field: big-endian compilers begin at the highest bit */
	RECORD_BYTES, /* a number each */
	RECORD_TEXT, /* padded with NUL */
};

/* Where a value is. */
struct record_place {
	uint16_t at; /* bytes from the record's begin */
	uint16_t bytes; /* of the integer: 1, 2, 4 or 8; 0 = nowhere. Of bytes and texts: all */
	uint8_t shift; /* bits of the integer below it */
	uint8_t bits; /* that it has of the integer; 0 = all */
};

/* How a value comes from fields of Sonde's own events. */
enum record_rule {
	RECORD_RULE_NONE, /* no event has it */
	RECORD_RULE_COPY, /* a */
	RECORD_RULE_PRODUCT, /* a * b */
	RECORD_RULE_DISTANCE, /* a - b, of sequence numbers: modulo 2^32 */
};

struct record_from {
	enum record_rule rule;
	const char *a;
	const char *b;
	uint8_t fraction; /* bits: the record counts fractions of the field's unit */
};

#define RECORD_PLACES 2u

struct record_field {
	const char *name; /* NULL ends a table */
	const char *text;
	const char *unit; /* NULL = none */
	enum record_kind kind;
	enum field_scope scope;
	enum field_show show;
	bool network; /* big-endian in records of every order */
	uint8_t count; /* so many of them one behind the other; 0 = it is not an array */
	struct record_place place[RECORD_PLACES]; /* of the two layouts that a format may have */
	struct record_from from;
	const struct field_label *labels;
	size_t label_count;
};

#define RECORD_LABELS(table) .labels = (table), .label_count = sizeof(table) / sizeof((table)[0])
/* Member @member of a struct @of. */
#define RECORD_MEMBER(of, member)                                              \
	{                                                                      \
		.at = offsetof(of, member), .bytes = sizeof(((of *)0)->member) \
	}

/* How the records of one file are laid out. */
struct record_layout {
	enum byte_order order;
	uint8_t place; /* which of the fields' places */
};

static inline enum byte_order record_order(const struct record_field *field,
					   const struct record_layout *layout)
{
	return field->network ? BYTE_ORDER_BIG : layout->order;
}

static inline unsigned int record_shift(const struct record_field *field,
					const struct record_place *place, enum byte_order order)
{
	if (field->kind == RECORD_BIT && order == BYTE_ORDER_BIG)
		return 8u * place->bytes - 1 - place->shift;
	return place->shift;
}

/* The @i-th of an array's values, 0 of any other; not of bytes and texts. */
static inline uint64_t record_load_at(const struct record_field *field,
				      const struct record_layout *layout, const uint8_t *record,
				      size_t i)
{
	const struct record_place *place = &field->place[layout->place];
	enum byte_order order = record_order(field, layout);
	uint64_t value =
		byte_order_load(record + place->at + i * place->bytes, place->bytes, order);
	unsigned int above = 64 - 8u * place->bytes;

	if (place->bits)
		return value >> record_shift(field, place, order) & ((1ull << place->bits) - 1);
	return field->kind == RECORD_INT ? (uint64_t)((int64_t)(value << above) >> above) : value;
}

/* Other bits of the same integer stay. */
static inline void record_store_at(const struct record_field *field,
				   const struct record_layout *layout, uint8_t *record, size_t i,
				   uint64_t value)
{
	const struct record_place *place = &field->place[layout->place];
	enum byte_order order = record_order(field, layout);
	uint8_t *at = record + place->at + i * place->bytes;
	unsigned int shift;
	uint64_t mask;

	if (place->bits) {
		shift = record_shift(field, place, order);
		mask = ((1ull << place->bits) - 1) << shift;
		value = (byte_order_load(at, place->bytes, order) & ~mask) |
			(value << shift & mask);
	}
	byte_order_store(at, place->bytes, order, value);
}

static inline uint64_t record_load(const struct record_field *field,
				   const struct record_layout *layout, const uint8_t *record)
{
	return record_load_at(field, layout, record, 0);
}

static inline void record_store(const struct record_field *field,
				const struct record_layout *layout, uint8_t *record, uint64_t value)
{
	record_store_at(field, layout, record, 0, value);
}

/*
 * Copies the integers of a whole record from one layout and byte order, @from, to another, @to: from a struct to
 * bytes, and back. Those that are not within the first @len bytes of @from are left unchanged. Not of bytes and texts.
 */
void record_copy(const struct record_field *fields, const struct record_layout *from_layout,
		 const uint8_t *from, size_t len, const struct record_layout *to_layout,
		 uint8_t *to);

/* As a field of events whose payload has the record at @offset bytes. */
void record_describe(const struct record_field *field, const struct record_layout *layout,
		     size_t offset, struct field *ret);
/* As one whose payload has values of 64 bits in the order of this host: from number @slot on. */
void record_describe_slot(const struct record_field *field, size_t slot, struct field *ret);

/* Where the events of a class have a value. */
struct record_source {
	enum record_rule rule; /* RECORD_RULE_NONE: nowhere */
	uint32_t a; /* numbers of fields */
	uint32_t b;
	uint8_t fraction;
};

/* In events of Sonde's own, by the entry's rule. False: they do not have it. */
bool record_find(struct record_source *ret, const struct record_field *field,
		 const struct event_class *class);
/* In events that were made of such records: in the field of its name. */
bool record_find_same(struct record_source *ret, const struct record_field *field,
		      const struct event_class *class);
/* 0 if the class has no such field. Not of bytes and texts. */
uint64_t record_value(const struct record_source *source, const struct event *event);

#endif /* SONDE_SCHEMA_RECORD_FIELD_H */
