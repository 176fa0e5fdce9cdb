/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * sock.bpf: where bytes cross between application, socket and transport (catalogue: net). What lies
 * below is in probe/net.bpf.c, of which this is a part.
 */
#ifndef SONDE_PROBE_SOCK_BPF_H
#define SONDE_PROBE_SOCK_BPF_H

#include <bpf/bpf_tracing.h>

#include "probe/net_crossing.bpf.h"
#include "probe/socket_call.bpf.h"
#include "probe/stand_in.bpf.h"

#define SK_LISTEN 10 /* include/net/tcp_states.h */
#define MSG_PEEK 2 /* include/linux/socket.h */

static __always_inline bool is_inet(__u16 family)
{
	return family == AF_INET || family == AF_INET6;
}

/* Both ends as a packet would bear them that goes out, or comes in, by this socket. */
static __always_inline void take_ends(struct packet *p, __u16 local, __u16 remote, bool sending)
{
	p->sport = sending ? local : remote;
	p->dport = sending ? remote : local;
}

static __always_inline void take_addresses(struct packet *p, const struct sock_common *sk,
					   bool sending)
{
	mapped_address((__u8 *)(sending ? p->source : p->dest), sk, true);
	mapped_address((__u8 *)(sending ? p->dest : p->source), sk, false);
}

/* From a socket that the hook's arguments name. False: not an IP socket. */
static __always_inline bool take_socket(struct crossing *c, struct sock *trusted, bool sending)
{
	const struct sock *sk = untrusted(trusted, CAST_SOCKET_MARK);
	const struct sock_common *common = &sk->__sk_common;

	if (!is_inet(common->skc_family))
		return false;
	c->sk = sk;
	c->netns = common->skc_net.net->ns.inum;
	c->packet.family = common->skc_family;
	c->packet.protocol = sk->sk_protocol;
	take_ends(&c->packet, common->skc_num, bpf_ntohs(common->skc_dport), sending);
	if (cfg_filter.address_count)
		take_addresses(&c->packet, common, sending);
	return true;
}

/* From one that was found on the way, of which the verifier knows nothing. */
static __always_inline bool take_found_socket(struct crossing *c, const struct sock *sk)
{
	c->packet.family = BPF_CORE_READ(sk, __sk_common.skc_family);
	if (!is_inet(c->packet.family))
		return false;
	c->sk = sk;
	c->cookie = BPF_CORE_READ(sk, __sk_common.skc_cookie.counter);
	c->netns = BPF_CORE_READ(sk, __sk_common.skc_net.net, ns.inum);
	c->packet.protocol = BPF_CORE_READ(sk, sk_protocol);
	take_ends(&c->packet, BPF_CORE_READ(sk, __sk_common.skc_num),
		  bpf_ntohs(BPF_CORE_READ(sk, __sk_common.skc_dport)), true);
	if (!cfg_filter.address_count)
		return true;
	if (c->packet.family == AF_INET6) {
		BPF_CORE_READ_INTO(&c->packet.source, sk, __sk_common.skc_v6_rcv_saddr);
		BPF_CORE_READ_INTO(&c->packet.dest, sk, __sk_common.skc_v6_daddr);
		return true;
	}
	c->packet.source[1] = (__u64)BPF_CORE_READ(sk, __sk_common.skc_rcv_saddr) << 32 |
			      bpf_htonl(0xffff);
	c->packet.dest[1] = (__u64)BPF_CORE_READ(sk, __sk_common.skc_daddr) << 32 |
			    bpf_htonl(0xffff);
	return true;
}

/* Where a filter asks whose a socket is: the last task that used it says. */
static __always_inline void claim(struct task_struct *task, const struct sock *sk)
{
	__u64 key = (__u64)sk;
	__u32 tid = task->pid;

	if (!filter_by_owner())
		return;
	if ((!cfg_filter.by_pid || pid_wanted(task->tgid)) &&
	    (!cfg_filter.comm_count || comm_wanted(task)))
		bpf_map_update_elem(&net_owned, &key, &tid, BPF_ANY);
	else
		bpf_map_delete_elem(&net_owned, &key);
}

/* A function of its own, so that nothing of what a call took to look at is in registers here: 6.1's
 * verifier forgets the bounds of what goes to the stack for want of them. */
static __noinline int found_record(const struct crossing *c, __u32 id)
{
	return c ? crossing_record(c, id) : 0;
}

