/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * net_fixture: net events made by hand: a class for each crossing, all of one layout. For the tests
 * of what reports know of packets.
 */
#ifndef SONDE_TESTS_NET_FIXTURE_H
#define SONDE_TESTS_NET_FIXTURE_H

#include "view_fixture.h"

#include "analyse/net_fields.h"

#define NET_FIXTURE_FIELDS 12u
#define NET_FIXTURE_EVENTS 256u

enum net_fixture_class {
	NET_FIXTURE_LOST,
	NET_FIXTURE_SOCK_SEND,
	NET_FIXTURE_TCP_SEND,
	NET_FIXTURE_UDP_SEND,
	NET_FIXTURE_IP_SEND,
	NET_FIXTURE_DEV_QUEUE,
	NET_FIXTURE_QDISC_ENQUEUE,
	NET_FIXTURE_QDISC_DEQUEUE,
	NET_FIXTURE_DEV_XMIT,
	NET_FIXTURE_DEV_RECV,
	NET_FIXTURE_IP_RECV,
	NET_FIXTURE_TCP_RECV,
	NET_FIXTURE_UDP_RECV,
	NET_FIXTURE_SOCK_RECV,
	NET_FIXTURE_APP_RECV,
	NET_FIXTURE_DROP,
	NET_FIXTURE_CLASSES,
};

static const char *const net_fixture_names[NET_FIXTURE_CLASSES] = {
	"",
	"net.sock_send",
	"net.tcp_send",
	"net.udp_send",
	"net.ip_send",
	"net.dev_queue",
	"net.qdisc_enqueue",
	"net.qdisc_dequeue",
	"net.dev_xmit",
	"net.dev_recv",
	"net.ip_recv",
	"net.tcp_recv",
	"net.udp_recv",
	"net.sock_recv",
	"net.app_recv",
	"net.drop",
};

static const struct field_label net_fixture_reasons[] = {{3, 3, "NO_SOCKET"}};

struct net_snap {
	uint64_t cookie;
	uint32_t packet;
	uint32_t seq;
	int32_t size;
	uint32_t netns;
	uint16_t ip_id;
	uint16_t sport;
	uint16_t dport;
	uint8_t protocol;
	uint8_t family;
	uint32_t reason;
	uint32_t result;
};

static const struct field net_fixture_fields[NET_FIXTURE_FIELDS] = {
	{U(64, "cookie")},
	{U(32, "packet")},
	{U(32, "seq")},
	{S(32, "size")},
	{U(32, "netns")},
	{U(16, "ip_id")},
	{U(16, "sport")},
	{U(16, "dport")},
	{U(8, "protocol")},
	{U(8, "family")},
	{U(32, "reason"), .labels = net_fixture_reasons, .label_count = 1},
	{U(32, "result")},
};

struct net_fixture {
	uint32_t offsets[NET_FIXTURE_FIELDS];
	struct event_class made[NET_FIXTURE_CLASSES];
	const struct event_class *classes[NET_FIXTURE_CLASSES];
	struct net_snap payloads[NET_FIXTURE_EVENTS];
	struct event events[NET_FIXTURE_EVENTS];
	size_t count;
};

static inline void net_fixture_init(struct net_fixture *n)
{
	uint32_t at = 0;
	size_t i;

	memset(n, 0, sizeof(*n));
	for (i = 0; i < NET_FIXTURE_FIELDS; i++) {
		n->offsets[i] = at;
		at += net_fixture_fields[i].bits;
	}
	n->classes[NET_FIXTURE_LOST] = &lost_class;
	for (i = 1; i < NET_FIXTURE_CLASSES; i++) {
		n->made[i] = (struct event_class){
			.id = (uint32_t)i,
			.name = net_fixture_names[i],
			.field_count = NET_FIXTURE_FIELDS,
			.fields = net_fixture_fields,
			.offsets = n->offsets,
			.index = i,
		};
		n->classes[i] = &n->made[i];
	}
}

static inline const struct event *net_fixture_add(struct net_fixture *n,
						  enum net_fixture_class class, int64_t ns,
						  const struct net_snap *snap)
{
	struct event *event = &n->events[n->count];

	assert_true(n->count < NET_FIXTURE_EVENTS);
	n->payloads[n->count] = *snap;
	*event = (struct event){
		.class = n->classes[class],
		.payload = (const uint8_t *)&n->payloads[n->count],
		.offsets = n->offsets,
		.time_ns = FIXTURE_EPOCH_NS + ns,
		.cpu = 1,
		.tid = 42,
		.bytes = 40,
	};
	n->count++;
	return event;
}

#endif /* SONDE_TESTS_NET_FIXTURE_H */
