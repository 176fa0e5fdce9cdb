// SPDX-License-Identifier: BSD-2-Clause
#include "record_format/pcap/udp_packet.h"

#include <stdbool.h>
#include <string.h>

#include "base/byte_order.h"
#include "record_format/pcap/pcap_file.h"
#include "wire/pcap.h"

#define ETHERTYPE_IPV4 0x0800u
#define ETHERTYPE_IPV6 0x86ddu
#define ETHERTYPE_VLAN 0x8100u
#define ETHERTYPE_QINQ 0x88a8u
#define ETHERTYPE_QINQ_OLD 0x9100u
#define VLANS_MAX 4u

#define IPV4_HEAD_BYTES 20u
#define IPV4_MORE 0x2000u
#define IPV4_OFFSET 0x1fffu
#define IPV6_HEAD_BYTES 40u
#define IPV6_EXTENSIONS_MAX 8u
#define UDP_HEAD_BYTES 8u

enum {
	PROTOCOL_HOP_BY_HOP = 0,
	PROTOCOL_UDP = 17,
	PROTOCOL_ROUTING = 43,
	PROTOCOL_FRAGMENT = 44,
	PROTOCOL_AUTHENTICATION = 51,
	PROTOCOL_DESTINATION = 60,
};

/* What is left of a packet behind the headers that were read. */
struct rest {
	const uint8_t *at;
	size_t len; /* that is there */
};

static uint16_t get16(const uint8_t *at)
{
	return (uint16_t)byte_order_load(at, 2, BYTE_ORDER_BIG);
}

static bool skip(struct rest *rest, size_t len)
{
	if (rest->len < len)
		return false;
	rest->at += len;
	rest->len -= len;
	return true;
}

static enum udp_verdict find_udp(struct rest rest, size_t ip_bytes, struct udp_packet *ret)
{
	size_t length;

	if (rest.len < UDP_HEAD_BYTES)
		return ip_bytes < UDP_HEAD_BYTES ? UDP_OTHER : UDP_CUT;
	ret->sport = get16(rest.at);
	ret->dport = get16(rest.at + 2);
	length = get16(rest.at + 4);
	/* 0: more than 16 bits can say (RFC 2675), or left to the network card. */
	if (!length)
		length = ip_bytes;
	if (length < UDP_HEAD_BYTES || length > ip_bytes)
		return UDP_OTHER;
	(void)skip(&rest, UDP_HEAD_BYTES);
	ret->payload = rest.at;
	ret->length = (uint32_t)(length - UDP_HEAD_BYTES);
	ret->captured = rest.len < ret->length ? (uint32_t)rest.len : ret->length;
	return UDP_FOUND;
}

static void map_ipv4(const uint8_t *from, uint8_t *to)
{
	memset(to, 0, 10);
	memset(to + 10, 0xff, 2);
	memcpy(to + 12, from, 4);
}

/* @wire: bytes of the packet from here on, there or not. */
static enum udp_verdict find_ipv4(struct rest rest, size_t wire, struct udp_packet *ret)
{
	const uint8_t *head = rest.at;
	size_t head_bytes, total;

	if (rest.len < IPV4_HEAD_BYTES || head[0] >> 4 != 4 || head[9] != PROTOCOL_UDP)
		return UDP_OTHER;
	head_bytes = (head[0] & 0xfu) * 4u;
	total = get16(head + 2) ?: wire; /* 0: left to the network card */
	if (head_bytes < IPV4_HEAD_BYTES || total < head_bytes)
		return UDP_OTHER;
	if (get16(head + 6) & (IPV4_MORE | IPV4_OFFSET))
		return UDP_FRAGMENT;
	map_ipv4(head + 12, ret->saddr);
	map_ipv4(head + 16, ret->daddr);
	if (rest.len > total)
		rest.len = total; /* Ethernet pads */
	return skip(&rest, head_bytes) ? find_udp(rest, total - head_bytes, ret) : UDP_CUT;
}

/* The bytes of the extension header at @at, @next as the one before has it; 0 = not one. */
static size_t extension_bytes(uint8_t next, const uint8_t *at)
{
	switch (next) {
	case PROTOCOL_HOP_BY_HOP:
	case PROTOCOL_ROUTING:
	case PROTOCOL_DESTINATION:
		return 8u * (at[1] + 1u);
	case PROTOCOL_FRAGMENT:
		return 8;
	case PROTOCOL_AUTHENTICATION:
		return 4u * (at[1] + 2u);
	default:
		return 0;
	}
}

