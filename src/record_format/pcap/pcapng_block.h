/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pcapng_block: what the blocks of a pcapng file hold.
 */
#ifndef SONDE_RECORD_FORMAT_PCAP_PCAPNG_BLOCK_H
#define SONDE_RECORD_FORMAT_PCAP_PCAPNG_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/byte_order.h"

struct pcapng_block {
	uint32_t type;
	const uint8_t *body;
	size_t len; /* of the body: a multiple of 4 */
	enum byte_order order;
};

/* Where packets were captured; a pcap file has one. */
struct pcap_interface {
	uint32_t link;
	uint32_t snaplen; /* 0 = no limit */
	uint64_t ticks; /* of the clock, in one second */
	int64_t offset_s;
	uint64_t dropped; /* packets that the capture lost, as far as it is reported */
};

struct pcapng_packet {
	uint32_t interface; /* from 0 on, in its section */
	bool has_time;
	uint64_t ticks; /* of the interface's clock */
	uint32_t captured;
	uint32_t length;
	const uint8_t *data;
};

/* 0, or -EBADMSG: it is shorter than it says, or what it says cannot be. */
int pcapng_block_interface(const struct pcapng_block *block, struct pcap_interface *ret);
/* The same; -ENOENT: it does not tell. */
int pcapng_block_dropped(const struct pcapng_block *block, uint32_t *interface, uint64_t *ret);
/* 1: it is a packet; 0: it is another block; -EBADMSG. */
int pcapng_block_packet(const struct pcapng_block *block, struct pcapng_packet *ret);

#endif /* SONDE_RECORD_FORMAT_PCAP_PCAPNG_BLOCK_H */
