/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * tcp_snapshot.bpf: the state of one connection, as every tcp measurement records it (PSC's struct
 * tpm_entry, seed 001), and how it is taken from a socket.
 */
#ifndef SONDE_PROBE_TCP_SNAPSHOT_BPF_H
#define SONDE_PROBE_TCP_SNAPSHOT_BPF_H

#include "probe/measure.bpf.h"
#include "probe/ring.bpf.h"
#include "probe/socket.bpf.h"
#include "wire/jiffy.h"

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
/* include/net/sock.h, enum sk_pacing: who spaces what is sent */
enum tcp_pacing { PACING_NONE, PACING_BY_TCP, PACING_BY_QDISC };
enum ip_family { FAMILY_IPV4 = AF_INET, FAMILY_IPV6 = AF_INET6 };
/* include/net/tcp.h, enum tcp_chrono */
enum { CHRONO_BUSY = 1, CHRONO_RWND_LIMITED, CHRONO_SNDBUF_LIMITED };
/* Sequence numbers are modulo 2^32, as on the wire. */
struct tcp_snapshot {
	__u64 head;
	__u64 callvalue TEXT("what the trigger adds, see the measurement") SCOPE("monitor");
	__u64 cookie TEXT("number of the socket, unique since boot");
	__u64 bytes_acked TEXT("bytes acknowledged by the peer") UNIT("bytes");
	__u64 bytes_received TEXT("bytes received in order") UNIT("bytes");
	__u64 pacing_rate TEXT("rate that sending is paced at; all ones: not paced")
		UNIT("bytes/s");
	__u64 delivery_rate TEXT("rate at which the newest segments were delivered")
		UNIT("bytes/s");
	__u64 busy_us TEXT("time with data to be sent or acknowledged, in jiffies of the kernel")
		UNIT("us");
	__u64 rwnd_limited_us TEXT("of this: stopped by the window that the peer offers")
		UNIT("us");
	__u64 sndbuf_limited_us
		TEXT("of this: stopped by the send buffer, where the kernel counts it") UNIT("us");
	__u64 bytes_retrans TEXT("bytes sent again") UNIT("bytes");
	__u64 tcp_mem_pages TEXT("memory of all TCP sockets") UNIT("pages") SCOPE("system");
	__u32 location TEXT("number of the trigger") SCOPE("monitor");
	__u32 netns TEXT("network namespace (inode)") SHOW("netns");
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
	__u32 srtt_us TEXT("smoothed round-trip time") UNIT("us");
	__u32 mdev_us TEXT("mean deviation of the round-trip time") UNIT("us");
	__u32 rto_us TEXT("retransmission timeout") UNIT("us");
	__u32 packets_out TEXT("segments in flight") UNIT("segments");
	__u32 sacked_out TEXT("of these: selectively acknowledged") UNIT("segments");
	__u32 lost_out TEXT("of these: taken for lost") UNIT("segments");
	__u32 retrans_out TEXT("of these: sent again") UNIT("segments");
	__u32 total_retrans TEXT("segments sent again since the connection began") UNIT("segments");
	__u32 delivered TEXT("segments delivered since the connection began") UNIT("segments");
	__u32 reordering TEXT("reordering that is tolerated") UNIT("segments");
	__u32 min_rtt_us TEXT("least round-trip time of the last minutes; all ones: not measured")
		UNIT("us");
	__u32 data_segs_out TEXT("segments with data sent, those sent again among them")
		UNIT("segments");
	__u32 delivered_ce TEXT("of those delivered: the peer told of a congestion mark")
		UNIT("segments");
	__u32 dsack_dups TEXT("segments that the peer told it had twice") UNIT("segments");
	__u32 reord_seen TEXT("times that reordering was seen");
	__u32 rcv_ooopack TEXT("segments received out of order") UNIT("segments");
	__u32 app_limited
		TEXT("1 = delivery_rate was measured while the application had too little to send");
	enum tcp_pacing pacing TEXT("who spaces what is sent");
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

/* Set by user space: the kernel counts timeouts in jiffies. */
const volatile __u32 cfg_ns_per_jiffy = 4000000;

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

static __always_inline void snapshot_identity(struct tcp_snapshot *snap, const struct sock *sk)
{
	const struct sock_common *common = &sk->__sk_common;
	struct net *net = common->skc_net.net;

	snap->netns = net ? net->ns.inum : 0;
	snap->state = common->skc_state;
	snap->family = common->skc_family;
	snap->lport = local_port(sk);
	snap->rport = bpf_ntohs(common->skc_dport);
	mapped_address(snap->saddr, common, true);
	mapped_address(snap->daddr, common, false);
}

/*
 * Of times that the kernel counts in jiffies, one of three at each moment (include/net/tcp.h, enum tcp_chrono): the
 * one that runs has its start. As tcp_get_info_chrono_stats() does.
 */
static __always_inline __u64 chrono_us(const struct tcp_sock *tp, __u32 which, __u32 running,
				       __u32 now)
{
	__u64 jiffies = tp->chrono_stat[which - 1];

	if (which == running)
		jiffies += now - tp->chrono_start;
	return jiffies * (cfg_ns_per_jiffy / 1000);
}

static __always_inline void snapshot_limits(struct tcp_snapshot *snap, const struct tcp_sock *tp)
{
	__u32 running = BPF_CORE_READ_BITFIELD(tp, chrono_type);
	__u32 now = bpf_jiffies64();
	__u64 rate = tp->rate_delivered, interval_us = tp->rate_interval_us;

	snap->rwnd_limited_us = chrono_us(tp, CHRONO_RWND_LIMITED, running, now);
	snap->sndbuf_limited_us = chrono_us(tp, CHRONO_SNDBUF_LIMITED, running, now);
	snap->busy_us = chrono_us(tp, CHRONO_BUSY, running, now) + snap->rwnd_limited_us +
			snap->sndbuf_limited_us;
	/* As tcp_compute_delivery_rate() does. */
	snap->delivery_rate = interval_us ? rate * tp->mss_cache * 1000000 / interval_us : 0;
	snap->app_limited = BPF_CORE_READ_BITFIELD(tp, rate_app_limited);
	snap->min_rtt_us = tp->rtt_min.s[0].v;
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
	snap->srtt_us = tp->srtt_us >> 3; /* the kernel keeps eighths */
	snap->mdev_us = tp->mdev_us >> 2; /* and quarters */
	snap->rto_us = jiffies_us(tp->inet_conn.icsk_rto, cfg_ns_per_jiffy);
	snap->packets_out = tp->packets_out;
	snap->sacked_out = tp->sacked_out;
	snap->lost_out = tp->lost_out;
	snap->retrans_out = tp->retrans_out;
	snap->total_retrans = tp->total_retrans;
	snap->delivered = tp->delivered;
	snap->reordering = tp->reordering;
	snap->bytes_retrans = tp->bytes_retrans;
	snap->data_segs_out = tp->data_segs_out;
	snap->delivered_ce = tp->delivered_ce;
	snap->dsack_dups = tp->dsack_dups;
	snap->reord_seen = tp->reord_seen;
	snap->ca_state = BPF_CORE_READ_BITFIELD(&tp->inet_conn, icsk_ca_state);
}

/* CPUs take and give pages in lots, so the sum may be below zero for a moment: none, as the kernel
 * says too (proto_memory_allocated). */
static __always_inline __u64 tcp_memory(const struct proto *proto)
{
	__s64 pages = proto->memory_allocated->counter;

	return pages > 0 ? (__u64)pages : 0;
}

static __always_inline void snapshot_buffers(struct tcp_snapshot *snap, const struct sock *sk,
					     const struct tcp_sock *tp)
{
	const struct tcp_congestion_ops *algorithm = tp->inet_conn.icsk_ca_ops;
	const struct proto *proto = sk->__sk_common.skc_prot;

	snap->bytes_received = tp->bytes_received;
	snap->rcv_nxt = tp->rcv_nxt;
	snap->copied_seq = tp->copied_seq;
	snap->rcv_wnd = tp->rcv_wnd;
	snap->rcv_ssthresh = tp->rcv_ssthresh;
	snap->rcv_ooopack = tp->rcv_ooopack;
	snap->pacing = sk->sk_pacing_status;
	snap->pacing_rate = sk->sk_pacing_rate;
	snap->sndbuf = sk->sk_sndbuf;
	snap->wmem_queued = sk->sk_wmem_queued;
	snap->rcvbuf = sk->sk_rcvbuf;
	snap->rmem_alloc = sk->sk_backlog.rmem_alloc.counter;
	snap->tcp_mem_pages = proto ? tcp_memory(proto) : 0;
	copy_name(snap->ca_name, algorithm->name);
}

/*
 * The socket's own members are read through @tp. The tracepoint's argument is a trusted
 * pointer, and for each pointer loaded through one of these the verifier of 6.18 goes through all
 * of the kernel's types several times, to find out whether it may trust that too.
 */
static __always_inline void snapshot_take(struct tcp_snapshot *snap, __u64 cookie,
					  const struct tcp_sock *tp, __u32 id, __u64 callvalue)
{
	const struct sock *sk = (const void *)tp;

	snap->callvalue = callvalue;
	snap->location = id;
	snap->cookie = cookie;
	snapshot_identity(snap, sk);
	snapshot_sender(snap, tp);
	snapshot_limits(snap, tp);
	snapshot_buffers(snap, sk, tp);
}

/* Not bpf_get_current_pid_tgid: programs at a cgroup may not call that on 6.1. */
static __always_inline __u32 current_tid(void)
{
	return bpf_get_current_task_btf()->pid;
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
		snapshot_take(snap, socket_cookie(sk), tp, id, callvalue);
	return snap;
}

static __always_inline int record_snapshot(struct sock *sk, __u32 id, __u64 callvalue)
{
	struct reservation res;

	if (snapshot_begin(&res, sk, id, record_bytes(tcp_snapshot), callvalue))
		record_commit(&res);
	return 0;
}

#endif /* SONDE_PROBE_TCP_SNAPSHOT_BPF_H */
