/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * process.bpf: notifies the recorder of processes whose addresses are recorded, samples and stacks, so that it reads
 * in time which files they have mapped (record/code_notes).
 */
#ifndef SONDE_PROBE_PROCESS_BPF_H
#define SONDE_PROBE_PROCESS_BPF_H

#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

#include "probe/kernel.bpf.h"
#include "wire/process_news.h"

/* The last report for all processes whose numbers have the same low bits. */
#define SEEN_SLOTS 8192
#define AGAIN_LEAST_NS 1000000
#define AGAIN_MOST_NS 4000000000
#define AGAIN_SOON_NS 100000000 /* with code that is not in its table for unwinding */
struct process_seen {
	__u64 program;
	__u64 since_ns;
	__u64 again_ns; /* when to tell it again */
};
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, SEEN_SLOTS);
	__type(key, __u32);
	__type(value, struct process_seen);
} sample_seen SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, PROCESS_NEWS_BYTES);
} sample_news SEC(".maps");

static __always_inline __u64 program_of(const struct task_struct *task)
{
	return task->group_leader->start_time + task->self_exec_id;
}

/*
 * What the addresses of a process mean can be found out only as long as it lives, and changes: the
 * first stack is often of the loader, which has yet to map the libraries. So it is reported when it is
 * met first, the first time since it called exec too, and then at times that get longer as it gets
 * older.
 */
static __always_inline void tell_process(const struct task_struct *task)
{
	__u32 slot = task->tgid & (SEEN_SLOTS - 1);
	struct process_seen *seen = bpf_map_lookup_elem(&sample_seen, &slot);
	struct process_news news = {
		.since_ns = bpf_ktime_get_ns(),
		.program = program_of(task),
		.pid = task->tgid,
	};
	__u64 wait_ns;

	if (!seen || (seen->program == news.program && news.since_ns < seen->again_ns) ||
	    bpf_ringbuf_output(&sample_news, &news, sizeof(news), BPF_RB_FORCE_WAKEUP))
		return;
	if (seen->program != news.program)
		seen->since_ns = news.since_ns;
	seen->program = news.program;
	wait_ns = 3 * (news.since_ns - seen->since_ns);
	if (wait_ns < AGAIN_LEAST_NS)
		wait_ns = AGAIN_LEAST_NS;
	if (wait_ns > AGAIN_MOST_NS)
		wait_ns = AGAIN_MOST_NS;
	seen->again_ns = news.since_ns + wait_ns;
}

/* It has mapped more code since it was reported. */
static __always_inline void tell_process_soon(const struct task_struct *task)
{
	__u32 slot = task->tgid & (SEEN_SLOTS - 1);
	struct process_seen *seen = bpf_map_lookup_elem(&sample_seen, &slot);
	__u64 soon_ns = bpf_ktime_get_ns() + AGAIN_SOON_NS;

	if (seen && seen->again_ns > soon_ns)
		seen->again_ns = soon_ns;
}

#endif /* SONDE_PROBE_PROCESS_BPF_H */
