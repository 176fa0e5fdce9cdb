// SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only)
/*
 * net: a packet's way through IP, queueing discipline and device, out and in, and where it is
 * dropped (catalogue: net). The socket's end of the way is in probe/sock.bpf.h.
 *
 * All that the group needs is one object: for each that it loads libbpf reads all of the kernel's
 * types.
 */
#include "probe/kernel.bpf.h"

#include <bpf/bpf_tracing.h>

#include "probe/net_crossing.bpf.h"
#include "probe/netns.bpf.h"
#include "probe/sock.bpf.h"
#include "probe/stand_in.bpf.h"
#include "probe/switch.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

#define NF_ACCEPT 1 /* include/uapi/linux/netfilter.h */
#define NETDEV_TX_BUSY 0x10 /* include/linux/netdevice.h: the packet is still the caller's */
#define NETNS_LEAST 0xe0000000u /* inodes of namespaces are above (fs/proc/generic.c) */

enum device_result {
	DEVICE_OK = 0,
	DEVICE_DROP = 1,
	DEVICE_CONGESTED = 2,
	DEVICE_BUSY = NETDEV_TX_BUSY,
};

struct net_device_crossing {
	struct net_crossing crossing;
	__u32 ifindex TEXT("number of the device, in its namespace");
	BRIEF_END;
	struct net_detail detail;
	RECORD_END;
};
RECORD(net_device_crossing);

struct net_xmit {
	struct net_crossing crossing;
	__u32 ifindex TEXT("number of the device, in its namespace");
	enum device_result result TEXT("what the driver says: OK when it is asked, a second record "
				       "where it refuses");
	BRIEF_END;
	struct net_detail detail;
	RECORD_END;
};
RECORD(net_xmit);

struct net_qdisc {
	struct net_crossing crossing;
	__u32 ifindex TEXT("number of the device, in its namespace");
	__u32 handle TEXT("handle of the queueing discipline: major << 16") SHOW("hex");
	__u32 qlen TEXT("packets that are in the queue; one that the kernel keeps for each CPU is 0")
		UNIT("packets");
	__u32 backlog TEXT("bytes that are in the queue") UNIT("bytes");
	__u32 drops TEXT("packets that the queue has dropped so far") UNIT("packets");
	char kind[16] TEXT("kind of queueing discipline");
	BRIEF_END;
	struct net_detail detail;
	RECORD_END;
};
RECORD(net_qdisc);

struct net_drop {
	struct net_crossing crossing;
	__u64 location TEXT("where in the kernel") SHOW("symbol");
	__u32 reason TEXT("why") NAMES("skb_drop_reason");
	__u32 owner_tid TEXT("task that used the packet's socket or flow last: with a filter by "
			     "task; 0 = not known");
	__u8 saddr[16] TEXT("source address, as on the wire; if the family is 0, it is not known")
		SHOW("address");
	__u8 daddr[16] TEXT("destination address, as on the wire") SHOW("address");
	BRIEF_END;
	struct net_detail detail;
	RECORD_END;
};
RECORD(net_drop);

/* Set by user space from the kernel's own BTF: arguments that some kernels do not pass. */
const volatile __u8 cfg_drop_has_sock = 0;

static __always_inline __u32 linear_bytes(const struct sk_buff *skb)
{
	return skb->len - skb->data_len;
}

static __always_inline void read_ip(struct crossing *c, const struct sk_buff *skb, __u8 family)
{
	const unsigned char *at = skb->head + skb->network_header;

	if (family == AF_INET)
		packet_read_ipv4(&c->packet, at, cfg_cast_calls, addresses_asked());
	else
		packet_read_ipv6(&c->packet, at, cfg_cast_calls, addresses_asked());
}

/* At a netfilter hook: IP's header is there, checked and in one piece. */
static __always_inline void take_ip(struct crossing *c, struct bpf_nf_ctx *ctx, __u8 family)
{
	const struct nf_hook_state *state = untrusted(ctx->state, CAST_HOOK_STATE_MARK);
	struct sk_buff *skb = untrusted(ctx->skb, CAST_PACKET_MARK);

	crossing_take(c, skb, skb->sk);
	c->netns = state->net->ns.inum;
	read_ip(c, skb, family);
}

