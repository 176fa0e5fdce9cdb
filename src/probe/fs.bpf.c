// SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only)
/*
 * fs: files and the page cache (catalogue: fs; HP-UX bread, breada, bdwrite, bwrite): pages that
 * are looked for, read ahead, made dirty, written back and waited for.
 */
#include "probe/kernel.bpf.h"

#include <bpf/bpf_tracing.h>

#include "probe/dirty_block.bpf.h"
#include "probe/file_name.bpf.h"
#include "probe/filter.bpf.h"
#include "probe/folio.bpf.h"
#include "probe/measure.bpf.h"
#include "probe/ring.bpf.h"
#include "probe/syscall.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

enum read_kind {
	READ_LOOKUP, /* looked for in the page cache */
	READ_FILL, /* not there: taken in, to be read or written */
};
enum readahead_kind {
	READAHEAD_SYNC, /* a task waits for the first of them */
	READAHEAD_ASYNC, /* no task waits yet */
};
enum writeback_kind {
	WRITEBACK_START, /* of what is dirty in a file */
	WRITEBACK_END,
	WRITEBACK_WAIT, /* a task waits until these pages have been written */
	WRITEBACK_WRITE, /* pages are handed to a disk */
};
enum write_kind {
	WRITE_FIRST, /* nothing of the folio was dirty before */
	WRITE_MORE, /* the folio was dirty in other places */
};
enum fsync_kind { FSYNC_START, FSYNC_END };

/* With what most records of this group begin. */
struct fs_pages {
	__u64 head;
	__u64 inode TEXT("number of the file in its file system") SHOW("file");
	__u64 index TEXT("first page in the file") UNIT("pages");
	__u32 pages TEXT("how many") UNIT("pages");
	__u16 major TEXT("major number of the file system's device");
	__u16 minor TEXT("minor number");
	RECORD_END;
};
RECORD(fs_pages);

struct fs_read {
	struct fs_pages pages;
	enum read_kind kind TEXT("a lookup with a fill by the same task behind it has missed");
	RECORD_END;
};
RECORD(fs_read);

struct fs_readahead {
	struct fs_pages pages;
	__u64 ahead_index TEXT("first page of the window read ahead before") UNIT("pages");
	__u32 ahead_pages TEXT("its length") UNIT("pages");
	enum readahead_kind kind TEXT("whether a task waits");
	RECORD_END;
};
RECORD(fs_readahead);

struct fs_write {
	struct fs_pages pages;
	__u32 bytes TEXT(
		"how much has become dirty: in whole blocks where the file system has buffer heads or, "
		"since Linux 6.6, iomap (ext4, XFS), else in whole folios (NFS, Btrfs, XFS before "
		"6.6)") UNIT("bytes");
	enum write_kind kind TEXT("whether the folio, which may be many pages, was dirty before");
	RECORD_END;
};
RECORD(fs_write);

struct fs_writeback {
	struct fs_pages pages;
	__u32 bytes TEXT("of a write: what the disk is given; 0 otherwise") UNIT("bytes");
	enum writeback_kind kind TEXT("start, end, wait or write");
	RECORD_END;
};
RECORD(fs_writeback);

struct fs_fsync {
	__u64 head;
	__u64 inode TEXT("number of the file in its file system") SHOW("file");
	__u16 major TEXT("major number of the file system's device");
	__u16 minor TEXT("minor number");
	enum fsync_kind kind TEXT("start or end");
	__s32 datasync TEXT("at the start: 1 = only what is needed to read the data again");
	__s32 result TEXT("at the end: 0, or what went wrong") SHOW("result");
	RECORD_END;
};
RECORD(fs_fsync);

static __always_inline __u32 device_of(const struct inode *inode)
{
	return BPF_CORE_READ(inode, i_sb, s_dev);
}

