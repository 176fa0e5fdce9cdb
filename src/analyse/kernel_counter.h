/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kernel_counter: a counter of the kernel's for one object, as the events of a trace show it: how much
 * it grew while the trace was recorded. Statistics and reports of connections use it, so that both
 * give the same number.
 */
#ifndef SONDE_ANALYSE_KERNEL_COUNTER_H
#define SONDE_ANALYSE_KERNEL_COUNTER_H

#include <stdbool.h>
#include <stdint.h>

struct kernel_counter {
	uint64_t last; /* the highest value seen: that of its whole life */
	uint64_t grown; /* since the first value seen */
	bool known;
};

/* Takes in the next value. Returns how much it grew by that: nothing by the first, and by one that is lower,
 * which comes from another CPU and is earlier. */
static inline uint64_t kernel_counter_take(struct kernel_counter *counter, uint64_t value)
{
	uint64_t more = counter->known && value > counter->last ? value - counter->last : 0;

	if (!counter->known || value > counter->last)
		counter->last = value;
	counter->known = true;
	counter->grown += more;
	return more;
}

#endif /* SONDE_ANALYSE_KERNEL_COUNTER_H */
