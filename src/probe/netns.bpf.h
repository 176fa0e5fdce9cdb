/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * netns.bpf: notifies the loader to look for network namespaces that come and go, and which are
 * held by nothing but netfilter links, ours among them (probe/netfilter.c). A part of
 * probe/net.bpf.c.
 */
#ifndef SONDE_PROBE_NETNS_BPF_H
#define SONDE_PROBE_NETNS_BPF_H

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

#include "probe/measure.bpf.h"
#include "probe/ring.bpf.h"
#include "wire/netns.h"

/* As in probe/kernel.bpf.h; what these need is in <linux/bpf.h>. */
#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
struct bpf_link {
	enum bpf_link_type type;
};
struct bpf_nf_link {
	struct bpf_link link;
	struct net *net;
	unsigned int dead;
};
struct seq_file;
struct bpf_iter_meta {
	struct seq_file *seq;
};
struct bpf_iter__bpf_link {
	struct bpf_iter_meta *meta;
	struct bpf_link *link;
};
#pragma clang attribute pop

/* What comes in between waits for the drainer's tick. */
#define WAKE_MADE_NS 20000000
#define WAKE_GONE_NS 100000000
#define LINK_NETFILTER 10 /* include/uapi/linux/bpf.h, enum bpf_link_type */

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct netns_changes);
} netns_changes SEC(".maps");

/* The kernel's notifier of network devices for IPv4. Notices come many times a second,
 * most of them of the clock. Set by user space; 0: the kernel hides the address, and all count. */
const volatile __u64 cfg_device_notifier = 0;
static __u64 woken_ns;

static __always_inline struct netns_changes *changes_get(void)
{
	__u32 key = 0;

	return bpf_map_lookup_elem(&netns_changes, &key);
}

static __always_inline void wake(__u64 every_ns)
{
	__u64 now_ns = bpf_ktime_get_ns();

	if (now_ns - load_once(woken_ns) < every_ns)
		return;
	store_once(woken_ns, now_ns);
	ring_wake();
}

SERVICE("netns")
SEC("tp_btf/notifier_run")
int BPF_PROG(netns_made, void *notifier)
{
	struct netns_changes *changes = changes_get();

	if (cfg_device_notifier && (__u64)notifier != cfg_device_notifier)
		return 0;
	if (changes)
		__sync_fetch_and_add(&changes->made, 1);
	wake(WAKE_MADE_NS);
	return 0;
}

SERVICE("netns")
SEC("tp_btf/sched_process_free")
int BPF_PROG(netns_gone, struct task_struct *task)
{
	struct netns_changes *changes = changes_get();

	if (changes)
		__sync_fetch_and_add(&changes->gone, 1);
	wake(WAKE_GONE_NS);
	return 0;
}

static __always_inline __u32 holders_of(const struct net *net)
{
	const struct ns_common___until_6_17 *before = (const void *)&net->ns;

	if (bpf_core_field_exists(net->ns.__ns_ref))
		return BPF_CORE_READ(net, ns.__ns_ref.refs.counter);
	return BPF_CORE_READ(before, count.refs.counter);
}

/* A namespace whose holders are all netfilter links has no way in any more. */
SERVICE("netns")
SEC("iter/bpf_link")
int netns_holders(struct bpf_iter__bpf_link *ctx)
{
	struct bpf_nf_link *link = (void *)ctx->link;
	struct netns_held held;
	struct net *net;

	if (!link || BPF_CORE_READ(link, link.type) != LINK_NETFILTER || BPF_CORE_READ(link, dead))
		return 0;
	net = BPF_CORE_READ(link, net);
	held.inode = BPF_CORE_READ(net, ns.inum);
	held.holders = holders_of(net);
	bpf_seq_write(ctx->meta->seq, &held, sizeof(held));
	return 0;
}

#endif /* SONDE_PROBE_NETNS_BPF_H */
