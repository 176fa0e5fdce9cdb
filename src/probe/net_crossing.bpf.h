/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * net_crossing.bpf: the record of a packet, or of bytes, that cross from one layer into the next
 * (MAGNeT, seed of the group net), and how it is made.
 *
 * Every record begins alike; a measurement that adds something has it behind that.
 */
#ifndef SONDE_PROBE_NET_CROSSING_BPF_H
#define SONDE_PROBE_NET_CROSSING_BPF_H

#include "probe/net_flow.bpf.h"
#include "probe/ring.bpf.h"
#include "wire/jiffy.h"

enum net_family { NET_OTHER = 0, NET_IPV4 = AF_INET, NET_IPV6 = AF_INET6 } __attribute__((packed));

struct net_crossing {
	__u64 head;
	__u64 cookie TEXT("number of the socket, unique since boot; 0 = none is known here");
	__u32 packet TEXT(
		"the packet's memory, as a number that is this trace's own: the same in all "
		"layers and for all clones; 0 = none yet") SHOW("hex");
	__u32 seq TEXT("TCP: sequence number of the first byte, of a SYN or FIN its own")
		UNIT("seq");
	__s32 size TEXT("bytes, with the headers that this layer sees; negative: the error")
		UNIT("bytes") SHOW("result");
	__u32 netns TEXT("network namespace (inode)");
	__u16 ip_id TEXT("identification in the IPv4 header");
	__u16 sport TEXT("source port, as on the wire");
	__u16 dport TEXT("destination port, as on the wire");
	enum ip_protocol protocol TEXT("transport protocol");
	enum net_family family TEXT("IP version: the address family's number; 0 = no IP");
};

/* The state of protocols, as MAGNeT has it: of the connection (0 without one) and of the
 * IP header. */
struct net_detail {
	__u32 snd_wnd TEXT("window that the peer offers") UNIT("bytes");
	__u32 srtt_us TEXT("smoothed round-trip time") UNIT("us");
	__u32 rto_us TEXT("retransmission timeout") UNIT("us");
	__u32 packets_out TEXT("segments in flight") UNIT("segments");
	__u32 retrans_out TEXT("of these: sent again") UNIT("segments");
	__u32 snd_ssthresh TEXT("slow start threshold") UNIT("segments");
	__u32 snd_cwnd TEXT("congestion window") UNIT("segments");
	__u32 rcv_wnd TEXT("window that we offer") UNIT("bytes");
	__u32 write_seq TEXT("end of what the application has written") UNIT("seq");
	__u32 copied_seq TEXT("next byte that the application will read") UNIT("seq");
	__u16 segments TEXT("packets that it is to be cut into; 0 or 1: it is one")
		UNIT("segments");
	__u16 frag_off TEXT("IPv4 flags and fragment offset, as in the header") SHOW("hex");
	__u8 version TEXT("IP version");
	__u8 tos TEXT("type of service, or traffic class") SHOW("hex");
	__u8 ttl TEXT("time to live, or hop limit") UNIT("hops");
	__u8 flags TEXT("TCP flags: 1 FIN, 2 SYN, 4 RST, 8 PSH, 16 ACK, 32 URG, 64 ECE, 128 CWR")
		SHOW("hex");
};

struct net_packet {
	struct net_crossing crossing;
	BRIEF_END;
	struct net_detail detail;
	RECORD_END;
};
RECORD(net_packet);

/* Set by user space: what makes `packet` a number of this trace alone. */
const volatile __u64 cfg_packet_key = 1;
const volatile __u32 cfg_ns_per_jiffy = 4000000;

/* What is known of a crossing before its record is made. */
struct crossing {
	struct packet packet;
	const unsigned char *head; /* of the packet's memory, NULL = none */
	const struct sock *sk; /* NULL = none is known here */
	__u64 cookie;
	__u32 netns;
	__s32 size;
	__u16 segments;
};

/* Sockets that wanted tasks use, by address, and the tid of the last one: in an interrupt the current task says
 * nothing. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 65536);
	__type(key, __u64);
	__type(value, __u32);
} net_owned SEC(".maps");

#define SK_TIME_WAIT 6 /* include/net/tcp_states.h */
#define SK_NEW_SYN_RECV 12

/* Of a closed connection's rest and of one that is not accepted yet there is only the head. */
static __always_inline bool sock_is_full(const struct sock *sk)
{
	__u8 state = BPF_CORE_READ(sk, __sk_common.skc_state);

	return state != SK_TIME_WAIT && state != SK_NEW_SYN_RECV;
}

/* @sk is full: the heads of others do not say whose they are. */
static __always_inline bool sock_is_wanted(const struct sock *sk)
{
	__u64 key = (__u64)sk;

	if (cfg_filter.uid_count && !uid_wanted(BPF_CORE_READ(sk, sk_uid.val)))
		return false;
	if (cfg_filter.cgroup_count && !cgroup_wanted(BPF_CORE_READ(sk, sk_cgrp_data.cgroup)))
		return false;
	return !(cfg_filter.by_pid || cfg_filter.comm_count) ||
	       bpf_map_lookup_elem(&net_owned, &key);
}

