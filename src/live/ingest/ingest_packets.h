/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ingest_packets: what one data connection brings: packets of any streams, a head before each. Takes it in pieces,
 * however these are cut, and passes the parts of packets on without copying, so that long pieces are written
 * as such. It keeps the beginning of an incomplete head, and nothing of packets.
 */
#ifndef SONDE_LIVE_INGEST_INGEST_PACKETS_H
#define SONDE_LIVE_INGEST_INGEST_PACKETS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "live/proto/ingest_message.h"

struct ingest_place;

struct ingest_packets {
	struct ingest_place *place; /* borrowed, as: */
	const char *peer; /* their sender, as admission has named it */
	uint8_t head[RELAY_DATA_HEAD_BYTES]; /* of the next packet, */
	size_t head_len; /* as far as it has come */
	struct ingest_data packet; /* that has begun */
	uint32_t left; /* bytes of it that are still to come; 0 = none has begun */
};

/* All of it is taken. How many bytes are missing of the head or packet that has begun, 0 = none has; or -errno: the
 * connection is of no use any more. */
ssize_t ingest_packets_take(struct ingest_packets *packets, const uint8_t *bytes, size_t len);
/* Nothing more comes: a packet that is not complete is taken back. */
void ingest_packets_end(struct ingest_packets *packets);

#endif /* SONDE_LIVE_INGEST_INGEST_PACKETS_H */
