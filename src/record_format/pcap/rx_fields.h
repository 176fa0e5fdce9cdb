/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rx_fields: the records of Rx endpoints as fields of events: one table, whatever the records came by.
 *
 * The payload of such an event has a struct rx_values, in the order of this host.
 */
#ifndef SONDE_RECORD_FORMAT_PCAP_RX_FIELDS_H
#define SONDE_RECORD_FORMAT_PCAP_RX_FIELDS_H

#include <stddef.h>
#include <stdint.h>

#include <sonde/rx.h>

struct field;

#define RX_FIELDS_ADDRESS_BYTES 16u

struct rx_values {
	struct sonde_rx_reply reply;
	/* What fields need otherwise. Addresses: IPv4, mapped. */
	uint8_t peer[RX_FIELDS_ADDRESS_BYTES]; /* of connections and peers */
	int64_t rtt_us; /* of peers, as what follows */
	int64_t rtt_dev_us;
	uint64_t burst_wait_us;
	uint64_t timeout_us;
	uint8_t bogus_little[RX_FIELDS_ADDRESS_BYTES]; /* of the counters, as what follows */
	uint8_t bogus_big[RX_FIELDS_ADDRESS_BYTES];
	uint64_t rtt_total_us;
	uint64_t rtt_min_us;
	uint64_t rtt_max_us;
};

/* Fills what is behind `reply` from what is in it. */
void rx_values_complete(struct rx_values *values);

#define RX_FIELDS_MAX 80u

/* The fields of a record of @kind, whose struct rx_values is at @offset bytes of the payload: writes at most
 * RX_FIELDS_MAX to @fields and returns how many. */
size_t rx_fields_get(enum sonde_rx_reply_kind kind, size_t offset, struct field *fields);

#endif /* SONDE_RECORD_FORMAT_PCAP_RX_FIELDS_H */
