/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * ring.bpf: the writing side of the rings (wire/record.h, docs/architecture.md).
 *
 * A hook calls record_reserve, fills every byte behind the head, and calls record_commit on every
 * path: in between, preemption is off and this CPU's nesting count is raised.
 *
 * Contexts on one CPU nest strictly: an interrupt that records between any two instructions here
 * has found `nest` raised, has used the next level's ring, and has put `nest` back before we go
 * on. So no other context ever writes to our level, and no instruction needs to be atomic. The drainer,
 * on another CPU, needs the order of stores (store_release).
 */
#ifndef SONDE_PROBE_RING_BPF_H
#define SONDE_PROBE_RING_BPF_H

#include <stdbool.h>

#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

#include "wire/kernel_call.h"
#include "wire/record.h"

#define compiler_barrier() asm volatile("" ::: "memory")
#define load_once(x) (*(const volatile typeof(x) *)&(x))
#define store_once(x, v) (*(volatile typeof(x) *)&(x) = (v))

/* Set by user space before loading: constants to the verifier. */
const volatile __u32 cfg_sub_shift = 18; /* log2 of a sub-buffer's bytes */
const volatile __u32 cfg_sub_mask = (1u << 18) - 1; /* and its last byte's offset */
const volatile __u32 cfg_sub_count = 16; /* sub-buffers of level 0: a power of two */
const volatile __u8 cfg_overwrite = 0; /* 1: flight recorder, the oldest gives way */

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* set by user space: possible CPUs */
	__type(key, __u32);
	__type(value, struct ring_cpu);
} ring_control SEC(".maps");

/* Element = sub-buffer + slack; per CPU, the sub-buffers of level 0, then those of the others. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* set by user space */
	__type(key, __u32);
	__uint(value_size, RING_SLACK_BYTES); /* set by user space */
} ring_data SEC(".maps");

/* Wakes the drainer when a quarter of a ring waits for it; carries nothing. */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} ring_doorbell SEC(".maps");

/*
 * Up to 6.18 a tp_btf program runs with preemption off, so there is nothing to do. On kernels
 * that were not checked yet it is switched off here (6.10 and later can, for 5 ns). A program
 * of a kind that may be preempted switches it off itself, around everything (preempt_off).
 */
const volatile __u8 cfg_preempt_guard = 1;
const volatile __u8 cfg_preempt_calls = 0; /* the kernel has what preempt_off calls */
const volatile __u8 cfg_preempt_softirq = 1;

struct reservation {
	struct ring_cpu *ring;
	__u64 level;
	__u64 pos; /* after the commit */
	__u64 time_ns;
};

/*
 * The kernel's bpf_preempt_disable and its counterpart, put here by the loader. As weak externs
 * they would be looked up in the modules' BTF wherever the kernel lacks them, and libbpf 1.1
 * fails if it may not, which takes CAP_SYS_ADMIN.
 */
#ifdef __bpf__
#define preempt_call(mark) \
	asm volatile("call %0" ::"i"(mark) : "r0", "r1", "r2", "r3", "r4", "r5", "memory")
#else
#define preempt_call(mark) (void)(mark) /* tests/unit/test_ring_race runs this in a process */
#endif

static __always_inline void preempt_off(void)
{
	if (cfg_preempt_calls)
		preempt_call(PREEMPT_DISABLE_MARK);
}

static __always_inline void preempt_on(void)
{
	if (cfg_preempt_calls)
		preempt_call(PREEMPT_ENABLE_MARK);
}

/* For what runs with softirqs off: a kernel of the PREEMPT_RT kind preempts that too. */
static __always_inline void preempt_off_softirq(void)
{
	if (cfg_preempt_softirq)
		preempt_off();
}

static __always_inline void preempt_on_softirq(void)
{
	if (cfg_preempt_softirq)
		preempt_on();
}

/* A full barrier, too. */
static __always_inline void exchange(__u64 *pos, __u64 value)
{
	(void)__atomic_exchange_n(pos, value, __ATOMIC_SEQ_CST);
}

static __always_inline void ring_wake(void)
{
	__u64 *bell = bpf_ringbuf_reserve(&ring_doorbell, sizeof(*bell), 0);

	if (bell)
		bpf_ringbuf_discard(bell, BPF_RB_FORCE_WAKEUP);
}

