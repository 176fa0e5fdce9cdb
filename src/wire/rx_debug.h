/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rx_debug: the packets by which an Rx endpoint (AFS) reports about itself: DEBUG and VERSION, as OpenAFS
 * 1.8 has them (src/rx/rx.h, "Rx Debug"). UDP over IPv4, one request, at most one reply.
 *
 *	header	28 bytes: u32 epoch, cid, call number, sequence, serial; u8 type, flags, user
 *		status, security index; u16 checksum, service
 *	request	DEBUG: i32 what, i32 index. VERSION: one byte, 0.
 *	reply	DEBUG: one record, or two words RX_DEBUG_BAD_TYPE. VERSION: 65 bytes of text.
 *
 * All integers are big-endian, but for single bytes and what is said below. The records are laid out in
 * rx/rx_record.c, where they are read and written.
 */
#ifndef SONDE_WIRE_RX_DEBUG_H
#define SONDE_WIRE_RX_DEBUG_H

#include <stdint.h>

#define RX_HEADER_BYTES 28u
#define RX_PACKET_MAX_BYTES 1500u /* longer ones are cut: nothing of interest is there */

#define RX_TYPE_ABORT 4u
#define RX_TYPE_DEBUG 8u
#define RX_TYPE_VERSION 13u

#define RX_FLAG_CLIENT_INITIATED 0x01u /* set in every request that wants a reply, clear in it */
#define RX_FLAG_LAST_PACKET 0x04u

#define RX_DEBUG_EPOCH 999u /* of requests; replies echo it */
#define RX_DEBUG_BAD_TYPE (-8) /* both words of the reply to a request that is not understood */
#define RX_DEBUG_END UINT32_MAX /* cid of a connection, host of a peer: there are no more */

enum rx_debug_what {
	RX_DEBUG_BASIC = 1, /* RX_DEBUGI_GETSTATS */
	RX_DEBUG_CONN = 2, /* by index: those with something under way */
	RX_DEBUG_ALL_CONN = 3, /* by index: all */
	RX_DEBUG_STATS = 4, /* RX_DEBUGI_RXSTATS */
	RX_DEBUG_PEER = 5, /* by index */
};

#define RX_DEBUG_REQUEST_BYTES 8u
#define RX_VERSION_REQUEST_BYTES 1u

#define RX_BASIC_BYTES 56u
#define RX_CONN_BYTES 176u
#define RX_CONN_LEAST_BYTES \
	56u /* up to the security statistics: all that servers before 'L' sent */
#define RX_CONN_L_BYTES 172u /* version L: packed otherwise, and shorter */
#define RX_STATS_BYTES 284u
#define RX_PEER_BYTES 132u
#define RX_VERSION_BYTES 65u
#define RX_REFUSAL_BYTES 8u /* two words */

#define RX_CALLS 4u /* of one connection */
#define RX_PACKET_TYPES 13u /* counters by type have one for each of 1 to 13 */

/* What a server can tell, by the version byte of its basic statistics: 'L' the first, 'S' the last. */
#define RX_VERSION_SECURITY 'L' /* security statistics of connections */
#define RX_VERSION_ALL_CONN 'M' /* RX_DEBUG_ALL_CONN, RX_DEBUG_STATS */
#define RX_VERSION_WAITING 'N'
#define RX_VERSION_IDLE 'O'
#define RX_VERSION_CBUF 'P' /* failures by kind of packet */
#define RX_VERSION_PEER 'Q'
#define RX_VERSION_WAITED 'R'
#define RX_VERSION_PACKETS 'S'

#endif /* SONDE_WIRE_RX_DEBUG_H */