static enum udp_verdict find_ipv6(struct rest rest, size_t wire, struct udp_packet *ret)
{
	const uint8_t *head = rest.at;
	size_t left, bytes;
	uint8_t next;

	if (rest.len < IPV6_HEAD_BYTES || head[0] >> 4 != 6)
		return UDP_OTHER;
	memcpy(ret->saddr, head + 8, UDP_ADDRESS_BYTES);
	memcpy(ret->daddr, head + 24, UDP_ADDRESS_BYTES);
	next = head[6];
	left = get16(head + 4) ?: wire - IPV6_HEAD_BYTES;
	(void)skip(&rest, IPV6_HEAD_BYTES);
	if (rest.len > left)
		rest.len = left;
	for (size_t i = 0; i < IPV6_EXTENSIONS_MAX && next != PROTOCOL_UDP; i++) {
		if (rest.len < 8)
			return UDP_OTHER;
		bytes = extension_bytes(next, rest.at);
		if (!bytes || bytes > left)
			return UDP_OTHER;
		/* One that is alone is whole (RFC 6946). */
		if (next == PROTOCOL_FRAGMENT && get16(rest.at + 2) & ~6u)
			return rest.at[0] == PROTOCOL_UDP ? UDP_FRAGMENT : UDP_OTHER;
		next = rest.at[0];
		left -= bytes;
		if (!skip(&rest, bytes))
			return UDP_OTHER;
	}
	return next == PROTOCOL_UDP ? find_udp(rest, left, ret) : UDP_OTHER;
}

static enum udp_verdict find_ip(struct rest rest, size_t wire, struct udp_packet *ret)
{
	if (!rest.len)
		return UDP_OTHER;
	return rest.at[0] >> 4 == 6 ? find_ipv6(rest, wire, ret) : find_ipv4(rest, wire, ret);
}

/* Behind the @head bytes of the link's own header, whose ethertype is at @type. */
static enum udp_verdict find_ethertype(struct rest rest, size_t wire, size_t type, size_t head,
				       struct udp_packet *ret)
{
	uint16_t ethertype;

	if (rest.len < head || rest.len < type + 2)
		return UDP_OTHER;
	ethertype = get16(rest.at + type);
	(void)skip(&rest, head);
	wire -= head;
	for (size_t i = 0; i < VLANS_MAX; i++) {
		if (ethertype != ETHERTYPE_VLAN && ethertype != ETHERTYPE_QINQ &&
		    ethertype != ETHERTYPE_QINQ_OLD)
			break;
		if (rest.len < 4)
			return UDP_OTHER;
		ethertype = get16(rest.at + 2);
		(void)skip(&rest, 4);
		wire -= 4;
	}
	if (ethertype == ETHERTYPE_IPV4)
		return find_ipv4(rest, wire, ret);
	return ethertype == ETHERTYPE_IPV6 ? find_ipv6(rest, wire, ret) : UDP_OTHER;
}

enum udp_verdict udp_packet_find(const struct pcap_packet *packet, struct udp_packet *ret)
{
	struct rest rest = {packet->data, packet->captured};
	/* What says that it was less than is there lies. */
	size_t wire = packet->length > packet->captured ? packet->length : packet->captured;

	switch (packet->link) {
	case PCAP_LINK_ETHERNET:
		return find_ethertype(rest, wire, 12, 14, ret);
	case PCAP_LINK_SLL:
		return find_ethertype(rest, wire, 14, 16, ret);
	case PCAP_LINK_SLL2:
		return find_ethertype(rest, wire, 0, 20, ret);
	case PCAP_LINK_NULL:
	case PCAP_LINK_LOOP:
		/* The family in front has as many values as there are systems; the version of IP decides. */
		return skip(&rest, 4) ? find_ip(rest, wire - 4, ret) : UDP_OTHER;
	case PCAP_LINK_RAW:
	case PCAP_LINK_RAW_BSD:
	case PCAP_LINK_RAW_OPENBSD:
	case PCAP_LINK_IPV4:
	case PCAP_LINK_IPV6:
		return find_ip(rest, wire, ret);
	default:
		return UDP_LINK_UNKNOWN;
	}
}
