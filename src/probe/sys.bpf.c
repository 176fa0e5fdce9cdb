// SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only)
/*
 * sys: every system call, as it begins and as it ends (catalogue: sys; HP-UX 3.0 syscallstart,
 * syscallexit). 32-bit callers too: their numbers and registers are those of the 32-bit ABI.
 *
 * A beginning is of a class of its call, with the arguments that the call has, and texts that they point to
 * (wire/call.h). sys_enter is the record
 * of calls that the table of calls does not have, and of 32-bit callers where these pass arguments otherwise.
 */
#include "probe/kernel.bpf.h"

#include <bpf/bpf_tracing.h>

#include "probe/filter.bpf.h"
#include "probe/measure.bpf.h"
#include "probe/open_files.bpf.h"
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
const volatile __u8 cfg_call_stacks = 0; /* some of the plans want stacks */

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

/* What texts take at most; record_shrink takes back what they did not need. */
#define TEXTS_BYTES (CALL_TEXTS_MAX * (CALL_TEXT_BYTES + (__u32)sizeof(__u32)))
_Static_assert(!(TEXTS_BYTES % RECORD_ALIGN), "a multiple");
/* The verifier knows no record's end: no offset in one is larger. */
#define RECORD_MAX 1024u
_Static_assert(RECORD_HEAD_BYTES + 6 * 8 + record_bytes(call_end) + TEXTS_BYTES <= RECORD_MAX &&
		       RECORD_MAX + CALL_TEXT_BYTES < RING_SLACK_BYTES,
	       "room");

/*
 * A text with its NUL; how many bytes it takes, and in *@state how it is. A program may not wait for a page: what is
 * not in memory cannot be read. Other threads may write to it meanwhile: what is recorded is what was copied.
 */
static __always_inline __u32 copy_text(char *to, __u64 from, __u32 *state)
{
	long len = bpf_probe_read_user_str(to, CALL_TEXT_BYTES, (void *)from);
	char next = 0;

	*state = CALL_TEXT_WHOLE;
	if (len < 1 || len > CALL_TEXT_BYTES) {
		*state = from ? CALL_TEXT_MISSING : CALL_TEXT_NULL;
		*to = 0;
		return 1;
	}
	if (len == CALL_TEXT_BYTES &&
	    (bpf_probe_read_user(&next, sizeof(next), (void *)(from + CALL_TEXT_BYTES - 1)) ||
	     next))
		*state = CALL_TEXT_CUT;
	return (__u32)len;
}

/* Texts one behind the other, from @at on, then how each is; how many bytes of TEXTS_BYTES are left. */
static __always_inline __u32 copy_texts(char *record, __u32 at, const __u64 *args, __u32 texts)
{
	__u32 end = at + TEXTS_BYTES, states = 0, count = 0, state;

#pragma unroll
	for (int i = 0; i < 6; i++) {
		if (!(texts & 1u << i))
			continue;
		at += copy_text(record + below(at, RECORD_MAX), args[i], &state);
		states |= state << 8 * (count & 3);
		count++;
	}
	at = (at + RECORD_ALIGN - 1) & ~(RECORD_ALIGN - 1);
#pragma unroll
	for (__u32 i = 0; i < CALL_TEXTS_MAX; i++) {
		if (i < count) {
			*(__u32 *)(record + below(at, RECORD_MAX)) = states >> 8 * i & 0xff;
			at += sizeof(__u32);
		}
	}
	return end - at;
}

#define ADDRESS_ROOM (2 * (__u32)sizeof(__u32) + CALL_ADDRESS_BYTES)
_Static_assert(!(ADDRESS_ROOM % RECORD_ALIGN) && ADDRESS_ROOM <= TEXTS_BYTES, "room");

/* As many bytes as the caller says that there are. A length below 0 is refused by the kernel. */
static __always_inline __u32 copy_address(char *record, __u32 at, __u64 from, __u64 length)
{
	__u32 end = at + ADDRESS_ROOM, bytes = (__u32)length, state = CALL_TEXT_WHOLE;
	char *to = record + below(at, RECORD_MAX);

	if (bytes > CALL_ADDRESS_BYTES) {
		bytes = CALL_ADDRESS_BYTES;
		state = CALL_TEXT_CUT;
	}
	if (!from) {
		bytes = 0;
		state = CALL_TEXT_NULL;
	} else if ((__s32)length < 0 ||
		   bpf_probe_read_user(to + sizeof(__u32), bytes, (void *)from)) {
		bytes = 0;
		state = CALL_TEXT_MISSING;
	}
	*(__u32 *)to = bytes;
	at += sizeof(__u32) + ((bytes + RECORD_ALIGN - 1) & ~(RECORD_ALIGN - 1));
	*(__u32 *)(record + below(at, RECORD_MAX)) = state;
	return end - at - sizeof(__u32);
}