/* A socket that is not connected sends to the address that each call gives. */
static __always_inline void take_given(struct crossing *c, const struct given_address *address)
{
	__u32 *words = (__u32 *)c->packet.dest;

	if (!is_inet(address->family))
		return;
	c->packet.dport = bpf_ntohs(address->port);
	if (!cfg_filter.address_count)
		return;
	if (address->family == AF_INET6) {
		__builtin_memcpy(c->packet.dest, address->v6, 16);
		return;
	}
	words[0] = words[1] = 0;
	words[2] = bpf_htonl(0xffff);
	words[3] = address->v4;
}

/* TCP passes over it. The address of IPv4 is the shorter one, and may lie at the end of what can be read. */
static __always_inline void take_destination(struct crossing *c, const struct socket_use *use)
{
	const void *at = (const void *)socket_use_address(use);
	struct given_address address = {};

	if (!at || c->packet.protocol == PROTOCOL_TCP)
		return;
	if (!bpf_probe_read_user(&address, sizeof(address), at) ||
	    !bpf_probe_read_user(&address, GIVEN_V4_BYTES, at))
		take_given(c, &address);
}

/* A call that sends, by the task that runs: @protocol 0 = whichever the socket has. */
static __always_inline int record_call(const struct pt_regs *regs, __u32 nr, __u32 id,
				       __u8 protocol)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct socket_use use = {};
	struct crossing c = {};
	struct sock *sk;

	if (!socket_use_take(&use, regs, nr, task) || !socket_use_sends(&use))
		return 0;
	sk = socket_use_sock(&use, task);
	if (!sk || !take_found_socket(&c, sk) || (protocol && c.packet.protocol != protocol))
		return 0;
	claim(task, sk);
	take_destination(&c, &use);
	c.size = socket_use_bytes(&use);
	return found_record(&c, id);
}

#define SOCK_SEND                                           \
	MEASURE(NET_SOCK_SEND, "net.sock_send", net_packet, \
		"the application hands bytes to a socket; a second record where they are refused")

SOCK_SEND
PART(0)
SEC("tp_btf/sys_enter")
int BPF_PROG(net_sock_send, struct pt_regs *regs, long nr)
{
	return record_call(regs, nr, NET_SOCK_SEND, 0);
}

SOCK_SEND
PART(1)
SEC("tp_btf/sock_send_length")
int BPF_PROG(net_sock_send_refused, struct sock *sk, int result)
{
	struct crossing c = {};

	/* Always asked for: a socket has none until it is asked for. */
	c.cookie = bpf_get_socket_cookie(sk);
	if (result >= 0 || !take_socket(&c, sk, true))
		return 0;
	c.size = result;
	return crossing_record(&c, NET_SOCK_SEND);
}

/* The end of a call whose result, mostly an error, is all there is to record. */
static __always_inline int record_result(const struct pt_regs *regs, long result, __u32 id,
					 bool sending)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct socket_use use = {};
	struct crossing c = {};
	struct sock *sk;

	if (!socket_use_take(&use, regs, regs_syscall(regs), task) ||
	    (sending ? !socket_use_sends(&use) : use.call != SOCKET_CALL_RECV))
		return 0;
	sk = socket_use_sock(&use, task);
	if (!sk || !take_found_socket(&c, sk) ||
	    (result > 0 && (sending || c.packet.protocol == PROTOCOL_TCP)))
		return 0;
	if (!sending)
		take_ends(&c.packet, c.packet.sport, c.packet.dport, false);
	c.size = result;
	return found_record(&c, id);
}

SOCK_SEND
PART(1)
SEC("tp_btf/sys_exit")
int BPF_PROG(net_sock_send_refused_call, struct pt_regs *regs, long result)
{
	return result < 0 ? record_result(regs, result, NET_SOCK_SEND, true) : 0;
}

MEASURE(NET_TCP_SEND, "net.tcp_send", net_packet, "a socket hands bytes to TCP")
SEC("tp_btf/tcp_sendmsg_locked")
int BPF_PROG(net_tcp_send, struct sock *sk, struct msghdr *msg)
{
	struct tcp_sock *tp = bpf_skc_to_tcp_sock(sk);
	struct crossing c = {};

	/* It fires for each segment that is filled; at the first one nothing has been taken yet. */
	if (!tp || msg->msg_iter.iov_offset || !take_socket(&c, sk, true))
		return 0;
	c.cookie = bpf_get_socket_cookie(sk);
	c.packet.seq = tp->write_seq;
	c.size = msg->msg_iter.count;
	return crossing_record(&c, NET_TCP_SEND);
}

