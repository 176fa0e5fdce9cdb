/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * stack.bpf: the stacks of events under --stack. record_reserve (ring.bpf.h) calls stack_take, which takes the stack of
 * the current task, and stack_store, which writes it into the event's own sub-buffer, as a record sonde.stack, unless that
 * is there already. The event itself has an id: a hash of the frames.
 *
 * A reader may begin with any packet, and the drainer may hand out a part of a sub-buffer as one, so what is in front of
 * ring_level.sent counts as absent. Levels do not interrupt themselves, so each has a room of its own to work in.
 */
#ifndef SONDE_PROBE_STACK_BPF_H
#define SONDE_PROBE_STACK_BPF_H

#include <stdbool.h>

#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

#include "probe/kernel.bpf.h"
#include "probe/measure.bpf.h"
#include "probe/process.bpf.h"
#include "probe/unwind.bpf.h"
#include "wire/measure.h"
#include "wire/note.h"
#include "wire/record.h"
#include "wire/stack.h"

/* Set by user space before loading. */
const volatile __u64 cfg_stacks[STACK_SIDES][MEASURE_WORDS] = {}; /* bits by id */
const volatile __u32 cfg_stack_frames = 0; /* of each side, at most STACK_FRAMES_MAX */
const volatile __u64 cfg_stack_key = 1; /* odd, random: nobody can make two stacks of one id */

#define STACK_SLOTS 1024u
#define STACK_KERNEL_ROOM (STACK_FRAMES_MAX + STACK_FRAMES_OVER)
#define STACK_ROOM (STACK_KERNEL_ROOM + STACK_FRAMES_MAX)
_Static_assert(RECORD_EXTENDED_BYTES + record_bytes(sonde_stack) + STACK_ROOM * 8 <=
		       RECORD_MAX_BYTES,
	       "room");

/* Where a stack was written last. */
struct stack_slot {
	__u64 id;
	__u64 pos; /* as ring_level.pos counts */
};

/* A stack as it was taken. */
struct stack_taken {
	__u32 kernel; /* frames */
	__u32 user;
	__u32 cut; /* enum stack_cut */
	__u32 failed; /* the kernel gave none */
};

/* Counts are in here, and read where they are needed: to the verifier each is any number then, or it would go through
 * the rest once for each number of frames. */
struct stack_room {
	struct stack_taken taken;
	__u64 barrier; /* carries nothing */
	/* One more, which shows that a stack goes on. Those of the program are in an unwind_room. */
	__u64 frames[STACK_KERNEL_ROOM + 1];
	struct stack_slot slots[STACK_SLOTS];
};
_Static_assert(sizeof(struct stack_room) <= 32768, "an element of a map for each CPU");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, RING_LEVELS);
	__type(key, __u32);
	__type(value, struct stack_room);
} stack_rooms SEC(".maps");

/* What became of stacks, by enum stack_count: for the recorder's summary. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, STACK_COUNTS);
	__type(key, __u32);
	__type(value, __u64);
} stack_counts SEC(".maps");

static __always_inline void stack_count(__u32 which)
{
	__u64 *count = bpf_map_lookup_elem(&stack_counts, &which);

	if (count)
		__sync_fetch_and_add(count, 1);
}

/* Sides of the stack that events of @id have: bits 1 << enum stack_side. @id is constant, so that where it has
 * none, no code is left. */
static __always_inline __u32 stack_sides_of(__u32 id)
{
	__u32 sides = 0;

	if (id >= MEASURE_WORDS * 64)
		return 0;
	if (cfg_stacks[STACK_KERNEL][id / 64] >> (id % 64) & 1)
		sides |= 1u << STACK_KERNEL;
	if (cfg_stacks[STACK_USER][id / 64] >> (id % 64) & 1)
		sides |= 1u << STACK_USER;
	return sides;
}

static __always_inline long stack_kernel(void *frames, __u32 max)
{
	long bytes = bpf_get_task_stack(bpf_get_current_task_btf(), frames, max * sizeof(__u64),
					STACK_FRAMES_SKIP);

	return bytes < 0 ? bytes : (long)((__u64)bytes / sizeof(__u64));
}