#define LIST_ROOM (2 * (__u32)sizeof(__u32) + CALL_LIST_BYTES)
/* What one text and a list take; calls with a list have one text. */
_Static_assert(CALL_TEXT_BYTES + sizeof(__u32) + LIST_ROOM <= TEXTS_BYTES, "room");

/*
 * The texts of the list of pointers at @from, one behind the other, each with its NUL; how many bytes they take, with
 * how many there are in front and how the list is behind.
 */
static __always_inline __u32 copy_list(char *record, __u32 at, __u64 from, bool compat)
{
	__u32 begin = at, used = 0, state = from ? CALL_TEXT_MISSING : CALL_TEXT_NULL;
	__u32 width = compat ? 4 : 8, room;
	long len;

	at += sizeof(__u32);
	for (__u32 i = 0; from && i <= CALL_LIST_MAX; i++) {
		__u64 text = 0;

		if (bpf_probe_read_user(&text, width, (void *)(from + (__u64)i * width)))
			break;
		state = text ? CALL_TEXT_CUT : CALL_TEXT_WHOLE;
		if (!text || i == CALL_LIST_MAX)
			break;
		room = CALL_LIST_BYTES - used;
		len = bpf_probe_read_user_str(record + below(at + used, RECORD_MAX), room,
					      (void *)text);
		if (len < 1 || len > room)
			break;
		used += (__u32)len;
		/* The last one may go on. */
		if (used >= CALL_LIST_BYTES)
			break;
	}
	*(__u32 *)(record + below(begin, RECORD_MAX)) = used;
	at += (used + RECORD_ALIGN - 1) & ~(RECORD_ALIGN - 1);
	*(__u32 *)(record + below(at, RECORD_MAX)) = state;
	return at + (__u32)sizeof(__u32) - begin;
}

/* Argument @i, counted from 1. */
static __always_inline __u64 arg_at(const __u64 *args, __u32 i)
{
	__u64 value = 0;

#pragma unroll
	for (__u32 a = 0; a < 6; a++) {
		if (i == a + 1)
			value = args[a];
	}
	return value;
}

/* Each is stored as a whole word; of a narrow one the next store overwrites the upper half. */
static __always_inline void enter_planned(struct pt_regs *regs, __u32 tid, __s32 nr, bool compat,
					  const volatile struct call_plan *plan)
{
	__u32 at = RECORD_HEAD_BYTES, bytes = plan->bytes, texts = plan->texts,
	      address = plan->address;
	struct reservation res;
	struct call_end *end;
	__u64 args[6];
	char *record;

	bytes += RECORD_HEAD_BYTES + record_bytes(call_end);
	record = record_reserve_stack(&res, plan->id, tid,
				      bytes + (texts   ? TEXTS_BYTES :
					       address ? ADDRESS_ROOM :
							 0),
				      cfg_call_stacks ? plan->stacks & STACK_BOTH : 0);
	if (!record)
		return;
	regs_args(regs, compat, args);
#pragma unroll
	for (int i = 0; i < 6; i++) {
		__u32 arg = plan->args[i];
		__u64 value = args[i];

		if (arg & CALL_ARG_EXTEND)
			value = (__u64)(__s64)(__s32)value;
		if (i == 2 && arg & CALL_ARG_POINTED &&
		    bpf_probe_read_user(&value, sizeof(value), (void *)args[0]))
			value = ~0ULL;
		*(__u64 *)(record + below(at, RECORD_MAX)) = value;
		at += arg & CALL_ARG_BYTES;
	}
	end = (void *)(record + below(at, RECORD_MAX));
	end->ip = regs_ip(regs);
	end->nr = nr;
	end->compat = compat;
	if (texts) {
		__u32 left = copy_texts(record, bytes, args, texts);

		if (plan->list)
			left -= copy_list(record, bytes + TEXTS_BYTES - left,
					  arg_at(args, plan->list), compat);
		record_shrink(&res, left);
	} else if (address) {
		record_shrink(&res,
			      copy_address(record, bytes, arg_at(args, address & CALL_ADDRESS_ARG),
					   arg_at(args, address >> CALL_ADDRESS_LENGTH_SHIFT)));
	}
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
	const volatile struct call_plan *plan;
	struct reservation res;
	struct sys_exit *record;

	if (!task_wanted(task) || !syscall_wanted(nr, compat))
		return 0;
	if (cfg_open_files_bytes && !ret) {
		plan = call_plan(nr, compat);
		if (plan->pair) {
			__u64 args[6];

			regs_args(regs, compat, args);
			record_pair(task->pid, arg_at(args, plan->pair));
		}
	}
	record = record_reserve(&res, SYS_EXIT, task->pid, record_bytes(sys_exit));
	if (!record)
		return 0;
	record->ret = ret;
	record->nr = (__s32)nr;
	record->compat = compat;
	record_commit(&res);
	return 0;
}
