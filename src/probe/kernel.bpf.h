/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * kernel.bpf: the kernel types that the kernel half reads, reduced to the members it reads.
 *
 * Offsets are relocated when a program is loaded (CO-RE), so order, size and what is left out do
 * not matter; names and types do. A member that some kernels lack is guarded where it is used by
 * bpf_core_field_exists. Checked on 6.1 and 6.18.
 */
#ifndef SONDE_PROBE_KERNEL_BPF_H
#define SONDE_PROBE_KERNEL_BPF_H

#include <stdbool.h>

#include <linux/types.h>

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

typedef struct {
	int counter;
} atomic_t;
typedef struct {
	__s64 counter;
} atomic64_t;
typedef struct {
	__s64 counter;
} atomic_long_t;

#if defined(__TARGET_ARCH_x86)
struct pt_regs {
	unsigned long r9;
	unsigned long r8;
	unsigned long r10;
	unsigned long bx;
	unsigned long cx;
	unsigned long dx;
	unsigned long si;
	unsigned long di;
	unsigned long bp;
	unsigned long ip;
	unsigned long orig_ax;
	unsigned long cs;
};
struct thread_info {
	__u32 status;
	__u32 cpu;
};
#elif defined(__TARGET_ARCH_arm64)
struct pt_regs {
	__u64 regs[31];
	__u64 pc;
	__u64 pstate;
	__s32 syscallno;
};
struct thread_info {
	unsigned long flags;
	__u64 preempt_count;
	__u32 cpu;
};
#else
#error "no register layout for this architecture yet: see probe/sys.bpf.c"
#endif

typedef struct {
	atomic_t refs;
} refcount_t;
struct ns_common {
	unsigned int inum;
	refcount_t __ns_ref;
};
struct ns_common___until_6_17 {
	refcount_t count;
};
struct net {
	struct ns_common ns;
};
typedef struct {
	struct net *net;
} possible_net_t;
struct nsproxy {
	struct net *net_ns;
};

struct kernfs_node {
	__u64 id;
};
struct cgroup_root {
	int hierarchy_id; /* 0: version 2 */
};
struct cgroup {
	struct kernfs_node *kn;
	struct cgroup_root *root;
	int level;
	struct cgroup *ancestors[0];
};
struct css_set {
	struct cgroup *dfl_cgrp;
};
struct sock_cgroup_data {
	struct cgroup *cgroup;
};

typedef struct {
	__u32 val;
} kuid_t;
struct cred {
	kuid_t uid;
};

struct mm_struct {
	unsigned long arg_start;
	unsigned long arg_end;
};
struct linux_binprm {
	const char *filename;
};

struct rq {
	int cpu;
};
struct cfs_rq {
	struct rq *rq;
};
struct sched_entity {
	__u64 sum_exec_runtime;
	struct cfs_rq *cfs_rq;
};
struct file;
struct fdtable {
	unsigned int max_fds;
	struct file **fd;
	unsigned long *close_on_exec;
};
struct files_struct {
	struct fdtable *fdt;
};
struct path {
	struct vfsmount *mnt;
	struct dentry *dentry;
};
struct fs_struct {
	struct path pwd;
};
struct task_struct {
	struct thread_info thread_info;
	struct files_struct *files;
	struct fs_struct *fs;
	struct sched_entity se;
	unsigned int flags;
	unsigned int __state;
	int prio;
	int static_prio;
	unsigned int policy;
	int exit_code;
	__u32 pid;
	__u32 tgid;
	__u64 utime;
	__u64 stime;
	unsigned long nvcsw;
	unsigned long nivcsw;
	__u64 start_time;
	__u64 self_exec_id;
	struct task_struct *group_leader;
	unsigned long min_flt;
	unsigned long maj_flt;
	const struct cred *cred;
	char comm[16];
	struct mm_struct *mm;
	struct nsproxy *nsproxy;
	struct css_set *cgroups;
};

