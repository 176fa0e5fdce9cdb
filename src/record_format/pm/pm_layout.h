/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pm_layout: how the entries of a .pm file are read: which columns are fields of an event, and
 * where in its payload each lies.
 *
 * The payload begins with the unchanged entry. Integers in PDP order, which no field can have, come
 * again behind it, in the order of this host. Last come the bytes of columns that are not fields, such as those
 * that the kernel does not use: one field has them all, so that no byte of a column is missing in an event.
 */
#ifndef SONDE_RECORD_FORMAT_PM_PM_LAYOUT_H
#define SONDE_RECORD_FORMAT_PM_PM_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/byte_order.h"
#include "schema/field.h"

struct pm_head;
struct problem_list;

/* An integer in PDP order, and where it is put. */
struct pm_swap {
	uint16_t from;
	uint8_t bytes;
	uint32_t to;
};

/* Where a column of the entry is. */
struct pm_place {
	uint16_t offset;
	uint8_t bytes; /* 0 = it has none */
	enum byte_order order; /* of an integer */
};

/* Bytes of columns that are not fields. */
struct pm_run {
	uint16_t offset;
	uint16_t bytes;
};

struct pm_layout {
	uint32_t entry_bytes;
	uint32_t payload_bytes;
	struct field *fields;
	char (*names)[32]; /* of the fields */
	struct pm_place *places; /* of the fields; of the last one none, where it has the runs */
	size_t field_count;
	struct pm_swap *swaps;
	size_t swap_count;
	struct pm_run *runs;
	size_t run_count;
	struct pm_place time; /* struct timeval */
	struct pm_place seq_no;
};

/* Columns that cannot be read are left out, and a problem says so. 0 or -ENOMEM; borrows nothing. */
int pm_layout_init(struct pm_layout *layout, const struct pm_head *head,
		   struct problem_list *problems);
void pm_layout_fini(struct pm_layout *layout);

/* Whether payloads are more than entries: then pm_layout_convert makes them. */
bool pm_layout_converts(const struct pm_layout *layout);
/* Room for payload_bytes at @payload. */
void pm_layout_convert(const struct pm_layout *layout, const uint8_t *entry, uint8_t *payload);
/* The bytes of the runs, which come one behind the other at @bytes, go to where they were in the entry. */
void pm_layout_put_runs(const struct pm_layout *layout, const uint8_t *bytes, uint8_t *entry);
/* When an entry was taken, in ns since 1970, but no more than 146 years from there; 0 if no column
 * has it. */
int64_t pm_layout_time_ns(const struct pm_layout *layout, const uint8_t *entry);
/* The other way: the struct timeval at @place of @entry. */
void pm_layout_put_time(const struct pm_place *place, int64_t time_ns, uint8_t *entry);

#endif /* SONDE_RECORD_FORMAT_PM_PM_LAYOUT_H */
