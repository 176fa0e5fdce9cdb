// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/packet_paths.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define TCP_HEADERS 52
#define LINK 14
#define SENDER 7u
#define RECEIVER 8u
#define WAYS 64u

struct made {
	struct packet_paths paths;
	struct packet_way ways[WAYS];
	size_t count;
	int64_t time_ns;
};

static void take(void *owner, const struct packet_way *way)
{
	struct made *m = owner;

	assert_true(m->count < WAYS);
	m->ways[m->count++] = *way;
}

static void init(struct made *m)
{
	memset(m, 0, sizeof(*m));
	assert_int_equal(packet_paths_init(&m->paths, take, m), 0);
	memset(m->paths.records, true, sizeof(m->paths.records));
}

static void fini(struct made *m)
{
	packet_paths_fini(&m->paths);
}

/* Each crossing 10 ns after the one before. */
static struct net_now now(struct made *m, enum net_crossing crossing, uint8_t protocol)
{
	bool sends = crossing <= NET_DEV_XMIT;

	m->time_ns += 10;
	return (struct net_now){
		.crossing = crossing,
		.time_ns = m->time_ns,
		.netns = sends ? 100 : 200,
		.tid = sends ? 1 : 2,
		.sport = 4000,
		.dport = 80,
		.protocol = protocol,
	};
}

/* A packet in memory @packet, of @size bytes at IP. */
static void cross(struct made *m, enum net_crossing crossing, uint32_t packet, uint32_t seq,
		  int32_t size)
{
	struct net_now n = now(m, crossing, NET_PROTOCOL_TCP);

	n.packet = packet;
	n.seq = seq;
	n.ip_id = (uint16_t)packet;
	n.size = crossing >= NET_DEV_QUEUE && crossing <= NET_DEV_RECV ? size + LINK : size;
	n.cookie = crossing <= NET_DEV_XMIT ? SENDER : 0;
	packet_paths_count(&m->paths, &n);
}

static void cross_all(struct made *m, enum net_crossing from, enum net_crossing to, uint32_t packet,
		      uint32_t seq, int32_t size)
{
	for (; from <= to; from++)
		cross(m, from, packet, seq, size);
}

static void send_bytes(struct made *m, uint32_t seq, int32_t size)
{
	struct net_now n = now(m, NET_SOCK_SEND, NET_PROTOCOL_TCP);

	n.size = size;
	packet_paths_count(&m->paths, &n);
	n = now(m, NET_TRANSPORT_SEND, NET_PROTOCOL_TCP);
	n.cookie = SENDER;
	n.seq = seq;
	n.size = size;
	packet_paths_count(&m->paths, &n);
}

/* From the socket, as the kernel half tells it: the packet's begin, and how much of it. */
static void socket_bytes(struct made *m, enum net_crossing crossing, uint32_t packet, uint32_t seq,
			 int32_t size)
{
	struct net_now n = now(m, crossing, NET_PROTOCOL_TCP);

	n.packet = packet;
	n.seq = seq;
	n.size = size;
	n.cookie = RECEIVER;
	packet_paths_count(&m->paths, &n);
}

static void end(struct made *m)
{
	packet_paths_end(&m->paths);
	assert_int_equal(m->paths.flights.count, 0);
}

/* One packet through all layers: the sum of the parts is the whole. */
static void test_tcp(void **state)
{
	uint64_t sum = 0;
	struct made m;
	size_t i;

	(void)state;
	init(&m);
	send_bytes(&m, 1000, 100);
	cross_all(&m, NET_IP_SEND, NET_TRANSPORT_RECV, 5, 1000, TCP_HEADERS + 100);
	socket_bytes(&m, NET_SOCK_RECV, 5, 1000, 100);
	assert_int_equal(m.count, 0);
	socket_bytes(&m, NET_APP_RECV, 5, 1000, 100);
	assert_int_equal(m.count, 1);
	assert_int_equal(m.ways[0].end, WAY_READ);
	assert_int_equal(m.ways[0].count, NET_CROSSINGS);
	for (i = 0; i < NET_CROSSINGS; i++) {
		assert_int_equal(m.ways[0].steps[i].crossing, i);
		sum += i ? packet_way_took(&m.ways[0], i) : 0;
	}
	assert_int_equal(sum, 110);
	assert_int_equal(packet_way_total(&m.ways[0]), sum);
	assert_int_equal(m.ways[0].from_netns, 100);
	assert_int_equal(m.ways[0].to_netns, 200);
	assert_int_equal(m.ways[0].cookie, SENDER);
	assert_int_equal(m.ways[0].size, TCP_HEADERS + 100);
	assert_false(m.ways[0].again);
	end(&m);
	assert_int_equal(m.count, 1);
	fini(&m);
}

