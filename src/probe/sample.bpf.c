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
#include "probe/ring.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* The seed's numbers. */
enum cpu_state { CPU_USER, CPU_NICE, CPU_SYS, CPU_IDLE };

struct cpu_sample {
	__u64 head;
	__u64 pc TEXT("address of what was running, of the kernel or of the program")
		SHOW("symbol");
	__u32 pid TEXT("process, 0 = the idle task");
	enum cpu_state state TEXT("user, the same at low priority (nice), in the kernel, or idle");
	__u32 missed TEXT("samples due on this CPU since its last record and not taken: the timer "
			  "came late or was throttled, or other BPF was at work") UNIT("samples");
	RECORD_END;
};
RECORD(cpu_sample);

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
	__u64 due_ns; /* of the last sample */
	__u64 missed; /* not told yet */
};
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct sample_clock);
} sample_clocks SEC(".maps");

/*
 * Nobody counts the samples that were not taken - the kernel leaves out what is due while its timer
 * is late, and while another BPF program runs - but they can be seen: it is more than one period
 * since the last one was due. What is known of the multiples of the period comes from the samples,
 * and a sample that comes early knows better.
 */
static __always_inline void clock_advance(struct sample_clock *clock, __u64 start_ns)
{
	__u64 now_ns = bpf_ktime_get_ns();
	__u64 periods = (now_ns - clock->due_ns) / cfg_sample_period_ns;

	if (clock->due_ns < start_ns) { /* the first of this timer */
		clock->due_ns = now_ns;
		clock->missed = 0;
	} else if (!periods) {
		clock->due_ns = now_ns;
	} else {
		clock->due_ns += periods * cfg_sample_period_ns;
		clock->missed += periods - 1;
	}
}

static __always_inline enum cpu_state state_of(const struct task_struct *task, bool user)
{
	if (!user)
		return task->pid ? CPU_SYS : CPU_IDLE;
	return task->static_prio > STATIC_PRIO_NORMAL ? CPU_NICE : CPU_USER;
}

MEASURE(CPU_SAMPLE, "cpu.sample", cpu_sample,
	"what a CPU is at, --rate times a second: where, for whom, in which mode")
SEC("perf_event/cpu-clock")
int cpu_sample(__u64 *regs)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct sample_clock *clock;
	struct cpu_sample *record;
	struct reservation res;
	__u32 zero = 0;

	clock = bpf_map_lookup_elem(&sample_clocks, &zero);
	if (!clock)
		return 0;
	clock_advance(clock, bpf_get_attach_cookie(regs));
	if (!context_wanted())
		return 0;
	record = record_reserve(&res, CPU_SAMPLE, task->pid, record_bytes(cpu_sample));
	if (!record)
		return 0;
	record->pc = regs[REGS_IP];
	record->pid = task->tgid;
	record->state = state_of(task, in_user_mode(regs));
	record->missed = clock->missed;
	clock->missed = 0;
	record_commit(&res);
	return 0;
}
