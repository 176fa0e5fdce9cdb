// SPDX-License-Identifier: BSD-2-Clause
#include "frame.h"

#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

#include "base/cursor.h"

#define ETHERNET_BYTES 14u
#define ETHERTYPE_V4 0x0800u
#define ETHERTYPE_V6 0x86ddu
#define V4_BYTES 20u
#define V6_BYTES 40u
#define TCP_BYTES 20u
#define ECN_CE 3u

static void parse_tcp(struct frame *frame, struct cursor *cur, uint32_t room)
{
	uint32_t seq, ack, header;
	uint16_t word;

	seq = cursor_be32(cur);
	ack = cursor_be32(cur);
	word = cursor_be16(cur);
	header = (uint32_t)(word >> 12) * 4;
	if (cur->short_read || header < TCP_BYTES || header > room)
		return;
	frame->seq = seq;
	frame->ack = ack;
	frame->flags = (uint8_t)word;
	frame->payload = room - header;
	if (frame->flags & TCP_SYN)
		frame->kind = frame->flags & TCP_ACK ? FRAME_SYNACK : FRAME_SYN;
	else if (frame->payload)
		frame->kind = FRAME_DATA;
	else if (frame->flags & (TCP_FIN | TCP_RST))
		frame->kind = FRAME_CLOSE;
	else
		frame->kind = FRAME_ACK;
}

/* @room: what the IP header says follows it, all of which is there. */
static void parse_transport(struct frame *frame, const uint8_t *bytes, uint32_t room)
{
	struct cursor cur;

	if (frame->flow.protocol != IPPROTO_TCP && frame->flow.protocol != IPPROTO_UDP)
		return;
	cursor_init(&cur, bytes + frame->transport_at, room);
	frame->flow.sport = cursor_be16(&cur);
	frame->flow.dport = cursor_be16(&cur);
	if (frame->flow.protocol == IPPROTO_TCP)
		parse_tcp(frame, &cur, room);
}

static void parse_v4(struct frame *frame, const uint8_t *bytes, size_t room)
{
	const uint8_t *ip = bytes + ETHERNET_BYTES;
	uint32_t header, total;

	if (room < V4_BYTES || ip[0] >> 4 != 4)
		return;
	header = (ip[0] & 15u) * 4u;
	total = (uint32_t)ip[2] << 8 | ip[3];
	if (header < V4_BYTES || header > total || total > room)
		return;
	frame->kind = FRAME_DATAGRAM;
	frame->flow.family = AF_INET;
	frame->flow.protocol = ip[9];
	frame->ip_length = total;
	frame->transport_at = ETHERNET_BYTES + header;
	frame->is_ect = (ip[1] & 3) == 1 || (ip[1] & 3) == 2;
	memcpy(frame->flow.saddr, ip + 12, 4);
	memcpy(frame->flow.daddr, ip + 16, 4);
	/* Only the first fragment has the ports, and it has not all of the payload. */
	if (!((uint32_t)ip[6] << 8 & 0x3f00) && !ip[7])
		parse_transport(frame, bytes, total - header);
}

static void parse_v6(struct frame *frame, const uint8_t *bytes, size_t room)
{
	const uint8_t *ip = bytes + ETHERNET_BYTES;
	uint32_t payload;
	uint8_t ecn;

	if (room < V6_BYTES || ip[0] >> 4 != 6)
		return;
	payload = (uint32_t)ip[4] << 8 | ip[5];
	if (payload > room - V6_BYTES)
		return;
	frame->kind = FRAME_DATAGRAM;
	frame->flow.family = AF_INET6;
	frame->flow.protocol = ip[6]; /* extension headers are none that we know */
	frame->ip_length = V6_BYTES + payload;
	frame->transport_at = ETHERNET_BYTES + V6_BYTES;
	ecn = ip[1] >> 4 & 3;
	frame->is_ect = ecn == 1 || ecn == 2;
	memcpy(frame->flow.saddr, ip + 8, 16);
	memcpy(frame->flow.daddr, ip + 24, 16);
	parse_transport(frame, bytes, payload);
}

void frame_parse(struct frame *frame, const void *bytes, size_t length)
{
	const uint8_t *at = bytes;
	uint32_t type;

	memset(frame, 0, sizeof(*frame));
	frame->length = (uint32_t)length;
	if (length < ETHERNET_BYTES)
		return;
	type = (uint32_t)at[12] << 8 | at[13];
	if (type == ETHERTYPE_V4)
		parse_v4(frame, at, length - ETHERNET_BYTES);
	else if (type == ETHERTYPE_V6)
		parse_v6(frame, at, length - ETHERNET_BYTES);
}

void frame_mark_ce(const struct frame *frame, uint8_t *bytes)
{
	uint8_t *ip = bytes + ETHERNET_BYTES;
	uint32_t before, after, sum;

	if (frame->flow.family == AF_INET6) {
		ip[1] |= ECN_CE << 4;
		return;
	}
	/* RFC 1624, equation 3 */
	before = (uint32_t)ip[0] << 8 | ip[1];
	ip[1] |= ECN_CE;
	after = (uint32_t)ip[0] << 8 | ip[1];
	sum = (~((uint32_t)ip[10] << 8 | ip[11]) & 0xffff) + (~before & 0xffff) + after;
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	ip[10] = (uint8_t)(~sum >> 8);
	ip[11] = (uint8_t)~sum;
}

void frame_flip(const struct frame *frame, uint8_t *bytes, uint64_t bit)
{
	uint64_t bits;

	if (!frame->transport_at)
		return;
	bits = 8ull * (ETHERNET_BYTES + frame->ip_length - frame->transport_at);
	if (!bits)
		return;
	bit %= bits;
	bytes[frame->transport_at + bit / 8] ^= (uint8_t)(1u << bit % 8);
}

const char *frame_kind_name(enum frame_kind kind)
{
	static const char *const names[FRAME_KIND_COUNT] = {
		[FRAME_OTHER] = "other",   [FRAME_DATAGRAM] = "datagram", [FRAME_SYN] = "syn",
		[FRAME_SYNACK] = "synack", [FRAME_DATA] = "data",	  [FRAME_ACK] = "ack",
		[FRAME_CLOSE] = "close",
	};

	return names[kind];
}
