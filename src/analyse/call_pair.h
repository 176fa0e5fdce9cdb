/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * call_pair: the beginning and the end of a system call, matched. A task is in one call at a time.
 */
#ifndef SONDE_ANALYSE_CALL_PAIR_H
#define SONDE_ANALYSE_CALL_PAIR_H

#include <stdbool.h>
#include <stdint.h>

/* The call that a task is in. Zeros: none. */
struct call_begun {
	int64_t time_ns;
	int32_t nr;
	uint32_t epoch; /* raised by each loss: a call across one cannot be distinguished from two; never 0 */
	bool compat;
	bool counted; /* the caller's: it counts whatever its end is */
};

void call_begin(struct call_begun *begun, uint32_t epoch, int64_t time_ns, int64_t nr, bool compat);
/* How long the task was in this call, or -1: its beginning was not seen. */
int64_t call_finish(struct call_begun *begun, uint32_t epoch, int64_t time_ns, int64_t nr,
		    bool compat);

#endif /* SONDE_ANALYSE_CALL_PAIR_H */
