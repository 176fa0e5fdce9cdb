/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * costs: what one record of a measurement costs the CPU that makes it, as script/bench last
 * measured it (bench/costs.tsv, compiled in).
 */
#ifndef SONDE_PROBE_COSTS_H
#define SONDE_PROBE_COSTS_H

#include <stddef.h>

/* Nanoseconds, or 0 where it was not measured. */
int cost_of(const char *measurement);
/* The kernel and the machine that it was measured on; returns @text. */
char *cost_machine(char *text, size_t room);

#endif /* SONDE_PROBE_COSTS_H */