static __always_inline int record_ip(struct bpf_nf_ctx *ctx, __u32 id, __u8 family)
{
	struct crossing c = {};

	take_ip(&c, ctx, family);
	crossing_record(&c, id);
	return NF_ACCEPT;
}

/* A task's packet goes out with preemption on. */
static __always_inline int record_ip_sent(struct bpf_nf_ctx *ctx, __u8 family)
{
	int verdict;

	preempt_off();
	verdict = record_ip(ctx, NET_IP_SEND, family);
	preempt_on();
	return verdict;
}

static __always_inline int record_ip_taken(struct bpf_nf_ctx *ctx, __u8 family)
{
	int verdict;

	preempt_off_softirq();
	verdict = record_ip(ctx, NET_IP_RECV, family);
	preempt_on_softirq();
	return verdict;
}

/* Without netfilter's programs: its functions. */
static __always_inline int record_ip_function(struct sk_buff *skb, struct net *net, __u32 id,
					      __u8 family)
{
	struct crossing c = {};

	preempt_off();
	crossing_take(&c, skb, skb->sk);
	c.netns = net->ns.inum;
	read_ip(&c, skb, family);
	crossing_record(&c, id);
	preempt_on();
	return 0;
}

#define IP_SEND MEASURE(NET_IP_SEND, "net.ip_send", net_packet, "transport hands a packet to IP")
/* A socket is found for a received packet in TCP or UDP, mostly: before that its flow decides. */
#define BEFORE_SOCKET      \
	CONTEXT("softirq", \
		"received packets of flows in which no socket of these tasks has sent yet")
#define IP_RECV       \
	BEFORE_SOCKET \
	MEASURE(NET_IP_RECV, "net.ip_recv", net_packet, "the stack hands a packet to IP")

IP_SEND
PART(0)
SEC("netfilter/ipv4/local_out")
int net_ip_send(struct bpf_nf_ctx *ctx)
{
	return record_ip_sent(ctx, AF_INET);
}

IP_SEND
PART(0)
SEC("fentry/__ip_local_out")
int BPF_PROG(net_ip_send_function, struct net *net, struct sock *sk, struct sk_buff *skb)
{
	return record_ip_function(skb, net, NET_IP_SEND, AF_INET);
}

IP_SEND
PART(1)
SEC("netfilter/ipv6/local_out")
int net_ip_send_v6(struct bpf_nf_ctx *ctx)
{
	return record_ip_sent(ctx, AF_INET6);
}

/* What is forwarded comes here too; it has come in by a device. */
IP_SEND
PART(1)
SEC("fentry/ip6_output")
int BPF_PROG(net_ip_send_v6_function, struct net *net, struct sock *sk, struct sk_buff *skb)
{
	return skb->skb_iif ? 0 : record_ip_function(skb, net, NET_IP_SEND, AF_INET6);
}

IP_RECV
PART(0)
SEC("netfilter/ipv4/pre_routing")
int net_ip_recv(struct bpf_nf_ctx *ctx)
{
	return record_ip_taken(ctx, AF_INET);
}

/* Where it is handed to all that have asked for such packets, IP among them. */
static __always_inline int record_ip_received(struct sk_buff *skb, __be16 protocol)
{
	struct crossing c = {};

	if (skb->protocol != protocol)
		return 0;
	crossing_take(&c, skb, 0);
	c.netns = skb->dev->nd_net.net->ns.inum;
	packet_read_checked(&c.packet, protocol, skb->data, linear_bytes(skb), addresses_asked());
	return crossing_record(&c, NET_IP_RECV);
}

IP_RECV
PART(0)
SEC("tp_btf/netif_receive_skb")
int BPF_PROG(net_ip_recv_device, struct sk_buff *skb)
{
	return record_ip_received(untrusted(skb, CAST_PACKET_MARK), bpf_htons(ETH_P_IP));
}

IP_RECV
PART(1)
SEC("netfilter/ipv6/pre_routing")
int net_ip_recv_v6(struct bpf_nf_ctx *ctx)
{
	return record_ip_taken(ctx, AF_INET6);
}

IP_RECV
PART(1)
SEC("tp_btf/netif_receive_skb")
int BPF_PROG(net_ip_recv_v6_device, struct sk_buff *skb)
{
	return record_ip_received(untrusted(skb, CAST_PACKET_MARK), bpf_htons(ETH_P_IPV6));
}

