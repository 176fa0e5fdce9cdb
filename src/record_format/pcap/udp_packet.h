/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * udp_packet: UDP in a captured packet, below whatever it was captured on: Ethernet with or without VLANs, raw IP,
 * Linux's "any" (both versions), loopback; IPv4, and IPv6 with its extension headers.
 */
#ifndef SONDE_RECORD_FORMAT_PCAP_UDP_PACKET_H
#define SONDE_RECORD_FORMAT_PCAP_UDP_PACKET_H

#include <stddef.h>
#include <stdint.h>

struct pcap_packet;

#define UDP_ADDRESS_BYTES 16u

struct udp_packet {
	/* IPv6, or IPv4 mapped. */
	uint8_t saddr[UDP_ADDRESS_BYTES];
	uint8_t daddr[UDP_ADDRESS_BYTES];
	uint16_t sport;
	uint16_t dport;
	const uint8_t *payload; /* borrowed from the packet */
	uint32_t captured; /* bytes of the payload that are there */
	uint32_t length; /* bytes that it had; more than are there where the capture cut it */
};

enum udp_verdict {
	UDP_FOUND,
	UDP_OTHER, /* another protocol, or no IP; nothing that is IP at all */
	UDP_FRAGMENT, /* of a datagram in several parts: not put together */
	UDP_CUT, /* of UDP, as far as is there; the capture cut it before its ports */
	UDP_LINK_UNKNOWN, /* captured on what is not known here */
};

enum udp_verdict udp_packet_find(const struct pcap_packet *packet, struct udp_packet *ret);

#endif /* SONDE_RECORD_FORMAT_PCAP_UDP_PACKET_H */
