// SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only)
/*
 * tcp: the state of one connection at a kernel event (catalogue: tcp; PSC's struct tpm_entry,
 * seed 001). Every trigger records the same snapshot; what it adds comes behind it.
 */
#include "probe/kernel.bpf.h"

#include <bpf/bpf_tracing.h>

#include "probe/filter.bpf.h"
#include "probe/measure.bpf.h"
#include "probe/ring.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

#define AF_INET 2
#define AF_INET6 10

/* include/net/tcp_states.h */
enum tcp_state {
	TCP_ESTABLISHED = 1,
	TCP_SYN_SENT,
	TCP_SYN_RECV,
	TCP_FIN_WAIT1,
	TCP_FIN_WAIT2,
	TCP_TIME_WAIT,
	TCP_CLOSE_,
	TCP_CLOSE_WAIT,
	TCP_LAST_ACK,
	TCP_LISTEN,
	TCP_CLOSING,
	TCP_NEW_SYN_RECV,
};
/* include/uapi/linux/tcp.h, enum tcp_ca_state */
enum tcp_ca_state {
	CA_Open,
	CA_Disorder,
	CA_CWR,
	CA_Recovery,
	CA_Loss,
};
enum ip_family { FAMILY_IPV4 = AF_INET, FAMILY_IPV6 = AF_INET6 };
enum retransmit_cause {
	CAUSE_FAST, /* duplicate acknowledgements or RACK */
	CAUSE_RTO,
	CAUSE_TLP, /* tail loss probe */
	CAUSE_SYN,
};
enum reset_direction { RESET_SENT, RESET_RECEIVED };

/* Sequence numbers are modulo 2^32, as on the wire. */
struct tcp_snapshot {
	__u64 head;
	__u64 callvalue TEXT("what the trigger adds, see the measurement") SCOPE("monitor");
	__u64 cookie TEXT("number of the socket, unique since boot");
	__u64 bytes_acked TEXT("bytes acknowledged by the peer") UNIT("bytes");
	__u64 bytes_received TEXT("bytes received in order") UNIT("bytes");
	__u64 pacing_rate TEXT("rate that sending is paced at; all ones: not paced")
		UNIT("bytes/s");
	__u64 tcp_mem_pages TEXT("memory of all TCP sockets") UNIT("pages") SCOPE("system");
	__u32 location TEXT("number of the trigger") SCOPE("monitor");
	__u32 netns TEXT("network namespace (inode)");
	__u32 snd_una TEXT("oldest byte not acknowledged") UNIT("seq");
	__u32 snd_nxt TEXT("next byte to be sent") UNIT("seq");
	__u32 write_seq TEXT("end of what the application has written") UNIT("seq");
	__u32 snd_fack TEXT("highest byte acknowledged, selectively or not") UNIT("seq");
	__u32 snd_cwnd TEXT("congestion window") UNIT("segments");
	__u32 snd_ssthresh TEXT("slow start threshold") UNIT("segments");
	__u32 snd_wnd TEXT("window that the peer offers") UNIT("bytes");
	__u32 rcv_nxt TEXT("next byte expected") UNIT("seq");
	__u32 copied_seq TEXT("next byte that the application will read") UNIT("seq");
	__u32 rcv_wnd TEXT("window that we offer") UNIT("bytes");
	__u32 rcv_ssthresh TEXT("limit of the window that we offer") UNIT("bytes");
	__u32 mss TEXT("payload of a full segment") UNIT("bytes");
	__u32 srtt_us TEXT("smoothed round-trip time") UNIT("us/8");
	__u32 mdev_us TEXT("mean deviation of the round-trip time") UNIT("us/4");
	__u32 rto_us TEXT("retransmission timeout") UNIT("us");
	__u32 packets_out TEXT("segments in flight") UNIT("segments");
	__u32 sacked_out TEXT("of these: selectively acknowledged") UNIT("segments");
	__u32 lost_out TEXT("of these: taken for lost") UNIT("segments");
	__u32 retrans_out TEXT("of these: sent again") UNIT("segments");
	__u32 total_retrans TEXT("segments sent again since the connection began") UNIT("segments");
	__u32 delivered TEXT("segments delivered since the connection began") UNIT("segments");
	__u32 reordering TEXT("reordering that is tolerated") UNIT("segments");
	__u32 sndbuf TEXT("size of the send buffer") UNIT("bytes");
	__u32 wmem_queued TEXT("memory that the send queue takes") UNIT("bytes");
	__u32 rcvbuf TEXT("size of the receive buffer") UNIT("bytes");
	__u32 rmem_alloc TEXT("memory that the receive queue takes") UNIT("bytes");
	enum tcp_state state TEXT("state of the connection");
	enum tcp_ca_state ca_state TEXT("state of congestion control");
	enum ip_family family TEXT("IP version: the address family's number");
	__u16 lport TEXT("local port");
	__u16 rport TEXT("remote port");
	__u8 saddr[16] TEXT("local address") SHOW("address");
	__u8 daddr[16] TEXT("remote address") SHOW("address");
	char ca_name[16] TEXT("congestion control algorithm");
	RECORD_END;
};
RECORD(tcp_snapshot);

