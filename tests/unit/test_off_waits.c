// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/off_waits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analyse/switch_sides.h"
#include "schema/derived.h"

#define A 100
#define B 200
#define C 300
#define FUTEX 7
#define FSYNC 8
#define SLEEP 9
#define SEND 10
#define ASLEEP 1u
#define DEEP 2u
#define DEAD 0x80u

static const uint8_t causes[] = {
	[0] = OFF_CAUSE_DISK,	   /* read */[1] = OFF_CAUSE_DISK, /* write */
	[FUTEX] = OFF_CAUSE_LOCK,  [FSYNC] = OFF_CAUSE_DISK,
	[SLEEP] = OFF_CAUSE_TIMER, [SEND] = OFF_CAUSE_SOCKET,
};

struct made {
	struct off_waits waits;
	struct off_wait last;
	size_t count;
	uint64_t told[OFF_CAUSE_COUNT]; /* ns by cause */
	const char *stack; /* of the events that follow */
};

static void ended(void *ctx, const struct off_wait *wait)
{
	struct made *m = ctx;

	m->last = *wait;
	m->count++;
	m->told[wait->cause] += wait->ns;
}

static void init(struct made *m)
{
	memset(m, 0, sizeof(*m));
	assert_int_equal(off_waits_init(&m->waits), 0);
	m->waits.ended = ended;
	m->waits.ctx = m;
	m->waits.has_waking = true;
	m->waits.causes = causes;
	m->waits.cause_count = sizeof(causes);
}

static void change_sides(struct made *m, int64_t ns, int32_t prev, int32_t next, unsigned int sides,
			 uint64_t state, int64_t nr)
{
	off_waits_switch(&m->waits, &(struct off_switch){
					    .time_ns = ns,
					    .prev = prev,
					    .next = next,
					    .sides = sides,
					    .state = state,
					    .nr = nr,
					    .stack = m->stack,
				    });
}

static void change(struct made *m, int64_t ns, int32_t prev, int32_t next, uint64_t state,
		   int64_t nr)
{
	change_sides(m, ns, prev, next, SWITCH_BOTH, state, nr);
}

static void wake_made(struct made *m, int64_t ns, int32_t waker, int32_t tid, bool made)
{
	off_waits_wake(&m->waits, &(struct off_wake){
					  .time_ns = ns,
					  .waker = waker,
					  .tid = tid,
					  .made = made,
					  .stack = m->stack,
				  });
}

static void wake(struct made *m, int64_t ns, int32_t waker, int32_t tid)
{
	wake_made(m, ns, waker, tid, false);
}

static const struct off_task *task(const struct made *m, int32_t tid)
{
	const struct off_key key = {0, tid};

	return map_get(&m->waits.tasks, &key);
}

static void check_sums(const struct made *m, int32_t tid, uint64_t cpu, uint64_t asleep,
		       uint64_t queued, uint64_t unknown)
{
	const struct off_task *one = task(m, tid);

	assert_non_null(one);
	assert_int_equal(one->cpu_ns, cpu);
	assert_int_equal(one->asleep_ns, asleep);
	assert_int_equal(one->queued_ns, queued);
	assert_int_equal(one->unknown_ns, unknown);
}

static void expect(const struct made *m, size_t count, enum off_cause cause, uint64_t ns)
{
	assert_int_equal(m->count, count);
	assert_string_equal(off_cause_names[m->last.cause], off_cause_names[cause]);
	assert_int_equal(m->last.ns, ns);
}

