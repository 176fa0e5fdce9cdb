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
#include "probe/syscall.bpf.h"

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
