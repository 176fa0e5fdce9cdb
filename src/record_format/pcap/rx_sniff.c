// SPDX-License-Identifier: BSD-2-Clause
#include "record_format/pcap/rx_sniff.h"

#include "record_format/pcap/udp_packet.h"
#include "rx/rx_message.h"
#include "wire/rx_debug.h"

#define TYPE_AT 20u

/* Of file, backup and other servers, and of cache managers (/etc/services, "afs3-"). */
static bool is_afs_port(uint16_t port)
{
	return (port >= 7000 && port <= 7009) || (port >= 7020 && port <= 7029);
}

bool rx_sniff_is_afs(const struct udp_packet *packet)
{
	return is_afs_port(packet->sport) || is_afs_port(packet->dport);
}

static bool is_debug_type(uint8_t type)
{
	return type == RX_TYPE_DEBUG || type == RX_TYPE_VERSION;
}

/* What rxdebug leaves at 0 servers send back as it was. */
static bool is_blank(const struct sonde_rx_header *header)
{
	return !header->seq && !header->serial && !header->user_status && !header->security &&
	       !header->checksum && !header->service;
}

static bool has_request_length(const struct udp_packet *packet,
			       const struct sonde_rx_header *header)
{
	if (header->type == RX_TYPE_VERSION)
		return packet->length == RX_HEADER_BYTES + RX_VERSION_REQUEST_BYTES;
	return packet->length == RX_HEADER_BYTES + RX_DEBUG_REQUEST_BYTES;
}

static bool has_reply_length(const struct udp_packet *packet, const struct sonde_rx_header *header)
{
	if (packet->length < RX_HEADER_BYTES)
		return false;
	if (header->type == RX_TYPE_VERSION)
		return packet->length == RX_HEADER_BYTES + RX_VERSION_BYTES;
	switch (packet->length - RX_HEADER_BYTES) {
	case RX_REFUSAL_BYTES:
	case RX_BASIC_BYTES:
	case RX_CONN_BYTES:
	case RX_CONN_L_BYTES:
	case RX_STATS_BYTES:
	case RX_PEER_BYTES:
		return true;
	default:
		return false;
	}
}

static bool is_request(const struct sonde_rx_header *header)
{
	return header->flags & RX_FLAG_CLIENT_INITIATED;
}

/* The test that distinguishes Rx debug from other packets on the port. */
static bool looks_like_debug(const struct udp_packet *packet, const struct sonde_rx_header *header)
{
	return is_blank(header) && (is_request(header) ? has_request_length(packet, header) :
							 has_reply_length(packet, header));
}

/* Between Rx peers, so that the boxes between them keep the way open. */
static bool is_keepalive(const struct udp_packet *packet, const struct sonde_rx_header *header)
{
	return header->type == RX_TYPE_VERSION && !is_request(header) &&
	       packet->length <= RX_HEADER_BYTES + RX_VERSION_REQUEST_BYTES;
}

enum rx_sniffed rx_sniff(const struct udp_packet *packet, struct sonde_rx_header *header)
{
	bool known = rx_sniff_is_afs(packet);
	uint8_t type;

	if (packet->captured < RX_HEADER_BYTES)
		return known && packet->length >= RX_HEADER_BYTES ? RX_SNIFFED_CUT :
								    RX_SNIFFED_OTHER;
	/* Nearly all that passes is something else. */
	type = packet->payload[TYPE_AT];
	if (!is_debug_type(type) && type != RX_TYPE_ABORT) {
		return known && type >= 1 && type <= RX_PACKET_TYPES ? RX_SNIFFED_RX :
								       RX_SNIFFED_OTHER;
	}
	if (rx_header_unpack(packet->payload, packet->captured, header))
		return RX_SNIFFED_OTHER;
	if (type == RX_TYPE_ABORT)
		return RX_SNIFFED_ABORT;
	if (!known && !looks_like_debug(packet, header))
		return RX_SNIFFED_OTHER;
	if (is_keepalive(packet, header))
		return RX_SNIFFED_KEEPALIVE;
	return is_request(header) ? RX_SNIFFED_REQUEST : RX_SNIFFED_REPLY;
}