/* A lock, the run queue behind it, a disk and a timer: causes, wakers, and sums that are all of its time. */
static void test_causes(void **state)
{
	struct made m;

	(void)state;
	init(&m);
	change(&m, 1000, 0, A, 0, -1);
	change(&m, 1100, A, B, ASLEEP, FUTEX);
	wake(&m, 1500, B, A);
	expect(&m, 1, OFF_CAUSE_LOCK, 400);
	assert_int_equal(m.last.tid, A);
	assert_int_equal(m.last.nr, FUTEX);
	assert_int_equal(m.last.waker, B);
	change(&m, 1530, B, A, 0, -1);
	expect(&m, 2, OFF_CAUSE_RUN_QUEUE, 30);
	assert_int_equal(m.last.instead, B);
	assert_int_equal(m.last.nr, -1);
	change(&m, 1600, A, 0, DEEP, FSYNC);
	wake(&m, 1900, C, A);
	expect(&m, 3, OFF_CAUSE_DISK, 300);
	change(&m, 1900, 0, A, 0, -1);
	change(&m, 2000, A, 0, ASLEEP, SLEEP);
	wake(&m, 2500, C, A);
	expect(&m, 5, OFF_CAUSE_TIMER, 500);
	assert_int_equal(m.last.waker, -1); /* C was interrupted by the timer */
	change(&m, 2510, 0, A, 0, -1);
	change(&m, 2600, A, 0, DEAD, -1);
	off_waits_end(&m.waits, 9999);
	check_sums(&m, A, 100 + 70 + 100 + 90, 400 + 300 + 500, 30 + 10, 0);
	off_waits_fini(&m.waits);
}

/* An interrupt wakes, not the task that it hits; and a read that it ends waited for a peer. */
static void test_interrupts(void **state)
{
	struct made m;

	(void)state;
	init(&m);
	change(&m, 1000, 0, A, 0, -1);
	change(&m, 1100, A, B, ASLEEP, SLEEP);
	wake(&m, 1500, OWNER_INTERRUPT, A);
	expect(&m, 1, OFF_CAUSE_TIMER, 400);
	assert_int_equal(m.last.waker, OWNER_INTERRUPT);
	change(&m, 1500, B, A, 0, -1);
	change(&m, 1600, A, B, ASLEEP, 0);
	wake(&m, 1700, OWNER_SOFTIRQ, A);
	expect(&m, 4, OFF_CAUSE_SOCKET, 100);
	assert_int_equal(m.last.waker, OWNER_SOFTIRQ);
	off_waits_fini(&m.waits);
}

/* Of a task that the filter did not want nothing is known, but that it ran in the place of another. */
static void test_unwanted(void **state)
{
	struct made m;

	(void)state;
	init(&m);
	change_sides(&m, 1000, B, A, SWITCH_NEXT, ASLEEP, FUTEX);
	change_sides(&m, 1100, A, B, SWITCH_PREV, 0, -1);
	change_sides(&m, 1400, B, A, SWITCH_NEXT, 0, -1);
	expect(&m, 1, OFF_CAUSE_RUN_QUEUE, 300);
	assert_int_equal(m.last.instead, B);
	assert_null(task(&m, B));
	/* The task gets another name, and is not wanted any more. */
	change_sides(&m, 1500, A, B, SWITCH_NEXT, ASLEEP, FUTEX);
	change_sides(&m, 1700, B, A, SWITCH_PREV, ASLEEP, FUTEX);
	off_waits_end(&m.waits, 2000);
	check_sums(&m, A, 100 + 100, 0, 300, 500);
	check_sums(&m, B, 200, 300, 0, 0);
	off_waits_fini(&m.waits);
}

/* What a read waited for follows from the call of the task that woke it; a deep sleep from the disk's end. */
static void test_wakers(void **state)
{
	struct made m;

	(void)state;
	init(&m);
	change(&m, 100, 0, A, 0, -1);
	change(&m, 150, A, B, ASLEEP, 0);
	wake(&m, 200, B, A);
	expect(&m, 1, OFF_CAUSE_CALL, 50); /* B's call is not known */
	change(&m, 200, B, A, 0, -1);
	off_waits_call(&m.waits, 0, B, 1, NULL);
	change(&m, 210, A, B, ASLEEP, 0);
	wake(&m, 220, B, A);
	expect(&m, 4, OFF_CAUSE_PIPE, 10);
	change(&m, 230, B, A, 0, -1);
	off_waits_call(&m.waits, 0, B, SEND, NULL);
	change(&m, 240, A, B, ASLEEP, 0);
	wake(&m, 250, B, A);
	expect(&m, 7, OFF_CAUSE_SOCKET, 10);
	change(&m, 250, B, A, 0, -1);
	/* In no call: a page fault, a request of a disk, neither. */
	off_waits_fault(&m.waits, 0, A);
	change(&m, 260, A, B, DEEP, -1);
	wake(&m, 270, B, A);
	expect(&m, 10, OFF_CAUSE_PAGE_FAULT, 10);
	change(&m, 270, B, A, 0, -1);
	off_waits_call(&m.waits, 0, A, -1, NULL);
	change(&m, 280, A, B, DEEP, -1);
	off_waits_disk(&m.waits, 0);
	wake(&m, 300, B, A);
	expect(&m, 13, OFF_CAUSE_DISK, 20);
	assert_int_equal(m.last.waker, -1);
	change(&m, 300, B, A, 0, -1);
	change(&m, 310, A, B, DEEP, -1);
	off_waits_disk(&m.waits, 0);
	off_waits_other(&m.waits, 0);
	wake(&m, 320, B, A);
	expect(&m, 16, OFF_CAUSE_KERNEL, 10);
	off_waits_fini(&m.waits);
}

