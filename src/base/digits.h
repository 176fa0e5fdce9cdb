/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * digits: decimal digits, as fast as they can be had: in pairs out of a table, and written where
 * they belong, since it is known beforehand how many there are.
 */
#ifndef SONDE_BASE_DIGITS_H
#define SONDE_BASE_DIGITS_H

#include <stdint.h>
#include <string.h>

extern const char digits_pairs[201]; /* "000102...99" */
extern const uint64_t digits_powers[20]; /* 0, 10, 100, ... */

/* How many @value has. */
static inline unsigned int digits_count(uint64_t value)
{
	/* 1233/4096 is log10(2), near enough below 2^64. */
	unsigned int guess = (64u - (unsigned int)__builtin_clzll(value | 1)) * 1233u >> 12;

	return guess + (value >= digits_powers[guess]);
}

/* @value is below 100. */
static inline void digits_put_two(char *p, uint64_t value)
{
	memcpy(p, digits_pairs + 2 * value, 2);
}

static inline void digits_put_four(char *p, uint32_t value)
{
	digits_put_two(p, value / 100);
	digits_put_two(p + 2, value % 100);
}

/* All of @value's, so that they end at @end. Eight at a time while it is long: two halves that do
 * not wait for each other. */
static inline void digits_put(char *end, uint64_t value)
{
	uint32_t low;

	while (value >= 100000000) {
		low = (uint32_t)(value % 100000000);
		value /= 100000000;
		end -= 8;
		digits_put_four(end, low / 10000);
		digits_put_four(end + 4, low % 10000);
	}
	low = (uint32_t)value;
	if (low >= 10000) {
		end -= 4;
		digits_put_four(end, low % 10000);
		low /= 10000;
	}
	if (low >= 100) {
		end -= 2;
		digits_put_two(end, low % 100);
		low /= 100;
	}
	if (low >= 10)
		digits_put_two(end - 2, low);
	else
		end[-1] = (char)('0' + low);
}

#endif /* SONDE_BASE_DIGITS_H */
