// SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only)
/*
 * tcp: the state of one connection at a kernel event (catalogue: tcp). Every trigger records the
 * same snapshot (probe/tcp_snapshot.bpf.h); what it adds comes behind it.
 */
#include "probe/kernel.bpf.h"

#include <bpf/bpf_tracing.h>

#include "probe/segment.bpf.h"
#include "probe/stand_in.bpf.h"
#include "probe/switch.bpf.h"
#include "probe/tcp_snapshot.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

#define IPPROTO_TCP 6 /* include/uapi/linux/in.h */

enum retransmit_cause {
	CAUSE_FAST, /* duplicate acknowledgements or RACK */
	CAUSE_RTO,
	CAUSE_TLP, /* tail loss probe */
	CAUSE_SYN,
};
enum reset_direction { RESET_SENT, RESET_RECEIVED };

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

/* Set by user space from the kernel's own BTF: arguments that some kernels do not pass. */
const volatile __u8 cfg_retransmit_has_error = 0;
const volatile __u8 cfg_reset_has_reason = 0;

/* A segment that arrives on a connection. */
struct arrival {
	struct sock *sk;
	const struct tcp_sock *tp;
	__u64 cookie;
	__u32 bytes;
};

static __always_inline void record_ack(const struct arrival *arrival)
{
	struct tcp_snapshot *record;
	struct reservation res;

	record = record_reserve(&res, TCP_ACK, current_tid(), record_bytes(tcp_snapshot));
	if (!record)
		return;
	snapshot_take(record, arrival->cookie, arrival->tp, TCP_ACK, arrival->bytes);
	record_commit(&res);
}

/* Segments of one connection may arrive on two CPUs at a time: one of these reports the change. */
static __always_inline void record_cwnd(const struct arrival *arrival)
{
	__u64 now = arrival->tp->snd_cwnd | (__u64)arrival->tp->snd_ssthresh << 32;
	struct socket_memory *memory;
	struct tcp_cwnd *record;
	struct reservation res;
	__u64 before;

	memory = bpf_sk_storage_get(&sockets, arrival->sk, 0, BPF_SK_STORAGE_GET_F_CREATE);
	if (!memory)
		return;
	before = load_once(memory->window);
	if (before == now || __sync_val_compare_and_swap(&memory->window, before, now) != before)
		return;
	record = record_reserve(&res, TCP_CWND, current_tid(), record_bytes(tcp_cwnd));
	if (!record) {
		store_once(memory->window, before);
		return;
	}
	snapshot_take(&record->snapshot, arrival->cookie, arrival->tp, TCP_CWND, (__u32)before);
	record->snapshot.snd_cwnd = (__u32)now;
	record->snapshot.snd_ssthresh = now >> 32;
	record->old_cwnd = (__u32)before;
	record->old_ssthresh = before >> 32;
	record_commit(&res);
}

static __always_inline void record_arrival(const struct arrival *arrival)
{
	const struct measure_switches *switches = measure_switches();

	if (!switches || !socket_wanted(arrival->sk))
		return;
	if (measure_is_on(switches, TCP_ACK))
		record_ack(arrival);
	if (measure_is_on(switches, TCP_CWND))
		record_cwnd(arrival);
}

#define SEGMENT_MEASURES(part)                                                                   \
	MEASURE(TCP_ACK, "tcp.ack", tcp_snapshot,                                                \
		"a segment arrives on a connection that is established or closing: the state "   \
		"before it takes effect (callvalue: bytes of the segment, headers included)")    \
	MEASURE(TCP_CWND, "tcp.cwnd", tcp_cwnd,                                                  \
		"the congestion window or the slow start threshold has changed (callvalue: the " \
		"old window)")                                                                   \
	PART(part)

