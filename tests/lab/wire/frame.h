/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * frame: what the wire wants to know of an Ethernet frame, and the two changes that it makes to one.
 *
 * Every length in a frame is checked against the frame's end: a frame that is not what it says is FRAME_OTHER.
 */
#ifndef LAB_WIRE_FRAME_H
#define LAB_WIRE_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FRAME_MAX 65550u /* the longest frame that a TAP device gives */

enum frame_kind {
	FRAME_OTHER, /* no IP: ARP; or not understood */
	FRAME_DATAGRAM, /* IP without TCP: UDP, ICMP, fragments behind the first */
	FRAME_SYN, /* TCP with SYN, and without ACK */
	FRAME_SYNACK,
	FRAME_DATA, /* TCP with payload */
	FRAME_ACK, /* TCP without payload, SYN, FIN and RST */
	FRAME_CLOSE, /* TCP with FIN or RST, and without payload */
	FRAME_KIND_COUNT,
};

#define TCP_FIN 0x01u
#define TCP_SYN 0x02u
#define TCP_RST 0x04u
#define TCP_PSH 0x08u
#define TCP_ACK 0x10u

/* Both ends of a flow, as its key in a map: no padding. */
struct frame_flow {
	uint8_t saddr[16]; /* an IPv4 address has four bytes, and zeros */
	uint8_t daddr[16];
	uint16_t sport; /* 0 where the protocol has none */
	uint16_t dport;
	uint16_t family; /* AF_INET, AF_INET6, or 0: no IP */
	uint16_t protocol;
};
_Static_assert(sizeof(struct frame_flow) == 40, "the key of a map has no padding");

struct frame {
	enum frame_kind kind;
	struct frame_flow flow;
	uint32_t length; /* of the frame */
	uint32_t ip_length; /* with the IP header */
	uint32_t transport_at; /* where the IP header ends; 0: no IP */
	uint32_t seq; /* TCP only, from here on */
	uint32_t ack;
	uint32_t payload; /* bytes */
	uint8_t flags;
	bool is_ect; /* ECN-capable: ECT(0) or ECT(1) */
};

void frame_parse(struct frame *frame, const void *bytes, size_t length);
/* Of a frame that is_ect. Sets CE, and corrects the IPv4 header's checksum. */
void frame_mark_ce(const struct frame *frame, uint8_t *bytes);
/* Inverts bit number @bit, modulo their number, of what follows the IP header: checksums of transport find it. */
void frame_flip(const struct frame *frame, uint8_t *bytes, uint64_t bit);
const char *frame_kind_name(enum frame_kind kind);

#endif /* LAB_WIRE_FRAME_H */