/* The element of ring_data that sub-buffer @number of a level is in. */
static __always_inline __u32 sub_element(__u32 cpu, __u32 level, __u32 number)
{
	__u32 first = cpu * (cfg_sub_count + (RING_LEVELS - 1) * RING_NESTED_SUBS);

	if (!level)
		return first + (number & (cfg_sub_count - 1));
	return first + cfg_sub_count + (level - 1) * RING_NESTED_SUBS +
	       (number & (RING_NESTED_SUBS - 1));
}

/* Once per sub-buffer: closes it and opens the next. 1 = refused, the drainer is too far behind. */
static __noinline int ring_switch(struct ring_cpu *ring, __u32 level_number, __u64 now_ns)
{
	struct ring_level *level;
	__u32 count = level_number ? RING_NESTED_SUBS : cfg_sub_count;
	__u32 quarter = count / 4 ?: 1;
	__u64 number, waiting;

	if (!ring)
		return 1;
	level = &ring->level[level_number & (RING_LEVELS - 1)];
	number = level->pos >> cfg_sub_shift;
	waiting = number + 1 - load_once(level->consumed);
	if (!cfg_overwrite) {
		if (waiting >= count) {
			level->lost++;
			return 1;
		}
		if (!(waiting & (quarter - 1)))
			ring_wake();
	}
	level->used[number & (count - 1) & (RING_MAX_SUBS - 1)] = (__u32)level->pos & cfg_sub_mask;
	number++;
	store_once(level->begin_ns[number & (count - 1) & (RING_MAX_SUBS - 1)], now_ns);
	level->lost_before[number & (count - 1) & (RING_MAX_SUBS - 1)] = level->lost;
	/* Behind begin_ns, by which a snapshot knows that what it has read is not of this one. */
	store_once(level->named[number & (count - 1) & (RING_MAX_SUBS - 1)], 0);
	level->limit = (number + 1) << cfg_sub_shift;
	level->sub = sub_element(bpf_get_smp_processor_id(), level_number, (__u32)number);
	/* What the drainer reads of the closed sub-buffer is there before pos. */
	exchange(&level->pos, (number << cfg_sub_shift) + sizeof(struct packet_head));
	return 0;
}

/* The extended head, for an id or a time that the word has no room for; where the record is. */
static __noinline void head_extended(struct record_extended *head, __u32 id, __u64 now_ns,
				     __u32 tid)
{
	head->marker = RECORD_ID_EXTENDED;
	head->id = id;
	head->time_low = (__u32)now_ns;
	head->time_high = (__u32)(now_ns >> 32);
	head->tid = tid & RECORD_TID_MASK;
}

/*
 * What lies below @pos is there before @pos is. x86 keeps the order of stores. Other machines do not, and
 * the instruction set that this is compiled for (-mcpu=v3) has no store with release semantics: an
 * exchange is a full barrier everywhere.
 */
static __always_inline void store_release(__u64 *pos, __u64 value)
{
#if defined(__TARGET_ARCH_x86)
	compiler_barrier();
	store_once(*pos, value);
	compiler_barrier();
#else
	exchange(pos, value);
#endif
}

#ifdef __bpf__
#include "probe/stack.bpf.h" /* which writes records as well */
#else
#define stack_sides_of(id) 0u /* tests/unit/test_ring_race has no stacks */
#define stack_take(level, sides) 0
#define stack_store(ring, level, tid, now_ns, bytes) 0u
#define STACK_FIELD_BYTES 0u
#define STACK_REFUSED 2u
#endif

/*
 * Room for a record of @bytes (a multiple of RECORD_ALIGN, head included), with the head written, and with the stack
 * of the current task if any of its @sides is asked for.
 * Returns NULL, with nothing held, where the record is lost (and counted).
 */
