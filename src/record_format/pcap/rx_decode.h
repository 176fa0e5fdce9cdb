/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rx_decode: packets of a capture, one after the other, become what is known of the exchanges of Rx debug:
 * requests, replies with their records, and requests without a reply.
 */
#ifndef SONDE_RECORD_FORMAT_PCAP_RX_DECODE_H
#define SONDE_RECORD_FORMAT_PCAP_RX_DECODE_H

#include <stdbool.h>
#include <stdint.h>

#include "record_format/pcap/rx_capture.h"
#include "record_format/pcap/rx_pairs.h"

struct pcap_packet;

struct rx_decode {
	struct rx_pairs pairs;
	struct rx_summary summary;
};

void rx_decode_init(struct rx_decode *decode);
void rx_decode_fini(struct rx_decode *decode);

/*
 * What has become too old at @now_ns, one at a time: true, and *@ret is an exchange of RX_CAPTURE_UNANSWERED. To be
 * asked before each packet until there are no more; behind the last packet with INT64_MAX, @end_ns its time.
 */
bool rx_decode_expire(struct rx_decode *decode, int64_t now_ns, int64_t end_ns,
		      struct rx_exchange *ret);
/* True: it is an exchange, of class *@class. */
bool rx_decode_packet(struct rx_decode *decode, const struct pcap_packet *packet,
		      struct rx_exchange *ret, enum rx_capture_class *class);

#endif /* SONDE_RECORD_FORMAT_PCAP_RX_DECODE_H */