struct tcp_cwnd {
	struct tcp_snapshot snapshot;
	__u32 old_cwnd TEXT("snd_cwnd at the connection's record before; 0 = none")
		UNIT("segments");
	__u32 old_ssthresh TEXT("snd_ssthresh at the record before") UNIT("segments");
	RECORD_END;
};
RECORD(tcp_cwnd);

struct tcp_retransmit {
	struct tcp_snapshot snapshot;
	__u32 seq TEXT("first byte of the segment") UNIT("seq");
	__u32 length TEXT("bytes that it carries") UNIT("bytes");
	__u32 segments TEXT("packets that it goes out in") UNIT("segments");
	enum retransmit_cause cause TEXT("why it is sent again");
	__s32 error TEXT("0; 1 = dropped by the queueing discipline here; or -errno")
		SHOW("result");
	RECORD_END;
};
RECORD(tcp_retransmit);

struct tcp_loss {
	struct tcp_snapshot snapshot;
	enum tcp_ca_state old_ca_state TEXT("state of congestion control before");
	enum tcp_ca_state new_ca_state TEXT("and now");
	RECORD_END;
};
RECORD(tcp_loss);

struct tcp_change {
	struct tcp_snapshot snapshot;
	enum tcp_state old_state TEXT("state of the connection before");
	enum tcp_state new_state TEXT("and now");
	RECORD_END;
};
RECORD(tcp_change);

struct tcp_reset {
	struct tcp_snapshot snapshot;
	enum reset_direction direction TEXT("which way the reset goes");
	__u32 reason TEXT("why it is sent; 0 = the kernel does not tell") NAMES("sk_rst_reason");
	RECORD_END;
};
RECORD(tcp_reset);

/* Per socket, where a trigger compares with the record before, or a filter asks whose it is. */
struct socket_memory {
	__u32 cwnd;
	__u32 ssthresh;
	__u32 rcvbuf;
	__u32 owned; /* a wanted task has used it */
};
struct {
	__uint(type, BPF_MAP_TYPE_SK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct socket_memory);
} sockets SEC(".maps");

/* Set by user space from the kernel's own BTF: arguments that some kernels do not pass. */
const volatile __u8 cfg_retransmit_has_error = 0;
const volatile __u8 cfg_reset_has_reason = 0;
const volatile __u32 cfg_ns_per_jiffy = 4000000;

static __always_inline void mapped_address(__u8 *to, const struct sock_common *sk, bool local)
{
	__u64 *words = (__u64 *)to;
	__u32 *quads = (__u32 *)to;

	if (sk->skc_family == AF_INET6) {
		const struct in6_addr *from = local ? &sk->skc_v6_rcv_saddr : &sk->skc_v6_daddr;

		quads[0] = from->in6_u.u6_addr32[0];
		quads[1] = from->in6_u.u6_addr32[1];
		quads[2] = from->in6_u.u6_addr32[2];
		quads[3] = from->in6_u.u6_addr32[3];
		return;
	}
	words[0] = 0;
	quads[2] = bpf_htonl(0xffff);
	quads[3] = local ? sk->skc_rcv_saddr : sk->skc_daddr;
}

