/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * shortest: the decimal number with the fewest digits that reads back as the same floating-point number, and of
 * these the nearest to it. Views write one for each such field, so it takes no division of large numbers and
 * no attempts: this is Schubfach (Raffaello Giulietti, "The Schubfach way to render doubles", 2020).
 */
#ifndef SONDE_BASE_SHORTEST_H
#define SONDE_BASE_SHORTEST_H

#include <stdint.h>

#define SHORTEST_K_MIN (-292)
#define SHORTEST_K_MAX 324

/* The highest 128 bits of a power of ten, rounded up; tools/powers.py makes them. */
struct shortest_power {
	uint64_t high;
	uint64_t low;
};

extern const struct shortest_power shortest_powers[SHORTEST_K_MAX - SHORTEST_K_MIN + 1];

/* digits * 10^exponent; the last digit is not 0. */
struct shortest {
	uint64_t digits; /* 17 at most, of a float 9 */
	int exponent;
};

/* Of the magnitude of a number that is neither 0 nor infinite, and is one. */
struct shortest shortest_of_double(double value);
struct shortest shortest_of_float(float value);

#endif /* SONDE_BASE_SHORTEST_H */
