/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * off_waits: where the time of each task goes: on a CPU, off it, in a run queue, from wakeups and switches. Each time that a
 * task comes back, the wait that ended is described: how long, in which system call, woken by whom.
 *
 * Rule: all time of a task from its first event on is in exactly one of the four sums of struct off_task; what lies across
 * a loss, or cannot be told for another reason, is in `unknown_ns`, never in another.
 */
#ifndef SONDE_ANALYSE_OFF_WAITS_H
#define SONDE_ANALYSE_OFF_WAITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"

#define OFF_WAITS_TASKS_MAX (1u << 18)
#define OFF_WAITS_CPUS_MAX 8192u

enum off_place {
	OFF_UNKNOWN,
	OFF_ON_CPU,
	OFF_ASLEEP,
	OFF_QUEUED, /* runnable, and on no CPU */
	OFF_GONE, /* it has ended */
};

enum off_cause {
	OFF_CAUSE_UNKNOWN,
	OFF_CAUSE_LOCK,
	OFF_CAUSE_DISK,
	OFF_CAUSE_TIMER,
	OFF_CAUSE_SOCKET,
	OFF_CAUSE_PIPE,
	OFF_CAUSE_POLL, /* several things at once */
	OFF_CAUSE_CHILD,
	OFF_CAUSE_SIGNAL,
	OFF_CAUSE_PAGE_FAULT,
	OFF_CAUSE_STOPPED, /* by a signal, or a debugger */
	OFF_CAUSE_CALL, /* something else in a system call */
	OFF_CAUSE_KERNEL, /* in no system call: kernel threads */
	OFF_CAUSE_RUN_QUEUE,
	OFF_CAUSE_COUNT,
};

extern const char *const off_cause_names[OFF_CAUSE_COUNT];

/* Keys of tasks have no padding. */
struct off_key {
	uint32_t trace;
	int32_t tid;
};

struct off_task {
	enum off_place place;
	uint32_t epoch; /* of `since_ns`: raised by each loss */
	int64_t since_ns; /* at `place`, and all before is in the sums */
	int64_t first_ns;
	uint64_t cpu_ns, asleep_ns, queued_ns, unknown_ns;
	/* Of the wait in progress. */
	int64_t slept_ns; /* when it left the CPU */
	int64_t nr; /* the call that it sleeps in, or -1 */
	uint64_t state;
	int64_t early_ns; /* woken before it had left the CPU; 0 = not */
	bool faulted; /* by a page fault, and in no call since */
	bool woken; /* by `waker` */
	bool by_disk; /* a request was done on the waker's CPU at that moment */
	int32_t waker;
	int64_t waker_nr; /* the call that the waker was in, or -1; -2: not known */
	const char *stack, *waker_stack;
	int64_t in_call; /* the call that the task is in, or -1; -2: not known */
	const char *file; /* that it is about */
	uint32_t file_epoch; /* of `file`: raised where calls may be missing */
};

/* One that ended, or at the end of the trace has not. */
struct off_wait {
	int32_t tid;
	enum off_cause cause;
	uint64_t ns;
	int64_t nr; /* -1: none */
	uint64_t state; /* why it left; of a wait in the run queue 0 */
	int32_t waker; /* -1: not known; OWNER_INTERRUPT, OWNER_SOFTIRQ */
	int32_t instead; /* in a run queue: the task that left the CPU to it; -1: not known */
	/* Texts are the caller's, and stay; NULL: not known. */
	const char *file; /* of the call */
	const char *stack; /* in which it left the CPU */
	const char *waker_stack;
};

typedef void off_wait_fn(void *ctx, const struct off_wait *wait);

struct off_waits {
	struct map tasks; /* struct off_task by struct off_key */
	uint32_t epoch; /* never 0 */
	uint32_t file_epoch;
	bool has_waking; /* else the wait for a CPU cannot be told from sleep */
	const uint8_t *causes; /* enum off_cause by number of a system call; `cause_count` of them */
	size_t cause_count;
	bool *disk_done; /* by CPU: its last event was the end of a request */
	off_wait_fn *ended;
	void *ctx;
};

/* 0 or -ENOMEM; fini is due all the same. */
int off_waits_init(struct off_waits *waits);
void off_waits_fini(struct off_waits *waits);

/* A task leaves a CPU to another. */
struct off_switch {
	uint32_t trace;
	int32_t cpu;
	int64_t time_ns;
	int32_t prev, next;
	unsigned int
		sides; /* which of the two are wanted (analyse/switch_sides); where the others are is unknown */
	uint64_t state; /* why `prev` leaves; 0: it could have run on */
	int64_t nr; /* the call that it is in, or -1 */
	const char *stack; /* of `prev`; NULL: not known */
};

struct off_wake {
	uint32_t trace;
	int32_t cpu;
	int64_t time_ns;
	int32_t waker; /* also OWNER_INTERRUPT, OWNER_SOFTIRQ */
	int32_t tid;
	bool made; /* a new task */
	const char *stack; /* of the waker; NULL: not known */
};

void off_waits_switch(struct off_waits *waits, const struct off_switch *change);
void off_waits_wake(struct off_waits *waits, const struct off_wake *wake);
/* The task enters a system call on @file (NULL: on none, or not known), or leaves it: -1. */
void off_waits_call(struct off_waits *waits, uint32_t trace, int32_t tid, int64_t nr,
		    const char *file);
void off_waits_fault(struct off_waits *waits, uint32_t trace, int32_t tid);
void off_waits_disk(struct off_waits *waits, int32_t cpu);
/* Any other event of that CPU: what woke a task was not the disk. */
void off_waits_other(struct off_waits *waits, int32_t cpu);
void off_waits_lose(struct off_waits *waits);
/* Calls may be missing: which file a task's call is about is not known any more. */
void off_waits_lose_files(struct off_waits *waits);
/* The trace ends: sums reach until then. */
void off_waits_end(struct off_waits *waits, int64_t time_ns);

#endif /* SONDE_ANALYSE_OFF_WAITS_H */
