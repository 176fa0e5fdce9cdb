// SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only)
/*
 * disk: requests on their way to a disk and back (catalogue: disk; HP-UX disc_io_id,
 * timeshare_insert): bios as they come in, what becomes of them in the queue, the hand-over to
 * the driver, the end.
 *
 * A queue's contents and all times are derived when the trace is read: `request` shows which
 * records belong together.
 */
#include "probe/kernel.bpf.h"

#include <bpf/bpf_tracing.h>

#include "probe/dirtier.bpf.h"
#include "probe/filter.bpf.h"
#include "probe/measure.bpf.h"
#include "probe/ring.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* include/uapi/linux/ioprio.h */
enum io_class { IO_CLASS_NONE, IO_CLASS_RT, IO_CLASS_BE, IO_CLASS_IDLE };
/* include/linux/blk_types.h, BLK_STS_* */
enum io_status {
	IO_OK,
	IO_NOTSUPP,
	IO_TIMEOUT,
	IO_NOSPC,
	IO_TRANSPORT,
	IO_TARGET,
	IO_RESV_CONFLICT,
	IO_MEDIUM,
	IO_PROTECTION,
	IO_RESOURCE,
	IO_IOERR,
	IO_DM_REQUEUE,
	IO_AGAIN,
	IO_DEV_RESOURCE,
	IO_ZONE_RESOURCE,
};
enum merge_kind {
	MERGE_BACK, /* a bio behind a request that waits */
	MERGE_FRONT, /* a bio in front of one */
	MERGE_REQUESTS, /* two requests that now touch each other */
};

/* With what every record of this group begins. */
struct disk_io {
	__u64 head;
	__u64 sector TEXT("first sector") UNIT("sectors");
	__u32 request TEXT("number of the request, until it has ended; 0 = a bio, none yet")
		SHOW("hex");
	__u32 bytes TEXT("length of the transfer") UNIT("bytes");
	__u16 major TEXT("major number of the disk or partition");
	__u16 minor TEXT("minor number");
	__s32 tag TEXT("place that the driver has given to the request, or -1");
	enum io_class prio_class TEXT("class of its I/O priority");
	__u32 op : 25 TEXT("operation") NAMES("req_op");
	__u32 writeback : 1 TEXT("pages of files are written back") SHOW("flag");
	__u32 sync : 1 TEXT("a task waits for it") SHOW("flag");
	__u32 meta : 1 TEXT("metadata of a file system") SHOW("flag");
	__u32 fua : 1 TEXT("past the disk's write cache") SHOW("flag");
	__u32 preflush : 1 TEXT("the disk's write cache is written before") SHOW("flag");
	__u32 readahead : 1 TEXT("read ahead, not requested yet") SHOW("flag");
	__u32 background : 1 TEXT("writeback in the background") SHOW("flag");
	char disk[16] TEXT("name of the disk");
	RECORD_END;
};
RECORD(disk_io);

#define OWNER_TID                                                                         \
	__u32 owner_tid TEXT(                                                             \
		"writeback: task that made the first page dirty, or else hands it over; " \
		"0 = not known")

struct disk_begin {
	struct disk_io io;
	OWNER_TID;
	RECORD_END;
};
RECORD(disk_begin);

struct disk_complete {
	struct disk_io io;
	__u32 left TEXT("bytes of the request that are still to come") UNIT("bytes");
	enum io_status status TEXT("how it ended");
	RECORD_END;
};
RECORD(disk_complete);

struct disk_merge {
	struct disk_io io;
	enum merge_kind kind TEXT("the kind of merge");
	OWNER_TID;
	RECORD_END;
};
RECORD(disk_merge);

/* Whether a request's task is wanted, by the request's number: the task on the CPU when a request ends says
 * nothing. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, __u32);
	__type(value, __u8);
} disk_wanted SEC(".maps");

#define FLAG(flags, bit) ((flags) >> bpf_core_enum_value(enum req_flag_bits, bit) & 1)
#define IOPRIO_CLASS_SHIFT 13
#define PF_KTHREAD 0x00200000 /* include/linux/sched.h */

