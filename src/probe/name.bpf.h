/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * name.bpf: records that tell what a number stands for (wire/note.h, sonde.name).
 */
#ifndef SONDE_PROBE_NAME_BPF_H
#define SONDE_PROBE_NAME_BPF_H

#include "probe/kernel.bpf.h"

#include <bpf/bpf_helpers.h>

#include "probe/measure.bpf.h"
#include "probe/ring.bpf.h"
#include "wire/note.h"

/* A text before the record is reserved, which needs its length. The room after NAME_TEXT_MAX lets
 * the verifier see that a part of a path at any masked place stays inside. */
struct name_scratch {
	char text[2 * NAME_TEXT_MAX];
};
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct name_scratch);
} name_scratch SEC(".maps");

static __always_inline struct name_scratch *name_scratch_get(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&name_scratch, &zero);
}

/* @len counts the NUL; it is 1 to NAME_TEXT_MAX. */
static __always_inline void name_record(enum name_kind kind, __u64 key, __u32 dev, const char *text,
					__u32 len)
{
	__u32 tail = (len + RECORD_ALIGN - 1) & (2 * NAME_TEXT_MAX - 1) & ~(RECORD_ALIGN - 1);
	struct sonde_name *record;
	struct reservation res;

	record = record_reserve(&res, SONDE_NAME, bpf_get_current_task_btf()->pid,
				record_bytes(sonde_name) + tail + sizeof(len));
	if (!record)
		return;
	record->key = key;
	record->major = (__u16)(dev >> 20);
	record->minor = (__u16)(dev & 0xfffff);
	record->kind = kind;
	bpf_probe_read_kernel(record->text, len & (2 * NAME_TEXT_MAX - 1), text);
	*(__u32 *)(record->text + tail) = len;
	record_commit_name(&res);
}

#endif /* SONDE_PROBE_NAME_BPF_H */
