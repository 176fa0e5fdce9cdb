/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tally: rows of sums by a key of bytes: how often, and of each measured value the sum, the extremes and, if wanted,
 * how the values are spread. What a report that groups counts in.
 *
 * Bounded: keys beyond the limit go into one row for all of them.
 */
#ifndef SONDE_ANALYSE_TALLY_H
#define SONDE_ANALYSE_TALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TALLY_ROWS_MAX 65536u
#define TALLY_SPREADS_MAX 16384u /* rows of a tally with a distribution of their own */
#define TALLY_KEY_MAX 2048u /* bytes of a key */

struct event_class;
struct latency;

/* Of one measured value. Sums of whole numbers are exact up to 2^64. */
struct tally_sum {
	uint64_t count; /* events that have it */
	long double sum, min, max;
	uint64_t below_zero; /* values that no distribution has */
	struct latency *spread; /* NULL: not wanted, or too many */
};

struct tally_row {
	const uint8_t *key; /* NULL: of all further keys */
	size_t key_bytes;
	uint64_t hash;
	uint64_t events;
	const struct event_class *class; /* of its first event */
	struct tally_sum *sums;
};

struct tally {
	size_t sum_count;
	struct tally_row **rows; /* in the order in which they came */
	size_t count, room;
	uint32_t *slots; /* number of a row + 1, by its hash */
	size_t slot_count;
	size_t spreads;
	struct tally_row others;
	struct tally_sum *other_sums;
};

/* 0 or -ENOMEM; tally_fini is due all the same. */
int tally_init(struct tally *tally, size_t sum_count);
void tally_fini(struct tally *tally);
/* The row of @key, at most TALLY_KEY_MAX bytes; never NULL. Borrowed until tally_fini. */
struct tally_row *tally_at(struct tally *tally, const void *key, size_t bytes);
/* @spread: its distribution is wanted too. */
void tally_add(struct tally *tally, struct tally_sum *sum, long double value, bool spread);
/* The row of all keys beyond the limit; NULL: there are none. */
const struct tally_row *tally_others(const struct tally *tally);

#endif /* SONDE_ANALYSE_TALLY_H */
