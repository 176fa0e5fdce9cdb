/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rx_pack: big-endian integers into a packet, one behind the other: each returns what is behind it. The
 * caller has the room.
 */
#ifndef SONDE_RX_RX_PACK_H
#define SONDE_RX_RX_PACK_H

#include <stdint.h>

static inline uint8_t *rx_put16(uint8_t *at, uint16_t value)
{
	at[0] = (uint8_t)(value >> 8);
	at[1] = (uint8_t)value;
	return at + 2;
}

static inline uint8_t *rx_put32(uint8_t *at, uint32_t value)
{
	at = rx_put16(at, (uint16_t)(value >> 16));
	return rx_put16(at, (uint16_t)value);
}

static inline uint8_t *rx_put64(uint8_t *at, uint64_t value)
{
	at = rx_put32(at, (uint32_t)(value >> 32));
	return rx_put32(at, (uint32_t)value);
}

#endif /* SONDE_RX_RX_PACK_H */