/* Of threads of the kernel, and of those that it makes for a program (io_uring), no frames are a program's. */
#if defined(__TARGET_ARCH_x86)
static __always_inline bool regs_of_program(const struct pt_regs *regs)
{
	return regs->cs & 3;
}
#elif defined(__TARGET_ARCH_arm64)
static __always_inline bool regs_of_program(const struct pt_regs *regs)
{
	return !(regs->pstate & 0xf);
}
#endif

static __always_inline bool task_has_program(struct task_struct *task)
{
	return task->mm && regs_of_program((const struct pt_regs *)bpf_task_pt_regs(task));
}

/* What @frames says, of which there may be @most; @cut is added where there were more. */
static __always_inline __u32 stack_count_frames(struct stack_taken *taken, long frames, __u32 most,
						__u32 cut)
{
	if (frames < 0) {
		taken->failed = 1;
		return 0;
	}
	if (frames <= most)
		return (__u32)frames;
	taken->cut |= cut;
	return most;
}

/* The frames of the program that the current task runs: by its tables, or, as long as it has none, by frame pointers,
 * which it may not keep. */
static __always_inline void stack_take_user(struct stack_taken *taken, struct unwind_room *unwind,
					    struct task_struct *task, __u32 most)
{
	struct unwind_walk *walk = &unwind->walk;
	long bytes;

	tell_process(task);
	if (cfg_unwind && !unwind_user(unwind, most, program_of(task))) {
		if (walk->strange)
			tell_process_soon(task);
		if (walk->end != UNWIND_ENDS_WHOLE)
			taken->cut |= STACK_USER_CUT;
		taken->user = walk->depth;
		return;
	}
	bytes = bpf_get_task_stack(task, walk->frames, (most + 1) * sizeof(__u64),
				   BPF_F_USER_STACK);
	taken->user = stack_count_frames(taken,
					 bytes < 0 ? bytes : (long)((__u64)bytes / sizeof(__u64)),
					 most, STACK_USER_CUT);
}

/*
 * Takes the stack of the current task into the rooms of @level_number. Apart from stack_store, and called before it: what
 * calls both has little room left on its own stack.
 */
static __noinline int stack_take(__u32 level_number, __u32 sides)
{
	__u32 most = cfg_stack_frames < STACK_FRAMES_MAX ? cfg_stack_frames : STACK_FRAMES_MAX;
	struct task_struct *task = bpf_get_current_task_btf();
	struct unwind_room *unwind = bpf_map_lookup_elem(&unwind_rooms, &level_number);
	struct stack_room *room = bpf_map_lookup_elem(&stack_rooms, &level_number);
	struct stack_taken *taken;

	if (!room || !unwind)
		return 0;
	taken = &room->taken;
	*taken = (struct stack_taken){};
	if (sides & 1u << STACK_KERNEL)
		taken->kernel = stack_count_frames(
			taken, stack_kernel(room->frames, most + STACK_FRAMES_OVER + 1),
			most + STACK_FRAMES_OVER, STACK_KERNEL_CUT);
	if (sides & 1u << STACK_USER && task_has_program(task))
		stack_take_user(taken, unwind, task, most);
	return 0;
}

static __always_inline __u64 stack_mix(__u64 hash, __u64 word)
{
	hash = (hash ^ word) * cfg_stack_key;
	return hash ^ hash >> 29;
}

static __always_inline __u64 stack_hash(const struct stack_room *room,
					const struct unwind_room *unwind)
{
	__u32 kernel = load_once(room->taken.kernel), user = load_once(room->taken.user);
	__u64 hash = stack_mix(cfg_stack_key, kernel | (__u64)user << 32);

#pragma nounroll
	for (__u32 i = 0; i < STACK_KERNEL_ROOM; i++) {
		if (i >= load_once(room->taken.kernel))
			break;
		hash = stack_mix(hash, room->frames[i]);
	}
#pragma nounroll
	for (__u32 i = 0; i < STACK_FRAMES_MAX; i++) {
		if (i >= load_once(room->taken.user))
			break;
		hash = stack_mix(hash, unwind->walk.frames[i]);
	}
	hash = stack_mix(hash, room->taken.cut);
	return hash < STACK_ID_FIRST ? hash + STACK_ID_FIRST : hash;
}