MEASURE(NET_TCP_SEND, "net.tcp_send", net_packet, "a socket hands bytes to TCP")
SEC("fentry/tcp_sendmsg_locked")
int BPF_PROG(net_tcp_send_function, struct sock *sk, struct msghdr *msg, unsigned long size)
{
	struct tcp_sock *tp = bpf_skc_to_tcp_sock(sk);
	struct crossing c = {};

	preempt_off();
	if (tp && take_socket(&c, sk, true)) {
		c.cookie = bpf_get_socket_cookie(sk);
		c.packet.seq = tp->write_seq;
		c.size = size;
		crossing_record(&c, NET_TCP_SEND);
	}
	preempt_on();
	return 0;
}

#define UDP_SEND MEASURE(NET_UDP_SEND, "net.udp_send", net_packet, "a socket hands bytes to UDP")

/* The kernel has a copy of the address by now, of as many bytes as the call said. */
static __always_inline void take_copied(struct crossing *c, const struct msghdr *msg)
{
	const void *at = BPF_CORE_READ(msg, msg_name);
	int bytes = BPF_CORE_READ(msg, msg_namelen);
	struct given_address address = {};

	if (!at || bytes < GIVEN_V4_BYTES)
		return;
	bpf_probe_read_kernel(&address,
			      bytes < (int)sizeof(address) ? GIVEN_V4_BYTES : sizeof(address), at);
	take_given(c, &address);
}

/* An IPv6 socket that sends to an IPv4 address comes by both functions. */
static __always_inline int record_udp_send(struct sock *sk, const struct msghdr *msg,
					   unsigned long size, __u16 family)
{
	struct crossing c = {};

	preempt_off();
	if (take_socket(&c, sk, true) && c.packet.family == family) {
		c.cookie = bpf_get_socket_cookie(sk);
		c.size = size;
		take_copied(&c, msg);
		crossing_record(&c, NET_UDP_SEND);
	}
	preempt_on();
	return 0;
}

UDP_SEND
PART(0)
SEC("fentry/udp_sendmsg")
int BPF_PROG(net_udp_send, struct sock *sk, struct msghdr *msg, unsigned long size)
{
	return record_udp_send(sk, msg, size, AF_INET);
}

UDP_SEND
PART(1)
SEC("fentry/udpv6_sendmsg")
int BPF_PROG(net_udp_send_v6, struct sock *sk, struct msghdr *msg, unsigned long size)
{
	return record_udp_send(sk, msg, size, AF_INET6);
}

/* Where functions have no hooks, the call that leads there. */
UDP_SEND
PART(0)
PART(1)
SEC("tp_btf/sys_enter")
int BPF_PROG(net_udp_send_call, struct pt_regs *regs, long nr)
{
	return record_call(regs, nr, NET_UDP_SEND, PROTOCOL_UDP);
}

/* A packet in a receive queue: its headers are behind it, but still in its memory, unless TCP has
 * made it from others. */
static __always_inline void take_queued(struct crossing *c, const struct sk_buff *skb)
{
	const struct tcp_skb_cb *control = (const void *)&skb->cb;

	c->head = skb->head;
	c->segments = segments_of(skb);
	if (skb->transport_header != HEADER_UNSET)
		packet_read(&c->packet, skb->protocol, skb->head + skb->network_header);
	if (c->packet.protocol == PROTOCOL_TCP)
		c->packet.seq = BPF_CORE_READ(control, seq);
}

static __always_inline int record_ready(struct sock *sk)
{
	struct sk_buff *last, *end = (void *)&sk->sk_receive_queue;
	const struct sock *plain = untrusted(sk, CAST_SOCKET_MARK);
	struct crossing c = {};

	if (sk->__sk_common.skc_state == SK_LISTEN || !take_socket(&c, sk, false))
		return 0;
	c.cookie = bpf_get_socket_cookie(sk);
	last = untrusted(plain->sk_receive_queue.prev, CAST_PACKET_MARK);
	if (last && last != end) {
		take_queued(&c, last);
		c.size = last->len;
	}
	return crossing_record(&c, NET_SOCK_RECV);
}

#define SOCK_RECV                                                                      \
	MEASURE(NET_SOCK_RECV, "net.sock_recv", net_packet,                            \
		"transport notifies a socket of bytes: the last packet of its queue, " \
		"to which TCP may have joined later ones")

