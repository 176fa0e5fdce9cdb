/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * dirtier.bpf: which task made the pages dirty that are written back, and whether a filter wants it.
 *
 * A kernel thread writes back the pages of many tasks, and the kernel does not keep whose they are. disk.bpf.c notes
 * each folio that becomes dirty, by the hook at which the kernel counts write_bytes of /proc/PID/io, and asks here
 * when a transfer has the folio. A folio has one word, written at once: its address and the task. What has no
 * room is counted, and its owner is not known.
 */
#ifndef SONDE_PROBE_DIRTIER_BPF_H
#define SONDE_PROBE_DIRTIER_BPF_H

#include "probe/filter.bpf.h"
#include "probe/folio.bpf.h"
#include "probe/owner_room.bpf.h"

#define DIRTIER_SET_BITS 15 /* with the ways: 1 GiB of folios of one page */
#define DIRTIER_WAYS 8

/* A word: the folio's place in 40 bits, the tid in 22 (PID_MAX_LIMIT), whether the filter wants the task, but for its
 * cgroup, and whether it wants that. */
#define DIRTIER_WANTED 1ull
#define DIRTIER_CGROUP_WANTED 2ull
#define DIRTIER_TID_SHIFT 2
#define DIRTIER_TID_MASK ((1u << 22) - 1)
#define DIRTIER_FOLIO_SHIFT 24
#define FOLIO_ALIGN_SHIFT 6 /* struct page has 64 bytes or more */
#define FOLIO_PLACE_BITS (64 - DIRTIER_FOLIO_SHIFT)

struct dirtier_set {
	__u64 ways[DIRTIER_WAYS];
};
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1 << DIRTIER_SET_BITS);
	__type(key, __u32);
	__type(value, struct dirtier_set);
} disk_dirtiers SEC(".maps");

static __always_inline __u64 folio_place(const struct folio *folio)
{
	return (__u64)folio >> FOLIO_ALIGN_SHIFT & ((1ull << FOLIO_PLACE_BITS) - 1);
}

static __always_inline struct dirtier_set *dirtier_set_of(__u64 place)
{
	__u32 key = place * 0x9e3779b97f4a7c15 >> (64 - DIRTIER_SET_BITS);

	return bpf_map_lookup_elem(&disk_dirtiers, &key);
}

/* 0 = not known; else the word. */
static __always_inline __u64 dirtier_of(const struct folio *folio)
{
	__u64 place = folio_place(folio);
	const struct dirtier_set *set = dirtier_set_of(place);
	__u64 found = 0;

	if (!set)
		return 0;
#pragma unroll
	for (int i = 0; i < DIRTIER_WAYS; i++) {
		__u64 word = *(const volatile __u64 *)&set->ways[i];

		if (word && word >> DIRTIER_FOLIO_SHIFT == place)
			found = word;
	}
	return found;
}

static __always_inline __u32 dirtier_tid(__u64 word)
{
	return word >> DIRTIER_TID_SHIFT & DIRTIER_TID_MASK;
}

/* Whether the folio of @word, in the same memory map as @like, still waits to be written back, or is. */
static __always_inline bool dirtier_in_use(__u64 word, const struct folio *like)
{
	const __u64 bits = FOLIO_PLACE_BITS + FOLIO_ALIGN_SHIFT;
	const struct folio *folio =
		(const void *)((__u64)like >> bits << bits | word >> DIRTIER_FOLIO_SHIFT
									     << FOLIO_ALIGN_SHIFT);

	return folio_flag(folio, PG_dirty) || folio_flag(folio, PG_writeback);
}

/* No way is free: the first whose folio is clean by now, or one that is then forgotten. */
static __noinline int dirtier_make_room(struct dirtier_set *set, __u64 word, __u64 address)
{
	__u32 at = address >> FOLIO_ALIGN_SHIFT & (DIRTIER_WAYS - 1);

	if (!set)
		return 0;
	for (__u32 i = 0; i < DIRTIER_WAYS; i++) {
		__u64 old = set->ways[i];

		if (!dirtier_in_use(old, (const void *)address)) {
			/* Another CPU may take it, too: one of the two is forgotten. */
			if (__sync_val_compare_and_swap(&set->ways[i], old, word) != old)
				owner_forget(OWNER_FORGOTTEN_PAGES);
			return 0;
		}
	}
	set->ways[at] = word;
	owner_forget(OWNER_FORGOTTEN_PAGES);
	return 0;
}

/* @folio has become dirty, by the task that runs. */
static __always_inline void dirtier_learn(const struct folio *folio)
{
	const struct task_struct *task = bpf_get_current_task_btf();
	__u64 place = folio_place(folio);
	struct dirtier_set *set = dirtier_set_of(place);
	__u64 word = place << DIRTIER_FOLIO_SHIFT | (__u64)(task->pid & DIRTIER_TID_MASK)
							    << DIRTIER_TID_SHIFT;

	if (cfg_filter.tasks && task->tgid != cfg_filter.self &&
	    task_matches_but_cgroup(task, task->tgid))
		word |= DIRTIER_WANTED;
	if (cfg_filter.cgroup_count && task_cgroup_wanted(task))
		word |= DIRTIER_CGROUP_WANTED;
	if (!set)
		return;
#pragma unroll
	for (int i = 0; i < DIRTIER_WAYS; i++) {
		if (set->ways[i] >> DIRTIER_FOLIO_SHIFT == place) {
			set->ways[i] = word;
			return;
		}
	}
#pragma unroll
	for (int i = 0; i < DIRTIER_WAYS; i++) {
		if (!set->ways[i] && !__sync_val_compare_and_swap(&set->ways[i], 0, word))
			return;
	}
	dirtier_make_room(set, word, (__u64)folio);
}

#endif /* SONDE_PROBE_DIRTIER_BPF_H */
