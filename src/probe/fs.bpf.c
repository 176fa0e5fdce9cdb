// SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only)
/*
 * fs: files and the page cache (catalogue: fs; HP-UX bread, breada, bdwrite, bwrite): pages that
 * are looked for, read ahead, made dirty, written back and waited for.
 */
#include "probe/kernel.bpf.h"

#include <bpf/bpf_tracing.h>

#include "probe/file_name.bpf.h"
#include "probe/filter.bpf.h"
#include "probe/measure.bpf.h"
#include "probe/ring.bpf.h"
#include "probe/syscall.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

enum read_kind {
	READ_LOOKUP, /* looked for in the page cache */
	READ_FILL, /* not there: taken in, to be read or written */
};
enum readahead_kind {
	READAHEAD_SYNC, /* somebody waits for the first of them */
	READAHEAD_ASYNC, /* nobody does yet */
};
enum writeback_kind {
	WRITEBACK_START, /* of what is dirty in a file */
	WRITEBACK_END,
	WRITEBACK_WAIT, /* somebody waits until these pages have been written */
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
	enum readahead_kind kind TEXT("whether somebody waits");
	RECORD_END;
};
RECORD(fs_readahead);

struct fs_writeback {
	struct fs_pages pages;
	enum writeback_kind kind TEXT("start, end or wait");
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

#define PAGE_SHIFT 12

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

/* include/linux/mm.h: folio_order */
static __always_inline __u64 folio_pages(struct folio *folio)
{
	unsigned long flags = 0;

	bpf_probe_read_kernel(&flags, sizeof(flags), folio); /* its type differs, its place not */
	if (!(flags >> bpf_core_enum_value(enum pageflags, PG_head) & 1))
		return 1;
	if (bpf_core_field_exists(folio->_folio_order))
		return 1ull << (BPF_CORE_READ(folio, _folio_order) & 31);
	return 1ull << (BPF_CORE_READ(folio, _flags_1) & 31);
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

#define READAHEAD_TEXT "the kernel decides what to read ahead (pages: what was asked for)"

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

MEASURE(FS_WRITE, "fs.write", fs_pages,
	"pages of a file have become dirty in the page cache: they are written later")
SEC("tp_btf/writeback_dirty_folio")
int BPF_PROG(fs_write, struct folio *folio, struct address_space *mapping)
{
	struct reservation res;
	struct inode *inode = mapping ? BPF_CORE_READ(mapping, host) : 0;
	struct fs_pages *record = inode ? fs_begin(&res, FS_WRITE, record_bytes(fs_pages), inode) :
					  0;

	if (!record)
		return 0;
	pages_of(record, inode, BPF_CORE_READ(folio, index), folio_pages(folio));
	record_commit(&res);
	return 0;
}

static __always_inline int record_writeback(enum writeback_kind kind, const struct inode *inode,
					    __u64 index, __u64 pages)
{
	struct reservation res;
	struct fs_writeback *record =
		fs_begin(&res, FS_WRITEBACK, record_bytes(fs_writeback), inode);

	if (!record)
		return 0;
	pages_of(&record->pages, inode, index, pages);
	record->kind = kind;
	record_commit(&res);
	return 0;
}

#define WRITEBACK_TEXT \
	"dirty pages of a file are written back (pages: at most, at the end: written), or waited for"

MEASURE(FS_WRITEBACK, "fs.writeback", fs_writeback, WRITEBACK_TEXT)
PART(0)
SEC("tp_btf/writeback_single_inode_start")
int BPF_PROG(fs_writeback_start, struct inode *inode, struct writeback_control *control,
	     unsigned long most)
{
	return record_writeback(WRITEBACK_START, inode, 0, most);
}

MEASURE(FS_WRITEBACK, "fs.writeback", fs_writeback, WRITEBACK_TEXT)
PART(1)
SEC("tp_btf/writeback_single_inode")
int BPF_PROG(fs_writeback_end, struct inode *inode, struct writeback_control *control,
	     unsigned long most)
{
	return record_writeback(WRITEBACK_END, inode, 0, most - control->nr_to_write);
}

MEASURE(FS_WRITEBACK, "fs.writeback", fs_writeback, WRITEBACK_TEXT)
PART(2)
SEC("tp_btf/folio_wait_writeback")
int BPF_PROG(fs_writeback_wait, struct folio *folio, struct address_space *mapping)
{
	struct inode *inode = mapping ? BPF_CORE_READ(mapping, host) : 0;

	return inode ? record_writeback(WRITEBACK_WAIT, inode, BPF_CORE_READ(folio, index),
					folio_pages(folio)) :
		       0;
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
