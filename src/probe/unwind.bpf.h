/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * unwind.bpf: the stack of the program that the current task runs, by tables made of .eh_frame (wire/unwind.h), since
 * most programs are built without frame pointers.
 *
 * The recorder makes the tables (record/unwind_tables.h) once it knows of a process. Code that no table covers
 * is left by its frame pointer: Go, JITs. Each frame is looked up by its own address, so both mix. Memory that is not
 * there cannot be read here: then, and wherever else the walk ends before the outermost function, the stack is cut.
 */
#ifndef SONDE_PROBE_UNWIND_BPF_H
#define SONDE_PROBE_UNWIND_BPF_H

#include <stdbool.h>

#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

#include "probe/kernel.bpf.h"
#include "wire/unwind.h"

#define UNWIND_FRAMES_MAX 127u

/* How a walk ended. */
enum unwind_end {
	UNWIND_ENDS_WHOLE, /* at the outermost function */
	UNWIND_ENDS_FULL, /* there are more frames */
	UNWIND_ENDS_LOST, /* the caller could not be found */
};

/* 1: the kernel has the helpers, and the machine such tables. */
const volatile __u8 cfg_unwind = 0;

#if defined(__TARGET_ARCH_x86)

struct unwind_chunk {
	union {
		struct unwind_row rows[UNWIND_CHUNK_ROWS];
		struct unwind_span spans[UNWIND_CHUNK_SPANS];
	};
};

struct unwind_chunk_map {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, UNWIND_CHUNK_BYTES);
};
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, UNWIND_CHUNKS);
	__type(key, __u32);
	__array(values, struct unwind_chunk_map);
} unwind_chunks SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, UNWIND_PROCESSES_MAX);
	__type(key, __u32);
	__type(value, struct unwind_process);
} unwind_tasks SEC(".maps");

/* struct pt_regs as words, the same in all kernels. */
#define UNWIND_REGS_BP 4
#define UNWIND_REGS_IP 16
#define UNWIND_REGS_CS 17
#define UNWIND_REGS_SP 19
/* From a register's DWARF number to its word: four bits each; rsp is not among the first 16. */
#define UNWIND_REGS_WORDS 0x0123678904ed5bcaull
/* struct ucontext, at rsp in the kernel's frame of a signal. */
#define UNWIND_UCONTEXT_BP 120
#define UNWIND_UCONTEXT_SP 160
/* __USER_CS, the same under Xen PV. Programs of 32 bits have other frames. */
#define UNWIND_CS_64 0x33
#define UNWIND_CS_64_XEN 0xe033
/* "mov $15, %rax; syscall" (rt_sigreturn), its first eight bytes: what a handler returns to. */
#define UNWIND_SIGRETURN 0x0f0000000fc0c748ull

/* Numbers only, see unwind_frame. */
struct unwind_walk {
	__u64 ip, sp, bp;
	struct unwind_process process;
	struct unwind_span span; /* that of the last address */
	__u8 exact; /* ip is an instruction that was to run next, not one after a call */
	__u8 innermost;
	__u8 bp_lost;
	__u8 strange; /* an address was in no span */
	__u32 end; /* enum unwind_end */
};

struct unwind_loop {
	struct unwind_walk *walk;
	__u64 *frames;
	__u32 max, depth;
};

static __always_inline struct unwind_chunk *unwind_chunk_get(__u32 number)
{
	__u32 zero = 0;
	void *map = bpf_map_lookup_elem(&unwind_chunks, &number);

	return map ? bpf_map_lookup_elem(map, &zero) : 0;
}

/*
 * All bits where @a < @b, both below 2^63, else none: where each of the steps of a search has a branch, the verifier
 * looks at every path through all of them.
 */
static __always_inline __u64 unwind_less(__u64 a, __u64 b)
{
	__s64 less = (__s64)(a - b);

	asm volatile("%0 s>>= 63" : "+r"(less));
	return (__u64)less;
}

/* The last span that begins at or before @pc, into walk->span. */
static __always_inline void unwind_find_span(struct unwind_walk *walk, __u64 pc)
{
	struct unwind_chunk *chunk;
	__u64 first, count, at = 0;

	first = walk->process.first;
	count = walk->process.count;
	chunk = unwind_chunk_get(walk->process.chunk);
	walk->span.end = 0;
	if (!chunk)
		return;
	for (__u64 step = UNWIND_SPANS_MAX / 2; step; step /= 2) {
		const struct unwind_span *next =
			&chunk->spans[(first + at + step) & (UNWIND_CHUNK_SPANS - 1)];

		at += step & unwind_less(at + step, count) & unwind_less(next->start, pc + 1);
	}
	if (count)
		walk->span = chunk->spans[(first + at) & (UNWIND_CHUNK_SPANS - 1)];
}

