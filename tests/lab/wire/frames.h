/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * frames: frames for the unit tests of the wire.
 */
#ifndef LAB_WIRE_FRAMES_H
#define LAB_WIRE_FRAMES_H

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "frame.h"

#define FRAMES_TCP_V4 54u /* bytes in front of the payload */

/* A segment from 10.0.0.1:1000 to 10.0.0.2:80; its length. @bytes has room for it. */
static inline size_t frames_tcp(uint8_t *bytes, uint32_t seq, uint8_t flags, uint16_t payload)
{
	static const uint8_t addresses[8] = {10, 0, 0, 1, 10, 0, 0, 2};
	const uint16_t total = (uint16_t)(40 + payload);
	const uint32_t seq_be = htonl(seq);

	memset(bytes, 0, FRAMES_TCP_V4 + payload);
	bytes[12] = 8;
	bytes[14] = 0x45;
	bytes[16] = (uint8_t)(total >> 8);
	bytes[17] = (uint8_t)total;
	bytes[22] = 64;
	bytes[23] = IPPROTO_TCP;
	memcpy(bytes + 26, addresses, sizeof(addresses));
	bytes[34] = 1000 >> 8;
	bytes[35] = 1000 & 0xff;
	bytes[37] = 80;
	memcpy(bytes + 38, &seq_be, 4);
	bytes[46] = 5 << 4;
	bytes[47] = flags;
	return FRAMES_TCP_V4 + payload;
}

static inline struct frame frames_parsed(uint32_t seq, uint8_t flags, uint16_t payload)
{
	static uint8_t bytes[FRAME_MAX];
	struct frame frame;

	frame_parse(&frame, bytes, frames_tcp(bytes, seq, flags, payload));
	return frame;
}

#endif /* LAB_WIRE_FRAMES_H */
