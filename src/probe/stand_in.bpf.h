/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * stand_in.bpf: a second program for a hook that can hit the first one.
 *
 * The kernel does not run a program that is running on that CPU already, so what an interrupt
 * would record in the midst of it is missed. The first program says that it is at work; the second
 * one does nothing unless it finds that. What the first one missed less what the second one took
 * is what was lost (probe/loader.c).
 */
#ifndef SONDE_PROBE_STAND_IN_BPF_H
#define SONDE_PROBE_STAND_IN_BPF_H

#include "probe/ring.bpf.h"

static __always_inline struct ring_cpu *this_ring(void)
{
	__u32 cpu = bpf_get_smp_processor_id();

	return bpf_map_lookup_elem(&ring_control, &cpu);
}

/* Around all that the first program does. */
static __always_inline void stand_in_begin(struct ring_cpu *ring, enum stand_in which)
{
	store_once(ring->busy[which], 1);
}

static __always_inline void stand_in_end(struct ring_cpu *ring, enum stand_in which)
{
	store_once(ring->busy[which], 0);
}

/* For the second one: whether this is its to take. */
static __always_inline bool stand_in_takes(struct ring_cpu *ring, enum stand_in which)
{
	if (!ring || !load_once(ring->busy[which]))
		return false;
	__sync_fetch_and_add(&ring->taken[which], 1);
	return true;
}

#endif /* SONDE_PROBE_STAND_IN_BPF_H */