static void expect_texts(const struct made *m, const char *file, const char *stack,
			 const char *waker_stack)
{
	assert_ptr_equal(m->last.file, file);
	assert_ptr_equal(m->last.stack, stack);
	assert_ptr_equal(m->last.waker_stack, waker_stack);
}

/* The file is that of the call that the task sleeps in, the stack that of its switch; across a loss none is known. */
static void test_texts(void **state)
{
	static const char file[] = "/file", sleeps[] = "a;b", wakes[] = "c;d", other[] = "e";
	struct made m;

	(void)state;
	init(&m);
	change(&m, 100, 0, A, 0, -1);
	off_waits_call(&m.waits, 0, A, FSYNC, file);
	m.stack = sleeps;
	change(&m, 110, A, B, ASLEEP, FSYNC);
	m.stack = wakes;
	wake(&m, 200, B, A);
	expect(&m, 1, OFF_CAUSE_CALL, 90);
	expect_texts(&m, file, sleeps, wakes);
	m.stack = other;
	wake(&m, 205, B, A); /* it is awake already */
	change(&m, 210, B, A, 0, -1);
	expect(&m, 2, OFF_CAUSE_RUN_QUEUE, 10);
	expect_texts(&m, NULL, sleeps, wakes);
	/* Another call, of which the begin is not there. */
	change(&m, 220, A, B, ASLEEP, SLEEP);
	wake(&m, 230, B, A);
	assert_int_equal(m.last.nr, SLEEP);
	expect_texts(&m, NULL, other, other);
	change(&m, 240, B, A, 0, -1);
	/* The begin of another call of the same kind may be lost. */
	off_waits_call(&m.waits, 0, A, FSYNC, file);
	off_waits_lose_files(&m.waits);
	change(&m, 250, A, B, ASLEEP, FSYNC);
	wake(&m, 260, B, A);
	assert_int_equal(m.last.nr, FSYNC);
	expect_texts(&m, NULL, other, other);
	change(&m, 270, B, A, 0, -1);
	/* The switch may be one of many. */
	off_waits_call(&m.waits, 0, A, FSYNC, file);
	change(&m, 280, A, B, ASLEEP, FSYNC);
	off_waits_lose(&m.waits);
	wake(&m, 290, B, A);
	assert_int_equal(m.last.cause, OFF_CAUSE_UNKNOWN);
	assert_int_equal(m.last.nr, -1);
	expect_texts(&m, NULL, NULL, other);
	off_waits_lose(&m.waits);
	change(&m, 300, B, A, 0, -1);
	assert_int_equal(m.last.cause, OFF_CAUSE_UNKNOWN);
	assert_int_equal(m.last.waker, -1);
	expect_texts(&m, NULL, NULL, NULL);
	off_waits_fini(&m.waits);
}

/* Woken before it had left the CPU: all of the wait is one in the run queue. Preempted: likewise. */
static void test_early(void **state)
{
	struct made m;

	(void)state;
	init(&m);
	change(&m, 100, 0, A, 0, -1);
	wake(&m, 190, B, A);
	change(&m, 200, A, B, ASLEEP, FUTEX);
	change(&m, 260, B, A, 0, -1);
	expect(&m, 1, OFF_CAUSE_RUN_QUEUE, 60);
	change(&m, 300, A, B, 0, -1);
	change(&m, 350, B, A, 0, -1);
	expect(&m, 3, OFF_CAUSE_RUN_QUEUE, 50);
	/* Woken as it ran, and slept much later: the next wakeup ends the sleep. */
	wake(&m, 360, B, A);
	change(&m, 400, A, B, ASLEEP, FUTEX);
	wake(&m, 450, B, A);
	expect(&m, 5, OFF_CAUSE_LOCK, 50);
	check_sums(&m, A, 100 + 40 + 50, 50, 60 + 50, 0);
	off_waits_fini(&m.waits);
}