/* Bytes of IP headers in front of the segment: a socket's program sees the packet from there. */
static __always_inline __u32 network_header_bytes(const struct __sk_buff *skb)
{
	const unsigned char *start = (void *)(long)skb->data, *end = (void *)(long)skb->data_end;
	const struct sk_buff *packet = (const void *)skb;

	if (start + 20 > end)
		return 0;
	if (start[0] >> 4 == 4)
		return (start[0] & 15) * 4;
	if (start[6] == IPPROTO_TCP)
		return 40;
	/* Behind extension headers. */
	return BPF_CORE_READ(packet, transport_header) - BPF_CORE_READ(packet, network_header);
}

/*
 * Where the kernel has found the segment's socket, and has not looked yet whether a task is busy
 * with it: every segment comes by here once, whatever the connection's state. tcp_probe, further
 * down, is only for those that are worked off while it is established.
 */
SEGMENT_MEASURES(0)
SEC("cgroup_skb/ingress")
int tcp_arrival(struct __sk_buff *skb)
{
	struct bpf_sock *found = skb->sk;
	struct arrival arrival = {};
	struct tcp_sock *tp;
	__u8 state;

	if (!found)
		return 1;
	tp = bpf_skc_to_tcp_sock(found);
	if (!tp)
		return 1;
	arrival.sk = (struct sock *)tp;
	arrival.tp = tp;
	state = arrival.sk->__sk_common.skc_state;
	if (state == TCP_LISTEN || state == TCP_SYN_SENT)
		return 1;
	arrival.cookie = arrival.sk->__sk_common.skc_cookie.counter ?: bpf_get_socket_cookie(skb);
	arrival.bytes = skb->len - network_header_bytes(skb);
	preempt_off_softirq();
	record_arrival(&arrival);
	preempt_on_softirq();
	return 1;
}

static __always_inline void record_segment(struct sock *sk, const struct sk_buff *skb)
{
	struct arrival arrival = {.sk = sk, .tp = bpf_skc_to_tcp_sock(sk), .bytes = skb->len};

	if (!arrival.tp)
		return;
	arrival.cookie = socket_cookie(sk);
	record_arrival(&arrival);
}

/*
 * A task that works off its socket's backlog may be interrupted by a segment of another connection:
 * so there is a stand-in.
 */
SEGMENT_MEASURES(0)
MISSES("segments that arrive after close() or shutdown()")
SEC("tp_btf/tcp_probe")
int BPF_PROG(tcp_segment, struct sock *sk, struct sk_buff *skb)
{
	struct ring_cpu *ring = this_ring();

	if (!ring)
		return 0;
	stand_in_begin(ring, STAND_IN_SEGMENT);
	record_segment(sk, skb);
	stand_in_end(ring, STAND_IN_SEGMENT);
	return 0;
}

SEGMENT_MEASURES(1)
STANDS_IN("tcp_segment")
SEC("tp_btf/tcp_probe")
int BPF_PROG(tcp_segment_nested, struct sock *sk, struct sk_buff *skb)
{
	if (stand_in_takes(this_ring(), STAND_IN_SEGMENT))
		record_segment(sk, skb);
	return 0;
}

#define ICSK_TIME_LOSS_PROBE 5 /* include/net/inet_connection_sock.h */

