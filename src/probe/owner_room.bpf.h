/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * owner_room.bpf: counts what was forgotten of whose events are, for want of room. Those events have no owner, and
 * the recorder says so.
 */
#ifndef SONDE_PROBE_OWNER_ROOM_BPF_H
#define SONDE_PROBE_OWNER_ROOM_BPF_H

#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

#include "wire/owner.h"

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, OWNER_FORGOTTEN_COUNT);
	__type(key, __u32);
	__type(value, __u64);
} owner_forgotten SEC(".maps");

static __always_inline void owner_forget(enum owner_forgotten what)
{
	__u32 which = what;
	__u64 *count = bpf_map_lookup_elem(&owner_forgotten, &which);

	if (count)
		++*count;
}

#endif /* SONDE_PROBE_OWNER_ROOM_BPF_H */
