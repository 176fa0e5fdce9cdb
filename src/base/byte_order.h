/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * byte_order: integers of 1, 2, 4 or 8 bytes at any address, in the byte orders that files have. Readers and
 * writers of record formats use it; the caller has checked that the bytes are there.
 */
#ifndef SONDE_BASE_BYTE_ORDER_H
#define SONDE_BASE_BYTE_ORDER_H

#include <endian.h>
#include <stdint.h>
#include <string.h>

enum byte_order {
	BYTE_ORDER_LITTLE,
	BYTE_ORDER_BIG,
	BYTE_ORDER_PDP, /* words of 16 bits, little-endian; the most significant word is first */
	BYTE_ORDER_WORDS, /* the same with words of 32 bits */
	BYTE_ORDER_COUNT,
};

#define BYTE_ORDER_HOST \
	(__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? BYTE_ORDER_BIG : BYTE_ORDER_LITTLE)

/* The low @bytes of a little-endian value as one of @order, and back. */
static inline uint64_t byte_order_swap(uint64_t value, unsigned int bytes, enum byte_order order)
{
	const uint64_t even_words = 0x0000ffff0000ffff;

	if (order == BYTE_ORDER_LITTLE || bytes < 2 || (order == BYTE_ORDER_WORDS && bytes < 8))
		return value;
	if (order == BYTE_ORDER_BIG)
		return __builtin_bswap64(value) >> (64 - 8 * bytes);
	if (order == BYTE_ORDER_PDP)
		value = (value & even_words) << 16 | (value >> 16 & even_words);
	return (value << 32 | value >> 32) >> (64 - 8 * bytes);
}

/* @bytes: 1, 2, 4 or 8; the same of byte_order_store. */
static inline uint64_t byte_order_load(const uint8_t *at, unsigned int bytes, enum byte_order order)
{
	uint64_t value = 0;

	switch (bytes) { /* of constant lengths: each is one instruction */
	case 1:
		return *at;
	case 2:
		memcpy(&value, at, 2);
		break;
	case 4:
		memcpy(&value, at, 4);
		break;
	default:
		memcpy(&value, at, 8);
	}
	return byte_order_swap(le64toh(value), bytes, order);
}

/* The low bytes of @value. */
static inline void byte_order_store(uint8_t *at, unsigned int bytes, enum byte_order order,
				    uint64_t value)
{
	value = htole64(byte_order_swap(value, bytes, order));
	switch (bytes) {
	case 1:
		memcpy(at, &value, 1);
		break;
	case 2:
		memcpy(at, &value, 2);
		break;
	case 4:
		memcpy(at, &value, 4);
		break;
	default:
		memcpy(at, &value, 8);
	}
}

#endif /* SONDE_BASE_BYTE_ORDER_H */
