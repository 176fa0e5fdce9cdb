/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rx_capture: the classes of events that captured Rx debug packets become, "rx_debug.request" and so on, and
 * their payload, in the order of this host.
 */
#ifndef SONDE_RECORD_FORMAT_PCAP_RX_CAPTURE_H
#define SONDE_RECORD_FORMAT_PCAP_RX_CAPTURE_H

#include <stdint.h>

#include <sonde/rx.h>

struct class_table;
struct event_class;

enum rx_capture_class {
	RX_CAPTURE_REQUEST,
	RX_CAPTURE_UNANSWERED,
	RX_CAPTURE_REPLY, /* + enum sonde_rx_reply_kind */
	RX_CAPTURE_CUT = RX_CAPTURE_REPLY + SONDE_RX_REPLY_ABORT + 1,
	RX_CAPTURE_MALFORMED,
	RX_CAPTURE_SUMMARY,
	RX_CAPTURE_CLASSES,
};

#define RX_ADDRESS_BYTES 16u

/* A record, and what fields of it need otherwise. */
struct rx_values {
	struct sonde_rx_reply reply;
	/* What fields need otherwise. Addresses: IPv4, mapped. */
	uint8_t peer[RX_ADDRESS_BYTES]; /* of connections and peers */
	int64_t rtt_us; /* of peers, as what follows */
	int64_t rtt_dev_us;
	uint64_t burst_wait_us;
	uint64_t timeout_us;
	uint8_t bogus_little[RX_ADDRESS_BYTES]; /* of the counters, as what follows */
	uint8_t bogus_big[RX_ADDRESS_BYTES];
	uint64_t rtt_total_us;
	uint64_t rtt_min_us;
	uint64_t rtt_max_us;
};

/* Fills what is behind `reply` from what is in it. */
void rx_values_complete(struct rx_values *values);

/* All but the summary. */
struct rx_exchange {
	uint8_t saddr[RX_ADDRESS_BYTES];
	uint8_t daddr[RX_ADDRESS_BYTES];
	uint16_t sport;
	uint16_t dport;
	uint32_t call;
	uint8_t type;
	uint8_t flags;
	int32_t what;
	int32_t index;
	uint32_t asked;
	uint32_t answers;
	uint64_t took_ns; /* of a reply: until it came */
	uint64_t silent_ns; /* of a request: until it was given up */
	uint32_t bytes;
	uint32_t captured;
	struct rx_values values;
};

/* Packets, of the whole capture. */
struct rx_summary {
	uint64_t packets;
	uint64_t requests;
	uint64_t replies;
	uint64_t unanswered;
	uint64_t unasked;
	uint64_t cut;
	uint64_t malformed;
	uint64_t keepalives;
	uint64_t rx_other;
	uint64_t fragments;
	uint64_t unknown;
	uint64_t other;
};

struct rx_capture_classes {
	struct class_table *table;
	const struct event_class *classes[RX_CAPTURE_CLASSES];
};

/* 0 or -ENOMEM; rx_capture_classes_fini is due in both cases. */
int rx_capture_classes_init(struct rx_capture_classes *classes);
void rx_capture_classes_fini(struct rx_capture_classes *classes);

#endif /* SONDE_RECORD_FORMAT_PCAP_RX_CAPTURE_H */
