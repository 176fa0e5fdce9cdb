/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * meas_word: numbers of 16 and 32 bits in either byte order, at any address.
 */
#ifndef SONDE_RECORD_FORMAT_MEAS_MEAS_WORD_H
#define SONDE_RECORD_FORMAT_MEAS_MEAS_WORD_H

#include <stdbool.h>
#include <stdint.h>

static inline uint16_t meas_get16(const uint8_t *p, bool big)
{
	return (uint16_t)(big ? p[0] << 8 | p[1] : p[1] << 8 | p[0]);
}

static inline uint32_t meas_get32(const uint8_t *p, bool big)
{
	uint32_t first = meas_get16(p, big), second = meas_get16(p + 2, big);

	return big ? first << 16 | second : second << 16 | first;
}

static inline void meas_put16(uint8_t *p, uint16_t value, bool big)
{
	p[big] = (uint8_t)value;
	p[!big] = (uint8_t)(value >> 8);
}

static inline void meas_put32(uint8_t *p, uint32_t value, bool big)
{
	meas_put16(p + (big ? 2 : 0), (uint16_t)value, big);
	meas_put16(p + (big ? 0 : 2), (uint16_t)(value >> 16), big);
}

#endif /* SONDE_RECORD_FORMAT_MEAS_MEAS_WORD_H */