static __always_inline void *fs_reserve(struct reservation *res, __u32 id, __u32 bytes)
{
	return record_reserve(res, id, bpf_get_current_task_btf()->pid, bytes);
}

static __always_inline bool fs_wanted(__u32 dev)
{
	return task_wanted(bpf_get_current_task_btf()) &&
	       (!cfg_filter.dev_count || dev_wanted(dev));
}

/* Asked before anything that costs more: fs_begin asks again. */
static __always_inline bool fs_wanted_of(const struct address_space *mapping)
{
	const struct inode *inode = mapping ? BPF_CORE_READ(mapping, host) : 0;

	return inode && fs_wanted(device_of(inode));
}

static __always_inline void *fs_begin(struct reservation *res, __u32 id, __u32 bytes,
				      const struct inode *inode)
{
	__u32 dev = device_of(inode);

	if (!fs_wanted(dev))
		return 0;
	file_name_tell(inode, dev);
	return fs_reserve(res, id, bytes);
}

static __always_inline void pages_of(struct fs_pages *record, const struct inode *inode,
				     __u64 index, __u64 pages)
{
	__u32 dev = device_of(inode);

	record->inode = BPF_CORE_READ(inode, i_ino);
	record->index = index;
	record->pages = (__u32)pages;
	record->major = (__u16)(dev >> 20);
	record->minor = (__u16)(dev & 0xfffff);
}

static __always_inline int record_read(enum read_kind kind, const struct inode *inode, __u64 index,
				       __u64 pages)
{
	struct reservation res;
	struct fs_read *record = fs_begin(&res, FS_READ, record_bytes(fs_read), inode);

	if (!record)
		return 0;
	pages_of(&record->pages, inode, index, pages);
	record->kind = kind;
	record_commit(&res);
	return 0;
}

#define READ_TEXT "pages of a file are looked for in the page cache, or taken into it"

MEASURE(FS_READ, "fs.read", fs_read, READ_TEXT)
PART(0)
SEC("tp_btf/mm_filemap_get_pages")
int BPF_PROG(fs_read_lookup, struct address_space *mapping, unsigned long index, unsigned long last)
{
	return record_read(READ_LOOKUP, BPF_CORE_READ(mapping, host), index, last - index + 1);
}

MEASURE(FS_READ, "fs.read", fs_read, READ_TEXT)
PART(0)
SEC("fentry/filemap_read")
int BPF_PROG(fs_read_fentry, struct kiocb *iocb, struct iov_iter *iter)
{
	__u64 first = (__u64)iocb->ki_pos >> PAGE_SHIFT;
	__u64 last = ((__u64)iocb->ki_pos + iter->count - 1) >> PAGE_SHIFT;

	if (!iter->count)
		return 0;
	preempt_off();
	record_read(READ_LOOKUP, BPF_CORE_READ(iocb, ki_filp, f_inode), first, last - first + 1);
	preempt_on();
	return 0;
}

MEASURE(FS_READ, "fs.read", fs_read, READ_TEXT)
PART(1)
SEC("tp_btf/mm_filemap_add_to_page_cache")
int BPF_PROG(fs_read_fill, struct folio *folio)
{
	return record_read(READ_FILL, BPF_CORE_READ(folio, mapping, host),
			   BPF_CORE_READ(folio, index), folio_pages(folio));
}

static __always_inline int record_readahead(enum readahead_kind kind, const struct inode *inode,
					    __u64 index, __u64 pages,
					    const struct file_ra_state *ra)
{
	struct reservation res;
	struct fs_readahead *record =
		fs_begin(&res, FS_READAHEAD, record_bytes(fs_readahead), inode);

	if (!record)
		return 0;
	pages_of(&record->pages, inode, index, pages);
	record->ahead_index = BPF_CORE_READ(ra, start);
	record->ahead_pages = BPF_CORE_READ(ra, size);
	record->kind = kind;
	record_commit(&res);
	return 0;
}

