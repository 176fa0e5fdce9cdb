// SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only)
/*
 * irq: everything that takes the CPU from a task: interrupts, soft interrupts, timers, and work that
 * was put off (catalogue: irq; HP-UX preemption). The tid of a record is the task that was
 * running, and that is the one a filter by task asks for.
 */
#include "probe/kernel.bpf.h"

#include <bpf/bpf_tracing.h>

#include "probe/filter.bpf.h"
#include "probe/measure.bpf.h"
#include "probe/ring.bpf.h"
#include "probe/stand_in.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* include/linux/irqreturn.h */
enum irq_result { IRQ_NONE, IRQ_HANDLED, IRQ_WAKE_THREAD };
/* include/linux/interrupt.h */
enum softirq {
	SOFTIRQ_HI,
	SOFTIRQ_TIMER,
	SOFTIRQ_NET_TX,
	SOFTIRQ_NET_RX,
	SOFTIRQ_BLOCK,
	SOFTIRQ_IRQ_POLL,
	SOFTIRQ_TASKLET,
	SOFTIRQ_SCHED,
	SOFTIRQ_HRTIMER,
	SOFTIRQ_RCU,
};
enum timer_kind {
	TIMER_WHEEL, /* to a tick */
	TIMER_HIGH_RESOLUTION,
};

struct irq_enter {
	__u64 head;
	__s32 irq TEXT("number of the interrupt");
	char handler[16] TEXT("name under which its handler was registered");
	RECORD_END;
};
RECORD(irq_enter);

struct irq_exit {
	__u64 head;
	__s32 irq TEXT("number of the interrupt");
	enum irq_result result TEXT("whether it was this handler's");
	RECORD_END;
};
RECORD(irq_exit);

struct irq_soft {
	__u64 head;
	enum softirq vector TEXT("which soft interrupt");
	RECORD_END;
};
RECORD(irq_soft);

struct irq_timer {
	__u64 head;
	__u64 function TEXT("kernel function that the timer calls") SHOW("symbol");
	__s64 late_ns TEXT("time since it was due") UNIT("ns");
	enum timer_kind kind TEXT("of the timer wheel, whose time is in ticks, or high-resolution");
	RECORD_END;
};
RECORD(irq_timer);

struct irq_timer_exit {
	__u64 head;
	enum timer_kind kind TEXT("of the timer wheel, or high-resolution");
	RECORD_END;
};
RECORD(irq_timer_exit);

struct irq_work {
	__u64 head;
	__u64 function TEXT("kernel function that does the work") SHOW("symbol");
	__u64 work TEXT("address of the work, the same until it ends") SHOW("hex");
	RECORD_END;
};
RECORD(irq_work);

/* Set by user space: the kernel counts the timer wheel in jiffies. */
const volatile __u32 cfg_ns_per_jiffy = 4000000;

static __always_inline void *irq_begin(struct reservation *res, __u32 id, __u32 bytes)
{
	return context_wanted() ? record_reserve(res, id, bpf_get_current_task_btf()->pid, bytes) :
				  0;
}

MEASURE(IRQ_ENTER, "irq.enter", irq_enter, "the handler of an interrupt begins")
SEC("tp_btf/irq_handler_entry")
int BPF_PROG(irq_enter, int irq, struct irqaction *action)
{
	struct reservation res;
	struct irq_enter *record = irq_begin(&res, IRQ_ENTER, record_bytes(irq_enter));

	if (!record)
		return 0;
	record->irq = irq;
	__builtin_memset(record->handler, 0, sizeof(record->handler));
	bpf_probe_read_kernel_str(record->handler, sizeof(record->handler),
				  BPF_CORE_READ(action, name));
	record_commit(&res);
	return 0;
}

MEASURE(IRQ_EXIT, "irq.exit", irq_exit, "the handler of an interrupt has ended")
SEC("tp_btf/irq_handler_exit")
int BPF_PROG(irq_exit, int irq, struct irqaction *action, int result)
{
	struct reservation res;
	struct irq_exit *record = irq_begin(&res, IRQ_EXIT, record_bytes(irq_exit));

	if (!record)
		return 0;
	record->irq = irq;
	record->result = result;
	record_commit(&res);
	return 0;
}

static __always_inline int record_soft(__u32 id, unsigned int vector)
{
	struct reservation res;
	struct irq_soft *record = irq_begin(&res, id, record_bytes(irq_soft));

	if (!record)
		return 0;
	record->vector = vector;
	record_commit(&res);
	return 0;
}

MEASURE(IRQ_SOFT_RAISE, "irq.soft_raise", irq_soft, "a soft interrupt is asked for")
SEC("tp_btf/softirq_raise")
int BPF_PROG(irq_soft_raise, unsigned int vector)
{
	return record_soft(IRQ_SOFT_RAISE, vector);
}

MEASURE(IRQ_SOFT_ENTER, "irq.soft_enter", irq_soft, "the handler of a soft interrupt begins")
SEC("tp_btf/softirq_entry")
int BPF_PROG(irq_soft_enter, unsigned int vector)
{
	return record_soft(IRQ_SOFT_ENTER, vector);
}

MEASURE(IRQ_SOFT_EXIT, "irq.soft_exit", irq_soft, "the handler of a soft interrupt has ended")
SEC("tp_btf/softirq_exit")
int BPF_PROG(irq_soft_exit, unsigned int vector)
{
	return record_soft(IRQ_SOFT_EXIT, vector);
}

