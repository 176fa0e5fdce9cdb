/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * context.bpf: whether a task, a soft interrupt or an interrupt runs on this CPU.
 *
 * The kernel counts it in preempt_count: on arm64 in the task, on x86 in a variable of each CPU, __preempt_count, from
 * 6.2 to 6.14 pcpu_hot. Programs may name such a variable only where the kernel shows the symbol (KALLSYMS_ALL). The
 * current task knows the run queue of its CPU, which is a variable of each CPU too: user space sets how far apart the
 * two are, as the kernel's BTF has it. What is not known is CONTEXT_UNKNOWN, never a guess.
 */
#ifndef SONDE_PROBE_CONTEXT_BPF_H
#define SONDE_PROBE_CONTEXT_BPF_H

#include <linux/bpf.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "probe/kernel.bpf.h"
#include "wire/run_context.h"

/* include/linux/preempt.h, since 3.14. With soft interrupts merely off the higher bits of their byte count. */
#define SOFTIRQ_SERVED (1u << 8)
#define HARDIRQ_BITS (0xfu << 16)
#define NMI_BITS (0xfu << 20)

/* Set by user space: from `runqueues` to what counts, both variables of each CPU; 0 = not known. */
const volatile __s64 cfg_preempt_count_at = 0;

#if defined(__TARGET_ARCH_x86)
static __always_inline bool preempt_count_read(const struct task_struct *task, __u32 *ret)
{
	const struct rq *rq = 0;

	if (!cfg_preempt_count_at || !bpf_core_field_exists(task->se.cfs_rq) ||
	    !bpf_core_field_exists(rq->cpu))
		return false;
	rq = task->se.cfs_rq->rq;
	if (rq->cpu != (int)bpf_get_smp_processor_id())
		return false;
	return !bpf_probe_read_kernel(ret, sizeof(*ret), (const char *)rq + cfg_preempt_count_at);
}
#else
static __always_inline bool preempt_count_read(const struct task_struct *task, __u32 *ret)
{
	*ret = (__u32)task->thread_info.preempt_count;
	return true;
}
#endif

static __always_inline enum run_context run_context(const struct task_struct *task)
{
	__u32 count = 0;

	if (!preempt_count_read(task, &count))
		return CONTEXT_UNKNOWN;
	if (count & NMI_BITS)
		return CONTEXT_NMI;
	if (count & HARDIRQ_BITS)
		return CONTEXT_IRQ;
	return count & SOFTIRQ_SERVED ? CONTEXT_SOFTIRQ : CONTEXT_TASK;
}

#endif /* SONDE_PROBE_CONTEXT_BPF_H */