/* The tid of the task that used the socket last, where a filter has it followed; 0 = not known. */
static __always_inline __u32 sock_owner(const struct sock *sk)
{
	__u64 key = (__u64)sk;
	const __u32 *owner = bpf_map_lookup_elem(&net_owned, &key);

	return owner ? *owner : 0;
}

static __always_inline __u32 crossing_owner(const struct crossing *c)
{
	__s32 owner;

	if (!filter_by_owner())
		return 0;
	if (c->sk && sock_is_full(c->sk))
		return sock_owner(c->sk);
	owner = flow_owner(&c->packet, c->netns);
	return owner == FLOW_UNKNOWN ? 0 : (__u32)owner;
}

static __always_inline bool crossing_wanted(const struct crossing *c)
{
	if (cfg_filter.port_count && !port_wanted(c->packet.sport, c->packet.dport))
		return false;
	if (cfg_filter.address_count && !address_wanted(c->packet.source, c->packet.dest))
		return false;
	if (cfg_filter.netns_count && !netns_wanted(c->netns))
		return false;
	if (!filter_by_owner())
		return true;
	if (c->sk && sock_is_full(c->sk))
		return sock_is_wanted(c->sk);
	return flow_owner(&c->packet, c->netns) != FLOW_UNKNOWN;
}

static __always_inline __u32 packet_number(const unsigned char *head)
{
	return head ? ((__u64)head * cfg_packet_key) >> 32 : 0;
}

static __always_inline void fill_connection(struct net_detail *detail, const struct sock *sk)
{
	const struct tcp_sock *tp = (const void *)sk;

	if (!sk || !sock_is_full(sk) || BPF_CORE_READ(sk, sk_protocol) != PROTOCOL_TCP) {
		__builtin_memset(detail, 0, __builtin_offsetof(struct net_detail, segments));
		return;
	}
	detail->snd_wnd = BPF_CORE_READ(tp, snd_wnd);
	detail->srtt_us = BPF_CORE_READ(tp, srtt_us) >> 3; /* the kernel keeps eighths */
	detail->rto_us = jiffies_us(BPF_CORE_READ(tp, inet_conn.icsk_rto), cfg_ns_per_jiffy);
	detail->packets_out = BPF_CORE_READ(tp, packets_out);
	detail->retrans_out = BPF_CORE_READ(tp, retrans_out);
	detail->snd_ssthresh = BPF_CORE_READ(tp, snd_ssthresh);
	detail->snd_cwnd = BPF_CORE_READ(tp, snd_cwnd);
	detail->rcv_wnd = BPF_CORE_READ(tp, rcv_wnd);
	detail->write_seq = BPF_CORE_READ(tp, write_seq);
	detail->copied_seq = BPF_CORE_READ(tp, copied_seq);
}

static __always_inline void fill_detail(struct net_detail *detail, const struct crossing *c)
{
	const struct packet *p = &c->packet;

	if (!cfg_detail)
		return;
	fill_connection(detail, c->sk);
	detail->segments = c->segments;
	detail->frag_off = p->frag_off;
	detail->version = p->family == AF_INET ? 4 : p->family == AF_INET6 ? 6 : 0;
	detail->tos = p->tos;
	detail->ttl = p->ttl;
	detail->flags = p->flags;
}

/* Reserves a record of @bytes and fills in what all have. NULL: not wanted, or lost. */
static __always_inline void *crossing_begin(struct reservation *res, const struct crossing *c,
					    __u32 id, __u32 bytes)
{
	struct net_crossing *record;

	if (!crossing_wanted(c))
		return 0;
	record = record_reserve(res, id, bpf_get_current_task_btf()->pid, bytes);
	if (!record)
		return 0;
	record->cookie = c->cookie;
	record->packet = packet_number(c->head);
	record->seq = c->packet.seq;
	record->size = c->size;
	record->netns = c->netns;
	record->ip_id = c->packet.ip_id;
	record->sport = c->packet.sport;
	record->dport = c->packet.dport;
	record->protocol = c->packet.protocol;
	record->family = c->packet.family;
	return record;
}

/* A record that has nothing more. */
static __always_inline int crossing_record(const struct crossing *c, __u32 id)
{
	struct net_packet *record;
	struct reservation res;

	record = crossing_begin(&res, c, id, record_chosen_bytes(net_packet));
	if (!record)
		return 0;
	fill_detail(&record->detail, c);
	record_commit(&res);
	return 0;
}

/* Segmentation is left to the device, or to the last moment: into how many packets. */
static __always_inline __u16 segments_of(const struct sk_buff *skb)
{
	const struct skb_shared_info *shared = (const void *)(skb->head + skb->end);

	return cfg_detail ? BPF_CORE_READ(shared, gso_segs) : 0;
}

/* What does not depend on the layer. @sk as the hook's arguments have it. */
static __always_inline void crossing_take(struct crossing *c, const struct sk_buff *skb,
					  const struct sock *sk)
{
	c->head = skb->head;
	c->size = skb->len;
	c->segments = segments_of(skb);
	c->sk = sk;
	if (sk)
		c->cookie = sk->__sk_common.skc_cookie.counter;
}

#endif /* SONDE_PROBE_NET_CROSSING_BPF_H */
