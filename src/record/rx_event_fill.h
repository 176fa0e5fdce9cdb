/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rx_event_fill: converts the replies of an Rx server to records (wire/rx_event.h). Values that
 * only the requester knows, heads, rounds and names, are left to it.
 */
#ifndef SONDE_RECORD_RX_EVENT_FILL_H
#define SONDE_RECORD_RX_EVENT_FILL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sonde/rx.h>

#include "record/rx_widen.h"
#include "wire/rx_event.h"

/* Counters of the basic statistics that are continued in 64 bits. */
enum rx_basic_counter {
	RX_BASIC_CALLS,
	RX_BASIC_WAITED,
	RX_BASIC_RECLAIMS,
	RX_BASIC_COUNTERS,
};

/* Fields of the counters that are words of the statistics: those between the first and rtt_total_us. */
#define RX_COUNTER_FIELDS                                            \
	((__builtin_offsetof(struct rx_counters, rtt_total_us) -     \
	  __builtin_offsetof(struct rx_counters, packet_requests)) / \
	 sizeof(uint64_t))

void rx_event_basic_raw(const struct sonde_rx_basic *basic, uint32_t raw[RX_BASIC_COUNTERS]);
void rx_event_stats(const struct sonde_rx_basic *basic, const struct rx_widened *counters,
		    struct rx_stats *ret);

/* Which word of the statistics field @i is. */
size_t rx_event_word(size_t i);
/* In the order of the fields: those that only grow; the others are 0. */
void rx_event_counters_raw(const struct sonde_rx_stats *stats, uint32_t raw[RX_COUNTER_FIELDS]);
void rx_event_counters(const struct sonde_rx_stats *stats, const struct rx_widened *counters,
		       struct rx_counters *ret);

void rx_event_conn(const struct sonde_rx_conn *conn, struct rx_conn *ret);
/* Whether there is a call in progress there, which is to have a record. */
bool rx_event_is_call(const struct sonde_rx_call *call);
void rx_event_call(const struct sonde_rx_conn *conn, size_t channel, struct rx_call *ret);
void rx_event_peer(const struct sonde_rx_peer *peer, struct rx_peer *ret);
/* IPv6, IPv4 mapped. @host: in host order. */
void rx_event_address(uint32_t host, uint8_t ret[16]);

#endif /* SONDE_RECORD_RX_EVENT_FILL_H */
