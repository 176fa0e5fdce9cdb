/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * net_fields: where the classes of net events have what, and one event as a crossing: a packet, or
 * bytes, that go from one layer of the network stack to the next.
 */
#ifndef SONDE_ANALYSE_NET_FIELDS_H
#define SONDE_ANALYSE_NET_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct event;
struct event_class;

/* In the order of a packet's way. */
enum net_crossing {
	NET_SOCK_SEND,
	NET_TRANSPORT_SEND, /* net.tcp_send, net.udp_send */
	NET_IP_SEND,
	NET_DEV_QUEUE,
	NET_QDISC_ENQUEUE,
	NET_QDISC_DEQUEUE,
	NET_DEV_XMIT,
	NET_DEV_RECV,
	NET_IP_RECV,
	NET_TRANSPORT_RECV, /* net.tcp_recv, net.udp_recv */
	NET_SOCK_RECV,
	NET_APP_RECV,
	NET_CROSSINGS,
	NET_DROPPED = NET_CROSSINGS, /* the end of the way, wherever */
	NET_NONE, /* no crossing, or it lacks a field */
};

enum {
	NET_PROTOCOL_ICMP = 1,
	NET_PROTOCOL_TCP = 6,
	NET_PROTOCOL_UDP = 17,
	NET_PROTOCOL_ICMPV6 = 58,
};

struct net_fields {
	enum net_crossing crossing;
	uint8_t protocol; /* what the class says of it; 0 = the field does */
	int packet, seq; /* -1, both: only ip_id distinguishes packets */
	size_t cookie, size, netns, ip_id, protocol_field, sport, dport;
	int reason; /* of a drop; -1 = none */
	int result; /* of a driver: 0 = it took the packet; -1 = none */
	int family; /* -1 = none */
};

struct net_now {
	enum net_crossing crossing;
	int64_t time_ns;
	uint64_t cookie; /* 0 = not known */
	uint32_t packet; /* number of the memory that it is in; 0 = no packet yet */
	uint32_t seq;
	int32_t size; /* below 0: -errno */
	uint32_t netns;
	int32_t tid;
	int32_t cpu;
	uint16_t ip_id;
	uint16_t sport;
	uint16_t dport;
	uint8_t protocol;
	bool is_ipv6;
	bool refused; /* by the driver: it is back where it was */
	int64_t reason;
};

void net_fields_find(struct net_fields *fields, const struct event_class *class);
void net_fields_read(const struct net_fields *fields, const struct event *event,
		     struct net_now *now);
/* "net.tcp_send"; of a class whose name depends on the protocol: that one's. */
const char *net_crossing_name(enum net_crossing crossing, uint8_t protocol);
/* What passes while a packet goes from one crossing to the next: "in the queue". NULL: these two do
 * not follow each other, unless what is between is not recorded. */
const char *net_layer_name(enum net_crossing from, enum net_crossing to);
/* "TCP", or NULL where it is not one of those above. */
const char *net_protocol_name(uint8_t protocol);

/* Sequence numbers are modulo 2^32: whether @seq lies in [@from, @from + @len). */
static inline bool net_seq_within(uint32_t seq, uint32_t from, uint32_t len)
{
	return seq - from < len;
}

/* Whether @a comes before @b. */
static inline bool net_seq_before(uint32_t a, uint32_t b)
{
	return (int32_t)(a - b) < 0;
}

#endif /* SONDE_ANALYSE_NET_FIELDS_H */