/* The measurement of a packet's transport protocol, or 0. */
static __always_inline __u32 transport_measure(const struct packet *p)
{
	if (p->protocol == PROTOCOL_TCP)
		return NET_TCP_RECV;
	if (p->protocol == PROTOCOL_UDP || p->protocol == PROTOCOL_UDPLITE)
		return NET_UDP_RECV;
	return 0;
}

static __always_inline void record_if_on(const struct crossing *c, __u32 id)
{
	const struct measure_switches *switches = measure_switches();

	if (switches && id && measure_is_on(switches, id))
		crossing_record(c, id);
}

static __always_inline int record_transport(struct bpf_nf_ctx *ctx, __u8 family)
{
	struct crossing c = {};

	preempt_off_softirq();
	take_ip(&c, ctx, family);
	record_if_on(&c, transport_measure(&c.packet));
	preempt_on_softirq();
	return NF_ACCEPT;
}

#define TCP_RECV      \
	BEFORE_SOCKET \
	MEASURE(NET_TCP_RECV, "net.tcp_recv", net_packet, "IP hands a packet to TCP")
#define UDP_RECV      \
	BEFORE_SOCKET \
	MEASURE(NET_UDP_RECV, "net.udp_recv", net_packet, "IP hands a packet to UDP")
#define TRANSPORT_RECV TCP_RECV UDP_RECV

TRANSPORT_RECV
PART(0)
SEC("netfilter/ipv4/local_in")
int net_tcp_recv(struct bpf_nf_ctx *ctx)
{
	return record_transport(ctx, AF_INET);
}

TRANSPORT_RECV
PART(1)
SEC("netfilter/ipv6/local_in")
int net_tcp_recv_v6(struct bpf_nf_ctx *ctx)
{
	return record_transport(ctx, AF_INET6);
}

/* IP's header is behind it by now, but belongs to the bytes of this crossing. */
static __always_inline int record_transport_function(struct sk_buff *skb, __u32 id, __u8 family)
{
	struct crossing c = {};

	preempt_off();
	crossing_take(&c, skb, skb->sk);
	c.size +=
		(__s32)((unsigned long)skb->data - (unsigned long)skb->head) - skb->network_header;
	c.netns = skb->dev->nd_net.net->ns.inum;
	read_ip(&c, skb, family);
	crossing_record(&c, id);
	preempt_on();
	return 0;
}

TCP_RECV
PART(0)
SEC("fentry/tcp_v4_rcv")
int BPF_PROG(net_tcp_recv_function, struct sk_buff *skb)
{
	return record_transport_function(skb, NET_TCP_RECV, AF_INET);
}

TCP_RECV
PART(1)
SEC("fentry/tcp_v6_rcv")
int BPF_PROG(net_tcp_recv_v6_function, struct sk_buff *skb)
{
	return record_transport_function(skb, NET_TCP_RECV, AF_INET6);
}

UDP_RECV
PART(0)
SEC("fentry/udp_rcv")
int BPF_PROG(net_udp_recv_function, struct sk_buff *skb)
{
	return record_transport_function(skb, NET_UDP_RECV, AF_INET);
}

UDP_RECV
PART(1)
SEC("fentry/udpv6_rcv")
int BPF_PROG(net_udp_recv_v6_function, struct sk_buff *skb)
{
	return record_transport_function(skb, NET_UDP_RECV, AF_INET6);
}

/* On its way out, from the device layer down: link header and all. */
static __always_inline void take_sent(struct crossing *c, const struct sk_buff *skb)
{
	crossing_take(c, skb, skb->sk);
	c->netns = skb->dev->nd_net.net->ns.inum;
	packet_read(&c->packet, skb->protocol, skb->head + skb->network_header);
}

static __always_inline int record_device(const struct crossing *c, __u32 id, __u32 ifindex)
{
	struct net_device_crossing *record;
	struct reservation res;

	record = crossing_begin(&res, c, id, record_chosen_bytes(net_device_crossing));
	if (!record)
		return 0;
	record->ifindex = ifindex;
	fill_detail(&record->detail, c);
	record_commit(&res);
	return 0;
}