static __always_inline enum retransmit_cause retransmit_cause(const struct sock *sk,
							      const struct tcp_sock *tp)
{
	__u8 state = sk->__sk_common.skc_state;

	if (state == TCP_SYN_SENT || state == TCP_SYN_RECV)
		return CAUSE_SYN;
	/* In Recovery the timer of a probe may still be pending, but none is sent. */
	switch (BPF_CORE_READ_BITFIELD(&tp->inet_conn, icsk_ca_state)) {
	case CA_Loss:
		return CAUSE_RTO;
	case CA_Recovery:
		return CAUSE_FAST;
	}
	return tp->inet_conn.icsk_pending == ICSK_TIME_LOSS_PROBE ? CAUSE_TLP : CAUSE_FAST;
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
	struct tcp_sock *tp = bpf_skc_to_tcp_sock(sk);
	struct tcp_loss *record;
	struct reservation res;

	/* It is set again where it is, for each new socket and each acknowledgement in Recovery. */
	if (!tp || BPF_CORE_READ_BITFIELD(&tp->inet_conn, icsk_ca_state) == state)
		return 0;
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

/* Nobody listens, or the connection is gone: there are only the segment's headers. */
static __always_inline int record_refusal(struct sk_buff *skb, __u32 reason)
{
	struct segment_ends ends = {};
	struct tcp_reset *record;
	struct reservation res;

	segment_ends_take(&ends, skb);
	if (!segment_wanted(&ends))
		return 0;
	record = record_reserve(&res, TCP_RESET, current_tid(), record_bytes(tcp_reset));
	if (!record)
		return 0;
	__builtin_memset((char *)record + RECORD_HEAD_BYTES, 0,
			 record_bytes(tcp_reset) - RECORD_HEAD_BYTES);
	record->snapshot.callvalue = reason;
	record->snapshot.location = TCP_RESET;
	record->snapshot.state = TCP_CLOSE_;
	record->snapshot.netns = ends.netns;
	record->snapshot.family = ends.family;
	record->snapshot.lport = ends.lport;
	record->snapshot.rport = ends.rport;
	__builtin_memcpy(record->snapshot.saddr, ends.local, 16);
	__builtin_memcpy(record->snapshot.daddr, ends.remote, 16);
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

/* Written by user space before each round. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} poll_round SEC(".maps");

/* A record belongs to the recorder, which looked, and not to its thread that did. */
static __always_inline void record_polled(struct sock *sk, __u64 round)
{
	struct tcp_sock *tp = bpf_skc_to_tcp_sock(sk);
	struct tcp_snapshot *snap;
	struct reservation res;

	if (!tp || !socket_wanted(sk))
		return;
	snap = record_reserve(&res, TCP_POLL, cfg_filter.self, record_bytes(tcp_snapshot));
	if (!snap)
		return;
	snapshot_take(snap, socket_cookie(sk), tp, TCP_POLL, round);
	record_commit(&res);
}

MEASURE(TCP_POLL, "tcp.poll", tcp_snapshot,
	"every --period, each connection there is, whether anything happens or not (callvalue: number "
	"of the round)")
OR_ASK("inet_diag")
SEC("iter/tcp")
int tcp_poll(struct bpf_iter__tcp *ctx)
{
	struct sock_common *sk = ctx->sk_common;
	struct tcp_sock *tp;
	__u32 key = 0;
	__u64 *round = bpf_map_lookup_elem(&poll_round, &key);

	if (!sk || !round || sk->skc_state == TCP_LISTEN) /* NULL: the end */
		return 0;
	tp = bpf_skc_to_tcp_sock(sk);
	if (!tp)
		return 0;
	preempt_off();
	record_polled((struct sock *)tp, *round);
	preempt_on();
	return 0;
}

static __always_inline int socket_claim_for(struct sock *sk, const struct task_struct *task)
{
	struct socket_memory *memory;

	if (!task_wanted(task))
		return 0;
	memory = bpf_sk_storage_get(&sockets, sk, 0, BPF_SK_STORAGE_GET_F_CREATE);
	if (memory)
		memory->owned = 1;
	return 0;
}

/* In a task's own context: from here on the socket is its. Attached when a filter asks. */
static __always_inline int socket_claim(struct sock *sk)
{
	return socket_claim_for(sk, bpf_get_current_task_btf());
}

/* Before anything is recorded: what wanted tasks have open already. */
SERVICE("owner")
SEC("iter/task_file")
int owner_open(struct bpf_iter__task_file *ctx)
{
	struct task_struct *task = ctx->task;
	struct file *file = ctx->file;
	struct socket *socket;
	struct sock *sk;

	if (!task || !file) /* NULL: the end */
		return 0;
	socket = bpf_sock_from_file(file);
	sk = socket ? socket->sk : 0;
	if (!sk || sk->sk_protocol != IPPROTO_TCP ||
	    (sk->__sk_common.skc_family != AF_INET && sk->__sk_common.skc_family != AF_INET6))
		return 0;
	return socket_claim_for(sk, task);
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