struct in6_addr {
	union {
		__u8 u6_addr8[16];
		__u32 u6_addr32[4];
	} in6_u;
};
struct proto {
	atomic_long_t *memory_allocated;
};
struct sock_common {
	__u32 skc_daddr;
	__u32 skc_rcv_saddr;
	__u16 skc_dport;
	__u16 skc_num;
	__u16 skc_family;
	volatile unsigned char skc_state;
	struct proto *skc_prot;
	possible_net_t skc_net;
	struct in6_addr skc_v6_daddr;
	struct in6_addr skc_v6_rcv_saddr;
	atomic64_t skc_cookie;
};
struct sk_buff_head {
	struct sk_buff *prev;
};
struct sock {
	struct sock_common __sk_common;
	struct {
		atomic_t rmem_alloc;
	} sk_backlog;
	struct sk_buff_head sk_receive_queue;
	int sk_rcvbuf;
	int sk_sndbuf;
	int sk_wmem_queued;
	unsigned long sk_pacing_rate;
	__u32 sk_pacing_status;
	__u16 sk_protocol;
	kuid_t sk_uid;
	struct sock_cgroup_data sk_cgrp_data;
};
struct inet_sock {
	struct sock sk;
	__be16 inet_sport;
};
struct tcp_congestion_ops {
	char name[16];
};
struct inet_connection_sock {
	struct inet_sock icsk_inet;
	__u32 icsk_rto;
	const struct tcp_congestion_ops *icsk_ca_ops;
	__u8 icsk_ca_state : 5;
	__u8 icsk_retransmits;
	__u8 icsk_pending;
};
struct net_device {
	possible_net_t nd_net;
	int ifindex;
};
struct sk_buff {
	struct sk_buff *next;
	struct net_device *dev;
	struct sock *sk;
	unsigned int len;
	unsigned int data_len;
	int skb_iif;
	char cb[48];
	__u16 transport_header;
	__u16 network_header;
	__u16 mac_header;
	__u16 protocol;
	unsigned int end; /* from the head: an offset on 64-bit machines */
	unsigned char *head;
	unsigned char *data;
};
struct skb_shared_info {
	unsigned short gso_segs;
};
struct nf_hook_state {
	struct net *net;
};
struct bpf_nf_ctx {
	const struct nf_hook_state *state;
	struct sk_buff *skb;
};
struct Qdisc_ops {
	char id[16];
};
struct gnet_stats_queue {
	__u32 backlog;
	__u32 drops;
};
struct qdisc_skb_head {
	__u32 qlen;
};
struct netdev_queue {
	struct net_device *dev;
};
struct Qdisc {
	const struct Qdisc_ops *ops;
	__u32 handle;
	struct netdev_queue *dev_queue;
	struct qdisc_skb_head q;
	struct gnet_stats_queue qstats;
};
struct minmax_sample {
	__u32 v;
};
struct minmax {
	struct minmax_sample s[3];
};
struct tcp_sock {
	struct inet_connection_sock inet_conn;
	__u32 snd_una;
	__u32 snd_nxt;
	__u32 write_seq;
	__u32 snd_cwnd;
	__u32 snd_ssthresh;
	__u32 snd_wnd;
	__u32 rcv_nxt;
	__u32 copied_seq;
	__u32 rcv_wnd;
	__u32 rcv_ssthresh;
	__u32 mss_cache;
	__u32 srtt_us;
	__u32 mdev_us;
	__u32 packets_out;
	__u32 sacked_out;
	__u32 lost_out;
	__u32 retrans_out;
	__u32 total_retrans;
	__u32 delivered;
	__u32 reordering;
	__u32 chrono_start;
	__u32 chrono_stat[3];
	__u8 chrono_type : 2;
	__u8 rate_app_limited : 1;
	__u32 rate_delivered;
	__u32 rate_interval_us;
	struct minmax rtt_min;
	__u32 data_segs_out;
	__u32 delivered_ce;
	__u32 dsack_dups;
	__u32 reord_seen;
	__u32 rcv_ooopack;
	__u64 bytes_retrans;
	__u64 bytes_acked;
	__u64 bytes_received;
	struct sk_buff *highest_sack;
};
struct tcp_skb_cb { /* lies in sk_buff.cb */
	__u32 seq;
	__u32 end_seq;
	__u16 tcp_gso_segs;
};
struct file;
struct socket {
	struct sock *sk;
};
struct bpf_iter__task_file {
	struct task_struct *task;
	__u32 fd;
	struct file *file;
};
struct bpf_iter__task {
	struct task_struct *task;
};
struct bpf_iter__tcp {
	struct sock_common *sk_common;
};
struct iov_iter {
	unsigned long iov_offset;
	unsigned long count;
};
struct msghdr {
	void *msg_name;
	int msg_namelen;
	struct iov_iter msg_iter;
};

struct irqaction {
	const char *name;
};
struct hrtimer {
	__s64 _softexpires;
	void *function;
};
struct timer_list {
	unsigned long expires;
	void *function;
};
struct work_struct {
	void *func;
};
struct pool_workqueue;
struct kernel_siginfo {
	int si_signo;
	int si_code;
};