MEASURE(NET_DEV_QUEUE, "net.dev_queue", net_device_crossing, "IP hands a packet to the device")
SEC("tp_btf/net_dev_queue")
int BPF_PROG(net_dev_queue, struct sk_buff *skb)
{
	struct crossing c = {};

	skb = untrusted(skb, CAST_PACKET_MARK);
	take_sent(&c, skb);
	return record_device(&c, NET_DEV_QUEUE, skb->dev->ifindex);
}

/* Attached where a filter asks whose a packet is: each packet that a socket sends comes by here. */
SERVICE("net_flow")
MISSES("which tasks the packets are for that no socket has")
SEC("tp_btf/net_dev_queue")
int BPF_PROG(net_flow, struct sk_buff *skb)
{
	struct crossing c = {};

	skb = untrusted(skb, CAST_PACKET_MARK);
	if (!skb->sk || !sock_is_full(skb->sk))
		return 0;
	take_sent(&c, skb);
	/* Without ports a flow would be all that two hosts send each other. */
	if (has_ports(c.packet.protocol))
		flow_learn(&c.packet, c.netns, sock_is_wanted(c.sk), sock_owner(c.sk));
	return 0;
}

static __always_inline int record_qdisc(struct Qdisc *qdisc, struct sk_buff *skb, __u32 id)
{
	struct crossing c = {};
	struct net_qdisc *record;
	struct reservation res;

	take_sent(&c, skb);
	record = crossing_begin(&res, &c, id, record_chosen_bytes(net_qdisc));
	if (!record)
		return 0;
	record->ifindex = skb->dev->ifindex;
	record->handle = qdisc->handle;
	record->qlen = qdisc->q.qlen;
	record->backlog = qdisc->qstats.backlog;
	record->drops = qdisc->qstats.drops;
	BPF_CORE_READ_INTO(&record->kind, qdisc, ops, id);
	fill_detail(&record->detail, &c);
	record_commit(&res);
	return 0;
}

MEASURE(NET_QDISC_ENQUEUE, "net.qdisc_enqueue", net_qdisc,
	"a packet is put into the queueing discipline")
SEC("tp_btf/qdisc_enqueue")
int BPF_PROG(net_qdisc_enqueue, struct Qdisc *qdisc, struct netdev_queue *queue,
	     struct sk_buff *skb)
{
	return record_qdisc(qdisc, untrusted(skb, CAST_PACKET_MARK), NET_QDISC_ENQUEUE);
}

/* A function of its own, which the verifier sees once and not for each packet that a queue gives; so
 * it knows nothing of what the addresses are. */
__noinline int net_qdisc_taken(__u64 qdisc_address, __u64 skb_address)
{
	const struct Qdisc *qdisc = (const void *)qdisc_address;
	const struct sk_buff *skb = (const void *)skb_address;
	const struct sock *sk = BPF_CORE_READ(skb, sk);
	struct crossing c = {};
	struct net_qdisc *record;
	struct reservation res;

	c.head = BPF_CORE_READ(skb, head);
	c.size = BPF_CORE_READ(skb, len);
	c.sk = sk;
	c.cookie = sk ? BPF_CORE_READ(sk, __sk_common.skc_cookie.counter) : 0;
	c.netns = BPF_CORE_READ(skb, dev, nd_net.net, ns.inum);
	packet_read_plain(&c.packet, BPF_CORE_READ(skb, protocol),
			  c.head + BPF_CORE_READ(skb, network_header));
	record = crossing_begin(&res, &c, NET_QDISC_DEQUEUE, record_chosen_bytes(net_qdisc));
	if (!record)
		return 0;
	record->ifindex = BPF_CORE_READ(skb, dev, ifindex);
	record->handle = BPF_CORE_READ(qdisc, handle);
	record->qlen = BPF_CORE_READ(qdisc, q.qlen);
	record->backlog = BPF_CORE_READ(qdisc, qstats.backlog);
	record->drops = BPF_CORE_READ(qdisc, qstats.drops);
	BPF_CORE_READ_INTO(&record->kind, qdisc, ops, id);
	fill_detail(&record->detail, &c);
	record_commit(&res);
	return 0;
}

#define BULK_MAX 256 /* packets that a queue gives at once and that are recorded */

struct dequeued {
	__u64 qdisc;
	__u64 skb; /* the next one */
};