/* One send in two packets; both are read at once, the second one's bytes joined to the first. */
static void test_two_packets(void **state)
{
	struct made m;

	(void)state;
	init(&m);
	send_bytes(&m, 0xffffff00u, 2000); /* numbers wrap */
	cross_all(&m, NET_IP_SEND, NET_TRANSPORT_RECV, 5, 0xffffff00u, TCP_HEADERS + 1000);
	cross_all(&m, NET_IP_SEND, NET_TRANSPORT_RECV, 6, 0xffffff00u + 1000, TCP_HEADERS + 1000);
	socket_bytes(&m, NET_SOCK_RECV, 5, 0xffffff00u, 2000);
	socket_bytes(&m, NET_APP_RECV, 5, 0xffffff00u, 2000);
	assert_int_equal(m.count, 2);
	assert_int_equal(m.ways[1].key.packet, 6);
	assert_int_equal(m.ways[1].steps[1].crossing, NET_TRANSPORT_SEND);
	assert_int_equal(m.ways[1].steps[1].time_ns, m.ways[0].steps[1].time_ns);
	assert_int_equal(m.ways[1].end, WAY_READ);
	fini(&m);
}

/* Two sends in one packet: its first byte is of the first. */
static void test_two_sends(void **state)
{
	struct made m;

	(void)state;
	init(&m);
	send_bytes(&m, 1000, 10);
	send_bytes(&m, 1010, 10);
	cross_all(&m, NET_IP_SEND, NET_TRANSPORT_RECV, 5, 1000, TCP_HEADERS + 20);
	send_bytes(&m, 1020, 10);
	cross_all(&m, NET_IP_SEND, NET_TRANSPORT_RECV, 6, 1020, TCP_HEADERS + 10);
	/* Piece by piece: what was read of a packet before counts. */
	socket_bytes(&m, NET_APP_RECV, 5, 1000, 15);
	socket_bytes(&m, NET_APP_RECV, 5, 1000, 5);
	assert_int_equal(m.count, 1);
	socket_bytes(&m, NET_APP_RECV, 5, 1000, 10); /* joined */
	assert_int_equal(m.count, 2);
	assert_int_equal(m.ways[0].steps[1].time_ns, 20);
	assert_int_equal(m.ways[1].key.packet, 6);
	assert_int_equal(m.ways[1].end, WAY_READ);
	assert_int_equal(m.paths.unmatched, 0);
	fini(&m);
}

/* A packet of headers alone ends where TCP has it. */
static void test_empty(void **state)
{
	struct made m;

	(void)state;
	init(&m);
	cross_all(&m, NET_IP_SEND, NET_TRANSPORT_RECV, 5, 1000, TCP_HEADERS);
	cross_all(&m, NET_IP_SEND, NET_TRANSPORT_RECV, 9, 1000, TCP_HEADERS);
	assert_int_equal(m.count, 1);
	cross(&m, NET_DROPPED, 9, 1000, 0);
	assert_int_equal(m.ways[1].end, WAY_DROPPED);
	assert_int_equal(m.ways[0].end, WAY_KEPT);
	assert_int_equal(m.ways[0].count, NET_TRANSPORT_RECV - NET_IP_SEND + 1);
	/* Without timestamps headers are smaller, and these are bytes. */
	cross_all(&m, NET_IP_SEND, NET_TRANSPORT_RECV, 6, 1000, 40);
	cross_all(&m, NET_IP_SEND, NET_TRANSPORT_RECV, 7, 1000, 48);
	assert_int_equal(m.count, 3);
	socket_bytes(&m, NET_APP_RECV, 7, 1000, 8);
	assert_int_equal(m.ways[3].end, WAY_READ);
	fini(&m);
}

