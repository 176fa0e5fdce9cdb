// SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only)
/*
 * sys: every system call, as it begins and as it ends (catalogue: sys; HP-UX 3.0 syscallstart,
 * syscallexit). 32-bit callers too: their numbers and registers are those of the 32-bit ABI.
 *
 * A beginning is of a class of its call, with the arguments that the call has (wire/call.h). sys_enter is the record
 * of calls that the table of calls does not have, and of 32-bit callers where these pass arguments otherwise.
 */
#include "probe/kernel.bpf.h"

#include <bpf/bpf_tracing.h>

#include "probe/filter.bpf.h"
#include "probe/measure.bpf.h"
#include "probe/ring.bpf.h"
#include "probe/syscall.bpf.h"
#include "wire/call.h"

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

/* Behind the arguments of a call with a plan. */
struct call_end {
	__u64 ip;
	__s32 nr : 31;
	__u32 compat : 1;
	RECORD_END;
};

/* By 32-bit caller and number. */
const volatile struct call_plan cfg_calls[2][CALL_NUMBERS_PLANNED] = {};

static __always_inline const volatile struct call_plan *call_plan(__u64 nr, bool compat)
{
	/* What has no number of a call has no plan: no call has the last number. */
	if (nr >= CALL_NUMBERS_PLANNED)
		nr = CALL_NUMBERS_PLANNED - 1;
	if (compat)
		nr += CALL_NUMBERS_PLANNED;
	return &cfg_calls[0][0] + below(nr, 2 * CALL_NUMBERS_PLANNED);
}

static __always_inline void enter_whole(struct pt_regs *regs, __u32 tid, __s32 nr, bool compat)
{
	struct reservation res;
	struct sys_enter *record = record_reserve(&res, SYS_ENTER, tid, record_bytes(sys_enter));

	if (!record)
		return;
	record->ip = regs_ip(regs);
	regs_args(regs, compat, record->args);
	record->nr = nr;
	record->compat = compat;
	record_commit(&res);
}

#define RECORD_MAX 64u
_Static_assert(RECORD_HEAD_BYTES + 6 * 8 <= RECORD_MAX, "where arguments end");

/* Each is stored as a whole word; of a narrow one the next store overwrites the upper half. */
static __always_inline void enter_planned(struct pt_regs *regs, __u32 tid, __s32 nr, bool compat,
					  const volatile struct call_plan *plan)
{
	__u32 at = RECORD_HEAD_BYTES, bytes = plan->bytes;
	struct reservation res;
	struct call_end *end;
	__u64 args[6];
	char *record;

	bytes += RECORD_HEAD_BYTES + record_bytes(call_end);
	record = record_reserve(&res, plan->id, tid, bytes);
	if (!record)
		return;
	regs_args(regs, compat, args);
#pragma unroll
	for (int i = 0; i < 6; i++) {
		__u32 arg = plan->args[i];
		__u64 value = args[i];

		if (arg & CALL_ARG_EXTEND)
			value = (__u64)(__s64)(__s32)value;
		*(__u64 *)(record + below(at, RECORD_MAX)) = value;
		at += arg & CALL_ARG_BYTES;
	}
	end = (void *)(record + below(at, RECORD_MAX));
	end->ip = regs_ip(regs);
	end->nr = nr;
	end->compat = compat;
	record_commit(&res);
}

MEASURE(SYS_ENTER, "sys.enter", sys_enter, "a system call begins")
SEC("tp_btf/sys_enter")
int BPF_PROG(sys_enter, struct pt_regs *regs, long id)
{
	struct task_struct *task = bpf_get_current_task_btf();
	bool compat = caller_is_compat(task);
	const volatile struct call_plan *plan;

	if (!task_wanted(task) || !syscall_wanted(id, compat))
		return 0;
	plan = call_plan(id, compat);
	if (plan->id == CALL_PLAN_NONE)
		enter_whole(regs, task->pid, (__s32)id, compat);
	else if (plan->id != CALL_PLAN_UNWANTED)
		enter_planned(regs, task->pid, (__s32)id, compat, plan);
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
