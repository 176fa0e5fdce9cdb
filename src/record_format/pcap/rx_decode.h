/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rx_decode: packets of a capture, one after the other, become what is known of the exchanges of Rx debug:
 * requests, replies with their records, and requests without a reply.
 */
#ifndef SONDE_RECORD_FORMAT_PCAP_RX_DECODE_H
#define SONDE_RECORD_FORMAT_PCAP_RX_DECODE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "record_format/pcap/rx_capture.h"
#include <stddef.h>

/*
 * Which reply answers which request, of those that are seen in a capture.
 *
 * A request is known by its two ends, its number and its type. A server of several addresses may answer
 * from another one than was asked: where nothing else fits, its port will do.
 */

/* rxdebug asks five times within 15 s, and waits until 31: no reply comes later than this. */
#define RX_PAIRS_PATIENCE_NS (60 * 1000000000ll)
#define RX_PAIRS_MAX 65536u /* more at once: the oldest are given up */

/* All bytes of it count: make it of zeros. */
struct rx_pair_key {
	uint8_t client[16];
	uint8_t server[16];
	uint16_t client_port;
	uint16_t server_port;
	uint32_t call;
	uint32_t type; /* of the packet: DEBUG or VERSION */
};

struct rx_pair {
	int64_t first_ns;
	int64_t last_ns; /* when it was asked last */
	int32_t what;
	int32_t index;
	uint32_t asked; /* how often since it was last answered */
	uint32_t answers;
};

struct rx_waiting;

struct rx_pairs {
	struct map pairs; /* struct rx_pair by struct rx_pair_key */
	struct map servers; /* the address asked last, by a key without one */
	struct rx_waiting
		*queue; /* a ring of RX_PAIRS_MAX, in the order of last_ns; NULL before the first */
	size_t first;
	size_t count;
};

void rx_pairs_init(struct rx_pairs *pairs);
void rx_pairs_fini(struct rx_pairs *pairs);

/* A request: its entry, borrowed until the next call; NULL: no memory, or no room. Without room
 * expire some. */
struct rx_pair *rx_pairs_ask(struct rx_pairs *pairs, const struct rx_pair_key *key, int64_t now_ns);
/* A reply to it: NULL = no request. */
struct rx_pair *rx_pairs_answer(struct rx_pairs *pairs, const struct rx_pair_key *key);
/*
 * The next request that is @now_ns too old to be answered any more, or, with INT64_MAX, any: true, and it
 * is forgotten. Only what is not answered is given.
 */
bool rx_pairs_expire(struct rx_pairs *pairs, int64_t now_ns, struct rx_pair_key *key,
		     struct rx_pair *ret);

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
