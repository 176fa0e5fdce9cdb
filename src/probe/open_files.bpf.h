/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * open_files.bpf: records which descriptors wanted tasks have open, and their current directories, once all system
 * calls are recorded (wire/note.h, sonde.descriptor). Readers follow the calls from there on.
 *
 * The note's time comes first, then the kernel is asked again: what the note says was so at its time or, by a call that
 * ends later, just after it.
 */
#ifndef SONDE_PROBE_OPEN_FILES_BPF_H
#define SONDE_PROBE_OPEN_FILES_BPF_H

#include "probe/kernel.bpf.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "probe/filter.bpf.h"
#include "probe/measure.bpf.h"
#include "probe/ring.bpf.h"
#include "wire/note.h"

RECORD(sonde_descriptor);

const volatile __u64 cfg_open_files_bytes =
	0; /* of notes at the start, at most: other records need room, too; 0: there are no notes */

/* The room behind NAME_TEXT_MAX is for the verifier. */
struct open_files {
	__u64 bytes; /* recorded so far */
	__u64 full; /* a record was refused, and so are all others: readers take what is not listed for unknown */
	char path[2 * NAME_TEXT_MAX];
};
/* One process reads the iterators, on any CPU. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct open_files);
} open_files SEC(".maps");

static __always_inline struct open_files *open_files_get(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&open_files, &zero);
}

/* Of the first @len bytes of open_files.path, the NUL included. */
static __always_inline struct sonde_descriptor *
descriptor_reserve(struct reservation *res, struct open_files *all, __u32 tid, __u32 len)
{
	__u32 tail = (len + RECORD_ALIGN - 1) & (2 * NAME_TEXT_MAX - 1) & ~(RECORD_ALIGN - 1);
	__u32 bytes = record_bytes(sonde_descriptor) + tail + (__u32)sizeof(len);
	struct sonde_descriptor *record;

	if (all->full || all->bytes + bytes > cfg_open_files_bytes) {
		all->full = 1;
		return 0;
	}
	record = record_reserve(res, SONDE_DESCRIPTOR, tid, bytes);
	if (!record) {
		all->full = 1;
		return 0;
	}
	all->bytes += bytes;
	bpf_probe_read_kernel(record->path, len & (2 * NAME_TEXT_MAX - 1), all->path);
	*(__u32 *)(record->path + tail) = len;
	return record;
}

/* The first task that has each table of descriptors, and each current directory, by address. */
struct first_tasks {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 65536);
	__type(key, __u64);
	__type(value, __u32);
};
struct first_tasks open_tables SEC(".maps");
struct first_tasks open_places SEC(".maps");

/* 0: it is not known. */
static __always_inline __u32 first_task(void *map, const void *address)
{
	__u64 key = (__u64)address;
	__u32 *first = bpf_map_lookup_elem(map, &key);

	return first ? *first : 0;
}

/* The same; if there is none, it is @tid from now on. */
static __always_inline __u32 make_first(void *map, const void *address, __u32 tid)
{
	__u64 key = (__u64)address;

	(void)bpf_map_update_elem(map, &key, &tid, BPF_NOEXIST);
	return first_task(map, address);
}

/* Whether @fd of @files is @file still, and what an exec does. */
static __always_inline bool is_open(const struct files_struct *files, __u32 fd,
				    const struct file *file, __u32 *cloexec)
{
	struct fdtable *table = BPF_CORE_READ(files, fdt);
	struct file **slots = BPF_CORE_READ(table, fd), *now = 0;
	unsigned long *bits = BPF_CORE_READ(table, close_on_exec), word = 0;

	if (fd >= BPF_CORE_READ(table, max_fds) ||
	    bpf_probe_read_kernel(&now, sizeof(now), slots + fd) || now != file ||
	    bpf_probe_read_kernel(&word, sizeof(word), bits + fd / (8 * sizeof(word))))
		return false;
	*cloexec = word >> fd % (8 * sizeof(word)) & 1;
	return true;
}