/* A wait across a loss is unknown, whatever state the task is in, and nothing else is. */
static void test_loss(void **state)
{
	struct made m;

	(void)state;
	init(&m);
	change(&m, 100, 0, A, 0, -1); /* on a CPU, */
	change(&m, 100, 0, B, 0, -1);
	change(&m, 150, B, C, ASLEEP, FUTEX); /* asleep, and */
	change(&m, 160, C, 0, 0, -1); /* queued */
	off_waits_lose(&m.waits);
	change(&m, 200, A, 0, ASLEEP, FUTEX);
	check_sums(&m, A, 0, 0, 0, 100);
	wake(&m, 220, A, B);
	expect(&m, 1, OFF_CAUSE_UNKNOWN, 70);
	check_sums(&m, B, 50, 0, 0, 70);
	change(&m, 230, 0, C, 0, -1);
	expect(&m, 2, OFF_CAUSE_UNKNOWN, 70);
	check_sums(&m, C, 10, 0, 0, 70);
	wake(&m, 240, B, A); /* all behind it is known again */
	expect(&m, 3, OFF_CAUSE_LOCK, 40);
	change(&m, 250, 0, B, 0, -1);
	expect(&m, 4, OFF_CAUSE_RUN_QUEUE, 30);
	/* A switch of a task that was not on a CPU, without a loss: not known either. */
	change(&m, 260, A, 0, ASLEEP, FUTEX);
	check_sums(&m, A, 0, 40, 0, 100 + 20);
	change(&m, 300, 0, A, 0, -1); /* no wakeup */
	expect(&m, 5, OFF_CAUSE_UNKNOWN, 40);
	off_waits_fini(&m.waits);
}

/* Of a new task all time counts, and nothing of an older one with its number. */
static void test_new(void **state)
{
	struct made m;

	(void)state;
	init(&m);
	change(&m, 100, 0, A, 0, -1);
	change(&m, 200, A, 0, DEAD, -1);
	wake_made(&m, 300, B, A, true);
	change(&m, 310, 0, A, 0, -1);
	off_waits_end(&m.waits, 400);
	check_sums(&m, A, 90, 0, 10, 0);
	assert_int_equal(task(&m, A)->first_ns, 300);
	off_waits_fini(&m.waits);
}

/* Whatever comes, in whatever order: the four sums of a task are its time, and waits that end make no more. */
static void test_any_order(void **state)
{
	uint64_t random = 88172645463325252ull;
	struct made m;

	(void)state;
	init(&m);
	for (int64_t now = 1; now < 200000; now++) {
		const int32_t x = 1 + (int32_t)(random >> 20 & 7),
			      y = 1 + (int32_t)(random >> 30 & 7);

		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		switch (random % 23) {
		case 0:
			off_waits_lose(&m.waits);
			break;
		case 1:
			wake_made(&m, now, x, y, true);
			break;
		case 2:
			change(&m, now, x, y, random >> 40 & 0x80, -1);
			break;
		case 3 ... 12:
			change(&m, now, x, y, random >> 40 & 3, (int64_t)(random >> 50 & 7) - 1);
			break;
		default:
			wake(&m, now, x, y);
			break;
		}
	}
	off_waits_end(&m.waits, 200000);
	for (int32_t tid = 1; tid <= 8; tid++) {
		const struct off_task *one = task(&m, tid);

		assert_non_null(one);
		assert_int_equal(one->cpu_ns + one->asleep_ns + one->queued_ns + one->unknown_ns,
				 one->since_ns - one->first_ns);
	}
	off_waits_fini(&m.waits);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_causes),	   cmocka_unit_test(test_wakers),
		cmocka_unit_test(test_texts),	   cmocka_unit_test(test_early),
		cmocka_unit_test(test_loss),	   cmocka_unit_test(test_new),
		cmocka_unit_test(test_any_order),  cmocka_unit_test(test_unwanted),
		cmocka_unit_test(test_interrupts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
