/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * meas_form: the measurement ids of HP-UX, and what each of their records holds: the one table from
 * which `msmod -l`, the reading and the writing of files, and translate come.
 *
 * The values of a record are `slots` of 64 bits, in the order of its fields: meas_record makes words of
 * them and reads them from words. For a text they are its bytes.
 */
#ifndef SONDE_RECORD_FORMAT_MEAS_MEAS_FORM_H
#define SONDE_RECORD_FORMAT_MEAS_MEAS_FORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/record_field.h"
#include "wire/meas.h"

#define MEAS_FIELDS_MAX 12u
/* Of the longest record that is known: timeshare_insert. */
#define MEAS_SLOTS_MAX (MEAS_QUEUE_MAX + MEAS_FIELDS_MAX)
#define MEAS_NO_TIME UINT8_MAX

enum meas_shape {
	MEAS_SHAPE_FIELDS,
	MEAS_SHAPE_NAME, /* text: bytes in the words */
	MEAS_SHAPE_QUEUE, /* behind the fields, one word for each that waits */
};

/* The places of a record's fields: among its words, and in its wide part; in one or in both. */
#define MEAS_IN_WORDS 0u
#define MEAS_IN_WIDE 1u

/* One kind of record. */
struct meas_form {
	uint16_t id; /* enum meas_id */
	uint8_t part; /* of exec: which of its three records */
	enum meas_shape shape;
	const char *name; /* of its class of events: "meas.swtch" */
	const char *text;
	uint8_t time_word; /* where the time is, two words; or MEAS_NO_TIME */
	uint8_t words; /* without a queue or a name */
	const struct record_field *fields;
};

/* What msmod turns on and off. */
struct meas_entry {
	uint16_t id; /* enum meas_id */
	uint16_t from; /* the first release that has it */
	uint16_t until; /* the last */
	const char *name; /* "swtch" */
	const char *holds; /* "time, pid pri" */
	const char *const *needs; /* our measurements of which it is made, NULL at the end */
	bool detail; /* these in full detail */
	const char *never; /* why Linux has none of it; NULL = it has */
};

/* The @i-th, NULL behind the last. */
const struct meas_entry *meas_entry_get(size_t i);
/* NULL: no such id, or no such name. */
const struct meas_entry *meas_entry_find(uint16_t id);
const struct meas_entry *meas_entry_named(const char *name);
bool meas_entry_in(const struct meas_entry *entry, uint16_t release);

/* The @i-th, NULL behind the last. */
const struct meas_form *meas_form_get(size_t i);
/* NULL: no such record. */
const struct meas_form *meas_form_find(uint16_t id, uint8_t part);
/* By the name of the class. */
const struct meas_form *meas_form_named(const char *name);
/* Slots of its fields, without a queue or a name. */
size_t meas_form_slots(const struct meas_form *form);
/* Wide words of its fields, without the common ones. */
size_t meas_form_wide(const struct meas_form *form);
static inline uint32_t meas_field_count(const struct record_field *field)
{
	return field->count ?: 1;
}

/* "3.0" of MEAS_RELEASE_3_0; NULL for an unknown one. */
const char *meas_release_name(uint16_t release);
/* 0 for an unknown name. */
uint16_t meas_release_parse(const char *name);

#endif /* SONDE_RECORD_FORMAT_MEAS_MEAS_FORM_H */