#define READAHEAD_TEXT "the kernel decides what to read ahead (pages: the requested size)"

MEASURE(FS_READAHEAD, "fs.readahead", fs_readahead, READAHEAD_TEXT)
PART(0)
SEC("tp_btf/page_cache_sync_ra")
int BPF_PROG(fs_readahead_sync, struct inode *inode, unsigned long index, struct file_ra_state *ra,
	     unsigned long pages)
{
	return record_readahead(READAHEAD_SYNC, inode, index, pages, ra);
}

MEASURE(FS_READAHEAD, "fs.readahead", fs_readahead, READAHEAD_TEXT)
PART(0)
SEC("fentry/page_cache_sync_ra")
int BPF_PROG(fs_readahead_sync_fentry, struct readahead_control *control, unsigned long pages)
{
	preempt_off();
	record_readahead(READAHEAD_SYNC, BPF_CORE_READ(control, mapping, host), control->_index,
			 pages, BPF_CORE_READ(control, ra));
	preempt_on();
	return 0;
}

MEASURE(FS_READAHEAD, "fs.readahead", fs_readahead, READAHEAD_TEXT)
PART(1)
SEC("tp_btf/page_cache_async_ra")
int BPF_PROG(fs_readahead_async, struct inode *inode, unsigned long index, struct file_ra_state *ra,
	     unsigned long pages)
{
	return record_readahead(READAHEAD_ASYNC, inode, index, pages, ra);
}

MEASURE(FS_READAHEAD, "fs.readahead", fs_readahead, READAHEAD_TEXT)
PART(1)
SEC("fentry/page_cache_async_ra")
int BPF_PROG(fs_readahead_async_fentry, struct readahead_control *control, struct folio *folio,
	     unsigned long pages)
{
	preempt_off();
	record_readahead(READAHEAD_ASYNC, BPF_CORE_READ(control, mapping, host), control->_index,
			 pages, BPF_CORE_READ(control, ra));
	preempt_on();
	return 0;
}

#define WRITE_TEXT "pages of a file have become dirty in the page cache: they are written later"

static __always_inline void record_write(struct folio *folio, struct address_space *mapping,
					 const struct dirty_blocks *dirty, enum write_kind kind)
{
	struct reservation res;
	struct inode *inode = mapping ? BPF_CORE_READ(mapping, host) : 0;
	struct fs_write *record = inode ? fs_begin(&res, FS_WRITE, record_bytes(fs_write), inode) :
					  0;
	__u64 first = dirty->first >> PAGE_SHIFT, end = (dirty->end + PAGE_SIZE - 1) >> PAGE_SHIFT;

	if (!record)
		return;
	pages_of(&record->pages, inode, BPF_CORE_READ(folio, index) + first, end - first);
	record->bytes = dirty->bytes;
	record->kind = kind;
	record_commit(&res);
}

/*
 * A write has copied its data into the folio: the file system is about to make its blocks dirty, one after the other,
 * while the folio is locked. All of them are one record, made at the first one.
 */
struct commit {
	struct address_space *mapping;
	__u64 at, end; /* bytes in the file */
	struct folio *folio; /* NULL: no block has come */
	__u32 left; /* blocks that are still to come */
	__u8 folio_due; /* the kernel is still to say that the folio has become dirty */
};

/* By tid: a task has one at a time. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 4096);
	__type(key, __u32);
	__type(value, struct commit);
} fs_commits SEC(".maps");

/* Only ext4 says how much comes. Without that, each block that becomes dirty is a record. */
static __always_inline int commit_begin(struct inode *inode, __u64 at, __u32 bytes)
{
	__u32 bits = BPF_CORE_READ(inode, i_blkbits) & 31, tid = bpf_get_current_task_btf()->pid;
	struct commit commit = {
		.mapping = BPF_CORE_READ(inode, i_mapping),
		.at = at >> bits << bits,
		.end = at + bytes,
	};

	if (commit.end > commit.at + (1u << bits) && fs_wanted_of(commit.mapping))
		bpf_map_update_elem(&fs_commits, &tid, &commit, BPF_ANY);
	else /* an earlier one may have come to nothing */
		bpf_map_delete_elem(&fs_commits, &tid);
	return 0;
}

