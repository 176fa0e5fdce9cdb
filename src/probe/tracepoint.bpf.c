// SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only)
/*
 * tracepoint: any tracepoint of the kernel, as the kernel itself lays it out (kernel:GROUP:EVENT).
 *
 * One program, loaded once and then cloned for each tracepoint (probe/loader_load.c): a clone differs by
 * its plan, which says what to copy from where. The plan is constant, so the verifier knows how
 * often each loop runs; and as each tracepoint has a program of its own, the kernel counts for it
 * alone how often it ran, and how often it could not.
 */
#include "probe/kernel.bpf.h"

#include "probe/filter.bpf.h"
#include "probe/ring.bpf.h"
#include "wire/tracepoint.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

const volatile struct tracepoint_plan cfg_plan = {};

/* For the verifier: plans stay below. */
#define FIXED_MASK (TRACEPOINT_FIXED_MAX - 1)
#define BYTES_MASK (RECORD_MAX_BYTES - 1)

static __always_inline __u32 round_up(__u32 bytes)
{
	return (bytes + RECORD_ALIGN - 1) & ~(RECORD_ALIGN - 1);
}

static __always_inline void copy_runs(char *record, const char *told,
				      const volatile struct tracepoint_plan *plan)
{
#pragma nounroll
	for (__u32 i = 0; i < TRACEPOINT_RUN_MAX; i++) {
		const volatile struct tracepoint_run *run = &plan->runs[i];

		if (i >= plan->run_count)
			break;
		bpf_probe_read_kernel(record + (run->to & FIXED_MASK), run->bytes & FIXED_MASK,
				      told + run->from);
	}
}

/* Where a dynamic part is, and how long. */
struct span {
	__u32 from;
	__u32 bytes;
};

static __always_inline struct span find_dynamic(const char *told,
						const volatile struct tracepoint_dynamic *dynamic)
{
	__u32 word = 0;
	struct span span;

	bpf_probe_read_kernel(&word, sizeof(word), told + dynamic->from);
	span.from = word & 0xffff;
	if (dynamic->is_relative)
		span.from += dynamic->from + sizeof(word);
	span.bytes = word >> 16;
	if (dynamic->is_text && !span.bytes)
		span.bytes = 1; /* its NUL */
	return span;
}

/* Where the record ends at most, if it takes all of them, as far as there is room. */
static __always_inline __u32 measure_dynamic(const char *told,
					     const volatile struct tracepoint_plan *plan)
{
	__u32 at = plan->fixed_bytes & FIXED_MASK;

#pragma nounroll
	for (__u32 i = 0; i < TRACEPOINT_DYNAMIC_MAX; i++) {
		if (i >= plan->dynamic_count)
			break;
		at += find_dynamic(told, &plan->dynamic[i]).bytes;
	}
	return (at < TRACEPOINT_BYTES_MAX ? at : TRACEPOINT_BYTES_MAX) + TRACEPOINT_END_BYTES;
}

/* A text ends with its first NUL, also for readers: bytes after it do not belong to the record. */
static __always_inline __u32 copy_text(char *to, __u32 room, struct span span, const char *told)
{
	__u32 bytes = span.bytes < room ? span.bytes : room;
	long len;

	to[0] = 0;
	len = bpf_probe_read_kernel_str(to, bytes & BYTES_MASK, told + span.from);
	return len > 0 ? (__u32)len & BYTES_MASK : 1;
}

static __always_inline __u32 copy_array(char *to, __u32 room, struct span span, const char *told,
					__u32 element_shift, __u16 *count)
{
	__u32 bytes = span.bytes < room ? span.bytes : room;

	*count = (__u16)(bytes >> element_shift);
	bytes = (__u32)*count << element_shift;
	bpf_probe_read_kernel(to, bytes & BYTES_MASK, told + span.from);
	return bytes & BYTES_MASK;
}

/* Each behind the one before, then what was cut off; where the record ends. */
static __always_inline __u32 copy_dynamic(char *record, const char *told,
					  const volatile struct tracepoint_plan *plan)
{
	__u32 at = plan->fixed_bytes & FIXED_MASK, cut = 0;

#pragma nounroll
	for (__u32 i = 0; i < TRACEPOINT_DYNAMIC_MAX; i++) {
		const volatile struct tracepoint_dynamic *dynamic = &plan->dynamic[i];
		__u32 room = at < TRACEPOINT_BYTES_MAX ? TRACEPOINT_BYTES_MAX - at : 0;
		struct span span;

		if (i >= plan->dynamic_count || at > TRACEPOINT_BYTES_MAX + TRACEPOINT_DYNAMIC_MAX)
			break; /* the second for the verifier: it does not know what fits */
		span = find_dynamic(told, dynamic);
		cut += span.bytes > room ? span.bytes - room : 0;
		if (dynamic->is_text)
			at += copy_text(record + at, room, span, told);
		else
			at += copy_array(record + at, room, span, told, dynamic->element_shift & 3,
					 (__u16 *)(record + (dynamic->to & FIXED_MASK)));
	}
	at = round_up(at) & BYTES_MASK;
	*(__u32 *)(record + at) = cut;
	return at + sizeof(cut);
}

/* The return value of a program here decides for all listeners: with 0, perf would see nothing. */
#define OTHERS_TOO 1

SEC("tp")
int tracepoint_record(const char *told)
{
	const volatile struct tracepoint_plan *plan = &cfg_plan;
	__u32 taken = plan->fixed_bytes & FIXED_MASK;
	struct reservation res;
	char *record;

	if (!context_wanted())
		return OTHERS_TOO;
	if (plan->dynamic_count)
		taken = measure_dynamic(told, plan);
	taken = round_up(taken);
	record = record_reserve_stack(&res, plan->id, bpf_get_current_task_btf()->pid, taken,
				      plan->stacks & STACK_BOTH);
	if (!record)
		return OTHERS_TOO;
	if (taken > RECORD_HEAD_BYTES) /* what no field covers at the end is 0 */
		*(__u32 *)(record + taken - sizeof(__u32)) = 0;
	copy_runs(record, told, plan);
	if (plan->dynamic_count)
		res.pos -= taken - copy_dynamic(record, told, plan);
	record_commit(&res);
	return OTHERS_TOO;
}
