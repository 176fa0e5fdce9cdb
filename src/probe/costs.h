/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * costs: what one record of a measurement costs the CPU that makes it, as script/bench last
 * measured it (bench/costs.tsv, compiled in).
 */
#ifndef SONDE_PROBE_COSTS_H
#define SONDE_PROBE_COSTS_H

/* Nanoseconds, or 0 where it was not measured. */
int cost_of(const char *measurement);

#endif /* SONDE_PROBE_COSTS_H */