SERVICE("commits")
SEC("tp_btf/ext4_da_write_end")
int BPF_PROG(fs_commit_delayed, struct inode *inode, long long at, unsigned int bytes,
	     unsigned int copied)
{
	return commit_begin(inode, (__u64)at, copied);
}

SERVICE("commits")
SEC("tp_btf/ext4_write_end")
int BPF_PROG(fs_commit, struct inode *inode, long long at, unsigned int bytes, unsigned int copied)
{
	return commit_begin(inode, (__u64)at, copied);
}

static __always_inline struct commit *commit_get(void)
{
	__u32 tid = bpf_get_current_task_btf()->pid;

	return bpf_map_lookup_elem(&fs_commits, &tid);
}

static __always_inline void commit_step(const struct commit *commit)
{
	__u32 tid = bpf_get_current_task_btf()->pid;

	if (!commit->left && !commit->folio_due)
		bpf_map_delete_elem(&fs_commits, &tid);
}

MEASURE(FS_WRITE, "fs.write", fs_write, WRITE_TEXT)
PART(0)
SEC("tp_btf/writeback_dirty_folio")
int BPF_PROG(fs_write_first, struct folio *folio, struct address_space *mapping)
{
	struct commit *commit = commit_get();
	struct dirty_blocks dirty;

	if (commit && commit->folio == folio && commit->folio_due) {
		commit->folio_due = 0;
		commit_step(commit);
		return 0;
	}
	if (!fs_wanted_of(mapping))
		return 0;
	dirty_blocks_of_folio(folio, mapping, &dirty);
	record_write(folio, mapping, &dirty, WRITE_FIRST);
	return 0;
}

/* @buffer, at @at in the folio, is the first of the commit's: those that are clean become dirty now. */
static __always_inline void commit_record(struct commit *commit, struct folio *folio,
					  const struct buffer_head *buffer, __u32 at)
{
	bool first = !folio_flag(folio, PG_dirty);
	__u32 block = (__u32)BPF_CORE_READ(buffer, b_size), end;
	struct dirty_blocks clean;

	end = at + (__u32)(commit->end - commit->at);
	dirty_blocks_of_buffers(buffer, at, end, &clean);
	if (clean.bytes)
		record_write(folio, commit->mapping, &clean, first ? WRITE_FIRST : WRITE_MORE);
	commit->folio = folio;
	commit->folio_due = first && clean.bytes;
	commit->left = block ? (end - at - 1) / block : 0;
	commit_step(commit);
}

/* Of a file system that keeps the state of blocks in buffer heads. A clean folio becomes dirty next: it
 * is recorded then. */
MEASURE(FS_WRITE, "fs.write", fs_write, WRITE_TEXT)
PART(1)
SEC("tp_btf/block_dirty_buffer")
int BPF_PROG(fs_write_buffer, struct buffer_head *buffer)
{
	struct folio *folio = page_folio(BPF_CORE_READ(buffer, b_page));
	struct commit *commit = commit_get();
	struct address_space *mapping;
	struct dirty_blocks dirty;
	__u32 at;

	if (!folio)
		return 0;
	if (commit && commit->folio == folio && commit->left) {
		commit->left--;
		commit_step(commit);
		return 0;
	}
	mapping = BPF_CORE_READ(folio, mapping);
	/* include/linux/buffer_head.h: bh_offset */
	at = (__u32)((__u64)BPF_CORE_READ(buffer, b_data) &
		     ((folio_pages(folio) << PAGE_SHIFT) - 1));
	if (commit && !commit->folio && commit->mapping == mapping &&
	    commit->at == (BPF_CORE_READ(folio, index) << PAGE_SHIFT) + at) {
		commit_record(commit, folio, buffer, at);
		return 0;
	}
	if (buffer_is_dirty(buffer) || !folio_flag(folio, PG_dirty) || !fs_wanted_of(mapping))
		return 0;
	dirty.first = at;
	dirty.bytes = (__u32)BPF_CORE_READ(buffer, b_size);
	dirty.end = at + dirty.bytes;
	record_write(folio, mapping, &dirty, WRITE_MORE);
	return 0;
}