/*
 * The address of the request, which is the hook's first argument, spread over 32 bits: the same for
 * the same request, and no address. Read as memory, since the verifier does not let a pointer be
 * reckoned with.
 */
static __always_inline __u32 request_number(const void *ctx)
{
	__u64 address = 0;

	bpf_probe_read_kernel(&address, sizeof(address), ctx);
	return (__u32)(address * 0x9e3779b97f4a7c15 >> 32) | 1;
}

static __always_inline enum io_class class_of(unsigned short priority)
{
	return priority >> IOPRIO_CLASS_SHIFT & 3;
}

static __always_inline unsigned short request_priority(const struct request *rq)
{
	const struct bio *bio;

	if (bpf_core_field_exists(rq->ioprio))
		return BPF_CORE_READ(rq, ioprio);
	bio = BPF_CORE_READ(rq, bio);
	return bio ? BPF_CORE_READ(bio, bi_ioprio) : 0;
}

static __always_inline void io_flags(struct disk_io *io, __u32 flags)
{
	io->op = flags & REQ_OP_MASK;
	io->sync = FLAG(flags, __REQ_SYNC);
	io->meta = FLAG(flags, __REQ_META);
	io->fua = FLAG(flags, __REQ_FUA);
	io->preflush = FLAG(flags, __REQ_PREFLUSH);
	io->readahead = FLAG(flags, __REQ_RAHEAD);
	io->background = FLAG(flags, __REQ_BACKGROUND);
}

/* @part (may be NULL) is the partition that was addressed. */
static __always_inline void io_device(struct disk_io *io, const struct gendisk *disk,
				      const struct block_device *part)
{
	__u32 dev = part ? BPF_CORE_READ(part, bd_dev) : 0;

	io->major = (__u16)(part ? dev >> 20 : 0);
	io->minor = (__u16)(part ? dev & 0xfffff : 0);
	__builtin_memset(io->disk, 0, sizeof(io->disk));
	if (!disk)
		return;
	if (!part) {
		io->major = (__u16)BPF_CORE_READ(disk, major);
		io->minor = (__u16)BPF_CORE_READ(disk, first_minor);
	}
	bpf_core_read_str(io->disk, sizeof(io->disk), &disk->disk_name);
}

/* A partition is wanted where its disk is. */
static __always_inline bool device_wanted(const struct gendisk *disk,
					  const struct block_device *part)
{
	if (!cfg_filter.dev_count)
		return true;
	if (part && dev_wanted(BPF_CORE_READ(part, bd_dev)))
		return true;
	return disk && dev_wanted((__u32)BPF_CORE_READ(disk, major) << 20 |
				  (__u32)BPF_CORE_READ(disk, first_minor));
}

/*
 * The cgroup that the kernel charges a transfer to, in a hierarchy of version 2; else NULL. A kernel thread writes back
 * the pages of many: this is the one whose pages they are.
 */
static __always_inline struct cgroup *bio_cgroup(const struct bio *bio)
{
	struct cgroup *cgroup;

	if (!bio || !bpf_core_field_exists(bio->bi_blkg))
		return 0;
	cgroup = BPF_CORE_READ(bio, bi_blkg, blkcg, css.cgroup);
	return cgroup && !BPF_CORE_READ(cgroup, root, hierarchy_id) ? cgroup : 0;
}

/* Of a transfer that begins: whether it writes back pages of files, and whose. */
struct disk_owner {
	__u64 dirtier; /* dirtier_of: 0 = not known */
	bool writeback;
};

static __always_inline void disk_owner_take(struct disk_owner *owner, const struct bio *bio)
{
	struct written_page first = {};

	if (bio)
		written_page_of(&first, bio);
	owner->writeback = first.folio;
	owner->dirtier = first.folio ? dirtier_of(first.folio) : 0;
}