static __always_inline bool socket_address_wanted(const struct sock_common *sk)
{
	__u64 local[2], remote[2];

	mapped_address((__u8 *)local, sk, true);
	mapped_address((__u8 *)remote, sk, false);
	return address_wanted(local, remote);
}

/* A socket belongs to the tasks that use it: in an interrupt the current task says nothing. */
static __always_inline bool owner_wanted(struct sock *sk)
{
	struct socket_memory *memory = bpf_sk_storage_get(&sockets, sk, 0, 0);

	return memory && memory->owned;
}

static __always_inline bool socket_wanted(struct sock *sk)
{
	const struct sock_common *common = &sk->__sk_common;

	if (cfg_filter.port_count && !port_wanted(common->skc_num, bpf_ntohs(common->skc_dport)))
		return false;
	if (cfg_filter.address_count && !socket_address_wanted(common))
		return false;
	if (cfg_filter.netns_count &&
	    !netns_wanted(BPF_CORE_READ(sk, __sk_common.skc_net.net, ns.inum)))
		return false;
	if (cfg_filter.uid_count && !uid_wanted(BPF_CORE_READ(sk, sk_uid.val)))
		return false;
	if (cfg_filter.cgroup_count && !cgroup_wanted(BPF_CORE_READ(sk, sk_cgrp_data.cgroup)))
		return false;
	if ((cfg_filter.by_pid || cfg_filter.comm_count) && !owner_wanted(sk))
		return false;
	return true;
}

static __always_inline struct tcp_skb_cb *segment_control(const struct sk_buff *skb)
{
	return (struct tcp_skb_cb *)&skb->cb;
}

static __always_inline __u32 highest_acked(const struct tcp_sock *tp)
{
	__u32 seq = tp->snd_una;
	__u32 next = tp->snd_nxt;
	struct sk_buff *highest;

	/* Loaded by now, or clang joins the loads below into one of two kinds of pointer. */
	asm volatile("" : "+r"(seq), "+r"(next));
	if (!tp->sacked_out)
		return seq;
	highest = BPF_CORE_READ(tp, highest_sack);
	if (!highest)
		return next;
	return BPF_CORE_READ(segment_control(highest), seq);
}

static __always_inline __u64 socket_cookie(struct sock *sk)
{
	__u64 cookie = sk->__sk_common.skc_cookie.counter;

	return cookie ?: bpf_get_socket_cookie(sk);
}

static __always_inline void snapshot_identity(struct tcp_snapshot *snap, struct sock *sk)
{
	const struct sock_common *common = &sk->__sk_common;
	struct net *net = common->skc_net.net;

	snap->cookie = socket_cookie(sk);
	snap->netns = net ? net->ns.inum : 0;
	snap->state = common->skc_state;
	snap->family = common->skc_family;
	snap->lport = common->skc_num;
	snap->rport = bpf_ntohs(common->skc_dport);
	mapped_address(snap->saddr, common, true);
	mapped_address(snap->daddr, common, false);
}

static __always_inline void snapshot_sender(struct tcp_snapshot *snap, const struct tcp_sock *tp)
{
	snap->bytes_acked = tp->bytes_acked;
	snap->snd_una = tp->snd_una;
	snap->snd_nxt = tp->snd_nxt;
	snap->write_seq = tp->write_seq;
	snap->snd_fack = highest_acked(tp);
	snap->snd_cwnd = tp->snd_cwnd;
	snap->snd_ssthresh = tp->snd_ssthresh;
	snap->snd_wnd = tp->snd_wnd;
	snap->mss = tp->mss_cache;
	snap->srtt_us = tp->srtt_us;
	snap->mdev_us = tp->mdev_us;
	snap->rto_us = tp->inet_conn.icsk_rto * (cfg_ns_per_jiffy / 1000);
	snap->packets_out = tp->packets_out;
	snap->sacked_out = tp->sacked_out;
	snap->lost_out = tp->lost_out;
	snap->retrans_out = tp->retrans_out;
	snap->total_retrans = tp->total_retrans;
	snap->delivered = tp->delivered;
	snap->reordering = tp->reordering;
	snap->ca_state = BPF_CORE_READ_BITFIELD(&tp->inet_conn, icsk_ca_state);
}