static __always_inline bool stack_is_there(struct stack_room *room, const struct ring_level *level,
					   const struct stack_slot *slot, __u64 id)
{
	__u64 since = level->pos & ~(__u64)cfg_sub_mask, sent;

	/* The drainer sees that a record is being written before this one sees where the packet ends (ring/ring.c). */
	exchange(&room->barrier, 0);
	sent = load_once(level->sent);
	return slot->id == id && slot->pos >= since && slot->pos >= sent;
}

/* The record sonde.stack, @bytes long, at @at, where it has its head already. */
static __always_inline void stack_fill(struct sonde_stack *record, const struct stack_room *room,
				       const struct unwind_room *unwind, __u64 id)
{
	__u32 kernel = load_once(room->taken.kernel) * sizeof(__u64);
	__u32 user = load_once(room->taken.user) * sizeof(__u64);

	record->id = id;
	record->cut = room->taken.cut;
	record->kernel_depth = (__u16)(kernel / sizeof(__u64));
	record->user_depth = (__u16)(user / sizeof(__u64));
	if (kernel > STACK_KERNEL_ROOM * sizeof(__u64) || user > STACK_FRAMES_MAX * sizeof(__u64))
		return; /* for the verifier */
	bpf_probe_read_kernel(record->kernel_stack, kernel, room->frames);
	bpf_probe_read_kernel((char *)record->kernel_stack + kernel, user, unwind->walk.frames);
}

/*
 * The id of the stack that was taken, for an event of @bytes at @now_ns that the caller is about to write at @level; the
 * stack is in the sub-buffer that the event will be in. STACK_NONE, STACK_FAILED, or STACK_REFUSED: neither the stack
 * nor the event has room.
 */
static __noinline __u64 stack_store(struct ring_cpu *ring, __u32 level_number, __u32 tid,
				    __u64 now_ns, __u32 bytes)
{
	struct unwind_room *unwind;
	struct stack_room *room;
	struct ring_level *level;
	struct stack_slot *slot;
	__u32 frames, need, element;
	__u64 id, pos;
	char *sub;

	if (!ring)
		return STACK_FAILED;
	level_number &= RING_LEVELS - 1;
	level = &ring->level[level_number];
	room = bpf_map_lookup_elem(&stack_rooms, &level_number);
	unwind = bpf_map_lookup_elem(&unwind_rooms, &level_number);
	if (!room || !unwind)
		return STACK_FAILED;
	if (load_once(room->taken.failed)) {
		stack_count(STACK_COUNT_FAILED);
		return STACK_FAILED;
	}
	frames = load_once(room->taken.kernel) + load_once(room->taken.user);
	if (!frames)
		return STACK_NONE;
	id = stack_hash(room, unwind);
	slot = &room->slots[id & (STACK_SLOTS - 1)];
	if (stack_is_there(room, level, slot, id) && level->pos + bytes < level->limit)
		return id;
	need = RECORD_EXTENDED_BYTES + record_bytes(sonde_stack) - RECORD_HEAD_BYTES +
	       frames * sizeof(__u64);
	if (level->pos + need + bytes >= level->limit && ring_switch(ring, level_number, now_ns))
		return STACK_REFUSED;
	pos = level->pos;
	element = level->sub;
	sub = bpf_map_lookup_elem(&ring_data, &element);
	if (!sub)
		return STACK_REFUSED;
	asm volatile("" : "+r"(pos));
	sub += pos & cfg_sub_mask;
	/* Always the long head: so it does not depend on the record before. */
	head_extended((void *)sub, SONDE_STACK, now_ns, tid);
	stack_fill((void *)(sub + RECORD_EXTENDED_BYTES - RECORD_HEAD_BYTES), room, unwind, id);
	slot->id = id;
	slot->pos = level->pos;
	level->records++;
	store_once(level->last_ns, now_ns);
	store_release(&level->pos, level->pos + need);
	stack_count(STACK_COUNT_STORED);
	return id;
}

#endif /* SONDE_PROBE_STACK_BPF_H */
