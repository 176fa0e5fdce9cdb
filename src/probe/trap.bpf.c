// SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only)
/*
 * trap: what takes a task out of its own code without its asking (catalogue: sched.trap; HP-UX
 * trap): page faults, and signals on their way to a handler or to the end.
 */
#include "probe/kernel.bpf.h"

#include <bpf/bpf_tracing.h>

#include "probe/filter.bpf.h"
#include "probe/measure.bpf.h"
#include "probe/ring.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

enum trap_kind {
	TRAP_FAULT_USER, /* a page fault in user mode */
	TRAP_FAULT_KERNEL, /* a page fault in the kernel, mostly for memory of the task's */
	TRAP_SIGNAL,
};

struct sched_trap {
	__u64 head;
	__u64 address TEXT("of a fault: the address that was touched; of a signal: 0") SHOW("hex");
	__u64 ip TEXT("of a fault: the instruction that did so; of a signal: 0") SHOW("hex");
	enum trap_kind kind TEXT("page fault in user mode or in the kernel, or signal");
	__s32 signal TEXT("number of the signal, or 0");
	__s32 code TEXT("of a fault: the CPU's error code (x86: 1 = protection, 2 = write, "
			"16 = instruction); of a signal: si_code");
	RECORD_END;
};
RECORD(sched_trap);

#if defined(__TARGET_ARCH_x86)
static __always_inline __u64 fault_ip(const struct pt_regs *regs)
{
	return regs->ip;
}
#elif defined(__TARGET_ARCH_arm64)
static __always_inline __u64 fault_ip(const struct pt_regs *regs)
{
	return regs->pc;
}
#endif

static __always_inline struct sched_trap *trap_begin(struct reservation *res, enum trap_kind kind)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct sched_trap *record;

	if (!task_wanted(task))
		return 0;
	record = record_reserve(res, SCHED_TRAP, task->pid, record_bytes(sched_trap));
	if (record)
		record->kind = kind;
	return record;
}

static __always_inline int record_fault(enum trap_kind kind, __u64 address,
					const struct pt_regs *regs, __u64 code)
{
	struct reservation res;
	struct sched_trap *record = trap_begin(&res, kind);

	if (!record)
		return 0;
	record->address = address;
	record->ip = fault_ip(regs);
	record->signal = 0;
	record->code = (__s32)code;
	record_commit(&res);
	return 0;
}

#define TRAP_TEXT "a page fault, or a signal is delivered: the task leaves its own code unasked"

MEASURE(SCHED_TRAP, "sched.trap", sched_trap, TRAP_TEXT)
PART(0)
SEC("tp_btf/page_fault_user")
int BPF_PROG(sched_trap_user, unsigned long address, struct pt_regs *regs, unsigned long code)
{
	return record_fault(TRAP_FAULT_USER, address, regs, code);
}

MEASURE(SCHED_TRAP, "sched.trap", sched_trap, TRAP_TEXT)
PART(1)
SEC("tp_btf/page_fault_kernel")
int BPF_PROG(sched_trap_kernel, unsigned long address, struct pt_regs *regs, unsigned long code)
{
	return record_fault(TRAP_FAULT_KERNEL, address, regs, code);
}

MEASURE(SCHED_TRAP, "sched.trap", sched_trap, TRAP_TEXT)
PART(2)
SEC("tp_btf/signal_deliver")
int BPF_PROG(sched_trap_signal, int signal, struct kernel_siginfo *info)
{
	struct reservation res;
	struct sched_trap *record = trap_begin(&res, TRAP_SIGNAL);

	if (!record)
		return 0;
	record->address = 0;
	record->ip = 0;
	record->signal = signal;
	record->code = BPF_CORE_READ(info, si_code);
	record_commit(&res);
	return 0;
}
