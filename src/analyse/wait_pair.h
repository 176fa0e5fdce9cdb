/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * wait_pair: where a task is: on a CPU, asleep, or waiting for a CPU since it was woken or preempted;
 * and how long it waited when it comes onto one.
 *
 * A wait begins with the first wakeup of a task that has no CPU, or with the switch in which it is
 * preempted, and ends with the switch in which it comes.
 */
#ifndef SONDE_ANALYSE_WAIT_PAIR_H
#define SONDE_ANALYSE_WAIT_PAIR_H

#include <stdbool.h>
#include <stdint.h>

/* The beginning and the end of a system call, matched. A task is in one call at a time. */

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

enum task_place {
	TASK_PLACE_UNKNOWN,
	TASK_PLACE_CPU,
	TASK_PLACE_ASLEEP,
	TASK_PLACE_WOKEN, /* waits for a CPU, as in the next one */
	TASK_PLACE_PREEMPTED,
};

/* Zeros: it is not known where. */
struct task_where {
	int64_t since_ns;
	uint32_t epoch; /* raised by each loss: in another one it is not known where; never 0 */
	enum task_place place;
	bool was_woken; /* some time */
};

/* @second: sched.wakeup, where there is sched.waking, which came before it. */
void task_wakes(struct task_where *where, uint32_t epoch, int64_t time_ns, bool second);
/* @preempted: it could have run on. */
void task_leaves(struct task_where *where, uint32_t epoch, int64_t time_ns, bool preempted);
/*
 * What it waited as, and *@ns how long; TASK_PLACE_UNKNOWN: the wait's beginning was not seen. For a
 * task that the recorder's filter excluded some switches are there and no wakeups: so where
 * @filtered, only one that was woken is known to have waited all the time since it was preempted.
 */
enum task_place task_comes(struct task_where *where, uint32_t epoch, int64_t time_ns, bool filtered,
			   uint64_t *ns);

#endif /* SONDE_ANALYSE_WAIT_PAIR_H */