/* A task that writes back itself, for fsync(2), has the pages if no other is known to have made them dirty. */
static __always_inline __u32 disk_owner_tid(const struct disk_owner *owner)
{
	const struct task_struct *task = bpf_get_current_task_btf();

	if (!owner->writeback)
		return 0;
	if (owner->dirtier)
		return dirtier_tid(owner->dirtier);
	return task->flags & PF_KTHREAD ? 0 : task->pid;
}

static __always_inline bool dirtier_wanted(const struct bio *bio, __u64 dirtier)
{
	struct cgroup *charged;

	if (!(dirtier & DIRTIER_WANTED) || !cfg_filter.cgroup_count)
		return dirtier & DIRTIER_WANTED;
	charged = bio_cgroup(bio);
	return charged ? cgroup_wanted(charged) : dirtier & DIRTIER_CGROUP_WANTED;
}

/* Whether a transfer that begins is wanted: its pages' task, or the one on the CPU; of cgroups the one that is charged. */
static __always_inline bool submitter_wanted(const struct bio *bio, const struct disk_owner *owner)
{
	const struct task_struct *task = bpf_get_current_task_btf();

	if (cfg_filter.tasks && owner->dirtier)
		return dirtier_wanted(bio, owner->dirtier);
	if (!cfg_filter.tasks || !cfg_filter.cgroup_count)
		return context_wanted();
	return task->tgid != cfg_filter.self && task_matches(task, task->tgid, bio_cgroup(bio));
}

static __always_inline bool bio_wanted(const struct bio *bio, const struct disk_owner *owner)
{
	const struct block_device *part;

	if (!submitter_wanted(bio, owner))
		return false;
	if (!cfg_filter.dev_count)
		return true;
	part = BPF_CORE_READ(bio, bi_bdev);
	return part && device_wanted(BPF_CORE_READ(part, bd_disk), part);
}

static __always_inline void io_of_request(struct disk_io *io, struct request *rq, __u32 number)
{
	io->sector = BPF_CORE_READ(rq, __sector);
	io->request = number;
	io->tag = BPF_CORE_READ(rq, tag);
	io->bytes = BPF_CORE_READ(rq, __data_len);
	io->prio_class = class_of(request_priority(rq));
	io_flags(io, BPF_CORE_READ(rq, cmd_flags));
	io_device(io, BPF_CORE_READ(rq, q, disk), BPF_CORE_READ(rq, part));
}

static __always_inline void io_of_bio(struct disk_io *io, struct bio *bio)
{
	struct block_device *part = BPF_CORE_READ(bio, bi_bdev);

	io->sector = BPF_CORE_READ(bio, bi_iter.bi_sector);
	io->request = 0;
	io->tag = -1;
	io->bytes = BPF_CORE_READ(bio, bi_iter.bi_size);
	io->prio_class = class_of(BPF_CORE_READ(bio, bi_ioprio));
	io_flags(io, BPF_CORE_READ(bio, bi_opf));
	io_device(io, part ? BPF_CORE_READ(part, bd_disk) : 0, part);
}

static __always_inline void *io_begin(struct reservation *res, __u32 id, __u32 bytes)
{
	return record_reserve(res, id, bpf_get_current_task_btf()->pid, bytes);
}

/*
 * Before it ends, a request belongs to its submitter, which mostly has the CPU: always when it is @queued, but
 * a task that hands requests to the driver may find others' in the queue too. The recorder's own writes are
 * recorded like all else: other tasks wait for the disk because of them.
 */
