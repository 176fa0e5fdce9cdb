// SPDX-License-Identifier: BSD-2-Clause
/* glibc's strtod and printf are exact, and so the witness. */
#include "base/shortest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RANDOM 200000u

/* xorshift64, so that each run is the same. */
static uint64_t next_random(void)
{
	static uint64_t x = 88172645463325252ull;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return x;
}

static bool reads_back(const char *text, double value, bool is_float)
{
	return is_float ? strtof(text, NULL) == (float)value : strtod(text, NULL) == value;
}

/* The digits of "1.25e+00", as one number. */
static uint64_t digits_of(const char *text)
{
	uint64_t digits = 0;

	for (; *text && *text != 'e'; text++)
		if (*text != '.')
			digits = digits * 10 + (uint64_t)(*text - '0');
	return digits;
}

/* @value is above 0. It reads back, with a digit less it does not, and of so many digits none is nearer. */
static void check(double value, bool is_float)
{
	struct shortest got = is_float ? shortest_of_float((float)value) :
					 shortest_of_double(value);
	char text[64], other[64];
	int count = snprintf(text, sizeof(text), "%" PRIu64, got.digits);

	(void)snprintf(text + count, sizeof(text) - (size_t)count, "e%d", got.exponent);
	if (!reads_back(text, value, is_float) || count > (is_float ? 9 : 17))
		fail_msg("%a became %s", value, text);
	(void)snprintf(other, sizeof(other), "%.*e", count > 1 ? count - 2 : 0, value);
	if (count > 1 && reads_back(other, value, is_float))
		fail_msg("%a became %s, and %s is shorter", value, text, other);
	(void)snprintf(other, sizeof(other), "%.*e", count - 1, value);
	if (reads_back(other, value, is_float) && digits_of(other) != got.digits)
		fail_msg("%a became %s, and %s is nearer", value, text, other);
}

static void check_bits(uint64_t bits)
{
	double value;

	memcpy(&value, &bits, sizeof(value));
	if (isfinite(value) && value > 0)
		check(value, false);
}

static void any_bits(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < RANDOM; i++)
		check_bits(next_random() >> 1);
}

/* Where the distance to the next number changes, subnormal ones included. */
static void powers_of_two(void **state)
{
	(void)state;
	for (uint64_t exponent = 0; exponent < 2047; exponent++)
		for (uint64_t i = 0; i < 7; i++)
			check_bits((exponent << 52) + i - 3);
}

static void powers_of_ten(void **state)
{
	char text[16];

	(void)state;
	for (int exponent = -323; exponent < 309; exponent++) {
		double value;

		(void)snprintf(text, sizeof(text), "1e%d", exponent);
		value = strtod(text, NULL);
		check(value, false);
		check(nextafter(value, INFINITY), false);
		if (nextafter(value, 0) > 0)
			check(nextafter(value, 0), false);
	}
}

static void what_people_write(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < RANDOM / 4; i++) {
		check((double)(next_random() % 1000000 + 1) / 1000, false);
		check((double)(next_random() % 100000000 + 1) / 1e7, false);
		check((double)(next_random() >> next_random() % 63 | 1), false);
	}
}

static void floats(void **state)
{
	(void)state;
	for (uint32_t bits = 1; bits < 0x7f800000; bits += 9973) {
		float value;

		memcpy(&value, &bits, sizeof(value));
		check((double)value, true);
	}
	for (uint32_t exponent = 1; exponent < 255; exponent++) {
		uint32_t bits = exponent << 23;
		float value;

		memcpy(&value, &bits, sizeof(value));
		check((double)value, true);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_bits),	 cmocka_unit_test(powers_of_two),
		cmocka_unit_test(powers_of_ten), cmocka_unit_test(what_people_write),
		cmocka_unit_test(floats),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
