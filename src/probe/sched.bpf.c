// SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only)
/*
 * sched: tasks as they are made runnable, take the CPU, leave it, begin and end (catalogue:
 * sched; HP-UX setrq, remrq, swtch, sleep, exec, exit).
 */
#include "probe/kernel.bpf.h"

#include <bpf/bpf_tracing.h>

#include "probe/context.bpf.h"
#include "probe/filter.bpf.h"
#include "probe/measure.bpf.h"
#include "probe/ring.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* include/linux/sched.h: the bits of __state, 5.14 to 6.18. 0 = it could have run on. */
enum task_state {
	TASK_RUNNING = 0,
	TASK_INTERRUPTIBLE = 1,
	TASK_UNINTERRUPTIBLE = 2,
	TASK_TRACED = 8,
	TASK_PARKED = 0x40,
	TASK_DEAD = 0x80,
	TASK_KILLABLE = 0x102,
	TASK_STOPPED = 0x104,
	TASK_IDLE = 0x402,
	TASK_NEW = 0x800,
	TASK_RTLOCK_WAIT = 0x1000,
	TASK_INTERRUPTIBLE_FREEZABLE = 0x2001,
	TASK_UNINTERRUPTIBLE_FREEZABLE = 0x2002,
	TASK_FROZEN = 0x8000,
};
/* include/uapi/linux/sched.h */
enum sched_policy {
	SCHED_OTHER = 0,
	SCHED_FIFO = 1,
	SCHED_RR = 2,
	SCHED_BATCH = 3,
	SCHED_IDLE = 5,
	SCHED_DEADLINE = 6,
	SCHED_EXT = 7,
};
/* Which task of a switch the filter wanted (analyse/switch_sides.h): of the other nothing else is recorded. */
enum switch_side {
	SIDE_PREV = 1,
	SIDE_NEXT = 2,
	SIDE_BOTH = 3,
};

struct sched_switch {
	__u64 head;
	enum task_state prev_state TEXT("why it leaves: RUNNING = preempted or yielding");
	__u32 prev_pid TEXT("process of the task that leaves");
	__u32 next_tid TEXT("task that comes");
	__u32 next_pid TEXT("its process");
	__s32 prev_prio TEXT("priority of the task that leaves: below 100 is real-time");
	__s32 next_prio TEXT("priority of the task that comes");
	enum sched_policy prev_policy : 30 TEXT("scheduling policy of the task that leaves");
	enum switch_side wanted : 2 TEXT("which of the two tasks the filter wanted");
	__s32 nr TEXT("system call that it sleeps in, or -1") SHOW("syscall");
	char prev_comm[16] TEXT("name of the task that leaves");
	char next_comm[16] TEXT("name of the task that comes");
	BRIEF_END;
	__u64 wchan TEXT("kernel function it sleeps in, or 0") SHOW("symbol");
	RECORD_END;
};
RECORD(sched_switch);

struct sched_wake {
	__u64 head;
	__u32 wake_tid TEXT("task made runnable");
	__u32 wake_pid TEXT("its process");
	__s32 prio TEXT("its priority: below 100 is real-time");
	__u32 target_cpu : 29 TEXT("CPU that it is to run on");
	enum run_context
		context : 3 TEXT("what ran where it was woken: an interrupt hits any task");
	char wake_comm[16] TEXT("its name");
	RECORD_END;
};
RECORD(sched_wake);

struct sched_migrate {
	__u64 head;
	__u32 move_tid TEXT("task that moves");
	__s32 prio TEXT("its priority");
	__u32 from_cpu TEXT("CPU that it was on");
	__u32 to_cpu TEXT("CPU that it goes to");
	char move_comm[16] TEXT("its name");
	RECORD_END;
};
RECORD(sched_migrate);

struct sched_fork {
	__u64 head;
	__u32 parent_pid TEXT("process that forks");
	__u32 child_tid TEXT("the new task");
	__u32 child_pid TEXT("its process: the same as child_tid unless a thread");
	char parent_comm[16] TEXT("name of the task that forks");
	RECORD_END;
};
RECORD(sched_fork);

struct sched_exec {
	__u64 head;
	__u32 old_tid TEXT("tid before: differs where a thread other than the first calls exec");
	__u32 pid TEXT("process");
	RECORD_END;
	char filename[0] TEXT("program that is started");
	char args[0] TEXT("its arguments, joined by spaces, the first 254 bytes");
	__u32 args_bytes TEXT("length of all its arguments") UNIT("bytes"); /* aligns the end */
};
RECORD(sched_exec);