/* The row for walk->ip into @row: UNWIND_NONE where there is none. */
static __always_inline void unwind_find_row(struct unwind_walk *walk, struct unwind_row *row)
{
	const __u64 pc = walk->ip - !walk->exact;
	struct unwind_chunk *chunk;
	__u64 first, count, key, at = 0;

	row->cfa_kind = UNWIND_NONE;
	if (pc < walk->span.start || pc >= walk->span.end)
		unwind_find_span(walk, pc);
	if (pc < walk->span.start || pc >= walk->span.end) {
		walk->strange = 1;
		return;
	}
	if (walk->span.chunk == UNWIND_NO_CHUNK)
		return;
	chunk = unwind_chunk_get(walk->span.chunk);
	if (!chunk)
		return;
	first = walk->span.first;
	count = walk->span.count;
	key = (__u32)(pc - walk->span.bias);
	for (__u64 step = UNWIND_CHUNK_ROWS / 2; step; step /= 2) {
		const struct unwind_row *next =
			&chunk->rows[(first + at + step) & (UNWIND_CHUNK_ROWS - 1)];

		at += step & unwind_less(at + step, count) & unwind_less(next->pc, key + 1);
	}
	at = (first + at) & (UNWIND_CHUNK_ROWS - 1);
	if (count && chunk->rows[at].pc <= key)
		*row = chunk->rows[at];
}

static __always_inline bool unwind_read(void *to, __u32 bytes, __u64 address)
{
	return !bpf_probe_read_user(to, bytes, (const void *)address);
}

/* By a return address. 0: nothing has called it, which not all programs say in their tables. */
static __always_inline bool unwind_caller(struct unwind_walk *walk, __u64 ip)
{
	walk->ip = ip;
	walk->exact = 0;
	walk->innermost = 0;
	if (!ip)
		walk->end = UNWIND_ENDS_WHOLE;
	return ip;
}

/* The kernel has put all registers onto the stack. */
static __always_inline bool unwind_signal(struct unwind_walk *walk)
{
	__u64 sp_ip[2];

	if (!unwind_read(&walk->bp, sizeof(walk->bp), walk->sp + UNWIND_UCONTEXT_BP) ||
	    !unwind_read(sp_ip, sizeof(sp_ip), walk->sp + UNWIND_UCONTEXT_SP))
		return false;
	walk->sp = sp_ip[0];
	walk->ip = sp_ip[1];
	walk->exact = 1;
	walk->innermost = 0;
	walk->bp_lost = 0;
	return true;
}

/* rbp is where the caller's was saved, and the return address is next to it. */
static __always_inline bool unwind_by_frame_pointer(struct unwind_walk *walk)
{
	__u64 bp_ip[2], code;

	if (!walk->exact && unwind_read(&code, sizeof(code), walk->ip) && code == UNWIND_SIGRETURN)
		return unwind_signal(walk);
	if (!walk->bp && !walk->bp_lost) {
		walk->end = UNWIND_ENDS_WHOLE;
		return false;
	}
	if (walk->bp_lost || walk->bp < walk->sp || !unwind_read(bp_ip, sizeof(bp_ip), walk->bp))
		return false;
	walk->sp = walk->bp + sizeof(bp_ip);
	walk->bp = bp_ip[0];
	return unwind_caller(walk, bp_ip[1]);
}

static __always_inline const __u64 *unwind_regs(void)
{
	return (const __u64 *)bpf_task_pt_regs(bpf_get_current_task_btf());
}

/* The CFA, or 0. */
static __always_inline __u64 unwind_cfa(struct unwind_walk *walk, const struct unwind_row *row)
{
	__u64 base = walk->sp, word;

	switch (row->cfa_kind) {
	case UNWIND_SP:
		return base + (__s64)row->cfa;
	case UNWIND_PLT:
		return base + 8 + ((walk->ip & 15) >= (__u32)row->cfa ? 8 : 0);
	case UNWIND_BP:
		return walk->bp_lost ? 0 : walk->bp + (__s64)row->cfa;
	case UNWIND_BP_SAVED:
		base = walk->bp;
		if (walk->bp_lost)
			return 0;
		/* fall through */
	case UNWIND_SP_SAVED:
		if (!unwind_read(&word, sizeof(word), base + (__s64)(__s16)row->cfa))
			return 0;
		return word + (__s64)(row->cfa >> 16);
	}
	if (row->cfa_kind < UNWIND_REGISTER || !walk->innermost)
		return 0;
	word = UNWIND_REGS_WORDS >> ((row->cfa_kind & 15) * 4) & 15;
	if (bpf_probe_read_kernel(&base, sizeof(base), unwind_regs() + word))
		return 0;
	return base + (__s64)row->cfa;
}

