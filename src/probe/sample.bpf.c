// SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only)
/*
 * sample: what each CPU is at, many times a second (catalogue: cpu.sample; HP-UX sampler). A
 * timer's interrupt looks at what it has interrupted: no event of a task's, so it is the task that
 * was running that a filter asks for.
 */
#include "probe/kernel.bpf.h"

#include <bpf/bpf_tracing.h>

#include "probe/filter.bpf.h"
#include "probe/measure.bpf.h"
#include "probe/process.bpf.h"
#include "probe/ring.bpf.h"
#include "probe/unwind.bpf.h"
#include "wire/note.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* The seed's numbers. */
enum cpu_state { CPU_USER, CPU_NICE, CPU_SYS, CPU_IDLE };

struct cpu_sample {
	__u64 head;
	__u64 pc TEXT("address of what was running, of the kernel or of the program; 0 = the last "
		      "of a CPU that was idle, with its timer at rest") SHOW("symbol");
	__u32 pid TEXT("process, 0 = the idle task");
	enum cpu_state state TEXT("user, the same at low priority (nice), in the kernel, or idle");
	__u32 missed TEXT("samples due on this CPU since its last record and not taken: the timer "
			  "came late or was throttled, or other BPF was at work") UNIT("samples");
	__u32 idle TEXT("samples due on this CPU since its last record while it was idle, with its "
			"timer at rest: each counts as one more sample of an idle CPU")
		UNIT("samples");
	BRIEF_END;
	enum stack_cut cut TEXT("which of the stacks had more frames than are here, or frames "
				"whose caller could not be found");
	__u16 kernel_depth TEXT("frames of the kernel's stack") UNIT("frames");
	__u16 user_depth TEXT("frames of the program's stack: by its .eh_frame on x86-64, else as "
			      "far as it keeps frame pointers") UNIT("frames");
	RECORD_END;
	__u64 kernel_stack[0] TEXT("pc in the kernel, then its callers") COUNTED_IN("kernel_depth")
		SHOW("symbol");
	__u64 user_stack[0] TEXT("pc in the program, then its callers") COUNTED_IN("user_depth")
		SHOW("symbol");
};
RECORD(cpu_sample);

#define KERNEL_FRAMES_MAX 64
#define USER_FRAMES_MAX 126
#define STACKS_BYTES ((KERNEL_FRAMES_MAX + 1 + USER_FRAMES_MAX + 1) * sizeof(__u64))

/* The kernel takes no more frames than this (kernel.perf_event_max_stack). */
const volatile __u32 cfg_frames_max = 127;

/* Sides of the stack that are recorded: both with --detail full, or as --stack says (wire/stack.h). */
const volatile __u8 cfg_sample_stacks = 0;

#define STATIC_PRIO_NORMAL 120 /* nice 0 */

/* From --rate. */
const volatile __u64 cfg_sample_period_ns = 10101010;

/*
 * The registers of what was interrupted. Their struct cannot be used: only whole words of the
 * context may be read, and to the headers of some kernels cs is half a one.
 */
#if defined(__TARGET_ARCH_x86)
#define REGS_IP 16
#define REGS_CS 17
static __always_inline bool in_user_mode(const __u64 *regs)
{
	return regs[REGS_CS] & 3;
}
#elif defined(__TARGET_ARCH_arm64)
#define REGS_IP 32
#define REGS_PSTATE 33
static __always_inline bool in_user_mode(const __u64 *regs)
{
	return !(regs[REGS_PSTATE] & 0xf);
}
#endif

/* When samples are due: the timer keeps to multiples of the period, however late it comes. */
struct sample_clock {
	__u64 due_ns; /* of the last sample; before the first one: when the account began */
	__u64 idle_ns; /* time in idle until the last end of it */
	__u64 idle_since_ns; /* the CPU is idle since then; 0 = it is not */
	__u64 idle_seen_ns; /* how much of the idle time has been taken in */
	__u64 missed; /* not in a record yet */
	__u64 idle; /* likewise */
};
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct sample_clock);
} sample_clocks SEC(".maps");

static __always_inline struct sample_clock *clock_of_cpu(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&sample_clocks, &zero);
}

/* How long this CPU has been idle since the account was opened. */
static __always_inline __u64 cpu_idle_ns(const struct sample_clock *clock, __u64 now_ns)
{
	return clock->idle_ns + (clock->idle_since_ns ? now_ns - clock->idle_since_ns : 0);
}

/*
 * The kernel does not count the samples that were not taken: it skips what is due while its timer
 * is late, and while another BPF program runs. But @lacking of them were due since clock->due_ns, which
 * becomes @due_ns. As many of these were due in idle as periods fit into the time that the CPU was idle:
 * on many machines the timer rests with an idle CPU. Idle time that is left belongs to the period in
 * progress.
 */
