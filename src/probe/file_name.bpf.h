/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * file_name.bpf: records the name of a file, once, in front of the first record about it.
 *
 * A path is put together from its last part to its first, as dentries lead. It begins at the root
 * of the file system; where that is mounted the recorder knows.
 */
#ifndef SONDE_PROBE_FILE_NAME_BPF_H
#define SONDE_PROBE_FILE_NAME_BPF_H

#include "probe/kernel.bpf.h"

#include <bpf/bpf_core_read.h>

#include "probe/name.bpf.h"

#define FILE_DEPTH_MAX 16 /* parts of a path; parts above become "..." */
#define FILE_PART_MAX 255 /* NAME_MAX */
#define FILE_RECENT_BITS 12
#define FILE_AGAIN_NS 1000000000ull /* a flight recorder forgets */

struct file_key {
	__u64 inode;
	__u64 dev;
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 65536);
	__type(key, struct file_key);
	__type(value, __u64); /* when it was recorded */
} file_told SEC(".maps");

/* Recorded files, by a hash: spares most lookups in the table above. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1 << FILE_RECENT_BITS);
	__type(key, __u32);
	__type(value, __u64);
} file_recent SEC(".maps");

static __always_inline struct dentry *file_dentry(const struct inode *inode)
{
	struct hlist_node *first = BPF_CORE_READ(inode, i_dentry.first);

	return first ? (void *)first - bpf_core_field_offset(struct dentry, d_u.d_alias) : 0;
}

/* One part and the slash before it, in front of what begins at @at. The new beginning; 0 = no room
 * is left. */
static __always_inline __u32 put_part(struct name_scratch *scratch, __u32 at,
				      const struct dentry *dentry)
{
	__u32 len = BPF_CORE_READ(dentry, d_name.len);

	if (len > FILE_PART_MAX || at < len + 5)
		return 0;
	at -= len;
	bpf_probe_read_kernel(scratch->text + (at & (NAME_TEXT_MAX - 1)), len & FILE_PART_MAX,
			      BPF_CORE_READ(dentry, d_name.name));
	at--;
	scratch->text[at & (NAME_TEXT_MAX - 1)] = '/';
	return at;
}

/* By address, since a function of its own cannot take the pointer. Inlined it would be ten times. */
static __noinline int file_name_record(__u64 address, __u32 dev)
{
	const struct inode *inode = (const struct inode *)address;
	struct name_scratch *scratch = name_scratch_get();
	struct dentry *dentry = file_dentry(inode);
	__u32 at = NAME_TEXT_MAX - 1, next;
	bool whole = false;

	if (!scratch || !dentry)
		return 0; /* it has no name any more */
	scratch->text[at] = 0;
	for (int i = 0; i < FILE_DEPTH_MAX; i++) {
		struct dentry *parent = BPF_CORE_READ(dentry, d_parent);

		whole = parent == dentry;
		next = whole ? 0 : put_part(scratch, at, dentry);
		if (!next)
			break;
		at = next;
		dentry = parent;
	}
	if (!whole && at > 3) {
		at -= 3;
		__builtin_memset(scratch->text + (at & (NAME_TEXT_MAX - 1)), '.', 3);
	}
	if (at == NAME_TEXT_MAX - 1) { /* the root itself */
		at--;
		scratch->text[at] = '/';
	}
	at &= NAME_TEXT_MAX - 1;
	name_record(NAME_FILE, BPF_CORE_READ(inode, i_ino), dev, scratch->text + at,
		    NAME_TEXT_MAX - at);
	return 0;
}

static __always_inline void file_name_tell(const struct inode *inode, __u32 dev)
{
	struct file_key key = {.inode = BPF_CORE_READ(inode, i_ino), .dev = dev};
	__u64 tag = (key.inode ^ key.dev << 40) * 0x9e3779b97f4a7c15;
	__u32 slot = tag >> (64 - FILE_RECENT_BITS);
	__u64 *recent = bpf_map_lookup_elem(&file_recent, &slot), *told, now = 0;

	if (!recent || (!cfg_overwrite && *recent == tag))
		return;
	*recent = tag;
	if (cfg_overwrite)
		now = bpf_ktime_get_ns();
	told = bpf_map_lookup_elem(&file_told, &key);
	if (told && now - *told < FILE_AGAIN_NS)
		return;
	bpf_map_update_elem(&file_told, &key, &now, BPF_ANY);
	file_name_record((__u64)inode, dev);
}

#endif /* SONDE_PROBE_FILE_NAME_BPF_H */
