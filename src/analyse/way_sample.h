/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * way_sample: the ways that are kept to be shown one by one: the first ones, which are all of them
 * in a small trace, and those that took longest.
 */
#ifndef SONDE_ANALYSE_WAY_SAMPLE_H
#define SONDE_ANALYSE_WAY_SAMPLE_H

#include <stddef.h>
#include <stdint.h>

#include "analyse/packet_way.h"

#define WAY_SAMPLE_FIRST 20u
#define WAY_SAMPLE_SLOWEST 100u

struct way_sample {
	struct packet_way first[WAY_SAMPLE_FIRST]; /* as they ended */
	struct packet_way slowest[WAY_SAMPLE_SLOWEST]; /* a heap: the least of them at its top */
	size_t slowest_count;
	uint64_t seen;
};

void way_sample_add(struct way_sample *sample, const struct packet_way *way);
/* All of them where they are no more than @few, in the order in which they set out; else the
 * @most slowest, slowest first. The caller frees the list, which borrows. NULL = no memory. */
const struct packet_way **way_sample_choose(const struct way_sample *sample, size_t few,
					    size_t most, size_t *count);

#endif /* SONDE_ANALYSE_WAY_SAMPLE_H */