struct sched_exit {
	__u64 head;
	__u64 utime_ns TEXT("time on a CPU in user mode") UNIT("ns");
	__u64 stime_ns TEXT("time on a CPU in the kernel") UNIT("ns");
	__u64 lifetime_ns TEXT("time since it began") UNIT("ns");
	__u64 minor_faults TEXT("page faults that needed no disk") UNIT("faults");
	__u64 major_faults TEXT("page faults that waited for a disk") UNIT("faults");
	__u64 voluntary_switches TEXT("times it went to sleep") UNIT("switches");
	__u64 involuntary_switches TEXT("times it was preempted") UNIT("switches");
	__u32 pid TEXT("process");
	__s32 exit_code TEXT("exit status << 8 | signal that ended it");
	__s32 prio TEXT("priority at the end");
	char exit_comm[16] TEXT("name");
	RECORD_END;
};
RECORD(sched_exit);

#define EXEC_TEXT_MAX 256

#if defined(__TARGET_ARCH_x86)
static __always_inline __s32 syscall_of(struct task_struct *task)
{
	const struct pt_regs *regs = (void *)bpf_task_pt_regs(task);

	return (__s32)regs->orig_ax;
}
#elif defined(__TARGET_ARCH_arm64)
static __always_inline __s32 syscall_of(struct task_struct *task)
{
	const struct pt_regs *regs = (void *)bpf_task_pt_regs(task);

	return regs->syscallno;
}
#endif

#define WCHAN_FRAMES 12

/* Where the scheduler's own code lies: user space asks the kernel's symbol table; 0 = unknown. */
const volatile __u64 cfg_sched_text_start = 0;
const volatile __u64 cfg_sched_text_end = 0;

/* Of a kernel thread the registers below the stack's top are not user registers: it is not in a call. */
static __always_inline __s32 sleeping_in(struct task_struct *task)
{
	return task->mm ? syscall_of(task) : -1;
}

static __always_inline bool in_scheduler(__u64 address)
{
	return address >= cfg_sched_text_start && address < cfg_sched_text_end;
}

/* Whoever called the scheduler, as the kernel's own wchan: below our frames and the scheduler's. */
static __always_inline __u64 wait_channel(void *ctx)
{
	__u64 frames[WCHAN_FRAMES] = {};
	bool below = false;

	if (!cfg_sched_text_end || bpf_get_stack(ctx, frames, sizeof(frames), 0) < 0)
		return 0;
#pragma unroll
	for (int i = 0; i < WCHAN_FRAMES; i++) {
		if (in_scheduler(frames[i]))
			below = true;
		else if (below)
			return frames[i];
	}
	return 0;
}

/* 0: neither. Between the idle task and the recorder nothing happens to any other task. */
static __always_inline __u32 sides_wanted(const struct task_struct *prev,
					  const struct task_struct *next)
{
	__u32 sides = (task_wanted(prev) ? SIDE_PREV : 0) | (task_wanted(next) ? SIDE_NEXT : 0);

	if ((prev->tgid == cfg_filter.self && !next->pid) ||
	    (next->tgid == cfg_filter.self && !prev->pid))
		return 0;
	return sides;
}

/* Set by user space from the kernel's own BTF: since 5.18 the state is an argument. */
const volatile __u8 cfg_switch_has_state = 0;

/* While the task leaves, another CPU may be waking it: its state has changed
 * by then, the argument has not. */
static __always_inline __u32 state_left(const __u64 *ctx, const struct task_struct *prev)
{
	return cfg_switch_has_state ? (__u32)ctx[3] : prev->__state;
}

