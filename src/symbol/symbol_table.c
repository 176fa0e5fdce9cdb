// SPDX-License-Identifier: BSD-2-Clause
#include "symbol/symbol_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_ROOM 256u
#define RANK_SHIFT 24u /* of SYMBOL_TABLE_MAX */
#define ENCLOSING_MAX 32u /* functions that begin inside of another, before an address in it */
_Static_assert(SYMBOL_TABLE_MAX <= 1u << RANK_SHIFT, "the order has room for both");

/* A function without a size ends where the next one starts, but no later than this. */
#define UNKNOWN_SIZE_MAX (64u << 10)

void symbol_table_init(struct symbol_table *table)
{
	*table = (struct symbol_table){.sorted = true};
	buffer_init(&table->names);
}

void symbol_table_fini(struct symbol_table *table)
{
	free(table->entries);
	buffer_fini(&table->names);
	symbol_table_init(table);
}

static int grow(struct symbol_table *table)
{
	size_t room = table->room ? 2 * table->room : FIRST_ROOM;
	struct symbol_entry *entries;

	if (table->count < table->room)
		return 0;
	if (table->count >= SYMBOL_TABLE_MAX)
		return -E2BIG;
	entries = realloc(table->entries, room * sizeof(*entries));
	if (!entries)
		return -ENOMEM;
	table->entries = entries;
	table->room = room;
	return 0;
}

int symbol_table_add(struct symbol_table *table, uint64_t start, uint64_t size, const char *name,
		     size_t len)
{
	return symbol_table_add_ranked(table, start, size, name, len, 0);
}

int symbol_table_add_ranked(struct symbol_table *table, uint64_t start, uint64_t size,
			    const char *name, size_t len, unsigned int rank)
{
	size_t at = table->names.len;
	int err = grow(table);

	if (err)
		return err;
	if (len > SYMBOL_NAME_MAX)
		len = SYMBOL_NAME_MAX;
	if (at + len + 1 > SYMBOL_NAMES_MAX)
		return -E2BIG;
	buffer_append(&table->names, name, len);
	buffer_char(&table->names, '\0');
	err = buffer_error(&table->names);
	if (err)
		return err;
	table->entries[table->count] = (struct symbol_entry){
		.start = start,
		.size = size,
		.name = (uint32_t)at,
		.order = (SYMBOL_RANK_MAX - rank) << RANK_SHIFT | (uint32_t)table->count,
	};
	table->count++;
	table->sorted = false;
	return 0;
}

static int compare(const void *left, const void *right)
{
	const struct symbol_entry *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return (a->order > b->order) - (a->order < b->order);
}

/* By address, each address once. Later ones start after all that are here. */
static void sort(struct symbol_table *table)
{
	size_t kept = 0;

	qsort(table->entries, table->count, sizeof(*table->entries), compare);
	for (size_t i = 0; i < table->count; i++) {
		if (kept && table->entries[kept - 1].start == table->entries[i].start)
			continue;
		table->entries[kept] = table->entries[i];
		table->entries[kept].order = (uint32_t)kept;
		kept++;
	}
	table->count = kept;
	table->sorted = true;
}

/* How many entries start at @address or before. */
static size_t count_up_to(const struct symbol_table *table, uint64_t address)
{
	size_t low = 0, high = table->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (table->entries[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static uint64_t size_of(const struct symbol_table *table, size_t i)
{
	const struct symbol_entry *entry = &table->entries[i];
	uint64_t gap = UNKNOWN_SIZE_MAX;

	if (entry->size)
		return entry->size;
	if (i + 1 < table->count && table->entries[i + 1].start - entry->start < gap)
		gap = table->entries[i + 1].start - entry->start;
	return gap;
}

bool symbol_table_find(struct symbol_table *table, uint64_t address, struct symbol *ret)
{
	size_t i;

	if (!table->count)
		return false;
	if (!table->sorted)
		sort(table);
	i = count_up_to(table, address);
	/* Mostly the last that begins before it; or one around that. */
	for (size_t looked = 0; i-- > 0 && looked < ENCLOSING_MAX; looked++) {
		*ret = (struct symbol){
			.start = table->entries[i].start,
			.size = size_of(table, i),
			.name = table->names.data + table->entries[i].name,
		};
		if (address - ret->start < ret->size)
			return true;
	}
	return false;
}
