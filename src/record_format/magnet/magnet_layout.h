/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * magnet_layout: which of the eight forms a MAGNeT file has: byte order, size of pointers, with the
 * data field or without; and integers of records in that form.
 */
#ifndef SONDE_RECORD_FORMAT_MAGNET_MAGNET_LAYOUT_H
#define SONDE_RECORD_FORMAT_MAGNET_MAGNET_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/magnet.h"

#define MAGNET_LAYOUT_NAME_BYTES 12u /* "le64+data" */

struct magnet_layout {
	bool big_endian;
	bool wide; /* pointers and longs of 64 bits */
	bool data;
};

#define MAGNET_LAYOUTS 8u
/* One of them, @number below MAGNET_LAYOUTS. */
struct magnet_layout magnet_layout_of(unsigned int number);

/* "le32", "le64", "be32", "be64", with "+data" behind or not. -EINVAL: none of these. */
int magnet_layout_parse(const char *text, struct magnet_layout *ret);
void magnet_layout_format(const struct magnet_layout *layout, char name[MAGNET_LAYOUT_NAME_BYTES]);
bool magnet_layout_equals(const struct magnet_layout *a, const struct magnet_layout *b);

/* An integer of 1, 2, 4 or 8 bytes. */
uint64_t magnet_load(const struct magnet_layout *layout, const uint8_t *at, size_t bytes);
void magnet_store(const struct magnet_layout *layout, uint8_t *at, size_t bytes, uint64_t value);

static inline size_t magnet_record_bytes(const struct magnet_layout *layout)
{
	if (layout->wide)
		return MAGNET_AT_DATA_64 + (layout->data ? MAGNET_DATA_BYTES_64 : 0);
	return MAGNET_AT_DATA_32 + (layout->data ? MAGNET_DATA_BYTES_32 : 0);
}

/* What every record has. */
struct magnet_head {
	uint64_t sockid;
	uint64_t timestamp;
	uint32_t event;
	int32_t size;
};

void magnet_head_load(const struct magnet_layout *layout, const uint8_t *record,
		      struct magnet_head *ret);
void magnet_head_store(const struct magnet_layout *layout, uint8_t *record,
		       const struct magnet_head *head);

#endif /* SONDE_RECORD_FORMAT_MAGNET_MAGNET_LAYOUT_H */
