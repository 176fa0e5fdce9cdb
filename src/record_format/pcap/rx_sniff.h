/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rx_sniff: whether what UDP carries is Rx, and Rx debug.
 *
 * On a port of AFS the type in the header of Rx decides. On any other, all that requests and replies of
 * Rx debug have in common has to be there: the lengths, and zeros where both leave them.
 */
#ifndef SONDE_RECORD_FORMAT_PCAP_RX_SNIFF_H
#define SONDE_RECORD_FORMAT_PCAP_RX_SNIFF_H

#include <stdbool.h>

#include <sonde/rx.h>

struct udp_packet;

enum rx_sniffed {
	RX_SNIFFED_OTHER, /* no Rx */
	RX_SNIFFED_RX, /* Rx, but not debug */
	RX_SNIFFED_KEEPALIVE, /* a VERSION packet that needs no answer */
	RX_SNIFFED_CUT, /* Rx, perhaps: on its port, but the capture has not even the header */
	RX_SNIFFED_REQUEST,
	RX_SNIFFED_REPLY, /* or what looks like one: DEBUG or VERSION, not from a client */
	RX_SNIFFED_ABORT, /* may be the reply of an endpoint without Rx debug */
};

/* Whether it is from or to a port that AFS is known to use. */
bool rx_sniff_is_afs(const struct udp_packet *packet);
/* @header is filled from RX_SNIFFED_REQUEST on. */
enum rx_sniffed rx_sniff(const struct udp_packet *packet, struct sonde_rx_header *header);

#endif /* SONDE_RECORD_FORMAT_PCAP_RX_SNIFF_H */
