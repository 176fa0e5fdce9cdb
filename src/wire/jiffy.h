/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * jiffy: times that the kernel counts in jiffies, in microseconds. The kernel half, which knows the length
 * of a jiffy by a constant, calls it.
 */
#ifndef SONDE_WIRE_JIFFY_H
#define SONDE_WIRE_JIFFY_H

#include <linux/types.h>

/* A jiffy need not be a whole number of microseconds: it is 3333333 ns where HZ is 300. */
static inline __attribute__((always_inline)) __u32 jiffies_us(__u32 jiffies, __u32 ns_per_jiffy)
{
	return (__u32)(((__u64)jiffies * ns_per_jiffy + 500) / 1000);
}

#endif /* SONDE_WIRE_JIFFY_H */
