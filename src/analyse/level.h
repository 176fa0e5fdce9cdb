/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * level: a quantity that keeps its value for a while, as the length of a queue: for how long it was
 * at which value. So its percentiles and its mean are of time: half of the time it was at most p50.
 */
#ifndef SONDE_ANALYSE_LEVEL_H
#define SONDE_ANALYSE_LEVEL_H

#include <stdint.h>

#include "analyse/latency.h"

/* Zeros are an empty one. */
struct level {
	struct latency spread; /* of values; its counts are ns */
	double area; /* the sum of value times ns */
};

void level_add(struct level *level, uint64_t value, uint64_t ns);
void level_merge(struct level *level, const struct level *other);
/* 0 without values. */
double level_mean(const struct level *level);

#endif /* SONDE_ANALYSE_LEVEL_H */
