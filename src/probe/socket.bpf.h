/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * socket.bpf: whose a socket is and what it is called: addresses, and the filters that ask.
 */
#ifndef SONDE_PROBE_SOCKET_BPF_H
#define SONDE_PROBE_SOCKET_BPF_H

#include "probe/filter.bpf.h"

#define AF_INET 2
#define AF_INET6 10

/* Per socket, where a trigger compares with the record before, or a filter asks whose it is. */
struct socket_memory {
	__u64 window; /* snd_cwnd, and above it snd_ssthresh; 0 = no record yet */
	__u32 rcvbuf;
	__u32 owned; /* a wanted task has used it */
};
struct {
	__uint(type, BPF_MAP_TYPE_SK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct socket_memory);
} sockets SEC(".maps");

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

/* A socket that closes gives its number back before its event; the number remains in its segments'
 * header. */
static __always_inline __u16 local_port(const struct sock *sk)
{
	const struct inet_sock *inet = (const void *)sk;

	return sk->__sk_common.skc_num ?: bpf_ntohs(BPF_CORE_READ(inet, inet_sport));
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

	if (cfg_filter.port_count && !port_wanted(local_port(sk), bpf_ntohs(common->skc_dport)))
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

#endif /* SONDE_PROBE_SOCKET_BPF_H */
