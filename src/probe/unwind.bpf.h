/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * unwind.bpf: the stack of the program that the current task runs, by tables made of .eh_frame (wire/unwind.h), since
 * most programs are built without frame pointers.
 *
 * The recorder makes the tables (record/unwind_tables.h) once it knows of a process. Code that no table covers
 * is left by its frame pointer: Go, JITs. Each frame is looked up by its own address, so both mix. Memory that is not
 * there cannot be read here: then, and wherever else the walk ends before the outermost function, the stack is cut.
 *
 * A walk works in memory of its own for each CPU and level (ring.bpf.h), since levels do not interrupt themselves: the
 * verifier takes what is read there for any numbers, and so does not follow each path through the frames before.
 */
#ifndef SONDE_PROBE_UNWIND_BPF_H
#define SONDE_PROBE_UNWIND_BPF_H

#include <stdbool.h>

#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

#include "probe/kernel.bpf.h"
#include "wire/record.h"
#include "wire/unwind.h"

#define UNWIND_FRAMES_ROOM 128u
#define UNWIND_WINDOW_WORDS 64u
#define UNWIND_WINDOW_BEFORE 64u /* bytes below the one that is asked for */
#define UNWIND_FOUND 512u

/* How a walk ended. */
enum unwind_end {
	UNWIND_ENDS_WHOLE, /* at the outermost function */
	UNWIND_ENDS_FULL, /* there are more frames */
	UNWIND_ENDS_LOST, /* the caller could not be found */
};

/* 1: stacks are taken, and the kernel has the helpers for it. */
const volatile __u8 cfg_unwind = 0;

struct unwind_walk {
	__u64 ip, sp, bp;
	struct unwind_process process;
	struct unwind_span span; /* that of the last address */
	struct unwind_row row; /* that of ip */
	__u32 end; /* enum unwind_end */
	__u32 max, depth; /* frames that there may be, and are */
	__u8 exact; /* ip is an instruction that was to run next, not one after a call */
	__u8 innermost;
	__u8 bp_lost;
	__u8 strange; /* an address was in no span */
	__u64 words[2]; /* read last */
	/* A piece of the stack, since one copy of it takes as long as two words alone. */
	__u64 window_at; /* 0: none */
	__u64 window[UNWIND_WINDOW_WORDS];
	__u64 frames[UNWIND_FRAMES_ROOM]; /* innermost first */
};

/* The row of an address in the table of a process, found before. */
struct unwind_found {
	__u64 pc;
	__u64 generation;
	struct unwind_row row;
	__u32 unused;
};

struct unwind_room {
	struct unwind_walk walk;
	struct unwind_found found[UNWIND_FOUND];
};
_Static_assert(sizeof(struct unwind_room) <= 32768, "an element of a map for each CPU");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, RING_LEVELS);
	__type(key, __u32);
	__type(value, struct unwind_room);
} unwind_rooms SEC(".maps");

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

static __always_inline struct unwind_chunk *unwind_chunk_get(__u32 number)
{
	__u32 zero = 0;
	void *map = bpf_map_lookup_elem(&unwind_chunks, &number);

	return map ? bpf_map_lookup_elem(map, &zero) : 0;
}

/*
 * 1 where @a < @b, both below 2^63, else 0: where each of the steps of a search has a branch, the verifier looks at every
 * path through all of them; that of 6.18 also where a mask is made of a sign.
 */
static __always_inline __u64 unwind_less(__u64 a, __u64 b)
{
	__u64 less = a - b;

	asm volatile("%0 >>= 63" : "+r"(less));
	return less;
}

/* The last span that begins at or before @pc, into walk->span. */
static __always_inline int unwind_find_span(struct unwind_walk *walk, __u64 pc)
{
	struct unwind_chunk *chunk;
	__u64 first, count, at = 0;

	if (!walk)
		return 0;
	first = walk->process.first;
	count = walk->process.count;
	chunk = unwind_chunk_get(walk->process.chunk);
	walk->span.end = 0;
	if (!chunk)
		return 0;
	for (__u64 step = UNWIND_SPANS_MAX / 2; step; step /= 2) {
		const struct unwind_span *next =
			&chunk->spans[(first + at + step) & (UNWIND_CHUNK_SPANS - 1)];

		at += step * (unwind_less(at + step, count) & unwind_less(next->start, pc + 1));
	}
	if (count)
		walk->span = chunk->spans[(first + at) & (UNWIND_CHUNK_SPANS - 1)];
	return 0;
}