/* 1 ends the loop. */
static long take_dequeued(__u32 i, struct dequeued *dequeued)
{
	const struct sk_buff *skb = (const void *)dequeued->skb;

	if (!skb)
		return 1;
	net_qdisc_taken(dequeued->qdisc, (__u64)skb);
	dequeued->skb = (__u64)BPF_CORE_READ(skb, next);
	return 0;
}

MEASURE(NET_QDISC_DEQUEUE, "net.qdisc_dequeue", net_qdisc,
	"the queueing discipline gives a packet to the device")
SEC("tp_btf/qdisc_dequeue")
int net_qdisc_dequeue(__u64 *ctx)
{
	struct dequeued dequeued;
	int packets = (int)ctx[2];

	bpf_probe_read_kernel(&dequeued.qdisc, sizeof(dequeued.qdisc), ctx);
	bpf_probe_read_kernel(&dequeued.skb, sizeof(dequeued.skb), ctx + 3);
	if (packets > 0)
		bpf_loop(packets < BULK_MAX ? packets : BULK_MAX, take_dequeued, &dequeued, 0);
	return 0;
}

static __always_inline int record_xmit(const struct crossing *c, __u32 ifindex, int result)
{
	struct net_xmit *record;
	struct reservation res;

	record = crossing_begin(&res, c, NET_DEV_XMIT, record_chosen_bytes(net_xmit));
	if (!record)
		return 0;
	record->ifindex = ifindex;
	record->result = result;
	fill_detail(&record->detail, c);
	record_commit(&res);
	return 0;
}

#define DEV_XMIT MEASURE(NET_DEV_XMIT, "net.dev_xmit", net_xmit, "the driver is given a packet")

DEV_XMIT
PART(0)
SEC("tp_btf/net_dev_start_xmit")
int BPF_PROG(net_dev_xmit, struct sk_buff *skb, struct net_device *dev)
{
	struct crossing c = {};

	take_sent(&c, untrusted(skb, CAST_PACKET_MARK));
	return record_xmit(&c, dev->ifindex, DEVICE_OK);
}

/* A packet that was taken may be gone by now, even where that was in vain. */
DEV_XMIT
PART(1)
SEC("tp_btf/net_dev_xmit")
int BPF_PROG(net_dev_xmit_refused, struct sk_buff *skb, int result, struct net_device *dev,
	     unsigned int bytes)
{
	struct crossing c = {};

	if (result == DEVICE_OK)
		return 0;
	if (result == DEVICE_BUSY)
		take_sent(&c, untrusted(skb, CAST_PACKET_MARK));
	c.netns = BPF_CORE_READ(dev, nd_net.net, ns.inum);
	c.size = bytes;
	return record_xmit(&c, dev->ifindex, result);
}

/* On its way in the link header is behind us, the next one is where the data begin, and what a
 * driver has left outside of the packet's memory is not read. */
static __always_inline int record_received(struct sk_buff *skb)
{
	struct crossing c = {};
	__u16 mac = skb->mac_header;

	crossing_take(&c, skb, 0);
	if (mac != HEADER_UNSET)
		c.size += (__s32)((unsigned long)skb->data - (unsigned long)skb->head) - mac;
	c.netns = skb->dev->nd_net.net->ns.inum;
	packet_read_checked(&c.packet, skb->protocol, skb->data, linear_bytes(skb),
			    addresses_asked());
	return record_device(&c, NET_DEV_RECV, skb->dev->ifindex);
}

/* The doors by which drivers bring packets in: each packet comes by one of them. */
#define DEV_RECV                                                   \
	BEFORE_SOCKET                                              \
	MEASURE(NET_DEV_RECV, "net.dev_recv", net_device_crossing, \
		"a driver gives the stack a packet that has arrived")

DEV_RECV
PART(0)
SEC("tp_btf/netif_rx")
int BPF_PROG(net_dev_recv, struct sk_buff *skb)
{
	return record_received(untrusted(skb, CAST_PACKET_MARK));
}

DEV_RECV
PART(1)
SEC("tp_btf/napi_gro_receive_entry")
int BPF_PROG(net_dev_recv_napi, struct sk_buff *skb)
{
	return record_received(untrusted(skb, CAST_PACKET_MARK));
}

