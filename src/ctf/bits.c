// SPDX-License-Identifier: BSD-2-Clause
#include "ctf/bits.h"

static uint64_t mask_of(unsigned int size)
{
	return size >= 64 ? UINT64_MAX : (1ull << size) - 1;
}

static uint64_t get_little(const uint8_t *bytes, unsigned int skip, unsigned int size)
{
	unsigned int count = (skip + size + 7) / 8;
	uint64_t value = bytes[0] >> skip;

	for (unsigned int i = 1; i < count; i++)
		value |= (uint64_t)bytes[i] << (8 * i - skip);
	return value & mask_of(size);
}

static uint64_t get_big(const uint8_t *bytes, unsigned int skip, unsigned int size)
{
	unsigned int end = skip + size, count = (end + 7) / 8, left = count * 8 - end;
	uint64_t value = bytes[0] & (0xffu >> skip);

	if (count == 1)
		return value >> left;
	for (unsigned int i = 1; i + 1 < count; i++)
		value = value << 8 | bytes[i];
	return value << (8 - left) | bytes[count - 1] >> left;
}

uint64_t bits_get(const uint8_t *bytes, uint64_t at, unsigned int size, bool big_endian)
{
	unsigned int skip = at & 7;

	bytes += at >> 3;
	return big_endian ? get_big(bytes, skip, size) : get_little(bytes, skip, size);
}

uint64_t bits_sign(uint64_t value, unsigned int size)
{
	uint64_t sign = 1ull << (size - 1);

	return size >= 64 ? value : (value ^ sign) - sign;
}

uint64_t bits_clock(uint64_t clock, uint64_t value, unsigned int size)
{
	uint64_t mask = mask_of(size);

	if (size >= 64)
		return value;
	return clock + ((value - clock) & mask);
}
