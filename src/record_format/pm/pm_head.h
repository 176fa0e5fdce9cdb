/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pm_head: the head of a .pm file (wire/pm.h): its records, and what they tell.
 *
 * If a record is damaged, its data is missing, and a problem says so; if that makes it impossible to find
 * the entries, it is an error.
 */
#ifndef SONDE_RECORD_FORMAT_PM_PM_HEAD_H
#define SONDE_RECORD_FORMAT_PM_PM_HEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/pm.h"

struct diag;
struct problem_list;

struct pm_column {
	char name[PM_COLUMN_NAME_BYTES + 1];
	uint16_t offset;
	uint8_t length;
	uint8_t scope;
	uint16_t mask;
	uint16_t flags;
};

struct pm_head {
	size_t bytes; /* of all records */
	uint32_t mods;
	char version[PM_VERSION_BYTES + 1]; /* empty = not given */
	uint32_t entry_bytes; /* never 0 */
	uint32_t order; /* enum pm_order, or PM_ORDER_COUNT: none that is known */
	uint32_t cluster_bytes; /* 0 = not given */
	struct pm_column *columns; /* as they come, unused ones as well */
	size_t column_count;
};

/* Whether a file that begins so may be one: a record of a known kind and the right size is met
 * before any other bytes. */
bool pm_head_is(const uint8_t *bytes, size_t len);

/*
 * Bytes of the record that stands at the begin of @bytes: 0 where fewer than its own head are there,
 * -EBADMSG where it says that it is shorter than that. *@kind is its kind.
 */
int pm_head_record(const uint8_t *bytes, size_t len, unsigned int *kind);

/* Reads the records up to the last. -EBADMSG with the diag: they break off, or an entry's end
 * cannot be found. On success pm_head_fini is due. */
int pm_head_parse(const uint8_t *bytes, size_t len, struct pm_head *ret,
		  struct problem_list *problems, struct diag *diag);
void pm_head_fini(struct pm_head *head);

#endif /* SONDE_RECORD_FORMAT_PM_PM_HEAD_H */
