/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * process_news: the sampler's immediate report to user space: a program whose mappings
 * should be looked at now: it has not met it before, or has known it for four times as long as
 * at its last report, and programs map more code as they run.
 */
#ifndef SONDE_WIRE_PROCESS_NEWS_H
#define SONDE_WIRE_PROCESS_NEWS_H

#include <linux/types.h>

#define PROCESS_NEWS_BYTES (64u << 10) /* of the ring buffer sample_news */

struct process_news {
	__u64 since_ns; /* CLOCK_MONOTONIC: not later than its first sample */
	__u64 program; /* other than that of any other process, or of this one before an exec */
	__u32 pid;
	__u32 pad;
};

#endif /* SONDE_WIRE_PROCESS_NEWS_H */