static __always_inline bool request_wanted(const struct request *rq, __u32 number, bool queued,
					   const struct disk_owner *owner)
{
	const __u8 *known;
	__u8 wanted;

	if (!device_wanted(BPF_CORE_READ(rq, q, disk), BPF_CORE_READ(rq, part)))
		return false;
	if (!cfg_filter.tasks)
		return true;
	known = bpf_map_lookup_elem(&disk_wanted, &number);
	/* A queued request with a known number is a new one if the end of the old one was not seen. */
	if (known && (*known || !queued))
		return *known;
	wanted = submitter_wanted(BPF_CORE_READ(rq, bio), owner);
	if (wanted || queued)
		bpf_map_update_elem(&disk_wanted, &number, &wanted, BPF_ANY);
	return wanted;
}

static __always_inline int record_request(void *ctx, __u32 id, struct request *rq, bool queued)
{
	__u32 number = request_number(ctx);
	struct disk_owner owner;
	struct reservation res;
	struct disk_begin *record;

	disk_owner_take(&owner, BPF_CORE_READ(rq, bio));
	if (!request_wanted(rq, number, queued, &owner))
		return 0;
	record = io_begin(&res, id, record_bytes(disk_begin));
	if (!record)
		return 0;
	io_of_request(&record->io, rq, number);
	record->io.writeback = owner.writeback;
	record->owner_tid = disk_owner_tid(&owner);
	record_commit(&res);
	return 0;
}

/* Each folio that becomes dirty, where the kernel counts write_bytes of a task. */
SERVICE("dirtier")
MISSES("which tasks made the pages dirty that kernel threads write back")
SEC("tp_btf/writeback_dirty_folio")
int disk_dirtier(__u64 *ctx)
{
	struct folio *folio = 0;

	/* Read as memory: a number, as request_number has it. */
	if (!bpf_probe_read_kernel(&folio, sizeof(folio), ctx))
		dirtier_learn(folio);
	return 0;
}

#define BY_WORKER         \
	CONTEXT("worker", \
		"transfers that kernel threads begin for tasks, as of pages that were dirty before")
#define AT_END         \
	CONTEXT("irq", \
		"ends of requests that kernel threads began for tasks, as of pages that were dirty before")

BY_WORKER
MEASURE(DISK_QUEUE, "disk.queue", disk_begin,
	"a request is put into the queue of a disk; one that the disk takes at once never is")
SEC("tp_btf/block_rq_insert")
int BPF_PROG(disk_queue, struct request *rq)
{
	return record_request(ctx, DISK_QUEUE, rq, true);
}

BY_WORKER
MEASURE(DISK_ISSUE, "disk.issue", disk_begin, "a request is handed to the driver of the disk")
SEC("tp_btf/block_rq_issue")
int BPF_PROG(disk_issue, struct request *rq)
{
	return record_request(ctx, DISK_ISSUE, rq, false);
}

BY_WORKER
MEASURE(DISK_REQUEUE, "disk.requeue", disk_begin,
	"the driver has put a request back into the queue")
SEC("tp_btf/block_rq_requeue")
int BPF_PROG(disk_requeue, struct request *rq)
{
	return record_request(ctx, DISK_REQUEUE, rq, false);
}

/* An end is recorded if the beginning was. */
static __always_inline bool end_wanted(const struct request *rq, __u32 number, bool last)
{
	const __u8 *known;
	bool wanted;

	if (!device_wanted(BPF_CORE_READ(rq, q, disk), BPF_CORE_READ(rq, part)))
		return false;
	if (!cfg_filter.tasks)
		return true;
	known = bpf_map_lookup_elem(&disk_wanted, &number);
	wanted = known && *known;
	if (known && last)
		bpf_map_delete_elem(&disk_wanted, &number);
	return wanted;
}

AT_END
MEASURE(DISK_COMPLETE, "disk.complete", disk_complete,
	"the disk has done a request, or a part of it (bytes, of it left)")