struct gendisk {
	int major;
	int first_minor;
	char disk_name[32];
};
struct block_device {
	__u32 bd_dev;
	struct gendisk *bd_disk;
};
struct request_queue {
	struct gendisk *disk;
};
struct bvec_iter {
	__u64 bi_sector;
	unsigned int bi_size;
	unsigned int bi_idx;
	unsigned int bi_bvec_done;
};
struct page {
	unsigned long flags;
	unsigned long compound_head;
};
struct bio_vec {
	struct page *bv_page;
	unsigned int bv_offset;
};
struct cgroup_subsys_state {
	struct cgroup *cgroup;
};
struct blkcg {
	struct cgroup_subsys_state css;
};
struct blkcg_gq {
	struct blkcg *blkcg;
};
struct bio {
	struct block_device *bi_bdev;
	unsigned int bi_opf;
	unsigned short bi_flags;
	unsigned short bi_ioprio;
	struct bvec_iter bi_iter;
	struct bio_vec *bi_io_vec;
	struct blkcg_gq *bi_blkg; /* with CONFIG_BLK_CGROUP */
};
struct request {
	struct request_queue *q;
	unsigned int cmd_flags;
	int tag;
	unsigned int __data_len;
	__u64 __sector;
	struct bio *bio;
	struct block_device *part;
	unsigned short ioprio; /* until 6.12: later it is its bio's */
};

struct super_block {
	__u32 s_dev;
};
struct hlist_node {
	struct hlist_node *next;
};
struct hlist_head {
	struct hlist_node *first;
};
struct inode {
	unsigned short i_mode;
	__u8 i_blkbits;
	struct super_block *i_sb;
	unsigned long i_ino;
	struct address_space *i_mapping;
	struct hlist_head i_dentry;
};
struct qstr {
	__u32 len;
	const unsigned char *name;
};
struct dentry {
	struct dentry *d_parent;
	struct qstr d_name;
	union {
		struct hlist_node d_alias;
	} d_u;
};
struct address_space_operations {
	void *dirty_folio;
};
struct xarray {
	void *xa_head;
};
struct xa_node {
	unsigned char shift;
	void *slots[64];
};
struct address_space {
	struct inode *host;
	struct xarray i_pages;
	const struct address_space_operations *a_ops;
};
struct file {
	struct path f_path;
	struct inode *f_inode;
	void *private_data;
};
struct folio {
	struct address_space *mapping;
	unsigned long index;
	void *private;
	unsigned long _flags_1;
	unsigned char _folio_order; /* until 6.5: later in _flags_1 */
};
enum pageflags {
	PG_writeback = 1,
	PG_dirty = 4,
	PG_private = 14,
	PG_head = 16,
};
enum bh_state_bits {
	BH_Dirty = 1,
};
struct buffer_head {
	unsigned long b_state;
	struct buffer_head *b_this_page;
	struct page *b_page; /* since 6.2 also b_folio, at the same place */
	unsigned long b_size;
	char *b_data;
};
struct iomap_folio_state { /* since 6.6, which writes back no more than the dirty blocks of a folio */
	unsigned long state[0];
};
struct iomap {
	__u64 length;
};
struct iomap_iter {
	struct inode *inode;
	__s64 pos;
	__u64 len;
	unsigned int flags;
	struct iomap iomap;
};
struct file_ra_state {
	unsigned long start;
	unsigned int size;
};
struct readahead_control {
	struct address_space *mapping;
	struct file_ra_state *ra;
	unsigned long _index;
};
struct kiocb {
	struct file *ki_filp;
	__s64 ki_pos;
};
struct writeback_control {
	long nr_to_write;
};
/* include/linux/blk_types.h: the bits move from version to version, the names stay. */
enum req_flag_bits {
	__REQ_SYNC = 11,
	__REQ_META = 12,
	__REQ_FUA = 17,
	__REQ_PREFLUSH = 18,
	__REQ_RAHEAD = 19,
	__REQ_BACKGROUND = 20,
};

#pragma clang attribute pop

/* A name of the kernel's, in two loads: clang takes 16 for what it thinks may lie anywhere. */
static __inline __attribute__((always_inline)) void copy_name(char to[16], const char from[16])
{
	((__u64 *)to)[0] = ((const __u64 *)from)[0];
	((__u64 *)to)[1] = ((const __u64 *)from)[1];
}

#endif /* SONDE_PROBE_KERNEL_BPF_H */
