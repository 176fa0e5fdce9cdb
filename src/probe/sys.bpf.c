// SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only)
/*
 * sys: every system call, as it begins and as it ends (catalogue: sys; HP-UX 3.0 syscallstart,
 * syscallexit). 32-bit callers too: their numbers and registers are those of the 32-bit ABI.
 */
#include "probe/kernel.bpf.h"

#include <bpf/bpf_tracing.h>

#include "probe/filter.bpf.h"
#include "probe/measure.bpf.h"
#include "probe/ring.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

struct sys_enter {
	__u64 head;
	__u64 ip TEXT("return address in user space") SHOW("hex");
	__u64 args[6] TEXT("arguments as passed") SHOW("hex");
	__s32 nr : 31 TEXT("number of the system call") SHOW("syscall");
	__u32 compat : 1 TEXT("32-bit caller: its numbers are another table's") SHOW("flag");
	RECORD_END;
};
RECORD(sys_enter);

struct sys_exit {
	__u64 head;
	__s64 ret TEXT("what the call returned, or -errno") SHOW("result");
	__s32 nr : 31 TEXT("number of the system call") SHOW("syscall");
	__u32 compat : 1 TEXT("32-bit caller: its numbers are another table's") SHOW("flag");
	RECORD_END;
};
RECORD(sys_exit);

#if defined(__TARGET_ARCH_x86)
#define TS_COMPAT 2 /* arch/x86/include/asm/thread_info.h, 4.7 to 6.18 */

static __always_inline bool caller_is_compat(const struct task_struct *task)
{
	return task->thread_info.status & TS_COMPAT;
}

static __always_inline __s64 regs_syscall(const struct pt_regs *regs)
{
	return (__s32)regs->orig_ax;
}

static __always_inline __u64 regs_ip(const struct pt_regs *regs)
{
	return regs->ip;
}

static __always_inline void regs_args(const struct pt_regs *regs, bool compat, __u64 *args)
{
	if (compat) {
		args[0] = (__u32)regs->bx;
		args[1] = (__u32)regs->cx;
		args[2] = (__u32)regs->dx;
		args[3] = (__u32)regs->si;
		args[4] = (__u32)regs->di;
		args[5] = (__u32)regs->bp;
	} else {
		args[0] = regs->di;
		args[1] = regs->si;
		args[2] = regs->dx;
		args[3] = regs->r10;
		args[4] = regs->r8;
		args[5] = regs->r9;
	}
}
#elif defined(__TARGET_ARCH_arm64)
#define TIF_32BIT (1ul << 22) /* arch/arm64/include/asm/thread_info.h */

static __always_inline bool caller_is_compat(const struct task_struct *task)
{
	return task->thread_info.flags & TIF_32BIT;
}

static __always_inline __s64 regs_syscall(const struct pt_regs *regs)
{
	return regs->syscallno;
}

static __always_inline __u64 regs_ip(const struct pt_regs *regs)
{
	return regs->pc;
}

static __always_inline void regs_args(const struct pt_regs *regs, bool compat, __u64 *args)
{
#pragma unroll
	for (int i = 0; i < 6; i++)
		args[i] = compat ? (__u32)regs->regs[i] : regs->regs[i];
}
#endif

MEASURE(SYS_ENTER, "sys.enter", sys_enter, "a system call begins")
SEC("tp_btf/sys_enter")
int BPF_PROG(sys_enter, struct pt_regs *regs, long id)
{
	struct task_struct *task = bpf_get_current_task_btf();
	bool compat = caller_is_compat(task);
	struct reservation res;
	struct sys_enter *record;

	if (!task_wanted(task) || !syscall_wanted(id, compat))
		return 0;
	record = record_reserve(&res, SYS_ENTER, task->pid, record_bytes(sys_enter));
	if (!record)
		return 0;
	record->ip = regs_ip(regs);
	regs_args(regs, compat, record->args);
	record->nr = (__s32)id;
	record->compat = compat;
	record_commit(&res);
	return 0;
}

MEASURE(SYS_EXIT, "sys.exit", sys_exit, "a system call ends")
SEC("tp_btf/sys_exit")
int BPF_PROG(sys_exit, struct pt_regs *regs, long ret)
{
	struct task_struct *task = bpf_get_current_task_btf();
	bool compat = caller_is_compat(task);
	__s64 nr = regs_syscall(regs);
	struct reservation res;
	struct sys_exit *record;

	if (!task_wanted(task) || !syscall_wanted(nr, compat))
		return 0;
	record = record_reserve(&res, SYS_EXIT, task->pid, record_bytes(sys_exit));
	if (!record)
		return 0;
	record->ret = ret;
	record->nr = (__s32)nr;
	record->compat = compat;
	record_commit(&res);
	return 0;
}