static __always_inline void snapshot_buffers(struct tcp_snapshot *snap, struct sock *sk,
					     const struct tcp_sock *tp)
{
	const struct tcp_congestion_ops *algorithm = tp->inet_conn.icsk_ca_ops;
	struct proto *proto = sk->__sk_common.skc_prot;

	snap->bytes_received = tp->bytes_received;
	snap->rcv_nxt = tp->rcv_nxt;
	snap->copied_seq = tp->copied_seq;
	snap->rcv_wnd = tp->rcv_wnd;
	snap->rcv_ssthresh = tp->rcv_ssthresh;
	snap->pacing_rate = sk->sk_pacing_rate;
	snap->sndbuf = sk->sk_sndbuf;
	snap->wmem_queued = sk->sk_wmem_queued;
	snap->rcvbuf = sk->sk_rcvbuf;
	snap->rmem_alloc = sk->sk_backlog.rmem_alloc.counter;
	snap->tcp_mem_pages = proto ? proto->memory_allocated->counter : 0;
	copy_name(snap->ca_name, algorithm->name);
}

static __always_inline void snapshot_take(struct tcp_snapshot *snap, struct sock *sk,
					  const struct tcp_sock *tp, __u32 id, __u64 callvalue)
{
	snap->callvalue = callvalue;
	snap->location = id;
	snapshot_identity(snap, sk);
	snapshot_sender(snap, tp);
	snapshot_buffers(snap, sk, tp);
}

static __always_inline __u32 current_tid(void)
{
	return (__u32)bpf_get_current_pid_tgid();
}

/*
 * Reserves a record of @bytes and takes the snapshot at its start. NULL: not wanted, not a full
 * TCP socket (TIME_WAIT, requests), or lost.
 */
static __always_inline void *snapshot_begin(struct reservation *res, struct sock *sk, __u32 id,
					    __u32 bytes, __u64 callvalue)
{
	struct tcp_sock *tp = bpf_skc_to_tcp_sock(sk);
	struct tcp_snapshot *snap;

	if (!tp || !socket_wanted(sk))
		return 0;
	snap = record_reserve(res, id, current_tid(), bytes);
	if (snap)
		snapshot_take(snap, sk, tp, id, callvalue);
	return snap;
}

static __always_inline int record_snapshot(struct sock *sk, __u32 id, __u64 callvalue)
{
	struct reservation res;

	if (snapshot_begin(&res, sk, id, record_bytes(tcp_snapshot), callvalue))
		record_commit(&res);
	return 0;
}

MEASURE(TCP_ACK, "tcp.ack", tcp_snapshot,
	"a segment arrives on an established connection: the state before it takes effect "
	"(callvalue: bytes of the segment, headers included)")
SEC("tp_btf/tcp_probe")
int BPF_PROG(tcp_ack, struct sock *sk, struct sk_buff *skb)
{
	return record_snapshot(sk, TCP_ACK, skb->len);
}

MEASURE(TCP_CWND, "tcp.cwnd", tcp_cwnd,
	"the congestion window or the slow start threshold has changed (callvalue: the old window)")
