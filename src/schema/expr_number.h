/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * expr_number: a number as it stands in an expression, with its unit, exactly: "1.5s" is 1500000000
 * / 1, "0.5" is 5 / 10. What it is compared with is a whole number of some unit, so it becomes the
 * first or the last such number that satisfies the comparison: nothing is rounded.
 */
#ifndef SONDE_SCHEMA_EXPR_NUMBER_H
#define SONDE_SCHEMA_EXPR_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct diag;
struct field;

struct expr_number {
	__int128 value; /* times of it in ns */
	uint64_t parts; /* that value is divided by: a power of ten */
	bool is_time;
	bool is_percent; /* `value` of 100 */
};

/*
 * Parses digits and the unit behind them (ns us ms s m h; K M G T, powers of 1024, also as KB,
 * Ki and KiB; %), up to @len bytes. How many bytes it took, or -errno with the diag, whose offset is within
 * @text.
 */
int expr_number_parse(const char *text, size_t len, struct expr_number *ret, struct diag *diag);

/* ns that one of @unit is ("us/8" is 125), or 0: not a unit of time. */
uint64_t expr_unit_ns(const char *unit);

/* The greatest whole number of units of @unit_ns (1 for plain numbers) not above @number; *@exact:
 * it is the number itself. */
__int128 expr_number_floor(const struct expr_number *number, uint64_t unit_ns, bool *exact);
double expr_number_double(const struct expr_number *number, uint64_t unit_ns);

#endif /* SONDE_SCHEMA_EXPR_NUMBER_H */
