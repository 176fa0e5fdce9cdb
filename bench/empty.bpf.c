// SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only)
/* empty: what the hook itself costs: a program at the entry of system calls that does nothing. */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

char LICENSE[] SEC("license") = "Dual BSD/GPL";

SEC("tp_btf/sys_enter")
int bench_empty(void *ctx)
{
	return 0;
}