/*
 * From a frame to its caller's; 0: there is none, or it is not found, as walk->end says. A global function: the verifier
 * checks it once, for any numbers in @walk, not for each path to it.
 */
__noinline int unwind_frame(struct unwind_walk *walk)
{
	struct unwind_row row;
	__u64 cfa, bp_ip[2];

	if (!walk)
		return 0;
	unwind_find_row(walk, &row);
	if (row.cfa_kind == UNWIND_NONE)
		return unwind_by_frame_pointer(walk);
	if (row.cfa_kind == UNWIND_SIGNAL)
		return unwind_signal(walk);
	if (row.cfa_kind == UNWIND_END) {
		walk->end = UNWIND_ENDS_WHOLE;
		return false;
	}
	cfa = unwind_cfa(walk, &row);
	if (cfa <= walk->sp)
		return false;
	if (row.bp_kind == UNWIND_BP_AT_CFA && row.bp == -16) {
		if (!unwind_read(bp_ip, sizeof(bp_ip), cfa - sizeof(bp_ip)))
			return false;
		walk->bp = bp_ip[0];
		walk->bp_lost = 0;
	} else {
		__u64 at = (row.bp_kind == UNWIND_BP_AT_BP ? walk->bp : cfa) + (__s64)row.bp;

		if (!unwind_read(&bp_ip[1], sizeof(bp_ip[1]), cfa - sizeof(bp_ip[1])))
			return false;
		if (row.bp_kind == UNWIND_BP_LOST ||
		    (row.bp_kind == UNWIND_BP_AT_BP && walk->bp_lost)) {
			walk->bp_lost = 1;
		} else if (row.bp_kind != UNWIND_BP_SAME) {
			if (!unwind_read(&walk->bp, sizeof(walk->bp), at))
				return false;
			walk->bp_lost = 0;
		}
	}
	walk->sp = cfa;
	return unwind_caller(walk, bp_ip[1]);
}

static long unwind_step(__u32 i, void *ctx)
{
	struct unwind_loop *loop = ctx;
	struct unwind_walk *walk = loop->walk;

	if (i >= loop->max || i >= UNWIND_FRAMES_MAX) {
		walk->end = UNWIND_ENDS_FULL;
		return 1;
	}
	loop->frames[i] = walk->ip;
	loop->depth = i + 1;
	return !unwind_frame(walk);
}

/*
 * The user frames of the current task, innermost first, at @frames, which has room for @max of them and UNWIND_FRAMES_MAX at
 * least: how many, and how the walk ended in *@end. -1: there is no table for this process. @program: as struct
 * process_news has it. *@strange: some address was in code that was mapped since the table was made.
 */
static __noinline long unwind_user(__u64 *frames, __u32 max, __u64 program, __u32 *end,
				   bool *strange)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct unwind_walk walk = {};
	struct unwind_loop loop = {.walk = &walk, .frames = frames, .max = max};
	const struct unwind_process *process, *again;
	__u32 tgid = task->tgid;
	__u64 words[4]; /* ip, cs, flags, sp */

	if (!frames || !end || !strange)
		return -1;
	process = bpf_map_lookup_elem(&unwind_tasks, &tgid);
	if (!process || process->program != program)
		return -1;
	walk.process = *process;
	if (bpf_probe_read_kernel(words, sizeof(words), unwind_regs() + UNWIND_REGS_IP) ||
	    bpf_probe_read_kernel(&walk.bp, sizeof(walk.bp), unwind_regs() + UNWIND_REGS_BP) ||
	    ((words[1] & 0xffff) != UNWIND_CS_64 && (words[1] & 0xffff) != UNWIND_CS_64_XEN))
		return -1;
	walk.ip = words[0];
	walk.sp = words[3];
	walk.exact = walk.innermost = 1;
	walk.end = UNWIND_ENDS_LOST;
	bpf_loop(UNWIND_FRAMES_MAX + 1, unwind_step, &loop, 0);
	/* Whether the table was still the process's: if it is now, it was all the time. */
	again = bpf_map_lookup_elem(&unwind_tasks, &tgid);
	if (!again || again->generation != walk.process.generation)
		return -1;
	*end = walk.end;
	*strange = walk.strange;
	return loop.depth;
}

#else

static __always_inline long unwind_user(__u64 *frames, __u32 max, __u64 program, __u32 *end,
					bool *strange)
{
	(void)frames;
	(void)max;
	(void)program;
	(void)end;
	(void)strange;
	return -1;
}

#endif

#endif /* SONDE_PROBE_UNWIND_BPF_H */
