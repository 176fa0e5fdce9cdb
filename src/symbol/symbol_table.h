/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * symbol_table: functions by address: added in any order, then found.
 */
#ifndef SONDE_SYMBOL_SYMBOL_TABLE_H
#define SONDE_SYMBOL_SYMBOL_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

#define SYMBOL_TABLE_MAX (8u << 20) /* functions */
#define SYMBOL_NAMES_MAX (512u << 20) /* bytes of all names */
#define SYMBOL_NAME_MAX 4096u /* bytes of one: longer ones are truncated */

struct symbol {
	uint64_t start;
	uint64_t size; /* 0 when added: until the next one starts */
	const char *name; /* borrowed until something is added */
};

struct symbol_entry {
	uint64_t start;
	uint64_t size;
	uint32_t name; /* its place among the names */
	uint32_t order; /* rank, from the highest down, then of adding: of several at one address the first is kept */
};

struct symbol_table {
	struct symbol_entry *entries;
	size_t count;
	size_t room;
	struct buffer names; /* each with its NUL */
	bool sorted;
};

void symbol_table_init(struct symbol_table *table);
void symbol_table_fini(struct symbol_table *table);
/* 0, -ENOMEM, or -E2BIG where the table is full. */
int symbol_table_add(struct symbol_table *table, uint64_t start, uint64_t size, const char *name,
		     size_t len);
/* The same for one of several names of a function: of those at one address the one of the highest rank is kept, at most
 * SYMBOL_RANK_MAX. Others have rank 0. */
#define SYMBOL_RANK_MAX 255u
int symbol_table_add_ranked(struct symbol_table *table, uint64_t start, uint64_t size,
			    const char *name, size_t len, unsigned int rank);
/* The function that @address lies in; false where it lies in none. Sorts what was added. */
bool symbol_table_find(struct symbol_table *table, uint64_t address, struct symbol *ret);

#endif /* SONDE_SYMBOL_SYMBOL_TABLE_H */