/* A piece of a file before it is written, folio by folio. */
struct coming {
	struct address_space *mapping;
	__u64 at, end; /* bytes in the file */
};

/* Of a folio that is dirty: its blocks in that piece that are not. 1 ends the loop. */
static long record_coming(__u32 i, struct coming *coming)
{
	struct dirty_blocks clean;
	struct cached cached;
	struct folio *folio;
	__u64 start, end;

	if (coming->at >= coming->end)
		return 1;
	cached_at(coming->mapping, coming->at >> PAGE_SHIFT, &cached);
	folio = cached.folio;
	end = cached.end << PAGE_SHIFT;
	if (folio && folio_flag(folio, PG_dirty)) {
		start = BPF_CORE_READ(folio, index) << PAGE_SHIFT;
		dirty_blocks_to_be(folio, coming->mapping, coming->at - start,
				   (coming->end < end ? coming->end : end) - start, &clean);
		if (clean.bytes)
			record_write(folio, coming->mapping, &clean, WRITE_MORE);
	}
	coming->at = end;
	return 0;
}

/* include/linux/iomap.h */
#define IOMAP_WRITE (1u << 0)
#define IOMAP_DIRECT (1u << 4)
#define IOMAP_DAX (1u << 8)
#define COMING_FOLIOS_MAX (1u << 16)

/* Of a file system that has iomap keep the state of blocks. When a write begins; a folio that is clean is
 * recorded once it becomes dirty. */
MEASURE(FS_WRITE, "fs.write", fs_write, WRITE_TEXT)
PART(2)
MISSES_HIDDEN(
	"iomap_dirty_folio",
	"what a write adds to a folio that is dirty in other places, of XFS and others by iomap")
SEC("tp_btf/iomap_iter")
int BPF_PROG(fs_write_iomap, struct iomap_iter *iter)
{
	struct coming coming;
	__u32 flags = BPF_CORE_READ(iter, flags);

	if ((flags & (IOMAP_WRITE | IOMAP_DIRECT | IOMAP_DAX)) != IOMAP_WRITE ||
	    BPF_CORE_READ(iter, iomap.length)) /* it continues */
		return 0;
	coming.mapping = BPF_CORE_READ(iter, inode, i_mapping);
	if (!fs_wanted_of(coming.mapping) || !dirty_blocks_by_iomap(coming.mapping))
		return 0;
	coming.at = (__u64)BPF_CORE_READ(iter, pos);
	coming.end = coming.at + BPF_CORE_READ(iter, len);
	bpf_loop(COMING_FOLIOS_MAX, record_coming, &coming, 0);
	return 0;
}

static __always_inline int record_writeback(enum writeback_kind kind, const struct inode *inode,
					    __u64 index, __u64 pages, __u32 bytes)
{
	struct reservation res;
	struct fs_writeback *record =
		fs_begin(&res, FS_WRITEBACK, record_bytes(fs_writeback), inode);

	if (!record)
		return 0;
	pages_of(&record->pages, inode, index, pages);
	record->bytes = bytes;
	record->kind = kind;
	record_commit(&res);
	return 0;
}

#define WRITEBACK_TEXT \
	"dirty pages of a file are written back (start: at most, end: looked at), waited for, or given to a disk"
