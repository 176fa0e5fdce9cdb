/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * segment.bpf: the two ends of a received segment, from its headers alone, as the connection's
 * local side would name them: for segments that no socket wants.
 */
#ifndef SONDE_PROBE_SEGMENT_BPF_H
#define SONDE_PROBE_SEGMENT_BPF_H

#include "probe/socket.bpf.h"

struct segment_ends {
	__u64 local[2]; /* 16 bytes, IPv4 mapped into IPv6 */
	__u64 remote[2];
	__u32 netns; /* inode, as of the device that received it */
	__u16 lport;
	__u16 rport;
	__u16 family;
};

static __always_inline void segment_ends_take(struct segment_ends *ends, struct sk_buff *skb)
{
	unsigned char *ip = skb->head + skb->network_header;
	__u32 addresses[2] = {};
	__u16 ports[2] = {};
	__u8 version = 0;

	ends->netns = BPF_CORE_READ(skb, dev, nd_net.net, ns.inum);
	bpf_probe_read_kernel(&version, sizeof(version), ip);
	bpf_probe_read_kernel(ports, sizeof(ports), skb->head + skb->transport_header);
	ends->rport = bpf_ntohs(ports[0]);
	ends->lport = bpf_ntohs(ports[1]);
	if (version >> 4 == 6) {
		ends->family = AF_INET6;
		bpf_probe_read_kernel(ends->remote, 16, ip + 8);
		bpf_probe_read_kernel(ends->local, 16, ip + 24);
		return;
	}
	ends->family = AF_INET;
	bpf_probe_read_kernel(addresses, sizeof(addresses), ip + 12);
	ends->remote[0] = ends->local[0] = 0;
	ends->remote[1] = (__u64)addresses[0] << 32 | bpf_htonl(0xffff);
	ends->local[1] = (__u64)addresses[1] << 32 | bpf_htonl(0xffff);
}

/* A filter that asks for something that only a socket or a task has is not met. */
static __always_inline bool segment_wanted(const struct segment_ends *ends)
{
	if (cfg_filter.by_pid || cfg_filter.comm_count || cfg_filter.uid_count ||
	    cfg_filter.cgroup_count)
		return false;
	if (cfg_filter.netns_count && !netns_wanted(ends->netns))
		return false;
	if (cfg_filter.port_count && !port_wanted(ends->lport, ends->rport))
		return false;
	return !cfg_filter.address_count || address_wanted(ends->local, ends->remote);
}

#endif /* SONDE_PROBE_SEGMENT_BPF_H */
