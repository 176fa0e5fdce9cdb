// SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only)
/* clock: reads the clock at the entry of system calls: what no record with a time can go below. */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

char LICENSE[] SEC("license") = "Dual BSD/GPL";

static __u64 last_ns;

SEC("tp_btf/sys_enter")
int bench_clock(void *ctx)
{
	*(volatile __u64 *)&last_ns = bpf_ktime_get_ns();
	return 0;
}