/* The same bytes once more, in the same memory: another packet, and the first one is gone. */
static void test_again(void **state)
{
	struct made m;

	(void)state;
	init(&m);
	cross_all(&m, NET_IP_SEND, NET_TRANSPORT_RECV, 4, 900, TCP_HEADERS);
	send_bytes(&m, 1000, 100);
	cross_all(&m, NET_IP_SEND, NET_DEV_XMIT, 5, 1000, TCP_HEADERS + 100);
	cross_all(&m, NET_IP_SEND, NET_TRANSPORT_RECV, 5, 1000, TCP_HEADERS + 100);
	assert_int_equal(m.count, 2);
	assert_int_equal(m.ways[0].end, WAY_VANISHED);
	assert_int_equal(packet_way_last(&m.ways[0]), NET_DEV_XMIT);
	socket_bytes(&m, NET_APP_RECV, 5, 1000, 100);
	assert_int_equal(m.ways[2].end, WAY_READ);
	assert_true(m.ways[2].again);
	assert_int_equal(m.ways[2].steps[0].crossing, NET_IP_SEND);
	fini(&m);
}

static void test_overtaken(void **state)
{
	struct made m;

	(void)state;
	init(&m);
	cross_all(&m, NET_IP_SEND, NET_QDISC_ENQUEUE, 5, 1000, TCP_HEADERS + 100);
	cross_all(&m, NET_IP_SEND, NET_TRANSPORT_RECV, 6, 1100, TCP_HEADERS + 100);
	cross_all(&m, NET_IP_SEND, NET_QDISC_ENQUEUE, 7, 1200, TCP_HEADERS + 100);
	end(&m);
	assert_int_equal(m.count, 3);
	assert_int_equal(m.ways[0].end, WAY_VANISHED);
	assert_int_equal(m.ways[1].end, WAY_KEPT);
	assert_int_equal(m.ways[2].end, WAY_INCOMPLETE); /* it may be on its way still */
	fini(&m);
}

/* Where nothing is ever seen to arrive, it goes to another machine. */
static void test_left(void **state)
{
	struct made m;

	(void)state;
	init(&m);
	cross_all(&m, NET_IP_SEND, NET_DEV_XMIT, 5, 1000, TCP_HEADERS + 100);
	cross_all(&m, NET_IP_SEND, NET_DEV_XMIT, 6, 1100, TCP_HEADERS + 100);
	m.paths.end_ns += 2000000000;
	end(&m);
	assert_int_equal(m.ways[0].end, WAY_LEFT);
	assert_int_equal(m.ways[1].end, WAY_LEFT);
	fini(&m);
	/* And so where no later crossing is recorded. */
	init(&m);
	memset(m.paths.records + NET_DEV_QUEUE, false, NET_CROSSINGS - NET_DEV_QUEUE);
	cross(&m, NET_IP_SEND, 5, 1000, TCP_HEADERS + 100);
	end(&m);
	assert_int_equal(m.ways[0].end, WAY_LEFT);
	fini(&m);
}

static void test_gone_for_long(void **state)
{
	struct made m;

	(void)state;
	init(&m);
	cross_all(&m, NET_IP_SEND, NET_DEV_QUEUE, 5, 1000, TCP_HEADERS + 100);
	m.paths.end_ns += 2000000000;
	end(&m);
	assert_int_equal(m.ways[0].end, WAY_VANISHED);
	fini(&m);
}

static void datagram(struct made *m, enum net_crossing crossing, uint32_t packet, int32_t size)
{
	struct net_now n = now(m, crossing, NET_PROTOCOL_UDP);

	n.packet = packet;
	n.ip_id = packet ? 77 : 0;
	n.size = size;
	if (crossing < NET_IP_SEND)
		n.sport = 0; /* not bound yet */
	n.reason = 3;
	packet_paths_count(&m->paths, &n);
}

static void test_datagram(void **state)
{
	enum net_crossing i;
	struct made m;

	(void)state;
	init(&m);
	datagram(&m, NET_SOCK_SEND, 0, 9);
	datagram(&m, NET_TRANSPORT_SEND, 0, 9);
	for (i = NET_IP_SEND; i <= NET_APP_RECV; i++)
		datagram(&m, i, 5, 37);
	assert_int_equal(m.count, 1);
	assert_int_equal(m.ways[0].end, WAY_READ);
	assert_int_equal(m.ways[0].count, NET_CROSSINGS);
	end(&m);
	fini(&m);
}