static __always_inline void *record_reserve_stack(struct reservation *res, __u32 id, __u32 tid,
						  __u32 bytes, __u32 sides)
{
	__u64 depth, pos, offset, now_ns, stack = 0;
	struct ring_level *level;
	struct ring_cpu *ring;
	bool extended;
	__u32 cpu;
	char *sub;

	if (cfg_preempt_guard)
		preempt_off();
	cpu = bpf_get_smp_processor_id();
	ring = bpf_map_lookup_elem(&ring_control, &cpu);
	if (!ring)
		goto out;
	depth = load_once(ring->nest);
	if (depth >= RING_LEVELS) {
		__sync_fetch_and_add(&ring->nested_lost, 1);
		goto out;
	}
	store_once(ring->nest, depth + 1);
	compiler_barrier();

	/* Only now, with the level ours, the clock: so each ring is in time order. */
	level = &ring->level[depth & (RING_LEVELS - 1)];
	now_ns = bpf_ktime_get_ns();
	extended = id >= RECORD_ID_EXTENDED || (now_ns - level->last_ns) >> RECORD_TIME_BITS;
	if (extended)
		bytes += RECORD_EXTENDED_BYTES - RECORD_HEAD_BYTES;
	if (sides) {
		bytes += STACK_FIELD_BYTES;
		(void)stack_take((__u32)depth, sides);
		stack = stack_store(ring, (__u32)depth, tid, now_ns, bytes);
		if (stack == STACK_REFUSED)
			goto lower;
	}
	pos = load_once(level->pos);
	if (pos + bytes >= level->limit) {
		if (ring_switch(ring, (__u32)depth, now_ns))
			goto lower;
		pos = load_once(level->pos);
	}
	cpu = level->sub;
	sub = bpf_map_lookup_elem(&ring_data, &cpu);
	if (!sub)
		goto lower;
	offset = pos;
	asm volatile("" : "+r"(offset)); /* or clang proves the mask away and the verifier cannot */
	sub += offset & cfg_sub_mask;
	res->ring = ring;
	res->level = depth;
	res->pos = pos + bytes;
	res->time_ns = now_ns;
	if (extended) {
		head_extended((void *)sub, id, now_ns, tid);
		sub += RECORD_EXTENDED_BYTES - RECORD_HEAD_BYTES;
	} else {
		*(__u64 *)sub = id | (__u64)(__u32)now_ns << RECORD_TIME_SHIFT |
				(__u64)tid << RECORD_TID_SHIFT;
	}
	if (sides) { /* the fields of the record begin behind it */
		*(__u64 *)(sub + RECORD_HEAD_BYTES) = stack;
		sub += STACK_FIELD_BYTES;
	}
	return sub;

lower:
	store_once(ring->nest, depth);
out:
	if (cfg_preempt_guard)
		preempt_on();
	return 0;
}

/* The same for a record of class @id, a measurement's: whether it has a stack is said by cfg_stacks. */
static __always_inline void *record_reserve(struct reservation *res, __u32 id, __u32 tid,
					    __u32 bytes)
{
	return record_reserve_stack(res, id, tid, bytes, stack_sides_of(id));
}

/* Of what was reserved, @bytes at the end were not needed (a multiple of RECORD_ALIGN). */
static __always_inline void record_shrink(struct reservation *res, __u32 bytes)
{
	res->pos -= bytes;
}

static __always_inline void record_commit(struct reservation *res)
{
	struct ring_level *level = &res->ring->level[res->level & (RING_LEVELS - 1)];

	level->records++;
	store_once(level->last_ns, res->time_ns);
	store_release(&level->pos, res->pos);
	store_once(res->ring->nest, res->level);
	if (cfg_preempt_guard)
		preempt_on();
}

/*
 * The same of a record that has a name (event_class_tells_names). A reader that starts in the
 * middle has to have seen it, so its sub-buffer is marked, before the record itself can be seen.
 */
static __always_inline void record_commit_name(struct reservation *res)
{
	struct ring_level *level = &res->ring->level[res->level & (RING_LEVELS - 1)];
	__u32 count = res->level ? RING_NESTED_SUBS : cfg_sub_count;
	__u32 slot = (__u32)(res->pos >> cfg_sub_shift) & (count - 1) & (RING_MAX_SUBS - 1);

	store_once(level->named[slot], (__u32)res->pos & cfg_sub_mask);
	record_commit(res);
}

#endif /* SONDE_PROBE_RING_BPF_H */