static __always_inline void clock_move(struct sample_clock *clock, __u64 now_ns, __u64 lacking,
				       __u64 due_ns)
{
	__u64 idle_ns = cpu_idle_ns(clock, now_ns), left_ns = idle_ns - clock->idle_seen_ns;
	__u64 idle = (left_ns + cfg_sample_period_ns / 2) / cfg_sample_period_ns;

	if (idle > lacking)
		idle = lacking;
	left_ns = left_ns > idle * cfg_sample_period_ns ? left_ns - idle * cfg_sample_period_ns : 0;
	if (left_ns > now_ns - due_ns)
		left_ns = now_ns - due_ns;
	clock->idle_seen_ns = idle_ns - left_ns;
	clock->due_ns = due_ns;
	clock->missed += lacking - idle;
	/* The idle task never matches a filter. */
	if (!cfg_filter.tasks)
		clock->idle += idle;
}

/*
 * A sample is taken. The multiples of the period are known from the samples only, and a sample that
 * comes early knows better. Before the first sample of a timer, which starts at @start_ns or a bit
 * later, only idle time can tell that samples are lacking.
 */
static __always_inline void clock_advance(struct sample_clock *clock, __u64 start_ns)
{
	__u64 now_ns = bpf_ktime_get_ns();
	bool first = clock->due_ns < start_ns;
	__u64 since_ns = first ? start_ns : clock->due_ns;
	__u64 periods = (now_ns - since_ns) / cfg_sample_period_ns;
	__u64 due_ns = since_ns + periods * cfg_sample_period_ns;

	if (first || !periods)
		due_ns = now_ns;
	clock_move(clock, now_ns, periods ? periods - 1 : 0, due_ns);
	if (first)
		clock->missed = 0;
}

static __always_inline enum cpu_state state_of(const struct task_struct *task, bool user)
{
	if (!user)
		return task->pid ? CPU_SYS : CPU_IDLE;
	return task->static_prio > STATIC_PRIO_NORMAL ? CPU_NICE : CPU_USER;
}

/* Frames of one stack, at @to, which has room for one more than @max, and that shows
 * whether more frames follow. */
static __always_inline __u32 take_stack(void *ctx, __u64 *to, __u32 max, __u64 flags, __u32 *cut,
					__u32 cut_bit)
{
	__u32 most = cfg_frames_max - 1 < max ? cfg_frames_max - 1 : max;
	long bytes = bpf_get_stack(ctx, to, (most + 1) * sizeof(*to), flags);
	__u32 frames = bytes > 0 ? (__u32)bytes / sizeof(*to) : 0;

	if (frames <= most)
		return frames;
	*cut |= cut_bit;
	return most;
}

/* Frames of the program: by its tables, or, as long as it has none, by frame pointers, which it may not keep. */
static __always_inline __u32 take_user_stack(void *ctx, __u64 *to, __u32 *cut, __u32 level,
					     bool unwind)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct unwind_room *room = bpf_map_lookup_elem(&unwind_rooms, &level);
	__u32 frames;

	if (!unwind || !cfg_unwind || !task->mm || !room ||
	    unwind_user(room, USER_FRAMES_MAX, program_of(task))) {
		frames =
			take_stack(ctx, to, USER_FRAMES_MAX, BPF_F_USER_STACK, cut, STACK_USER_CUT);
		if (unwind && cfg_unwind && frames)
			*cut |= STACK_USER_CUT;
		return frames;
	}
	frames = room->walk.depth;
	if (frames > USER_FRAMES_MAX) /* for the verifier */
		frames = USER_FRAMES_MAX;
	bpf_probe_read_kernel(to, frames * sizeof(*to), room->walk.frames);
	if (room->walk.strange)
		tell_process_soon(task);
	if (room->walk.end != UNWIND_ENDS_WHOLE)
		*cut |= STACK_USER_CUT;
	return frames;
}

/* What is reserved, but for the stacks. */
static __always_inline __u32 sample_bytes(void)
{
	return cfg_sample_stacks ? record_bytes(cpu_sample) :
				   __builtin_offsetof(struct cpu_sample, brief_end);
}

/* Behind the fixed part; how many bytes are left of what was reserved. */
static __always_inline __u32 take_stacks(void *ctx, struct cpu_sample *record, __u32 level,
					 bool unwind)
{
	__u64 *stacks = (void *)record + record_bytes(cpu_sample);
	__u32 kernel = 0, user = 0, cut = 0;

	if (cfg_sample_stacks & 1u << STACK_KERNEL)
		kernel = take_stack(ctx, stacks, KERNEL_FRAMES_MAX, 0, &cut, STACK_KERNEL_CUT);
	if (kernel > KERNEL_FRAMES_MAX) /* for the verifier */
		kernel = KERNEL_FRAMES_MAX;
	if (cfg_sample_stacks & 1u << STACK_USER)
		user = take_user_stack(ctx, stacks + kernel, &cut, level, unwind);
	if (user > USER_FRAMES_MAX)
		user = USER_FRAMES_MAX;
	record->kernel_depth = (__u16)kernel;
	record->user_depth = (__u16)user;
	record->cut = cut;
	return STACKS_BYTES - (kernel + user) * sizeof(*stacks);
}

