/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * net_flow.bpf: the flows of wanted sockets, by network namespace, protocol and both ends.
 *
 * A packet that is received has no socket until transport has found one, and one to a closed port
 * never has. A filter by owner finds such a packet here, in either direction: a packet that its
 * socket has sent has taught the flow (net.bpf.c). Without such a filter nothing of this is code.
 */
#ifndef SONDE_PROBE_NET_FLOW_BPF_H
#define SONDE_PROBE_NET_FLOW_BPF_H

#include "probe/net_packet.bpf.h"

struct flow_key {
	__u64 source[2];
	__u64 dest[2];
	__u32 netns;
	__u16 sport;
	__u16 dport;
	__u32 protocol;
	__u32 pad;
};

/* The tid of the task that used the socket last, 0 = not known. A full table forgets the flow that was used least
 * recently: its packets are then not recorded. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 65536);
	__type(key, struct flow_key);
	__type(value, __u32);
} net_flows SEC(".maps");

static __always_inline void flow_key_take(struct flow_key *key, const struct packet *p, __u32 netns)
{
	key->source[0] = p->source[0];
	key->source[1] = p->source[1];
	key->dest[0] = p->dest[0];
	key->dest[1] = p->dest[1];
	key->netns = netns;
	key->sport = p->sport;
	key->dport = p->dport;
	key->protocol = p->protocol;
	key->pad = 0;
}

#define FLOW_UNKNOWN (-1)

/* Not inlined: a caller's packet stays in registers where no filter asks. */
static __noinline __s32 flow_owner_at(const struct flow_key *key)
{
	struct flow_key back;
	const __u32 *owner;

	if (!key)
		return FLOW_UNKNOWN;
	owner = bpf_map_lookup_elem(&net_flows, key);
	if (owner)
		return (__s32)*owner;
	back = (struct flow_key){
		.source = {key->dest[0], key->dest[1]},
		.dest = {key->source[0], key->source[1]},
		.netns = key->netns,
		.sport = key->dport,
		.dport = key->sport,
		.protocol = key->protocol,
	};
	owner = bpf_map_lookup_elem(&net_flows, &back);
	return owner ? (__s32)*owner : FLOW_UNKNOWN;
}

/* Of a packet without a socket: the task of the wanted socket whose flow it is of, 0 = not known which task; or
 * FLOW_UNKNOWN. */
static __always_inline __s32 flow_owner(const struct packet *p, __u32 netns)
{
	struct flow_key key;

	flow_key_take(&key, p, netns);
	return flow_owner_at(&key);
}

/* Of a packet that a socket has sent: both ends may belong to another socket from now on. @owner: as above. */
static __always_inline void flow_learn(const struct packet *p, __u32 netns, bool wanted,
				       __u32 owner)
{
	struct flow_key key;

	flow_key_take(&key, p, netns);
	if (wanted)
		bpf_map_update_elem(&net_flows, &key, &owner, BPF_ANY);
	else
		bpf_map_delete_elem(&net_flows, &key);
}

#endif /* SONDE_PROBE_NET_FLOW_BPF_H */