/* A call ends that has made two descriptors, at @from in the memory of its caller. */
static __always_inline void record_pair(__u32 tid, __u64 from)
{
	const __u32 bytes = record_bytes(sonde_descriptor) + RECORD_ALIGN + sizeof(__u32);
	struct sonde_descriptor *record;
	struct reservation res;
	__s32 fds[2];

	if (bpf_probe_read_user(fds, sizeof(fds), (void *)from))
		return;
#pragma unroll
	for (int i = 0; i < 2; i++) {
		record = record_reserve(&res, SONDE_DESCRIPTOR, tid, bytes);
		if (!record)
			return;
		record->table = 0;
		record->place = 0;
		record->fd = fds[i];
		record->cloexec = 0;
		*(__u32 *)record->path = 0;
		*(__u32 *)(record->path + RECORD_ALIGN) = 1;
		record_commit(&res);
	}
}

/* The first pass. */
SERVICE("open_tasks")
MISSES("which tasks share what they have open")
SEC("iter/task")
int open_tasks(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct open_files *all = open_files_get();
	struct sonde_descriptor *record;
	__u32 first_table, first_place;
	struct reservation res;
	struct dentry *dentry;
	struct fs_struct *fs;
	long len;

	if (!task || !all || !task_wanted(task)) /* NULL: the end */
		return 0;
	fs = task->fs;
	if (!fs || !task->files) /* it ends */
		return 0;
	first_table = make_first(&open_tables, task->files, task->pid);
	first_place = make_first(&open_places, fs, task->pid);
	if (!first_table || !first_place)
		return 0;
	dentry = fs->pwd.dentry;
	len = bpf_d_path(&fs->pwd, all->path, NAME_TEXT_MAX);
	if (len < 2 || len > NAME_TEXT_MAX)
		len = 1;
	preempt_off();
	record = descriptor_reserve(&res, all, task->pid, (__u32)len);
	if (record) {
		record->table = first_table;
		record->place = first_place;
		record->fd = DESCRIPTOR_DIRECTORY;
		if (len == 1 || fs->pwd.dentry != dentry || task->fs != fs)
			*(char *)record->path = 0;
		record->cloexec = 0;
		record_commit(&res);
	}
	preempt_on();
	return 0;
}

static __always_inline void record_listed(struct open_files *all)
{
	struct sonde_descriptor *record;
	struct reservation res;

	preempt_off();
	record = descriptor_reserve(&res, all, 0, 1);
	if (record) {
		*(char *)record->path = 0;
		record->table = 0;
		record->place = 0;
		record->fd = DESCRIPTORS_LISTED;
		record->cloexec = 0;
		record_commit(&res);
	}
	preempt_on();
}

/* The second pass: no descriptor of a task is recorded whose table is not known by then. */
SERVICE("open_files")
MISSES("what tasks had open at the beginning")
SEC("iter/task_file")
int open_files_each(struct bpf_iter__task_file *ctx)
{
	struct task_struct *task = ctx->task;
	struct file *file = ctx->file;
	struct open_files *all = open_files_get();
	struct sonde_descriptor *record;
	struct files_struct *files;
	struct reservation res;
	__u32 cloexec = 0, first;
	long len;

	if (!all)
		return 0;
	if (!task || !file) { /* the end */
		record_listed(all);
		return 0;
	}
	if (!task_wanted(task))
		return 0;
	files = task->files;
	first = files ? first_task(&open_tables, files) : 0;
	len = bpf_d_path(&file->f_path, all->path, NAME_TEXT_MAX);
	if (!first || len < 2 || len > NAME_TEXT_MAX)
		return 0;
	preempt_off();
	record = descriptor_reserve(&res, all, task->pid, (__u32)len);
	if (record) {
		record->table = first;
		record->place = 0;
		record->fd = is_open(files, ctx->fd, file, &cloexec) ? (__s32)ctx->fd :
								       DESCRIPTOR_CHANGED;
		record->cloexec = cloexec;
		record_commit(&res);
	}
	preempt_on();
	return 0;
}

#endif /* SONDE_PROBE_OPEN_FILES_BPF_H */
