/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rx_message: DEBUG and VERSION packets as a whole: the header, and what is asked. Both ends use it.
 */
#ifndef SONDE_RX_RX_MESSAGE_H
#define SONDE_RX_RX_MESSAGE_H

#include <stddef.h>
#include <stdint.h>

#include <sonde/rx.h>

#include "wire/rx_debug.h"

/* -EBADMSG: shorter than a header. */
int rx_header_unpack(const void *packet, size_t len, struct sonde_rx_header *ret);
/* Writes RX_HEADER_BYTES. */
void rx_header_pack(const struct sonde_rx_header *header, uint8_t *packet);

#define RX_REQUEST_MAX_BYTES (RX_HEADER_BYTES + RX_DEBUG_REQUEST_BYTES)

/* What is asked. */
struct rx_query {
	uint8_t type; /* RX_TYPE_DEBUG or RX_TYPE_VERSION */
	int32_t what; /* of DEBUG: an enum rx_debug_what */
	int32_t index; /* 0 but of connections and peers */
};

/* The request numbered @call: writes to @packet, at most RX_REQUEST_MAX_BYTES; returns how many. */
size_t rx_query_pack(const struct rx_query *query, uint32_t call, uint8_t *packet);

void rx_request_init(struct sonde_rx_request *request, const struct rx_query *query, uint32_t call);

/* As include/sonde/rx.h says of sonde_rx_request_pack and sonde_rx_request_unpack. */
size_t rx_request_pack(const struct sonde_rx_request *request, uint8_t *packet);
int rx_request_unpack(const void *packet, size_t len, struct sonde_rx_request *ret);

#endif /* SONDE_RX_RX_MESSAGE_H */