/* Who made them dirty the kernel does not keep. */
#define WRITEBACK                                                                                 \
	CONTEXT("worker", "pages that kernel threads write back: most of what is not forced out") \
	MEASURE(FS_WRITEBACK, "fs.writeback", fs_writeback, WRITEBACK_TEXT)

WRITEBACK
PART(0)
SEC("tp_btf/writeback_single_inode_start")
int BPF_PROG(fs_writeback_start, struct inode *inode, struct writeback_control *control,
	     unsigned long most)
{
	return record_writeback(WRITEBACK_START, inode, 0, most, 0);
}

WRITEBACK
PART(1)
SEC("tp_btf/writeback_single_inode")
int BPF_PROG(fs_writeback_end, struct inode *inode, struct writeback_control *control,
	     unsigned long most)
{
	return record_writeback(WRITEBACK_END, inode, 0, most - control->nr_to_write, 0);
}

WRITEBACK
PART(2)
SEC("tp_btf/folio_wait_writeback")
int BPF_PROG(fs_writeback_wait, struct folio *folio, struct address_space *mapping)
{
	struct inode *inode = mapping ? BPF_CORE_READ(mapping, host) : 0;

	return inode ? record_writeback(WRITEBACK_WAIT, inode, BPF_CORE_READ(folio, index),
					folio_pages(folio), 0) :
		       0;
}

#define BIO_CLONED_BIT 1 /* include/linux/blk_types.h */

/*
 * What a file system hands to its disk of the page cache. Disks that are made of others pass on clones, which are the
 * same bytes again.
 */
WRITEBACK
PART(3)
SEC("tp_btf/block_bio_queue")
int BPF_PROG(fs_writeback_write, struct bio *bio)
{
	__u32 bytes = BPF_CORE_READ(bio, bi_iter.bi_size);
	const struct address_space *mapping;
	struct written_page first;

	if (BPF_CORE_READ(bio, bi_flags) >> BIO_CLONED_BIT & 1)
		return 0;
	written_page_of(&first, bio);
	if (!first.folio)
		return 0;
	mapping = first.mapping;
	return record_writeback(WRITEBACK_WRITE, BPF_CORE_READ(mapping, host), first.index,
				(first.offset + bytes + PAGE_SIZE - 1) >> PAGE_SHIFT, bytes);
}

#define FSYNC_TEXT "a file is forced to the disk, and waited for"

static __always_inline struct file_key file_of(const struct inode *inode)
{
	return (struct file_key){.inode = BPF_CORE_READ(inode, i_ino), .dev = device_of(inode)};
}

static __always_inline void fill_fsync(struct fs_fsync *record, const struct file_key *file,
				       enum fsync_kind kind, __s32 datasync, __s32 result)
{
	record->inode = file->inode;
	record->major = (__u16)(file->dev >> 20);
	record->minor = (__u16)(file->dev & 0xfffff);
	record->kind = kind;
	record->datasync = datasync;
	record->result = result;
}

static __always_inline void record_fsync_start(const struct inode *inode, __s32 datasync)
{
	struct file_key file = file_of(inode);
	struct reservation res;
	struct fs_fsync *record = fs_begin(&res, FS_FSYNC, record_bytes(fs_fsync), inode);

	if (!record)
		return;
	fill_fsync(record, &file, FSYNC_START, datasync, 0);
	record_commit(&res);
}

static __always_inline void record_fsync_end(const struct file_key *file, __s32 result)
{
	struct fs_fsync *record;
	struct reservation res;

	if (!fs_wanted((__u32)file->dev))
		return;
	record = fs_reserve(&res, FS_FSYNC, record_bytes(fs_fsync));
	if (!record)
		return;
	fill_fsync(record, file, FSYNC_END, 0, result);
	record_commit(&res);
}