SEC("tp_btf/block_rq_complete")
int BPF_PROG(disk_complete, struct request *rq, __u8 status, unsigned int bytes)
{
	__u32 number = request_number(ctx);
	__u32 all = BPF_CORE_READ(rq, __data_len);
	__u32 left = all > bytes ? all - bytes : 0;
	struct disk_complete *record;
	struct disk_owner owner;
	struct reservation res;

	if (!end_wanted(rq, number, !left))
		return 0;
	record = io_begin(&res, DISK_COMPLETE, record_bytes(disk_complete));
	if (!record)
		return 0;
	io_of_request(&record->io, rq, number);
	disk_owner_take(&owner, BPF_CORE_READ(rq, bio));
	record->io.writeback = owner.writeback;
	record->io.bytes = bytes;
	record->left = left;
	record->status = status;
	record_commit(&res);
	return 0;
}

BY_WORKER
MEASURE(DISK_BIO, "disk.bio", disk_begin, "a file system or a program hands a transfer to a disk")
SEC("tp_btf/block_bio_queue")
int BPF_PROG(disk_bio, struct bio *bio)
{
	struct disk_owner owner;
	struct reservation res;
	struct disk_begin *record;

	disk_owner_take(&owner, bio);
	if (!bio_wanted(bio, &owner))
		return 0;
	record = io_begin(&res, DISK_BIO, record_bytes(disk_begin));
	if (!record)
		return 0;
	io_of_bio(&record->io, bio);
	record->io.writeback = owner.writeback;
	record->owner_tid = disk_owner_tid(&owner);
	record_commit(&res);
	return 0;
}

#define MERGE_TEXT "a transfer is put together with a request that waits, or two such requests are"

static __always_inline int record_merge(enum merge_kind kind, struct bio *bio)
{
	struct disk_merge *record;
	struct disk_owner owner;
	struct reservation res;

	disk_owner_take(&owner, bio);
	if (!bio_wanted(bio, &owner))
		return 0;
	record = io_begin(&res, DISK_MERGE, record_bytes(disk_merge));
	if (!record)
		return 0;
	io_of_bio(&record->io, bio);
	record->io.writeback = owner.writeback;
	record->owner_tid = disk_owner_tid(&owner);
	record->kind = kind;
	record_commit(&res);
	return 0;
}

BY_WORKER
MEASURE(DISK_MERGE, "disk.merge", disk_merge, MERGE_TEXT)
PART(0)
SEC("tp_btf/block_bio_backmerge")
int BPF_PROG(disk_merge_back, struct bio *bio)
{
	return record_merge(MERGE_BACK, bio);
}

BY_WORKER
MEASURE(DISK_MERGE, "disk.merge", disk_merge, MERGE_TEXT)
PART(1)
SEC("tp_btf/block_bio_frontmerge")
int BPF_PROG(disk_merge_front, struct bio *bio)
{
	return record_merge(MERGE_FRONT, bio);
}

BY_WORKER
MEASURE(DISK_MERGE, "disk.merge", disk_merge, MERGE_TEXT)
PART(2)
SEC("tp_btf/block_rq_merge")
int BPF_PROG(disk_merge_requests, struct request *rq)
{
	__u32 number = request_number(ctx);
	struct disk_merge *record;
	struct disk_owner owner;
	struct reservation res;

	disk_owner_take(&owner, BPF_CORE_READ(rq, bio));
	if (!request_wanted(rq, number, false, &owner))
		return 0;
	record = io_begin(&res, DISK_MERGE, record_bytes(disk_merge));
	if (!record)
		return 0;
	io_of_request(&record->io, rq, number);
	record->io.writeback = owner.writeback;
	record->owner_tid = disk_owner_tid(&owner);
	record->kind = MERGE_REQUESTS;
	record_commit(&res);
	return 0;
}

struct MEASURE(DISK_TAPE, "disk.tape", disk_io,
	       "a request to a cartridge tape (HP-UX: disc_ctd_id)")
	NEVER("Linux has no driver for the cartridge tapes of HP's CS/80 disks") disk_tape {
	struct disk_io io;
	RECORD_END;
};
RECORD(disk_tape);
