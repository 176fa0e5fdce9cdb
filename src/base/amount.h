/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * amount: amounts with their units, as text by value: a line can have several. What text views
 * put into their tables and sentences.
 */
#ifndef SONDE_BASE_AMOUNT_H
#define SONDE_BASE_AMOUNT_H

#include <stdbool.h>
#include <stdint.h>

#define AMOUNT_BYTES 48u

struct amount {
	char text[AMOUNT_BYTES];
};

struct amount amount_count(uint64_t count);
struct amount amount_size(uint64_t bytes);
struct amount amount_time(uint64_t ns);
/* What is zero is left blank, so that the rest stands out. */
struct amount amount_count_or_blank(uint64_t count);
struct amount amount_time_or_blank(uint64_t ns, bool known);

#endif /* SONDE_BASE_AMOUNT_H */