SEC("tp_btf/tcp_probe")
int BPF_PROG(tcp_cwnd, struct sock *sk, struct sk_buff *skb)
{
	struct tcp_sock *tp = bpf_skc_to_tcp_sock(sk);
	struct socket_memory *memory;
	struct tcp_cwnd *record;
	struct reservation res;

	if (!tp)
		return 0;
	memory = bpf_sk_storage_get(&sockets, sk, 0, BPF_SK_STORAGE_GET_F_CREATE);
	if (!memory || (memory->cwnd == tp->snd_cwnd && memory->ssthresh == tp->snd_ssthresh))
		return 0;
	record = snapshot_begin(&res, sk, TCP_CWND, record_bytes(tcp_cwnd), memory->cwnd);
	if (!record)
		return 0;
	record->old_cwnd = memory->cwnd;
	record->old_ssthresh = memory->ssthresh;
	memory->cwnd = record->snapshot.snd_cwnd;
	memory->ssthresh = record->snapshot.snd_ssthresh;
	record_commit(&res);
	return 0;
}

#define ICSK_TIME_LOSS_PROBE 5 /* include/net/inet_connection_sock.h */

static __always_inline enum retransmit_cause retransmit_cause(const struct sock *sk,
							      const struct tcp_sock *tp)
{
	__u8 state = sk->__sk_common.skc_state;

	if (state == TCP_SYN_SENT || state == TCP_SYN_RECV)
		return CAUSE_SYN;
	if (tp->inet_conn.icsk_pending == ICSK_TIME_LOSS_PROBE)
		return CAUSE_TLP;
	return BPF_CORE_READ_BITFIELD(&tp->inet_conn, icsk_ca_state) == CA_Loss ? CAUSE_RTO :
										  CAUSE_FAST;
}

MEASURE(TCP_RETRANSMIT, "tcp.retransmit", tcp_retransmit,
	"a segment is sent again (callvalue: its first byte's sequence number)")
SEC("tp_btf/tcp_retransmit_skb")
int tcp_retransmit(__u64 *ctx)
{
	struct sock *sk = (void *)ctx[0];
	struct sk_buff *skb = (void *)ctx[1];
	struct tcp_sock *tp = bpf_skc_to_tcp_sock(sk);
	struct tcp_retransmit *record;
	struct reservation res;
	struct tcp_skb_cb *control = segment_control(skb);
	__u32 seq = BPF_CORE_READ(control, seq);

	record = snapshot_begin(&res, sk, TCP_RETRANSMIT, record_bytes(tcp_retransmit), seq);
	if (!record)
		return 0;
	record->seq = seq;
	record->length = skb->len;
	record->segments = BPF_CORE_READ(control, tcp_gso_segs);
	record->cause = tp ? retransmit_cause(sk, tp) : CAUSE_FAST;
	record->error = cfg_retransmit_has_error ? (__s32)ctx[2] : 0;
	record_commit(&res);
	return 0;
}

MEASURE(TCP_LOSS, "tcp.loss", tcp_loss,
	"the loss state machine moves: Open, Disorder, CWR, Recovery, Loss (callvalue: the new state)")
SEC("tp_btf/tcp_cong_state_set")
int BPF_PROG(tcp_loss, struct sock *sk, __u8 state)
{
	struct tcp_loss *record;
	struct reservation res;

	record = snapshot_begin(&res, sk, TCP_LOSS, record_bytes(tcp_loss), state);
	if (!record)
		return 0;
	record->old_ca_state = record->snapshot.ca_state;
	record->new_ca_state = state;
	record_commit(&res);
	return 0;
}

MEASURE(TCP_STATE, "tcp.state", tcp_change,
	"the connection changes state (callvalue: the new state)")
SEC("tp_btf/inet_sock_set_state")
int BPF_PROG(tcp_state, struct sock *sk, int old_state, int new_state)
{
	struct tcp_change *record;
	struct reservation res;

	record = snapshot_begin(&res, sk, TCP_STATE, record_bytes(tcp_change), new_state);
	if (!record)
		return 0;
	record->old_state = old_state;
	record->new_state = new_state;
	record_commit(&res);
	return 0;
}

MEASURE(TCP_SEND, "tcp.send", tcp_snapshot,
	"the application hands bytes to TCP (callvalue: how many)")