/* Out of a socket without its packet: the first that came. */
static void test_datagrams_in_order(void **state)
{
	struct net_now n;
	struct made m;
	uint32_t i;

	(void)state;
	init(&m);
	for (i = 1; i <= 3; i++) {
		datagram(&m, NET_DEV_RECV, i, 37);
		n = now(&m, NET_SOCK_RECV, NET_PROTOCOL_UDP);
		n.packet = i;
		n.ip_id = 77;
		n.cookie = RECEIVER;
		packet_paths_count(&m.paths, &n);
	}
	datagram(&m, NET_DROPPED, 2, 37); /* its checksum is wrong */
	for (i = 1; i <= 3; i++) {
		n = now(&m, NET_APP_RECV, NET_PROTOCOL_UDP);
		n.cookie = RECEIVER;
		n.size = i == 1 ? -11 : 9; /* nothing was there at first */
		packet_paths_count(&m.paths, &n);
	}
	assert_int_equal(m.count, 3);
	assert_int_equal(m.ways[1].key.packet, 1);
	assert_int_equal(m.ways[1].end, WAY_READ);
	assert_int_equal(m.ways[2].key.packet, 3);
	assert_int_equal(m.paths.unmatched, 0);
	packet_paths_count(&m.paths, &n);
	assert_int_equal(m.paths.unmatched, 1);
	fini(&m);
}

/* To a port where nobody is; an empty one, which counts as well as any. */
static void test_drop(void **state)
{
	enum net_crossing i;
	struct made m;

	(void)state;
	init(&m);
	datagram(&m, NET_SOCK_SEND, 0, 0);
	datagram(&m, NET_TRANSPORT_SEND, 0, 0);
	for (i = NET_IP_SEND; i <= NET_TRANSPORT_RECV; i++)
		datagram(&m, i, 5, 28);
	datagram(&m, NET_DROPPED, 5, 28);
	assert_int_equal(m.count, 1);
	assert_int_equal(m.ways[0].end, WAY_DROPPED);
	assert_int_equal(m.ways[0].reason, 3);
	assert_int_equal(m.ways[0].steps[0].crossing, NET_SOCK_SEND);
	assert_int_equal(packet_way_last(&m.ways[0]), NET_DROPPED);
	datagram(&m, NET_DROPPED, 5, 28);
	assert_int_equal(m.paths.unseen_drops, 1);
	fini(&m);
}

/* A call that was refused sends nothing; what it handed over belongs to no later packet. */
static void test_refused_call(void **state)
{
	struct made m;

	(void)state;
	init(&m);
	datagram(&m, NET_SOCK_SEND, 0, 9);
	datagram(&m, NET_TRANSPORT_SEND, 0, 9);
	datagram(&m, NET_SOCK_SEND, 0, -90);
	datagram(&m, NET_IP_SEND, 5, 28);
	end(&m);
	assert_int_equal(m.ways[0].count, 1);
	fini(&m);
}

/* Too large for the device: the stack cuts it in pieces, each in memory of its own. */
static void test_split(void **state)
{
	struct made m;
	uint32_t i;

	(void)state;
	init(&m);
	send_bytes(&m, 1000, 2001);
	cross_all(&m, NET_IP_SEND, NET_DEV_QUEUE, 5, 1000, TCP_HEADERS + 2001);
	for (i = 0; i < 2; i++)
		cross_all(&m, NET_DEV_XMIT, NET_TRANSPORT_RECV, 6 + i, 1000 + 1000 * i,
			  TCP_HEADERS + 1000);
	cross_all(&m, NET_DEV_XMIT, NET_TRANSPORT_RECV, 8, 3000, TCP_HEADERS + 1);
	socket_bytes(&m, NET_APP_RECV, 6, 1000, 2001);
	end(&m);
	assert_int_equal(m.count, 3);
	for (i = 0; i < 3; i++) {
		assert_int_equal(m.ways[i].end, WAY_READ);
		assert_int_equal(m.ways[i].key.packet, 6 + i);
		assert_int_equal(m.ways[i].steps[0].crossing, NET_SOCK_SEND);
		assert_int_equal(m.ways[i].count, 9);
	}
	assert_int_equal(m.ways[2].size, TCP_HEADERS + 1);
	fini(&m);
}

