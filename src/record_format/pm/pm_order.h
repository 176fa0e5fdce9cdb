/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pm_order: integers of 1, 2, 4 or 8 bytes in the byte orders that .pm files have.
 */
#ifndef SONDE_RECORD_FORMAT_PM_PM_ORDER_H
#define SONDE_RECORD_FORMAT_PM_PM_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "wire/pm.h"

#define PM_ORDER_HOST                                                          \
	(__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? (unsigned int)PM_ORDER_BIG : \
						  (unsigned int)PM_ORDER_LITTLE)

static inline bool pm_is_integer(unsigned int bytes)
{
	return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
}

/* Where the byte of weight 256^@i lies among @bytes. */
static inline unsigned int pm_order_place(unsigned int i, unsigned int bytes, unsigned int order)
{
	if (order == PM_ORDER_LITTLE || bytes == 1)
		return i;
	/* The words from the last to the first, in each of them the low byte first. */
	return order == PM_ORDER_BIG ? bytes - 1 - i : (bytes - 2 - (i & ~1u)) + (i & 1);
}

static inline uint64_t pm_order_load(const uint8_t *p, unsigned int bytes, unsigned int order)
{
	uint64_t value = 0;

	for (unsigned int i = 0; i < bytes; i++)
		value |= (uint64_t)p[pm_order_place(i, bytes, order)] << 8 * i;
	return value;
}

static inline void pm_order_store(uint8_t *p, uint64_t value, unsigned int bytes,
				  unsigned int order)
{
	for (unsigned int i = 0; i < bytes; i++)
		p[pm_order_place(i, bytes, order)] = (uint8_t)(value >> 8 * i);
}

#endif /* SONDE_RECORD_FORMAT_PM_PM_ORDER_H */