SEC("tp_btf/tcp_sendmsg_locked")
int BPF_PROG(tcp_send, struct sock *sk, struct msghdr *msg)
{
	/* It fires for each segment that is filled; at the first one nothing has been taken yet. */
	if (msg->msg_iter.iov_offset)
		return 0;
	return record_snapshot(sk, TCP_SEND, msg->msg_iter.count);
}

MEASURE(TCP_SEND, "tcp.send", tcp_snapshot,
	"the application hands bytes to TCP (callvalue: how many)")
SEC("fentry/tcp_sendmsg_locked")
int BPF_PROG(tcp_send_fentry, struct sock *sk, struct msghdr *msg, unsigned long size)
{
	preempt_off();
	record_snapshot(sk, TCP_SEND, size);
	preempt_on();
	return 0;
}

MEASURE(TCP_RECV, "tcp.recv", tcp_snapshot,
	"the application took bytes from TCP (callvalue: bytes still waiting)")
SEC("tp_btf/tcp_rcv_space_adjust")
int BPF_PROG(tcp_recv, struct sock *sk)
{
	struct tcp_sock *tp = bpf_skc_to_tcp_sock(sk);

	return tp ? record_snapshot(sk, TCP_RECV, tp->rcv_nxt - tp->copied_seq) : 0;
}

MEASURE(TCP_RCVBUF, "tcp.rcvbuf", tcp_snapshot,
	"the receive buffer grows by autotuning (callvalue: its size before; 0 = not known)")
SEC("tp_btf/tcp_rcvbuf_grow")
int BPF_PROG(tcp_rcvbuf, struct sock *sk)
{
	struct socket_memory *memory =
		bpf_sk_storage_get(&sockets, sk, 0, BPF_SK_STORAGE_GET_F_CREATE);
	__u32 before;

	if (!memory)
		return 0;
	before = memory->rcvbuf;
	memory->rcvbuf = sk->sk_rcvbuf;
	return record_snapshot(sk, TCP_RCVBUF, before);
}

MEASURE(TCP_RCVBUF, "tcp.rcvbuf", tcp_snapshot,
	"the receive buffer grows by autotuning (callvalue: its size before; 0 = not known)")
SEC("tp_btf/tcp_rcv_space_adjust")
int BPF_PROG(tcp_rcvbuf_compare, struct sock *sk)
{
	struct socket_memory *memory =
		bpf_sk_storage_get(&sockets, sk, 0, BPF_SK_STORAGE_GET_F_CREATE);
	__u32 before;

	if (!memory || memory->rcvbuf == (__u32)sk->sk_rcvbuf)
		return 0;
	before = memory->rcvbuf;
	memory->rcvbuf = sk->sk_rcvbuf;
	return before ? record_snapshot(sk, TCP_RCVBUF, before) : 0;
}

/* A segment for which there is no socket: all that is known is in its headers, seen from us. */
static __always_inline void snapshot_from_segment(struct tcp_snapshot *snap, struct sk_buff *skb)
{
	unsigned char *ip = skb->head + skb->network_header;
	__u8 version = 0;
	__u16 ports[2] = {};

	bpf_probe_read_kernel(&version, sizeof(version), ip);
	bpf_probe_read_kernel(ports, sizeof(ports), skb->head + skb->transport_header);
	snap->rport = bpf_ntohs(ports[0]);
	snap->lport = bpf_ntohs(ports[1]);
	if (version >> 4 == 6) {
		snap->family = AF_INET6;
		bpf_probe_read_kernel(snap->daddr, 16, ip + 8);
		bpf_probe_read_kernel(snap->saddr, 16, ip + 24);
		return;
	}
	snap->family = AF_INET;
	snap->saddr[10] = snap->saddr[11] = snap->daddr[10] = snap->daddr[11] = 0xff;
	bpf_probe_read_kernel(snap->daddr + 12, 4, ip + 12);
	bpf_probe_read_kernel(snap->saddr + 12, 4, ip + 16);
}

