// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/tally.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/latency.h"

#define FIRST_SLOTS 256u

int tally_init(struct tally *tally, size_t sum_count)
{
	*tally = (struct tally){.sum_count = sum_count, .slot_count = FIRST_SLOTS};
	tally->slots = calloc(FIRST_SLOTS, sizeof(*tally->slots));
	tally->other_sums = calloc(sum_count + 1, sizeof(*tally->other_sums));
	tally->others.sums = tally->other_sums;
	return tally->slots && tally->other_sums ? 0 : -ENOMEM;
}

static void free_spreads(const struct tally *tally, struct tally_sum *sums)
{
	for (size_t i = 0; sums && i < tally->sum_count; i++)
		free(sums[i].spread);
}

void tally_fini(struct tally *tally)
{
	for (size_t i = 0; i < tally->count; i++) {
		free_spreads(tally, tally->rows[i]->sums);
		free(tally->rows[i]);
	}
	free_spreads(tally, tally->other_sums);
	free(tally->other_sums);
	free(tally->rows);
	free(tally->slots);
	*tally = (struct tally){0};
}

/* FNV-1a, 64 bits. */
static uint64_t hash_of(const uint8_t *bytes, size_t len)
{
	uint64_t hash = 0xcbf29ce484222325u;

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ bytes[i]) * 0x100000001b3u;
	return hash;
}

/* The slot of the key, or the free one that it would be in. */
static uint32_t *find_slot(const struct tally *tally, const uint8_t *key, size_t bytes,
			   uint64_t hash)
{
	for (size_t i = hash & (tally->slot_count - 1);; i = (i + 1) & (tally->slot_count - 1)) {
		uint32_t *slot = &tally->slots[i];
		const struct tally_row *row = *slot ? tally->rows[*slot - 1] : NULL;

		if (!row ||
		    (row->hash == hash && row->key_bytes == bytes && !memcmp(row->key, key, bytes)))
			return slot;
	}
}

/* Twice as many, so that at most half of them are taken. */
static bool grow_slots(struct tally *tally)
{
	uint32_t *old = tally->slots;
	uint32_t *slots = calloc(tally->slot_count * 2, sizeof(*slots));

	if (!slots)
		return false;
	tally->slots = slots;
	tally->slot_count *= 2;
	for (size_t i = 0; i < tally->count; i++) {
		const struct tally_row *row = tally->rows[i];

		*find_slot(tally, row->key, row->key_bytes, row->hash) = (uint32_t)i + 1;
	}
	free(old);
	return true;
}

static bool grow_rows(struct tally *tally)
{
	const size_t room = tally->room ? tally->room * 2 : FIRST_SLOTS / 2;
	struct tally_row **rows = reallocarray(tally->rows, room, sizeof(*rows));

	if (!rows)
		return false;
	tally->rows = rows;
	tally->room = room;
	return true;
}

/* The row, its sums and its key in one piece. */
static struct tally_row *new_row(const struct tally *tally, const uint8_t *key, size_t bytes,
				 uint64_t hash)
{
	const size_t sums = tally->sum_count * sizeof(struct tally_sum);
	/* Sums first: their alignment is the strictest. */
	const size_t row_at = (sizeof(struct tally_row) + _Alignof(struct tally_sum) - 1) &
			      ~(_Alignof(struct tally_sum) - 1);
	struct tally_row *row = calloc(1, row_at + sums + bytes + 1);

	if (!row)
		return NULL;
	row->sums = (struct tally_sum *)((uint8_t *)row + row_at);
	row->key = memcpy((uint8_t *)row + row_at + sums, key, bytes);
	row->key_bytes = bytes;
	row->hash = hash;
	return row;
}

struct tally_row *tally_at(struct tally *tally, const void *key, size_t bytes)
{
	const uint64_t hash = hash_of(key, bytes);
	uint32_t *slot = find_slot(tally, key, bytes, hash);
	struct tally_row *row;

	assert(bytes <= TALLY_KEY_MAX);
	if (*slot)
		return tally->rows[*slot - 1];
	if (tally->count == TALLY_ROWS_MAX || (tally->count == tally->room && !grow_rows(tally)))
		return &tally->others;
	if (tally->count >= tally->slot_count / 2) {
		if (!grow_slots(tally))
			return &tally->others;
		slot = find_slot(tally, key, bytes, hash);
	}
	row = new_row(tally, key, bytes, hash);
	if (!row)
		return &tally->others;
	tally->rows[tally->count++] = row;
	*slot = (uint32_t)tally->count;
	return row;
}

static void add_spread(struct tally *tally, struct tally_sum *sum, long double value)
{
	if (value < 0) {
		sum->below_zero++;
		return;
	}
	if (!sum->spread && tally->spreads < TALLY_SPREADS_MAX) {
		sum->spread = calloc(1, sizeof(*sum->spread));
		tally->spreads += sum->spread != NULL;
	}
	if (sum->spread)
		latency_add(sum->spread,
			    value >= (long double)UINT64_MAX ? UINT64_MAX : (uint64_t)value);
}

void tally_add(struct tally *tally, struct tally_sum *sum, long double value, bool spread)
{
	if (!sum->count || value < sum->min)
		sum->min = value;
	if (!sum->count || value > sum->max)
		sum->max = value;
	sum->sum += value;
	sum->count++;
	if (spread)
		add_spread(tally, sum, value);
}

const struct tally_row *tally_others(const struct tally *tally)
{
	return tally->others.events ? &tally->others : NULL;
}