static __always_inline int record_timer(enum timer_kind kind, void *function, __s64 late_ns)
{
	struct reservation res;
	struct irq_timer *record = irq_begin(&res, IRQ_TIMER, record_bytes(irq_timer));

	if (!record)
		return 0;
	record->function = (__u64)function;
	record->late_ns = late_ns;
	record->kind = kind;
	record_commit(&res);
	return 0;
}

MEASURE(IRQ_TIMER, "irq.timer", irq_timer, "a timer has expired and its function is called")
PART(0)
SEC("tp_btf/timer_expire_entry")
int BPF_PROG(irq_timer_wheel, struct timer_list *timer, unsigned long now)
{
	return record_timer(TIMER_WHEEL, timer->function,
			    (__s64)(now - timer->expires) * cfg_ns_per_jiffy);
}

static __always_inline int record_high(struct hrtimer *timer, const __s64 *now)
{
	__s64 now_ns = 0;

	bpf_probe_read_kernel(&now_ns, sizeof(now_ns), now);
	return record_timer(TIMER_HIGH_RESOLUTION, timer->function, now_ns - timer->_softexpires);
}

/* High-resolution timers expire in interrupts, some of them in soft ones, which an interrupt may
 * hit, with timers of its own: so there is a stand-in. */
MEASURE(IRQ_TIMER, "irq.timer", irq_timer, "a timer has expired and its function is called")
PART(1)
SEC("tp_btf/hrtimer_expire_entry")
int BPF_PROG(irq_timer_high, struct hrtimer *timer, __s64 *now)
{
	struct ring_cpu *ring = this_ring();

	if (!ring)
		return 0;
	stand_in_begin(ring, STAND_IN_TIMER);
	record_high(timer, now);
	stand_in_end(ring, STAND_IN_TIMER);
	return 0;
}

MEASURE(IRQ_TIMER, "irq.timer", irq_timer, "a timer has expired and its function is called")
PART(2)
STANDS_IN("irq_timer_high")
SEC("tp_btf/hrtimer_expire_entry")
int BPF_PROG(irq_timer_nested, struct hrtimer *timer, __s64 *now)
{
	return stand_in_takes(this_ring(), STAND_IN_TIMER) ? record_high(timer, now) : 0;
}

static __always_inline int record_timer_exit(enum timer_kind kind)
{
	struct reservation res;
	struct irq_timer_exit *record =
		irq_begin(&res, IRQ_TIMER_EXIT, record_bytes(irq_timer_exit));

	if (!record)
		return 0;
	record->kind = kind;
	record_commit(&res);
	return 0;
}

MEASURE(IRQ_TIMER_EXIT, "irq.timer_exit", irq_timer_exit, "the function of a timer has returned")
PART(0)
SEC("tp_btf/timer_expire_exit")
int BPF_PROG(irq_timer_exit_wheel)
{
	return record_timer_exit(TIMER_WHEEL);
}

MEASURE(IRQ_TIMER_EXIT, "irq.timer_exit", irq_timer_exit, "the function of a timer has returned")
PART(1)
SEC("tp_btf/hrtimer_expire_exit")
int BPF_PROG(irq_timer_exit_high)
{
	struct ring_cpu *ring = this_ring();

	if (!ring)
		return 0;
	stand_in_begin(ring, STAND_IN_TIMER_EXIT);
	record_timer_exit(TIMER_HIGH_RESOLUTION);
	stand_in_end(ring, STAND_IN_TIMER_EXIT);
	return 0;
}

MEASURE(IRQ_TIMER_EXIT, "irq.timer_exit", irq_timer_exit, "the function of a timer has returned")
PART(2)
STANDS_IN("irq_timer_exit_high")
SEC("tp_btf/hrtimer_expire_exit")
int BPF_PROG(irq_timer_exit_nested)
{
	return stand_in_takes(this_ring(), STAND_IN_TIMER_EXIT) ?
		       record_timer_exit(TIMER_HIGH_RESOLUTION) :
		       0;
}

static __always_inline int record_work(__u32 id, struct work_struct *work, void *function)
{
	struct reservation res;
	struct irq_work *record = irq_begin(&res, id, record_bytes(irq_work));

	if (!record)
		return 0;
	record->function = (__u64)function;
	record->work = (__u64)work;
	record_commit(&res);
	return 0;
}

#define BY_WORKER CONTEXT("worker", "work that kernel threads do for tasks: all of it")

MEASURE(IRQ_WORK_QUEUE, "irq.work_queue", irq_work, "work is put off to a worker thread")
SEC("tp_btf/workqueue_queue_work")
int BPF_PROG(irq_work_queue, int cpu, struct pool_workqueue *queue, struct work_struct *work)
{
	return record_work(IRQ_WORK_QUEUE, work, work->func);
}

BY_WORKER
MEASURE(IRQ_WORK_ENTER, "irq.work_enter", irq_work, "a worker thread begins with work put off")
SEC("tp_btf/workqueue_execute_start")
int BPF_PROG(irq_work_enter, struct work_struct *work)
{
	return record_work(IRQ_WORK_ENTER, work, work->func);
}

BY_WORKER
MEASURE(IRQ_WORK_EXIT, "irq.work_exit", irq_work, "a worker thread has done work put off")
SEC("tp_btf/workqueue_execute_end")
int irq_work_exit(__u64 *ctx)
{
	void *function = 0;

	/* The work may be gone by now: only its address is recorded. The verifier hands out no pointer to
	 * a function, so it is read as memory. */
	bpf_probe_read_kernel(&function, sizeof(function), ctx + 1);
	return record_work(IRQ_WORK_EXIT, (void *)ctx[0], function);
}
