/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * meas_record: one record of a measurement-system file: bytes to values and back. Packing
 * values that were unpacked gives the same bytes.
 */
#ifndef SONDE_RECORD_FORMAT_MEAS_MEAS_RECORD_H
#define SONDE_RECORD_FORMAT_MEAS_MEAS_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/byte_order.h"
#include "wire/meas.h"

struct buffer;
struct diag;
struct meas_form;

/* How the records of a file are written. */
struct meas_layout {
	bool big_endian;
	bool wide;
};

/* Of words of 32 bits; of what takes two of them, the upper one is first. */
static inline enum byte_order meas_order(const struct meas_layout *layout)
{
	return layout->big_endian ? BYTE_ORDER_BIG : BYTE_ORDER_WORDS;
}

/* A record whose form is not known: its first slots, before all of its words. */
enum meas_unknown_slot {
	MEAS_UNKNOWN_ID,
	MEAS_UNKNOWN_PART,
	MEAS_UNKNOWN_NARROW, /* of the words, how many are not wide ones */
	MEAS_UNKNOWN_COUNT,
	MEAS_UNKNOWN_FIRST,
};

#define MEAS_RECORD_SLOTS_MAX (MEAS_UNKNOWN_FIRST + 2 * MEAS_WORDS_MAX)

struct meas_record {
	const struct meas_form *form; /* NULL: not known, the slots are as above */
	int64_t time_ns; /* since the epoch */
	int32_t cpu; /* -1 = not known, as of files without wide parts */
	int32_t tid; /* likewise */
	/* For a queue, after those of the fields: the count, and each. For a name, MEAS_NAME_BYTES of
	 * text padded with NUL. */
	uint64_t *slots;
};

/*
 * The bytes of the record that @bytes begin with, or what is wrong: 0: there are fewer than it takes;
 * -EBADMSG with the diag: its lengths cannot be.
 */
int meas_record_bytes(const struct meas_layout *layout, const uint8_t *bytes, size_t len,
		      struct diag *diag);
/* The slots that a whole record needs. */
size_t meas_record_slots(const struct meas_layout *layout, const uint8_t *bytes);
/*
 * A whole record. @record->slots has room for it, and @record->time_ns is that of the one before, which
 * one without a time keeps. -EBADMSG with the diag: not as long as its id says, or its words are not
 * the lower bits of what is in its wide part.
 */
int meas_record_unpack(struct meas_record *record, const struct meas_layout *layout,
		       const uint8_t *bytes, struct diag *diag);
/* Behind what is in @out. */
void meas_record_pack(const struct meas_record *record, const struct meas_layout *layout,
		      struct buffer *out);
/* Its words, which translate prints: how many. */
size_t meas_record_words(const struct meas_record *record, uint32_t words[MEAS_WORDS_MAX]);

#endif /* SONDE_RECORD_FORMAT_MEAS_MEAS_RECORD_H */