MEASURE(FS_FSYNC, "fs.fsync", fs_fsync, FSYNC_TEXT)
PART(0)
SEC("fentry/vfs_fsync_range")
int BPF_PROG(fs_fsync_start_fentry, struct file *file, long long start, long long end, int datasync)
{
	preempt_off();
	record_fsync_start(BPF_CORE_READ(file, f_inode), datasync);
	preempt_on();
	return 0;
}

MEASURE(FS_FSYNC, "fs.fsync", fs_fsync, FSYNC_TEXT)
PART(1)
SEC("fexit/vfs_fsync_range")
int BPF_PROG(fs_fsync_end_fexit, struct file *file, long long start, long long end, int datasync,
	     int result)
{
	struct file_key key = file_of(BPF_CORE_READ(file, f_inode));

	preempt_off();
	record_fsync_end(&key, result);
	preempt_on();
	return 0;
}

/* Where functions cannot be attached to: the system calls, which see all file systems too, but not
 * writes that are forced out because the file was opened so, nor msync(2). */
#if defined(__TARGET_ARCH_x86)
#define NR_FSYNC 74
#define NR_FDATASYNC 75
#define NR_COMPAT_FSYNC 118
#define NR_COMPAT_FDATASYNC 148
#elif defined(__TARGET_ARCH_arm64)
#define NR_FSYNC 82
#define NR_FDATASYNC 83
#define NR_COMPAT_FSYNC 118
#define NR_COMPAT_FDATASYNC 148
#endif

/* By tid, since at the end the descriptor may be another file's. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 4096);
	__type(key, __u32);
	__type(value, struct file_key);
} fsync_file SEC(".maps");

static __always_inline struct inode *descriptor_inode(const struct task_struct *task, __u32 fd)
{
	struct fdtable *table = BPF_CORE_READ(task, files, fdt);
	struct file **files = BPF_CORE_READ(table, fd);
	struct file *file = 0;

	if (fd >= BPF_CORE_READ(table, max_fds))
		return 0;
	bpf_probe_read_kernel(&file, sizeof(file), files + fd);
	return file ? BPF_CORE_READ(file, f_inode) : 0;
}

MEASURE(FS_FSYNC, "fs.fsync", fs_fsync, FSYNC_TEXT)
PART(0)
SEC("tp_btf/sys_enter")
int BPF_PROG(fs_fsync_start, struct pt_regs *regs, long id)
{
	struct task_struct *task = bpf_get_current_task_btf();
	bool compat = caller_is_compat(task);
	bool datasync = id == (compat ? NR_COMPAT_FDATASYNC : NR_FDATASYNC);
	__u32 tid = task->pid;
	struct file_key file;
	struct inode *inode;
	__u64 args[6];

	if (!datasync && id != (compat ? NR_COMPAT_FSYNC : NR_FSYNC))
		return 0;
	regs_args(regs, compat, args);
	inode = descriptor_inode(task, (__u32)args[0]);
	if (!inode)
		return 0;
	file = file_of(inode);
	bpf_map_update_elem(&fsync_file, &tid, &file, BPF_ANY);
	record_fsync_start(inode, datasync);
	return 0;
}

MEASURE(FS_FSYNC, "fs.fsync", fs_fsync, FSYNC_TEXT)
PART(1)
SEC("tp_btf/sys_exit")
int BPF_PROG(fs_fsync_end, struct pt_regs *regs, long ret)
{
	struct task_struct *task = bpf_get_current_task_btf();
	bool compat = caller_is_compat(task);
	__s64 nr = regs_syscall(regs);
	__u32 tid = task->pid;
	struct file_key *file;

	if (nr != (compat ? NR_COMPAT_FSYNC : NR_FSYNC) &&
	    nr != (compat ? NR_COMPAT_FDATASYNC : NR_FDATASYNC))
		return 0;
	file = bpf_map_lookup_elem(&fsync_file, &tid);
	if (!file)
		return 0;
	record_fsync_end(file, (__s32)ret);
	bpf_map_delete_elem(&fsync_file, &tid);
	return 0;
}