MEASURE(SCHED_SWITCH, "sched.switch", sched_switch, "a task leaves the CPU and another comes")
SEC("tp_btf/sched_switch")
int BPF_PROG(sched_switch, bool preempt, struct task_struct *prev, struct task_struct *next)
{
	__u32 sides = sides_wanted(prev, next);
	struct sched_switch *record;
	struct reservation res;

	if (!sides)
		return 0;
	record = record_reserve(&res, SCHED_SWITCH, prev->pid, record_chosen_bytes(sched_switch));
	if (!record)
		return 0;
	record->prev_state = preempt ? TASK_RUNNING : state_left(ctx, prev);
	record->prev_pid = prev->tgid;
	record->next_tid = next->pid;
	record->next_pid = next->tgid;
	record->prev_prio = prev->prio;
	record->next_prio = next->prio;
	record->prev_policy = prev->policy;
	record->wanted = sides;
	record->nr = record->prev_state ? sleeping_in(prev) : -1;
	copy_name(record->prev_comm, prev->comm);
	copy_name(record->next_comm, next->comm);
	if (cfg_detail)
		record->wchan = record->prev_state ? wait_channel(ctx) : 0;
	record_commit(&res);
	return 0;
}

static __always_inline int record_wake(__u32 id, struct task_struct *task)
{
	struct task_struct *waker = bpf_get_current_task_btf();
	struct sched_wake *record;
	struct reservation res;

	if (!task_wanted(task))
		return 0;
	record = record_reserve(&res, id, waker->pid, record_bytes(sched_wake));
	if (!record)
		return 0;
	record->wake_tid = task->pid;
	record->wake_pid = task->tgid;
	record->prio = task->prio;
	record->target_cpu = task->thread_info.cpu;
	record->context = run_context(waker);
	copy_name(record->wake_comm, task->comm);
	record_commit(&res);
	return 0;
}

MEASURE(SCHED_WAKING, "sched.waking", sched_wake,
	"a task will be made runnable, by the task that runs")
SEC("tp_btf/sched_waking")
int BPF_PROG(sched_waking, struct task_struct *task)
{
	return record_wake(SCHED_WAKING, task);
}

MEASURE(SCHED_WAKEUP, "sched.wakeup", sched_wake, "a task was put on a run queue")
SEC("tp_btf/sched_wakeup")
int BPF_PROG(sched_wakeup, struct task_struct *task)
{
	return record_wake(SCHED_WAKEUP, task);
}

MEASURE(SCHED_WAKEUP_NEW, "sched.wakeup_new", sched_wake, "a new task was put on a run queue")
SEC("tp_btf/sched_wakeup_new")
int BPF_PROG(sched_wakeup_new, struct task_struct *task)
{
	return record_wake(SCHED_WAKEUP_NEW, task);
}

MEASURE(SCHED_MIGRATE, "sched.migrate", sched_migrate, "a task moves to another CPU")
SEC("tp_btf/sched_migrate_task")
int BPF_PROG(sched_migrate, struct task_struct *task, int cpu)
{
	struct task_struct *mover = bpf_get_current_task_btf();
	struct sched_migrate *record;
	struct reservation res;

	if (!task_wanted(task))
		return 0;
	record = record_reserve(&res, SCHED_MIGRATE, mover->pid, record_bytes(sched_migrate));
	if (!record)
		return 0;
	record->move_tid = task->pid;
	record->prio = task->prio;
	record->from_cpu = task->thread_info.cpu;
	record->to_cpu = cpu;
	copy_name(record->move_comm, task->comm);
	record_commit(&res);
	return 0;
}

MEASURE(SCHED_FORK, "sched.fork", sched_fork, "a task makes another")
SEC("tp_btf/sched_process_fork")
int BPF_PROG(sched_fork, struct task_struct *parent, struct task_struct *child)
{
	struct sched_fork *record;
	struct reservation res;

	if (!task_wanted(parent))
		return 0;
	record = record_reserve(&res, SCHED_FORK, parent->pid, record_bytes(sched_fork));
	if (!record)
		return 0;
	record->parent_pid = parent->tgid;
	record->child_tid = child->pid;
	record->child_pid = child->tgid;
	copy_name(record->parent_comm, parent->comm);
	record_commit(&res);
	return 0;
}

/* Both texts, each with its NUL, one behind the other; taken before the reservation, which needs
 * their length. */
struct exec_texts {
	__u32 args; /* where the second one starts */
	__u32 len; /* of both */
	__u32 args_bytes; /* before they were cut */
	char bytes[2 * EXEC_TEXT_MAX];
};
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct exec_texts);
} exec_scratch SEC(".maps");

static __always_inline struct exec_texts *exec_texts_get(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&exec_scratch, &zero);
}