/* What arrives together goes on as one (GRO): the others are in it. */
static void test_joined(void **state)
{
	struct made m;
	uint32_t i;

	(void)state;
	init(&m);
	for (i = 0; i < 3; i++)
		cross_all(&m, NET_IP_SEND, NET_DEV_RECV, 5 + i, 1000 + 100 * i, TCP_HEADERS + 100);
	cross_all(&m, NET_IP_RECV, NET_TRANSPORT_RECV, 5, 1000, TCP_HEADERS + 200);
	cross_all(&m, NET_IP_RECV, NET_TRANSPORT_RECV, 7, 1200, TCP_HEADERS + 100);
	socket_bytes(&m, NET_APP_RECV, 5, 1000, 300);
	assert_int_equal(m.count, 3);
	for (i = 0; i < 3; i++) {
		assert_int_equal(m.ways[i].end, WAY_READ);
		assert_int_equal(m.ways[i].count, NET_TRANSPORT_RECV - NET_IP_SEND + 2);
	}
	fini(&m);
}

/* Copied on its way: other memory, the same bytes. */
static void test_moved(void **state)
{
	struct made m;

	(void)state;
	init(&m);
	cross_all(&m, NET_IP_SEND, NET_DEV_XMIT, 5, 1000, TCP_HEADERS + 100);
	cross_all(&m, NET_DEV_RECV, NET_TRANSPORT_RECV, 9, 1000, TCP_HEADERS + 100);
	socket_bytes(&m, NET_APP_RECV, 9, 1000, 100);
	end(&m);
	assert_int_equal(m.count, 1);
	assert_int_equal(m.ways[0].end, WAY_READ);
	assert_int_equal(m.ways[0].count, 9);
	fini(&m);
}

/* Through a third namespace: the way goes on at the next device. */
static void test_forwarded(void **state)
{
	struct made m;

	(void)state;
	init(&m);
	cross_all(&m, NET_IP_SEND, NET_IP_RECV, 5, 1000, TCP_HEADERS + 100);
	cross_all(&m, NET_DEV_QUEUE, NET_TRANSPORT_RECV, 5, 1000, TCP_HEADERS + 100);
	socket_bytes(&m, NET_APP_RECV, 5, 1000, 100);
	assert_int_equal(m.count, 1);
	assert_int_equal(m.ways[0].end, WAY_READ);
	assert_int_equal(m.ways[0].count, 7 + 7 + 1);
	fini(&m);
}

/* So many devices that a way is cut off: it still ends where it does. */
static void test_long_way(void **state)
{
	struct made m;
	int i;

	(void)state;
	init(&m);
	cross(&m, NET_IP_SEND, 5, 1000, TCP_HEADERS + 100);
	for (i = 0; i < 30; i++)
		cross_all(&m, NET_DEV_QUEUE, NET_IP_RECV, 5, 1000, TCP_HEADERS + 100);
	cross(&m, NET_TRANSPORT_RECV, 5, 1000, TCP_HEADERS + 100);
	end(&m);
	assert_int_equal(m.count, 1);
	assert_int_equal(m.ways[0].count, WAY_STEPS);
	assert_int_equal(packet_way_last(&m.ways[0]), NET_TRANSPORT_RECV);
	fini(&m);
}

/* What is under way when events are lost is not judged; what comes late has no beginning. */
static void test_lose(void **state)
{
	struct made m;

	(void)state;
	init(&m);
	send_bytes(&m, 1000, 100);
	cross_all(&m, NET_IP_SEND, NET_DEV_QUEUE, 5, 1000, TCP_HEADERS + 100);
	packet_paths_lose(&m.paths);
	assert_int_equal(m.ways[0].end, WAY_INCOMPLETE);
	cross_all(&m, NET_DEV_XMIT, NET_TRANSPORT_RECV, 5, 1000, TCP_HEADERS + 100);
	socket_bytes(&m, NET_APP_RECV, 5, 1000, 100);
	assert_int_equal(m.count, 2);
	assert_int_equal(m.ways[1].end, WAY_INCOMPLETE);
	socket_bytes(&m, NET_APP_RECV, 9, 5000, 100);
	assert_int_equal(m.paths.unmatched, 1);
	fini(&m);
}

/* While programs are attached, crossings are missing: a packet whose memory is used again has not vanished. */
static void test_in_part(void **state)
{
	struct made m;

	(void)state;
	init(&m);
	packet_paths_whole(&m.paths, false);
	for (int i = 0; i < 2; i++)
		cross_all(&m, NET_IP_SEND, NET_DEV_QUEUE, 5, 1000, TCP_HEADERS + 100);
	packet_paths_whole(&m.paths, true);
	assert_int_equal(m.count, 2);
	assert_int_equal(m.ways[0].end, WAY_INCOMPLETE);
	assert_int_equal(m.ways[1].end, WAY_INCOMPLETE);
	for (int i = 0; i < 2; i++)
		cross_all(&m, NET_IP_SEND, NET_DEV_QUEUE, 6, 1000, TCP_HEADERS + 100);
	assert_int_equal(m.ways[2].end, WAY_VANISHED);
	packet_paths_whole(&m.paths, false);
	assert_int_equal(m.ways[3].end, WAY_INCOMPLETE);
	fini(&m);
}

