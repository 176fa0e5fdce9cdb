// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/net_fields.h"

#include <string.h>

#include "schema/event.h"

#define PACKET_BY_ID (1u << 16) /* 0 would be no packet */
#define FAMILY_IPV6 10 /* AF_INET6 of Linux: traces are read elsewhere, too */

static const struct {
	const char *name;
	enum net_crossing crossing;
	uint8_t protocol;
} crossings[] = {
	{"net.sock_send", NET_SOCK_SEND, 0},
	{"net.tcp_send", NET_TRANSPORT_SEND, NET_PROTOCOL_TCP},
	{"net.udp_send", NET_TRANSPORT_SEND, NET_PROTOCOL_UDP},
	{"net.ip_send", NET_IP_SEND, 0},
	{"net.dev_queue", NET_DEV_QUEUE, 0},
	{"net.qdisc_enqueue", NET_QDISC_ENQUEUE, 0},
	{"net.qdisc_dequeue", NET_QDISC_DEQUEUE, 0},
	{"net.dev_xmit", NET_DEV_XMIT, 0},
	{"net.dev_recv", NET_DEV_RECV, 0},
	{"net.ip_recv", NET_IP_RECV, 0},
	{"net.tcp_recv", NET_TRANSPORT_RECV, NET_PROTOCOL_TCP},
	{"net.udp_recv", NET_TRANSPORT_RECV, NET_PROTOCOL_UDP},
	{"net.sock_recv", NET_SOCK_RECV, 0},
	{"net.app_recv", NET_APP_RECV, 0},
	{"net.drop", NET_DROPPED, 0},
};
#define CLASS_COUNT (sizeof(crossings) / sizeof(crossings[0]))

static const struct {
	enum net_crossing from, to;
	const char *name;
} layers[] = {
	{NET_SOCK_SEND, NET_TRANSPORT_SEND, "socket -> transport"},
	{NET_TRANSPORT_SEND, NET_IP_SEND, "transport -> IP"},
	{NET_IP_SEND, NET_DEV_QUEUE, "IP -> device queue"},
	{NET_DEV_QUEUE, NET_QDISC_ENQUEUE, "into the queue"},
	{NET_QDISC_ENQUEUE, NET_QDISC_DEQUEUE, "in the queue"},
	{NET_QDISC_DEQUEUE, NET_DEV_XMIT, "queue -> driver"},
	{NET_DEV_QUEUE, NET_DEV_XMIT, "driver, no queue"},
	{NET_DEV_XMIT, NET_DEV_RECV, "wire (veth, loopback)"},
	{NET_DEV_RECV, NET_IP_RECV, "device -> IP"},
	{NET_IP_RECV, NET_TRANSPORT_RECV, "IP -> transport"},
	{NET_IP_RECV, NET_DEV_QUEUE, "forwarded"},
	{NET_TRANSPORT_RECV, NET_SOCK_RECV, "transport -> socket"},
	{NET_SOCK_RECV, NET_APP_RECV, "socket -> application"},
	{NET_TRANSPORT_RECV, NET_APP_RECV, "transport -> application"},
};

static bool find(const struct event_class *class, const char *name, size_t *ret)
{
	int i = event_class_find_number(class, name);

	*ret = i < 0 ? 0 : (size_t)i;
	return i >= 0;
}

/* The names are Sonde's, but the trace may be any: a class that lacks a field is not one of these. */
void net_fields_find(struct net_fields *fields, const struct event_class *class)
{
	bool good;

	*fields = (struct net_fields){
		.crossing = NET_NONE,
		.packet = event_class_find_number(class, "packet"),
		.seq = event_class_find_number(class, "seq"),
		.reason = event_class_find_number(class, "reason"),
		.result = event_class_find_number(class, "result"),
		.family = event_class_find_number(class, "family"),
	};
	good = find(class, "cookie", &fields->cookie) && find(class, "size", &fields->size) &&
	       (fields->packet < 0) == (fields->seq < 0) && find(class, "netns", &fields->netns) &&
	       find(class, "ip_id", &fields->ip_id) &&
	       find(class, "protocol", &fields->protocol_field) &&
	       find(class, "sport", &fields->sport) && find(class, "dport", &fields->dport);
	for (size_t i = 0; good && i < CLASS_COUNT; i++) {
		if (strcmp(class->name, crossings[i].name) != 0)
			continue;
		fields->crossing = crossings[i].crossing;
		fields->protocol = crossings[i].protocol;
	}
}

void net_fields_read(const struct net_fields *fields, const struct event *event,
		     struct net_now *now)
{
	*now = (struct net_now){
		.crossing = fields->crossing,
		.time_ns = event->time_ns,
		.cookie = event_uint(event, fields->cookie),
		.size = (int32_t)event_uint(event, fields->size),
		.netns = (uint32_t)event_uint(event, fields->netns),
		.tid = event->tid,
		.cpu = event->cpu,
		.ip_id = (uint16_t)event_uint(event, fields->ip_id),
		.sport = (uint16_t)event_uint(event, fields->sport),
		.dport = (uint16_t)event_uint(event, fields->dport),
		.protocol = fields->protocol ?: (uint8_t)event_uint(event, fields->protocol_field),
	};
	/* As if the id were that of its memory, and its bytes were far from those of any other. */
	if (fields->packet < 0) {
		now->packet = PACKET_BY_ID | now->ip_id;
		now->seq = (uint32_t)now->ip_id << 16;
	} else {
		now->packet = (uint32_t)event_uint(event, (size_t)fields->packet);
		now->seq = (uint32_t)event_uint(event, (size_t)fields->seq);
	}
	if (fields->family >= 0)
		now->is_ipv6 = event_uint(event, (size_t)fields->family) == FAMILY_IPV6;
	if (fields->reason >= 0)
		now->reason = (int64_t)event_uint(event, (size_t)fields->reason);
	if (fields->result >= 0)
		now->refused = event_uint(event, (size_t)fields->result) != 0;
}

const char *net_crossing_name(enum net_crossing crossing, uint8_t protocol)
{
	for (size_t i = 0; i < CLASS_COUNT; i++) {
		if (crossings[i].crossing == crossing &&
		    (!crossings[i].protocol || crossings[i].protocol == protocol ||
		     protocol != NET_PROTOCOL_UDP))
			return crossings[i].name;
	}
	return "?";
}

const char *net_layer_name(enum net_crossing from, enum net_crossing to)
{
	for (size_t i = 0; i < sizeof(layers) / sizeof(layers[0]); i++) {
		if (layers[i].from == from && layers[i].to == to)
			return layers[i].name;
	}
	return NULL;
}

const char *net_protocol_name(uint8_t protocol)
{
	switch (protocol) {
	case NET_PROTOCOL_ICMP:
		return "ICMP";
	case NET_PROTOCOL_ICMPV6:
		return "ICMPv6";
	case NET_PROTOCOL_TCP:
		return "TCP";
	case NET_PROTOCOL_UDP:
		return "UDP";
	}
	return NULL;
}