SOCK_RECV
PART(0)
SEC("tp_btf/sk_data_ready")
int BPF_PROG(net_sock_recv, struct sock *sk)
{
	struct ring_cpu *ring = this_ring();

	if (!ring)
		return 0;
	stand_in_begin(ring, STAND_IN_READY);
	record_ready(sk);
	stand_in_end(ring, STAND_IN_READY);
	return 0;
}

SOCK_RECV
PART(0)
SEC("fentry/sock_def_readable")
int BPF_PROG(net_sock_recv_function, struct sock *sk)
{
	preempt_off();
	record_ready(sk);
	preempt_on();
	return 0;
}

/* A task that works off its socket's backlog may be interrupted by another socket's packet. */
SOCK_RECV
PART(1)
STANDS_IN("net_sock_recv")
SEC("tp_btf/sk_data_ready")
int BPF_PROG(net_sock_recv_nested, struct sock *sk)
{
	return stand_in_takes(this_ring(), STAND_IN_READY) ? record_ready(sk) : 0;
}

#define APP_RECV                                                                                       \
	MEASURE(NET_APP_RECV, "net.app_recv", net_packet,                                              \
		"a socket gives bytes to the application; of UDP without the packet, in the order of " \
		"net.sock_recv")

/* Of TCP each packet that is copied. */
APP_RECV
PART(0)
SEC("tp_btf/skb_copy_datagram_iovec")
int BPF_PROG(net_app_recv, struct sk_buff *skb, int size)
{
	struct crossing c = {};
	struct sock *sk;

	skb = untrusted(skb, CAST_PACKET_MARK);
	sk = skb->sk;
	if (!sk || !is_inet(sk->__sk_common.skc_family) || sk->sk_protocol != PROTOCOL_TCP)
		return 0;
	take_queued(&c, skb);
	c.sk = sk;
	c.cookie = sk->__sk_common.skc_cookie.counter;
	c.netns = sk->__sk_common.skc_net.net->ns.inum;
	c.size = size;
	return crossing_record(&c, NET_APP_RECV);
}

/* For others the datagram, by now without its packet; for TCP the fact that no data was available. */
APP_RECV
PART(1)
SEC("tp_btf/sock_recv_length")
int BPF_PROG(net_app_recv_length, struct sock *sk, int result, int flags)
{
	struct crossing c = {};

	if (flags & MSG_PEEK || !take_socket(&c, sk, false))
		return 0;
	if (c.packet.protocol == PROTOCOL_TCP && result > 0)
		return 0;
	c.cookie = bpf_get_socket_cookie(sk);
	c.size = result;
	return crossing_record(&c, NET_APP_RECV);
}

APP_RECV
PART(1)
SEC("tp_btf/sys_exit")
int BPF_PROG(net_app_recv_call, struct pt_regs *regs, long result)
{
	return record_result(regs, result, NET_APP_RECV, false);
}

/*
 * A socket has no number until a program asks for it, and most hooks cannot ask: they have found the socket
 * indirectly. So each one is asked for when it is made, when it is accepted, and, for those that exist
 * already, before anything is recorded. What these miss has number 0 until a hook that can asks.
 */
SERVICE("socket_number")
SEC("cgroup/sock_create")
int net_socket_made(struct bpf_sock *ctx)
{
	bpf_get_socket_cookie(ctx);
	return 1; /* it may be made */
}

SERVICE("socket_number")
SEC("tp_btf/inet_sock_set_state")
int BPF_PROG(net_socket_accepted, struct sock *sk)
{
	bpf_get_socket_cookie(sk);
	return 0;
}

SERVICE("socket_number")
SEC("iter/task_file")
int net_socket_open(struct bpf_iter__task_file *ctx)
{
	struct file *file = ctx->file;
	struct socket *socket;
	struct sock *sk;

	if (!ctx->task || !file) /* NULL: the end */
		return 0;
	socket = bpf_sock_from_file(file);
	sk = socket ? socket->sk : 0;
	if (sk && is_inet(sk->__sk_common.skc_family))
		bpf_get_socket_cookie(sk);
	return 0;
}

/* Attached where a filter asks: calls that receive tell it too. */
SERVICE("net_owner")
MISSES("which task has used a socket last")
SEC("tp_btf/sys_enter")
int BPF_PROG(net_owner, struct pt_regs *regs, long nr)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct socket_use use = {};
	struct sock *sk;

	if (!socket_use_take(&use, regs, nr, task))
		return 0;
	sk = socket_use_sock(&use, task);
	if (sk)
		claim(task, sk);
	return 0;
}

#endif /* SONDE_PROBE_SOCK_BPF_H */
