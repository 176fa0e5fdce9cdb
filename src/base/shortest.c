// SPDX-License-Identifier: BSD-2-Clause
#include "base/shortest.h"

#include <stdbool.h>
#include <string.h>

#define DOUBLE_BITS 52 /* of the stored fraction */
#define DOUBLE_BIAS (1023 + DOUBLE_BITS)
#define FLOAT_BITS 23
#define FLOAT_BIAS (127 + FLOAT_BITS)

/* A number is c * 2^q. */
struct binary {
	uint64_t c;
	int q;
	bool is_power; /* the number below it is half as far away as the one above */
};

static struct binary split(uint64_t fraction, unsigned int exponent, int bits, int bias)
{
	if (!exponent)
		return (struct binary){fraction, 1 - bias, false};
	return (struct binary){fraction | 1ull << bits, (int)exponent - bias,
			       !fraction && exponent > 1};
}

/* floor(q * log10(2)), of a power of two that of 3/4 of it: exact for |q| <= 1500. */
static int decimal_exponent(int q, bool is_power)
{
	return (q * 1262611 - (is_power ? 524031 : 0)) >> 22;
}

/* floor(e * log2(10)): exact for |e| <= 1233. */
static int log2_of_power(int e)
{
	return (e * 1741647) >> 19;
}

/* power * x / 2^128; a remainder sets the lowest bit. */
static uint64_t round_to_odd(const struct shortest_power *power, uint64_t x)
{
	unsigned __int128 low = (unsigned __int128)power->low * x;
	unsigned __int128 high = (unsigned __int128)power->high * x + (uint64_t)(low >> 64);

	return (uint64_t)(high >> 64) | ((uint64_t)high > 1);
}

static struct shortest strip_zeros(uint64_t digits, int exponent)
{
	for (; digits % 10000 == 0; exponent += 4)
		digits /= 10000;
	for (; digits % 10 == 0; exponent++)
		digits /= 10;
	return (struct shortest){digits, exponent};
}

/*
 * Numbers between `lower` and `upper`, in quarters of 10^k, read back as this one. There is at most one multiple
 * of 10^(k + 1) in between, which has a digit less, and else one or two of 10^k.
 */
static struct shortest find(const struct binary *number)
{
	const int k = decimal_exponent(number->q, number->is_power);
	const int h = number->q + log2_of_power(-k) + 1;
	const struct shortest_power *power = &shortest_powers[-k - SHORTEST_K_MIN];
	const uint64_t c = number->c, odd = c & 1;
	const uint64_t lower = round_to_odd(power, (4 * c - 2 + number->is_power) << h) + odd;
	const uint64_t upper = round_to_odd(power, (4 * c + 2) << h) - odd;
	const uint64_t value = round_to_odd(power, 4 * c << h);
	const uint64_t s = value / 4, tens = s / 10;
	const uint64_t middle = 4 * s + 2;
	bool below, above;

	if (s >= 10) {
		below = lower <= 40 * tens;
		above = 40 * tens + 40 <= upper;
		if (below != above)
			return strip_zeros(tens + above, k + 1);
	}
	below = lower <= 4 * s;
	above = 4 * s + 4 <= upper;
	if (below == above)
		above = value > middle || (value == middle && s & 1);
	return strip_zeros(s + above, k);
}

struct shortest shortest_of_double(double value)
{
	struct binary number;
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	number = split(bits & ((1ull << DOUBLE_BITS) - 1), bits >> DOUBLE_BITS & 0x7ff, DOUBLE_BITS,
		       DOUBLE_BIAS);
	/* A whole number that all of its neighbours are further away from than 1/2. */
	if (number.q <= 0 && number.q >= -DOUBLE_BITS && !(number.c & ((1ull << -number.q) - 1)))
		return strip_zeros(number.c >> -number.q, 0);
	return find(&number);
}

struct shortest shortest_of_float(float value)
{
	struct binary number;
	uint32_t bits;

	memcpy(&bits, &value, sizeof(bits));
	number = split(bits & ((1u << FLOAT_BITS) - 1), bits >> FLOAT_BITS & 0xff, FLOAT_BITS,
		       FLOAT_BIAS);
	return find(&number);
}