/* A driver that is busy puts the packet back; what is no IP is counted. */
static void test_odd(void **state)
{
	struct net_now n;
	struct made m;

	(void)state;
	init(&m);
	cross_all(&m, NET_IP_SEND, NET_DEV_XMIT, 5, 1000, TCP_HEADERS + 100);
	n = now(&m, NET_DEV_XMIT, NET_PROTOCOL_TCP);
	n.refused = true;
	n.packet = 5;
	packet_paths_count(&m.paths, &n);
	n = now(&m, NET_DEV_XMIT, 0);
	n.packet = 6;
	packet_paths_count(&m.paths, &n);
	socket_bytes(&m, NET_APP_RECV, 0, 0, 0); /* the peer has ended */
	assert_int_equal(m.paths.others, 1);
	assert_int_equal(m.paths.flights.count, 1);
	end(&m);
	assert_int_equal(m.count, 1);
	assert_int_equal(m.ways[0].count, 5);
	fini(&m);
}

/* A kernel without hooks at IP: ways begin at the device, behind the application all the same. */
static void test_without_ip(void **state)
{
	enum net_crossing i;
	struct made m;

	(void)state;
	init(&m);
	m.paths.records[NET_IP_SEND] = false;
	m.paths.records[NET_IP_RECV] = false;
	cross_all(&m, NET_DEV_QUEUE, NET_DEV_RECV, 4, 900, TCP_HEADERS);
	cross(&m, NET_TRANSPORT_RECV, 4, 900, TCP_HEADERS);
	send_bytes(&m, 1000, 1);
	for (i = NET_DEV_QUEUE; i <= NET_TRANSPORT_RECV; i++)
		if (i != NET_IP_RECV)
			cross(&m, i, 5, 1000, TCP_HEADERS + 1);
	socket_bytes(&m, NET_APP_RECV, 5, 1000, 1);
	assert_int_equal(m.count, 2);
	assert_int_equal(m.ways[1].end, WAY_READ);
	assert_int_equal(m.ways[1].steps[1].crossing, NET_TRANSPORT_SEND);
	assert_int_equal(m.ways[1].steps[2].crossing, NET_DEV_QUEUE);
	assert_int_equal(m.ways[1].size, TCP_HEADERS + 1);
	/* The same once more, which nothing but the device tells: another packet. */
	cross(&m, NET_DEV_QUEUE, 5, 1000, TCP_HEADERS + 1);
	cross(&m, NET_DEV_XMIT, 5, 1000, TCP_HEADERS + 1);
	cross(&m, NET_DEV_QUEUE, 5, 1000, TCP_HEADERS + 1);
	end(&m);
	assert_int_equal(m.count, 4);
	assert_true(m.ways[2].again);
	assert_int_equal(m.ways[2].end, WAY_VANISHED);
	fini(&m);
}

/* A filter by task hides where no socket is known: between the device and the socket. */
static void test_hidden(void **state)
{
	struct net_now n;
	struct made m;

	(void)state;
	init(&m);
	cross_all(&m, NET_IP_SEND, NET_DEV_XMIT, 4, 1000, TCP_HEADERS); /* without bytes */
	send_bytes(&m, 1000, 100);
	cross_all(&m, NET_IP_SEND, NET_DEV_XMIT, 5, 1000, TCP_HEADERS + 100);
	cross_all(&m, NET_IP_SEND, NET_DEV_XMIT, 6, 1100, TCP_HEADERS + 100);
	n = now(&m, NET_APP_RECV, NET_PROTOCOL_TCP);
	n.packet = 5;
	n.ip_id = 5;
	n.seq = 1000;
	n.size = 100;
	n.cookie = RECEIVER;
	packet_paths_count(&m.paths, &n);
	assert_int_equal(m.count, 1);
	assert_int_equal(m.ways[0].end, WAY_READ);
	assert_int_equal(m.ways[0].key.packet, 5);
	assert_int_equal(m.ways[0].count, 8);
	end(&m);
	assert_int_equal(m.count, 3);
	assert_int_equal(m.ways[1].end, WAY_LEFT);
	assert_int_equal(m.ways[2].end, WAY_LEFT);
	assert_int_equal(m.paths.unmatched, 0);
	fini(&m);
}