/* The row for @pc, which is in walk->span, into walk->row: UNWIND_NONE where there is none. */
static __always_inline int unwind_search_row(struct unwind_walk *walk, __u64 pc)
{
	struct unwind_chunk *chunk;
	__u64 first, count, key, at = 0;

	if (!walk)
		return 0;
	walk->row.cfa_kind = UNWIND_NONE;
	chunk = unwind_chunk_get(walk->span.chunk); /* none where it is UNWIND_NO_CHUNK */
	if (!chunk)
		return 0;
	first = walk->span.first;
	count = walk->span.count;
	key = (__u32)(pc - walk->span.bias);
	for (__u64 step = UNWIND_CHUNK_ROWS / 2; step; step /= 2) {
		const struct unwind_row *next =
			&chunk->rows[(first + at + step) & (UNWIND_CHUNK_ROWS - 1)];

		at += step * (unwind_less(at + step, count) & unwind_less(next->pc, key + 1));
	}
	at = (first + at) & (UNWIND_CHUNK_ROWS - 1);
	if (count && chunk->rows[at].pc <= key)
		walk->row = chunk->rows[at];
	return 0;
}

/* The row for walk->ip into walk->row. */
static __always_inline void unwind_find_row(struct unwind_room *room)
{
	struct unwind_walk *walk = &room->walk;
	const __u64 pc = walk->ip - !walk->exact;
	struct unwind_found *found = &room->found[(pc ^ pc >> 9) & (UNWIND_FOUND - 1)];

	if (found->pc == pc && found->generation == walk->process.generation) {
		walk->row = found->row;
		return;
	}
	if (pc < walk->span.start || pc >= walk->span.end)
		unwind_find_span(walk, pc);
	if (pc < walk->span.start || pc >= walk->span.end) {
		walk->row.cfa_kind = UNWIND_NONE;
		walk->strange = 1;
		return;
	}
	unwind_search_row(walk, pc);
	found->pc = pc;
	found->generation = walk->process.generation;
	found->row = walk->row;
}

static __always_inline bool unwind_read(void *to, __u32 bytes, __u64 address)
{
	return !bpf_probe_read_user(to, bytes, (const void *)address);
}

/* The word of the stack at @address, and the one behind it, into walk->words. */
static __always_inline int unwind_read_words(struct unwind_walk *walk, __u64 address)
{
	__u64 at;

	if (!walk)
		return 0;
	at = address - walk->window_at;
	if (address & 7)
		return unwind_read(walk->words, sizeof(walk->words), address);
	if (at > sizeof(walk->window) - sizeof(walk->words)) {
		walk->window_at = address - UNWIND_WINDOW_BEFORE;
		if (!unwind_read(walk->window, sizeof(walk->window), walk->window_at)) {
			walk->window_at = 0;
			return unwind_read(walk->words, sizeof(walk->words), address);
		}
		at = UNWIND_WINDOW_BEFORE;
	}
	at /= sizeof(__u64);
	asm volatile("" : "+r"(at));
	walk->words[0] = walk->window[at & (UNWIND_WINDOW_WORDS - 1)];
	walk->words[1] = walk->window[(at + 1) & (UNWIND_WINDOW_WORDS - 1)];
	return 1;
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
	if (!unwind_read(&walk->bp, sizeof(walk->bp), walk->sp + UNWIND_UCONTEXT_BP) ||
	    !unwind_read(walk->words, sizeof(walk->words), walk->sp + UNWIND_UCONTEXT_SP))
		return false;
	walk->sp = walk->words[0];
	walk->ip = walk->words[1];
	walk->exact = 1;
	walk->innermost = 0;
	walk->bp_lost = 0;
	return true;
}

/* rbp is where the caller's was saved, and the return address is next to it. */
static __always_inline bool unwind_by_frame_pointer(struct unwind_walk *walk)
{
	if (!walk->exact && unwind_read(walk->words, sizeof(__u64), walk->ip) &&
	    walk->words[0] == UNWIND_SIGRETURN)
		return unwind_signal(walk);
	if (!walk->bp && !walk->bp_lost) {
		walk->end = UNWIND_ENDS_WHOLE;
		return false;
	}
	if (walk->bp_lost || walk->bp < walk->sp || !unwind_read_words(walk, walk->bp))
		return false;
	walk->sp = walk->bp + sizeof(walk->words);
	walk->bp = walk->words[0];
	return unwind_caller(walk, walk->words[1]);
}

static __always_inline const __u64 *unwind_regs(void)
{
	return (const __u64 *)bpf_task_pt_regs(bpf_get_current_task_btf());
}

/* The CFA, or 0. */
static __always_inline __u64 unwind_cfa(struct unwind_walk *walk)
{
	const struct unwind_row *row = &walk->row;
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
		if (!unwind_read(walk->words, sizeof(__u64), base + (__s64)(__s16)row->cfa))
			return 0;
		return walk->words[0] + (__s64)(row->cfa >> 16);
	}
	if (row->cfa_kind < UNWIND_REGISTER || !walk->innermost)
		return 0;
	word = UNWIND_REGS_WORDS >> ((row->cfa_kind & 15) * 4) & 15;
	if (bpf_probe_read_kernel(walk->words, sizeof(__u64), unwind_regs() + word))
		return 0;
	return walk->words[0] + (__s64)row->cfa;
}

