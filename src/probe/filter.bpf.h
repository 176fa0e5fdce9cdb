/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * filter.bpf: which tasks and sockets are wanted, decided before anything is recorded.
 *
 * Every switch is a constant when the verifier runs, so an unused filter becomes no code.
 * Within one kind of filter any of its values matches; all kinds must match.
 */
#ifndef SONDE_PROBE_FILTER_BPF_H
#define SONDE_PROBE_FILTER_BPF_H

#include <linux/bpf.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#include "probe/kernel.bpf.h"
#include "wire/filter.h"

const volatile struct filter_config cfg_filter = {};

/* One bit per tgid. User space sets the first ones; with cfg_filter.follow their children join. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, FILTER_PID_WORDS);
	__type(key, __u32);
	__type(value, __u64);
} filter_pids SEC(".maps");

static __always_inline __u64 *pid_word(__u32 tgid)
{
	__u32 key = (tgid / 64) & (FILTER_PID_WORDS - 1);

	return bpf_map_lookup_elem(&filter_pids, &key);
}

static __always_inline bool pid_wanted(__u32 tgid)
{
	__u64 *word = pid_word(tgid);

	return word && *word >> (tgid & 63) & 1;
}

static __always_inline bool comm_wanted(const struct task_struct *task)
{
	__u64 comm[2];

	if (bpf_probe_read_kernel(comm, sizeof(comm), task->comm))
		return false;
#pragma unroll
	for (int i = 0; i < FILTER_MAX; i++) {
		if (i >= cfg_filter.comm_count)
			break;
		if ((comm[0] & cfg_filter.comm_mask[i][0]) == cfg_filter.comm[i][0] &&
		    (comm[1] & cfg_filter.comm_mask[i][1]) == cfg_filter.comm[i][1])
			return true;
	}
	return false;
}

static __always_inline bool uid_wanted(__u32 uid)
{
#pragma unroll
	for (int i = 0; i < FILTER_MAX; i++) {
		if (i >= cfg_filter.uid_count)
			break;
		if (uid == cfg_filter.uid[i])
			return true;
	}
	return false;
}

/* A cgroup is wanted with all that is below it. */
static __always_inline bool cgroup_wanted(struct cgroup *cgroup)
{
	int level = BPF_CORE_READ(cgroup, level);

#pragma unroll
	for (int i = 0; i < FILTER_MAX; i++) {
		__u32 at = cfg_filter.cgroup_level[i];
		struct cgroup *above = 0;

		if (i >= cfg_filter.cgroup_count)
			break;
		if (level < (int)at)
			continue;
		bpf_core_read(&above, sizeof(above), &cgroup->ancestors[at]);
		if (BPF_CORE_READ(above, kn, id) == cfg_filter.cgroup_id[i])
			return true;
	}
	return false;
}

static __always_inline bool netns_wanted(__u32 inum)
{
#pragma unroll
	for (int i = 0; i < FILTER_MAX; i++) {
		if (i >= cfg_filter.netns_count)
			break;
		if (inum == cfg_filter.netns[i])
			return true;
	}
	return false;
}

static __always_inline bool task_matches_but_cgroup(const struct task_struct *task, __u32 tgid)
{
	if (cfg_filter.by_pid && !pid_wanted(tgid))
		return false;
	if (cfg_filter.comm_count && !comm_wanted(task))
		return false;
	if (cfg_filter.uid_count && !uid_wanted(BPF_CORE_READ(task, cred, uid.val)))
		return false;
	if (cfg_filter.netns_count && !netns_wanted(BPF_CORE_READ(task, nsproxy, net_ns, ns.inum)))
		return false;
	return true;
}

static __always_inline bool task_cgroup_wanted(const struct task_struct *task)
{
	return !cfg_filter.cgroup_count || cgroup_wanted(BPF_CORE_READ(task, cgroups, dfl_cgrp));
}

/* @cgroup: the one that is charged, or NULL: the task's. */
static __always_inline bool task_matches(const struct task_struct *task, __u32 tgid,
					 struct cgroup *cgroup)
{
	if (!task_matches_but_cgroup(task, tgid))
		return false;
	return cgroup ? !cfg_filter.cgroup_count || cgroup_wanted(cgroup) :
			task_cgroup_wanted(task);
}

/* Whether a filter asks whose an event is. A socket's and a packet's network namespace is its own. */
static __always_inline bool filter_by_owner(void)
{
	return cfg_filter.by_pid || cfg_filter.comm_count || cfg_filter.uid_count ||
	       cfg_filter.cgroup_count;
}

/* The recorder itself never is. Without a filter one load decides. */
static __always_inline bool task_wanted(const struct task_struct *task)
{
	__u32 tgid = task->tgid;

	return tgid != cfg_filter.self && (!cfg_filter.tasks || task_matches(task, tgid, 0));
}

/* For events of the machine, not of the task on the CPU: without a filter the recorder too. */
static __always_inline bool context_wanted(void)
{
	return !cfg_filter.tasks || task_wanted(bpf_get_current_task_btf());
}

/* For the verifier: @i is below @count, a power of two. Without the barrier clang leaves out a mask that it can do
 * without, and the verifier of 6.1 forgets the limits of 32 bits that were spilled. */
static __always_inline __u64 below(__u64 i, __u64 count)
{
	asm volatile("" : "+r"(i));
	return i & (count - 1);
}

static __always_inline bool syscall_wanted(__u64 nr, bool compat)
{
	__u64 word;

	if (!cfg_filter.by_syscall)
		return true;
	if (nr >= FILTER_SYSCALLS)
		return false;
	word = nr / 64;
	if (compat)
		word += FILTER_SYSCALLS / 64;
	word = below(word, 2 * FILTER_SYSCALLS / 64);
	return *(&cfg_filter.syscalls[0][0] + word) >> (nr & 63) & 1;
}

static __always_inline bool port_wanted(__u16 lport, __u16 rport)
{
#pragma unroll
	for (int i = 0; i < FILTER_MAX; i++) {
		if (i >= cfg_filter.port_count)
			break;
		if (lport == cfg_filter.port[i] || rport == cfg_filter.port[i])
			return true;
	}
	return false;
}

static __always_inline bool dev_wanted(__u32 dev)
{
#pragma unroll
	for (int i = 0; i < FILTER_MAX; i++) {
		if (i >= cfg_filter.dev_count)
			break;
		if (dev == cfg_filter.dev[i])
			return true;
	}
	return false;
}

/* Both addresses as 16 bytes, IPv4 mapped into IPv6. */
static __always_inline bool address_wanted(const __u64 *local, const __u64 *remote)
{
#pragma unroll
	for (int i = 0; i < FILTER_MAX; i++) {
		const volatile __u64 *want = cfg_filter.address[i];
		const volatile __u64 *mask = cfg_filter.address_mask[i];

		if (i >= cfg_filter.address_count)
			break;
		if (((local[0] & mask[0]) == want[0] && (local[1] & mask[1]) == want[1]) ||
		    ((remote[0] & mask[0]) == want[0] && (remote[1] & mask[1]) == want[1]))
			return true;
	}
	return false;
}

#endif /* SONDE_PROBE_FILTER_BPF_H */