#define IDLE_ENDS ((__u32)-1) /* PWR_EVENT_EXIT */
#define SAMPLE_TEXT "a sample of what a CPU runs, --rate times a second: address, task, mode"

/* Begin and end of idle, of one kind or another, on the CPU itself. */
MEASURE(CPU_SAMPLE, "cpu.sample", cpu_sample, SAMPLE_TEXT)
PART(2)
SEC("tp_btf/cpu_idle")
int BPF_PROG(cpu_sample_idle, __u32 kind)
{
	struct sample_clock *clock = clock_of_cpu();
	__u64 now_ns = bpf_ktime_get_ns();

	if (!clock)
		return 0;
	if (kind == IDLE_ENDS) {
		clock->idle_ns = cpu_idle_ns(clock, now_ns);
		clock->idle_since_ns = 0;
	} else {
		clock->idle_since_ns = now_ns;
	}
	return 0;
}

/*
 * Run by the recorder on each CPU before its timer starts (@args[0] = 0), and after the timer's end: an
 * idle CPU whose timer rests takes no sample that would open the account of its idle time, or close
 * it. What this one interrupts is idle if it is the idle task.
 */
MEASURE(CPU_SAMPLE, "cpu.sample", cpu_sample, SAMPLE_TEXT)
PART(1)
SEC("each_cpu/sample_account")
int cpu_sample_account(const __u64 *args)
{
	struct sample_clock *clock = clock_of_cpu();
	__u64 now_ns = bpf_ktime_get_ns(), periods;
	struct cpu_sample *record;
	struct reservation res;

	if (!clock)
		return 0;
	if (!args[0]) {
		*clock = (struct sample_clock){.due_ns = now_ns};
		if (!bpf_get_current_task_btf()->pid)
			clock->idle_since_ns = now_ns;
		return 0;
	}
	periods = (now_ns - clock->due_ns) / cfg_sample_period_ns;
	clock_move(clock, now_ns, periods, clock->due_ns + periods * cfg_sample_period_ns);
	if (!clock->idle)
		return 0;
	record = record_reserve(&res, CPU_SAMPLE, 0, sample_bytes());
	if (!record)
		return 0;
	/* It is the last one of those that it counts. */
	record->pc = 0;
	record->pid = 0;
	record->state = CPU_IDLE;
	record->missed = clock->missed;
	record->idle = clock->idle - 1;
	if (cfg_sample_stacks)
		record->cut = record->kernel_depth = record->user_depth = 0;
	record_commit(&res);
	return 0;
}

static __always_inline int take_sample(__u64 *regs, bool unwind)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct sample_clock *clock = clock_of_cpu();
	struct cpu_sample *record;
	struct reservation res;
	bool user;

	if (!clock)
		return 0;
	if (task->pid) /* the account was opened when idle had just ended */
		clock->idle_since_ns = 0;
	clock_advance(clock, bpf_get_attach_cookie(regs));
	if (!context_wanted())
		return 0;
	user = in_user_mode(regs);
	if (task->mm && (user || cfg_sample_stacks))
		tell_process(task);
	record = record_reserve(&res, CPU_SAMPLE, task->pid,
				sample_bytes() + (cfg_sample_stacks ? STACKS_BYTES : 0));
	if (!record)
		return 0;
	record->pc = regs[REGS_IP];
	record->pid = task->tgid;
	record->state = state_of(task, user);
	record->missed = clock->missed;
	record->idle = clock->idle;
	clock->missed = clock->idle = 0;
	if (cfg_sample_stacks)
		record_shrink(&res, take_stacks(regs, record, (__u32)res.level, unwind));
	record_commit(&res);
	return 0;
}

MEASURE(CPU_SAMPLE, "cpu.sample", cpu_sample, SAMPLE_TEXT)
PART(0)
SEC("perf_event/cpu-clock")
int cpu_sample(__u64 *regs)
{
	return take_sample(regs, true);
}

/* Where the kernel does not take the walk by tables. */
MEASURE(CPU_SAMPLE, "cpu.sample", cpu_sample, SAMPLE_TEXT)
PART(0)
MISSES("frames of programs without frame pointers")
SEC("perf_event/cpu-clock")
int cpu_sample_plain(__u64 *regs)
{
	return take_sample(regs, false);
}