static __always_inline bool filters_sockets(void)
{
	return cfg_filter.port_count || cfg_filter.address_count || cfg_filter.netns_count ||
	       cfg_filter.uid_count || cfg_filter.cgroup_count || cfg_filter.by_pid ||
	       cfg_filter.comm_count;
}

/* Nobody's port was asked for: with a filter by anything, nobody wanted it. */
static __always_inline int record_refusal(struct sk_buff *skb, __u32 reason)
{
	struct tcp_reset *record;
	struct reservation res;

	if (filters_sockets())
		return 0;
	record = record_reserve(&res, TCP_RESET, current_tid(), record_bytes(tcp_reset));
	if (!record)
		return 0;
	__builtin_memset((char *)record + RECORD_HEAD_BYTES, 0,
			 record_bytes(tcp_reset) - RECORD_HEAD_BYTES);
	record->snapshot.location = TCP_RESET;
	record->snapshot.state = TCP_CLOSE_;
	snapshot_from_segment(&record->snapshot, skb);
	record->direction = RESET_SENT;
	record->reason = reason;
	record_commit(&res);
	return 0;
}

static __always_inline int record_reset(struct sock *sk, enum reset_direction direction,
					__u32 reason)
{
	struct tcp_reset *record;
	struct reservation res;

	record = snapshot_begin(&res, sk, TCP_RESET, record_bytes(tcp_reset), reason);
	if (!record)
		return 0;
	record->direction = direction;
	record->reason = reason;
	record_commit(&res);
	return 0;
}

MEASURE(TCP_RESET, "tcp.reset", tcp_reset, "a reset is sent or received (callvalue: the reason)")
PART(0)
SEC("tp_btf/tcp_send_reset")
int tcp_reset_sent(__u64 *ctx)
{
	struct sock *sk = (void *)ctx[0];
	struct sk_buff *skb = (void *)ctx[1];
	__u32 reason = cfg_reset_has_reason ? (__u32)ctx[2] : 0;

	if (sk)
		return record_reset(sk, RESET_SENT, reason);
	return skb ? record_refusal(skb, reason) : 0;
}

MEASURE(TCP_RESET, "tcp.reset", tcp_reset, "a reset is sent or received (callvalue: the reason)")
PART(1)
SEC("tp_btf/tcp_receive_reset")
int BPF_PROG(tcp_reset_received, struct sock *sk)
{
	return record_reset(sk, RESET_RECEIVED, 0);
}

MEASURE(TCP_CLOSE, "tcp.close", tcp_snapshot, "the socket goes away: the totals of its life")
SEC("tp_btf/tcp_destroy_sock")
int BPF_PROG(tcp_close, struct sock *sk)
{
	return record_snapshot(sk, TCP_CLOSE, 0);
}

/* In a task's own context: from here on the socket is its. Attached when a filter asks. */
static __always_inline int socket_claim(struct sock *sk)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct socket_memory *memory;

	if (!task_wanted(task))
		return 0;
	memory = bpf_sk_storage_get(&sockets, sk, 0, BPF_SK_STORAGE_GET_F_CREATE);
	if (memory)
		memory->owned = 1;
	return 0;
}

SERVICE("owner")
SEC("tp_btf/tcp_rcv_space_adjust")
int BPF_PROG(owner_recv, struct sock *sk)
{
	return socket_claim(sk);
}

SERVICE("owner")
SEC("tp_btf/tcp_sendmsg_locked")
int BPF_PROG(owner_send, struct sock *sk)
{
	return socket_claim(sk);
}

SERVICE("owner")
SEC("fentry/tcp_sendmsg_locked")
int BPF_PROG(owner_send_fentry, struct sock *sk)
{
	return socket_claim(sk);
}

/* connect and listen: the only states entered by a task itself. */
SERVICE("owner")
SEC("tp_btf/inet_sock_set_state")
int BPF_PROG(owner_connect, struct sock *sk, int old_state, int new_state)
{
	return new_state == TCP_SYN_SENT || new_state == TCP_LISTEN ? socket_claim(sk) : 0;
}
