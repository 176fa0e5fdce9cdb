/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * switch.bpf: which of its measurements a program that makes several of them is to make now.
 *
 * A program with one measurement is detached while that is off, and needs none of this.
 */
#ifndef SONDE_PROBE_SWITCH_BPF_H
#define SONDE_PROBE_SWITCH_BPF_H

#include <stdbool.h>

#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

#include "wire/measure.h"

/* Written by user space whenever a measurement is enabled or disabled. */
struct measure_switches {
	__u64 on[MEASURE_WORDS]; /* bits by id */
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct measure_switches);
} measure_on SEC(".maps");

static __always_inline const struct measure_switches *measure_switches(void)
{
	__u32 key = 0;

	return bpf_map_lookup_elem(&measure_on, &key);
}

static __always_inline bool measure_is_on(const struct measure_switches *switches,
					  enum measure_id id)
{
	return switches->on[id / 64] >> (id % 64) & 1;
}

#endif /* SONDE_PROBE_SWITCH_BPF_H */