/* From a frame to its caller's; false: there is none, or it is not found, as walk->end says. */
static __always_inline bool unwind_frame(struct unwind_room *room)
{
	struct unwind_walk *walk = &room->walk;
	const struct unwind_row *row = &walk->row;
	__u64 cfa, caller;

	unwind_find_row(room);
	if (row->cfa_kind == UNWIND_NONE)
		return unwind_by_frame_pointer(walk);
	if (row->cfa_kind == UNWIND_SIGNAL)
		return unwind_signal(walk);
	if (row->cfa_kind == UNWIND_END) {
		walk->end = UNWIND_ENDS_WHOLE;
		return false;
	}
	cfa = unwind_cfa(walk);
	/* Next to the return address is where rbp mostly is. */
	if (cfa <= walk->sp || !unwind_read_words(walk, cfa - sizeof(walk->words)))
		return false;
	caller = walk->words[1];
	if (row->bp_kind == UNWIND_BP_LOST || (row->bp_kind == UNWIND_BP_AT_BP && walk->bp_lost)) {
		walk->bp_lost = 1;
	} else if (row->bp_kind != UNWIND_BP_SAME) {
		__u64 at = (row->bp_kind == UNWIND_BP_AT_BP ? walk->bp : cfa) + (__s64)row->bp;

		if (at != cfa - sizeof(walk->words) && !unwind_read_words(walk, at))
			return false;
		walk->bp = walk->words[0];
		walk->bp_lost = 0;
	}
	walk->sp = cfa;
	return unwind_caller(walk, caller);
}

static long unwind_step(__u32 i, void *ctx)
{
	struct unwind_room *room = *(struct unwind_room **)ctx;
	struct unwind_walk *walk = &room->walk;

	if (i >= walk->max) {
		walk->end = UNWIND_ENDS_FULL;
		return 1;
	}
	walk->frames[i & (UNWIND_FRAMES_ROOM - 1)] = walk->ip;
	walk->depth = i + 1;
	return !unwind_frame(room);
}

/* Where a walk begins: at what the task last did outside of the kernel. */
static __always_inline bool unwind_begin(struct unwind_walk *walk, __u32 max)
{
	const __u64 *words =
		walk->window; /* ip, cs, flags, sp: there is little room on this stack */

	if (bpf_probe_read_kernel(walk->window, 4 * sizeof(*words),
				  unwind_regs() + UNWIND_REGS_IP) ||
	    bpf_probe_read_kernel(&walk->bp, sizeof(walk->bp), unwind_regs() + UNWIND_REGS_BP) ||
	    ((words[1] & 0xffff) != UNWIND_CS_64 && (words[1] & 0xffff) != UNWIND_CS_64_XEN))
		return false;
	walk->ip = words[0];
	walk->sp = words[3];
	walk->span.end = 0;
	walk->exact = walk->innermost = 1;
	walk->bp_lost = walk->strange = 0;
	walk->end = UNWIND_ENDS_LOST;
	walk->max = max < UNWIND_FRAMES_ROOM ? max : UNWIND_FRAMES_ROOM - 1;
	walk->depth = 0;
	/* Not the window of the walk before: nothing is as far from an address as this. */
	walk->window_at = 1ull << 63;
	return true;
}

/*
 * The user frames of the current task, at most @max, in room->walk: 0, or -1: there is no table for this process.
 * @program: as struct process_news has it. A global function: the verifier looks at it once, not for each path to it.
 */
__noinline int unwind_user(struct unwind_room *room, __u32 max, __u64 program)
{
	struct task_struct *task = bpf_get_current_task_btf();
	const struct unwind_process *process, *again;
	__u32 tgid = task->tgid;

	if (!cfg_unwind || !room)
		return -1;
	process = bpf_map_lookup_elem(&unwind_tasks, &tgid);
	if (!process || process->program != program)
		return -1;
	room->walk.process = *process;
	if (!unwind_begin(&room->walk, max))
		return -1;
	bpf_loop(UNWIND_FRAMES_ROOM, unwind_step, &room, 0);
	/* Whether the table was still the process's: if it is now, it was all the time. */
	again = bpf_map_lookup_elem(&unwind_tasks, &tgid);
	return again && again->generation == room->walk.process.generation ? 0 : -1;
}

#else

static __always_inline int unwind_user(struct unwind_room *room, __u32 max, __u64 program)
{
	(void)room;
	(void)max;
	(void)program;
	return -1;
}

#endif

#endif /* SONDE_PROBE_UNWIND_BPF_H */