DEV_RECV
PART(2)
SEC("tp_btf/napi_gro_frags_entry")
int BPF_PROG(net_dev_recv_frags, struct sk_buff *skb)
{
	return record_received(untrusted(skb, CAST_PACKET_MARK));
}

DEV_RECV
PART(3)
SEC("tp_btf/netif_receive_skb_entry")
int BPF_PROG(net_dev_recv_direct, struct sk_buff *skb)
{
	return record_received(untrusted(skb, CAST_PACKET_MARK));
}

DEV_RECV
PART(4)
SEC("tp_btf/netif_receive_skb_list_entry")
int BPF_PROG(net_dev_recv_list, struct sk_buff *skb)
{
	return record_received(untrusted(skb, CAST_PACKET_MARK));
}

/* A queue of TCP or UDP uses the place of the device's address for something else, so what is found
 * there may be anything. */
static __always_inline __u32 device_netns(struct sk_buff *skb)
{
	__u32 inode = BPF_CORE_READ(skb, dev, nd_net.net, ns.inum);

	return inode >= NETNS_LEAST ? inode : 0;
}

/* Bytes in one piece from IP's header on: a packet may be dropped because it has fewer than its headers need. */
static __always_inline __s64 linear_from_ip(const struct sk_buff *skb)
{
	return (__s64)((unsigned long)skb->data - (unsigned long)skb->head) + linear_bytes(skb) -
	       skb->network_header;
}

static __always_inline int record_drop(struct sk_buff *skb, __u64 location, __u32 reason,
				       const struct sock *sk)
{
	struct crossing c = {};
	struct net_drop *record;
	struct reservation res;

	if (skb->protocol != bpf_htons(ETH_P_IP) && skb->protocol != bpf_htons(ETH_P_IPV6))
		return 0;
	crossing_take(&c, skb, 0);
	c.sk = sk;
	if (sk) {
		c.cookie = BPF_CORE_READ(sk, __sk_common.skc_cookie.counter);
		c.netns = BPF_CORE_READ(sk, __sk_common.skc_net.net, ns.inum);
	}
	/* A packet socket may have sent it from another namespace. */
	if (!sk || !is_inet(BPF_CORE_READ(sk, __sk_common.skc_family)))
		c.netns = device_netns(skb) ?: c.netns;
	if (skb->transport_header != HEADER_UNSET)
		packet_read_checked(&c.packet, skb->protocol, skb->head + skb->network_header,
				    linear_from_ip(skb), true);
	record = crossing_begin(&res, &c, NET_DROP, record_chosen_bytes(net_drop));
	if (!record)
		return 0;
	record->location = location;
	record->reason = reason;
	record->owner_tid = crossing_owner(&c);
	copy_name((char *)record->saddr, (const char *)c.packet.source);
	copy_name((char *)record->daddr, (const char *)c.packet.dest);
	fill_detail(&record->detail, &c);
	record_commit(&res);
	return 0;
}

static __always_inline int drop_from(__u64 *ctx)
{
	struct sk_buff *skb = untrusted(ctx[0], CAST_PACKET_MARK);
	const struct sock *sk = skb->sk;
	__u64 receiver = 0;

	if (cfg_drop_has_sock)
		bpf_probe_read_kernel(&receiver, sizeof(receiver), &ctx[3]);
	return record_drop(skb, ctx[1], ctx[2], sk ?: (const void *)receiver);
}

#define DROP                                                                                 \
	CONTEXT("softirq", "drops of received packets of flows in which no socket of these " \
			   "tasks has sent yet")                                             \
	MEASURE(NET_DROP, "net.drop", net_drop, "a packet ends here: why, and where in the kernel")

DROP PART(0) SEC("tp_btf/kfree_skb") int net_drop(__u64 *ctx)
{
	struct ring_cpu *ring = this_ring();

	if (!ring)
		return 0;
	stand_in_begin(ring, STAND_IN_DROP);
	drop_from(ctx);
	stand_in_end(ring, STAND_IN_DROP);
	return 0;
}

/* A task that drops one may be interrupted by a packet that is dropped. */
DROP PART(1) STANDS_IN("net_drop") SEC("tp_btf/kfree_skb") int net_drop_nested(__u64 *ctx)
{
	return stand_in_takes(this_ring(), STAND_IN_DROP) ? drop_from(ctx) : 0;
}