static uint64_t random_state = 88172645463325252ull;

/* xorshift64: the same numbers everywhere. */
static uint32_t random_below(uint32_t limit)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (uint32_t)(random_state >> 20) % limit;
}

static void count_steps(void *owner, const struct packet_way *way)
{
	uint64_t *ways = owner;

	++*ways;
	assert_true(way->count > 0 && way->count <= WAY_STEPS);
	assert_true(way->end < WAY_ENDS);
	assert_false(way->split);
}

/* Whatever a trace says, in whatever order: nothing breaks, and what began ends once. */
static void test_anything(void **state)
{
	static const int32_t sizes[] = {INT32_MIN, -1, 0, 1, 52, 53, 1500, 65535, INT32_MAX};
	struct packet_paths paths;
	uint64_t ways = 0;
	uint32_t i;

	(void)state;
	assert_int_equal(packet_paths_init(&paths, count_steps, &ways), 0);
	memset(paths.records, true, sizeof(paths.records));
	for (i = 0; i < 300000; i++) {
		const struct net_now n = {
			.crossing = (enum net_crossing)random_below(NET_NONE + 1),
			.time_ns = (int64_t)i * 1000 - random_below(5000),
			.cookie = random_below(4),
			.packet = random_below(40),
			.seq = random_below(8) * 1000 - 3000,
			.size = sizes[random_below(sizeof(sizes) / sizeof(sizes[0]))],
			.ip_id = (uint16_t)random_below(3),
			.sport = (uint16_t)random_below(3),
			.dport = 80,
			.tid = (int32_t)random_below(3),
			.protocol = random_below(2) ? NET_PROTOCOL_TCP : NET_PROTOCOL_UDP,
			.refused = !random_below(10),
		};

		packet_paths_count(&paths, &n);
		if (!random_below(20000))
			packet_paths_lose(&paths);
	}
	packet_paths_end(&paths);
	assert_int_equal(paths.flights.count, 0);
	assert_null(paths.flights.newest);
	assert_true(ways > 10000);
	packet_paths_fini(&paths);
}

static void count_only(void *owner, const struct packet_way *way)
{
	uint64_t *ends = owner;

	ends[way->end]++;
}

static void test_bounded(void **state)
{
	uint64_t ends[WAY_ENDS] = {0};
	struct packet_paths paths;
	struct net_now n = {
		.crossing = NET_IP_SEND,
		.protocol = NET_PROTOCOL_TCP,
		.size = 1500,
	};
	uint32_t i;

	(void)state;
	assert_int_equal(packet_paths_init(&paths, count_only, ends), 0);
	memset(paths.records, true, sizeof(paths.records));
	for (i = 1; i <= 4 * FLIGHTS_MAX; i++) {
		n.packet = i;
		n.sport = (uint16_t)i;
		n.dport = (uint16_t)(i >> 16);
		packet_paths_count(&paths, &n);
	}
	assert_int_equal(paths.flights.count, FLIGHTS_MAX);
	assert_int_equal(paths.evicted, 3 * FLIGHTS_MAX);
	packet_paths_end(&paths);
	assert_int_equal(ends[WAY_INCOMPLETE], 4 * FLIGHTS_MAX);
	packet_paths_fini(&paths);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tcp),	   cmocka_unit_test(test_two_packets),
		cmocka_unit_test(test_two_sends),  cmocka_unit_test(test_empty),
		cmocka_unit_test(test_again),	   cmocka_unit_test(test_overtaken),
		cmocka_unit_test(test_left),	   cmocka_unit_test(test_gone_for_long),
		cmocka_unit_test(test_datagram),   cmocka_unit_test(test_datagrams_in_order),
		cmocka_unit_test(test_drop),	   cmocka_unit_test(test_refused_call),
		cmocka_unit_test(test_split),	   cmocka_unit_test(test_joined),
		cmocka_unit_test(test_moved),	   cmocka_unit_test(test_forwarded),
		cmocka_unit_test(test_long_way),   cmocka_unit_test(test_lose),
		cmocka_unit_test(test_in_part),	   cmocka_unit_test(test_odd),
		cmocka_unit_test(test_without_ip), cmocka_unit_test(test_hidden),
		cmocka_unit_test(test_anything),   cmocka_unit_test(test_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
