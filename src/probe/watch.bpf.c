// SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only)
/*
 * watch: counts what a program on one of the kernel's own tracepoints misses, on kernels before 6.7,
 * which do not count that themselves.
 *
 * Such programs do not run while another one runs on that CPU (bpf_prog_active). This one is of a
 * kind that does, on the same tracepoint, and looks. It is loaded once and cloned (probe/loader_load.c).
 */
#include "probe/kernel.bpf.h"

#include "probe/filter.bpf.h"
#include "wire/tracepoint.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

extern const int bpf_prog_active __ksym;

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, TRACEPOINT_MAX);
	__type(key, __u32);
	__type(value, __u64);
} tp_missed SEC(".maps");

const volatile __u32 cfg_watched = 0; /* the tracepoint's number among ours */

SEC("raw_tp")
int tracepoint_watch(void *ctx)
{
	const int *active = bpf_this_cpu_ptr(&bpf_prog_active);
	__u32 number = cfg_watched;
	__u64 *missed;

	(void)ctx;
	if (!*active || !context_wanted())
		return 0;
	missed = bpf_map_lookup_elem(&tp_missed, &number);
	if (missed)
		__sync_fetch_and_add(missed, 1);
	return 0;
}
