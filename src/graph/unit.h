/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * unit: what fields are measured in, and the larger and smaller steps in which people read it: bytes in
 * KiB, ns in ms. Any other unit ("segments") is a count, whose name is kept.
 */
#ifndef SONDE_GRAPH_UNIT_H
#define SONDE_GRAPH_UNIT_H

#include <stdbool.h>
#include <stddef.h>

#define UNIT_BYTES 24u

/* One way to tell an amount: `per` of the unit are one of these. */
struct unit_step {
	const char *name;
	double per;
};

struct unit {
	char name[UNIT_BYTES]; /* as in the field: "ns"; "" = none */
	double factor; /* values have to be multiplied by it: the steps are of bytes, and of ns */
	const struct unit_step *steps; /* ascending, ended by a NULL name; NULL = only itself */
};

/* @name may be NULL. */
struct unit unit_find(const char *name);
/* The step in which @amount is at least 1, or the smallest; NULL = the unit has none. */
const struct unit_step *unit_step(const struct unit *unit, double amount);
/* Whether values of both, times their factors, can share an axis. */
bool unit_same(const struct unit *a, const struct unit *b);
/* "1.5 MiB", "12 segments", "3.2e9": at most @digits significant digits. @value has been multiplied. */
void unit_format(const struct unit *unit, double value, int digits, char *text, size_t room);

#endif /* SONDE_GRAPH_UNIT_H */