static __always_inline void exec_texts_take(struct exec_texts *texts, struct task_struct *task,
					    struct linux_binprm *binary)
{
	unsigned long start = BPF_CORE_READ(task, mm, arg_start);
	unsigned long len = BPF_CORE_READ(task, mm, arg_end) - start;
	long name = bpf_probe_read_kernel_str(texts->bytes, EXEC_TEXT_MAX, binary->filename);

	if (name < 1 || name > EXEC_TEXT_MAX) {
		texts->bytes[0] = 0;
		name = 1;
	}
	texts->args_bytes = (__u32)len;
	if (len > EXEC_TEXT_MAX - 1)
		len = EXEC_TEXT_MAX - 1;
	if (bpf_probe_read_user(texts->bytes + name, (__u32)len, (void *)start))
		len = 0;
	texts->bytes[(name + len) & (2 * EXEC_TEXT_MAX - 1)] = 0;
	texts->args = name;
	texts->len = name + len + (len ? 0 : 1);
}

/* In memory each argument ends with a NUL; in one text they are joined by spaces. */
static long exec_args_join(__u32 i, void *unused)
{
	struct exec_texts *texts = exec_texts_get();
	__u32 at;

	(void)unused;
	if (!texts)
		return 1;
	at = texts->args + i;
	if (at + 1 >= texts->len) {
		texts->bytes[at & (2 * EXEC_TEXT_MAX - 1)] = 0;
		return 1;
	}
	at &= 2 * EXEC_TEXT_MAX - 1;
	if (!texts->bytes[at])
		texts->bytes[at] = ' ';
	return 0;
}

MEASURE(SCHED_EXEC, "sched.exec", sched_exec, "a task starts another program")
SEC("tp_btf/sched_process_exec")
int BPF_PROG(sched_exec, struct task_struct *task, int old_tid, struct linux_binprm *binary)
{
	struct exec_texts *texts = exec_texts_get();
	struct sched_exec *record;
	struct reservation res;
	__u32 len, tail;

	if (!texts || !task_wanted(task))
		return 0;
	exec_texts_take(texts, task, binary);
	bpf_loop(EXEC_TEXT_MAX, exec_args_join, 0, 0);
	len = texts->len & (2 * EXEC_TEXT_MAX - 1);
	tail = record_bytes(sched_exec) + ((len + RECORD_ALIGN - 1) & ~(RECORD_ALIGN - 1));
	record = record_reserve(&res, SCHED_EXEC, task->pid, tail + sizeof(__u32));
	if (!record)
		return 0;
	record->old_tid = old_tid;
	record->pid = task->tgid;
	bpf_probe_read_kernel(record->filename, len, texts->bytes);
	*(__u32 *)((char *)record + tail) = texts->args_bytes;
	record_commit(&res);
	return 0;
}

#define SHARE_SHIFT 20

/*
 * As getrusage has them: the time on a CPU is exact; how it divides is what the clock's ticks
 * happened to find (kernel/sched/cputime.c, cputime_adjust).
 */
static __always_inline void times_used(struct sched_exit *record, const struct task_struct *task)
{
	__u64 total = task->se.sum_exec_runtime, ticks = task->utime + task->stime;
	__u64 share = ticks >> 10 ? ((task->stime >> 10) << SHARE_SHIFT) / (ticks >> 10) : 0;

	record->stime_ns = (total >> SHARE_SHIFT) * share +
			   ((total & ((1 << SHARE_SHIFT) - 1)) * share >> SHARE_SHIFT);
	record->utime_ns = total - record->stime_ns;
}

MEASURE(SCHED_EXIT, "sched.exit", sched_exit, "a task ends")
SEC("tp_btf/sched_process_exit")
int BPF_PROG(sched_exit, struct task_struct *task)
{
	struct sched_exit *record;
	struct reservation res;

	if (!task_wanted(task))
		return 0;
	record = record_reserve(&res, SCHED_EXIT, task->pid, record_bytes(sched_exit));
	if (!record)
		return 0;
	times_used(record, task);
	record->lifetime_ns = res.time_ns - task->start_time;
	record->minor_faults = task->min_flt;
	record->major_faults = task->maj_flt;
	record->voluntary_switches = task->nvcsw;
	record->involuntary_switches = task->nivcsw;
	record->pid = task->tgid;
	record->exit_code = task->exit_code;
	record->prio = task->prio;
	copy_name(record->exit_comm, task->comm);
	record_commit(&res);
	return 0;
}
