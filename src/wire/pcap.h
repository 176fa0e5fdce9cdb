/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pcap: files of captured packets: libpcap's (draft-ietf-opsawg-pcap) and pcapng
 * (draft-ietf-opsawg-pcapng), in the byte order of their writer.
 *
 *	pcap	u32 magic; u16 major, minor; u32 zone, figures, snaplen, link type
 *	packet	u32 seconds, fraction, captured, length; `captured` bytes
 *
 *	pcapng	blocks: u32 type, u32 bytes of the block; a body; u32 bytes again
 */
#ifndef SONDE_WIRE_PCAP_H
#define SONDE_WIRE_PCAP_H

#define PCAP_MAGIC_US 0xa1b2c3d4u /* fractions are us */
#define PCAP_MAGIC_NS 0xa1b23c4du
#define PCAP_MAGIC_LONG \
	0xa1b2cd34u /* of Linux in the nineties: 8 more bytes in front of each packet */
#define PCAP_HEAD_BYTES 24u
#define PCAP_PACKET_HEAD_BYTES 16u
#define PCAP_PACKET_HEAD_LONG_BYTES 24u
#define PCAP_LINK_MASK 0xffffu /* the bits above announce a checksum after the frame */

#define PCAPNG_SECTION 0x0a0d0d0au /* the same in either byte order */
#define PCAPNG_ORDER 0x1a2b3c4du /* first in the body of a section header */
#define PCAPNG_INTERFACE 1u
#define PCAPNG_PACKET_OLD 2u
#define PCAPNG_PACKET_SIMPLE 3u
#define PCAPNG_STATISTICS 5u
#define PCAPNG_PACKET 6u
#define PCAPNG_BLOCK_HEAD_BYTES 8u
#define PCAPNG_BLOCK_MIN_BYTES 12u
#define PCAPNG_OPTION_TSRESOL 9u /* of an interface: 10^-n or, with the top bit, 2^-n s */
#define PCAPNG_OPTION_TSOFFSET 14u /* s */
#define PCAPNG_OPTION_IFDROP 5u /* of statistics: packets that the capture lost, u64 */

/* Larger ones are not packets: libpcap's own limit, but for captures of USB. */
#define PCAP_PACKET_MAX_BYTES (256u << 10)
#define PCAPNG_BLOCK_MAX_BYTES (1u << 20)
#define PCAP_INTERFACES_MAX 4096u

enum pcap_link {
	PCAP_LINK_NULL = 0, /* u32 family in the order of the host that captured */
	PCAP_LINK_ETHERNET = 1,
	PCAP_LINK_RAW_BSD = 12,
	PCAP_LINK_RAW_OPENBSD = 14,
	PCAP_LINK_RAW = 101,
	PCAP_LINK_LOOP = 108, /* u32 family, big-endian */
	PCAP_LINK_SLL = 113, /* Linux's "any" */
	PCAP_LINK_IPV4 = 228,
	PCAP_LINK_IPV6 = 229,
	PCAP_LINK_SLL2 = 276,
};

#endif /* SONDE_WIRE_PCAP_H */
