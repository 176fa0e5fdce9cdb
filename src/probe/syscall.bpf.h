/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * syscall.bpf: how a system call passes its number and its arguments, by architecture.
 */
#ifndef SONDE_PROBE_SYSCALL_BPF_H
#define SONDE_PROBE_SYSCALL_BPF_H

#include "probe/kernel.bpf.h"

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

#endif /* SONDE_PROBE_SYSCALL_BPF_H */
