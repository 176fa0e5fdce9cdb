// SPDX-License-Identifier: BSD-2-Clause
#include "base/leb128.h"

#include <errno.h>

/* Of the tenth byte only the lowest bit is one of 64; a sign goes through to its other bits. */
static bool is_too_large(uint8_t tenth, bool is_signed)
{
	return is_signed ? tenth != 0 && tenth != 0x7f : tenth > 1;
}

int leb128_get(const uint8_t *bytes, size_t room, bool is_signed, uint64_t *ret)
{
	uint64_t value = 0;
	unsigned int count = 0;

	do {
		if (count == LEB128_MAX_BYTES)
			return -EBADMSG;
		if (count == room)
			return -ENODATA;
		value |= (uint64_t)(bytes[count] & 0x7f) << (7 * count);
		count++;
	} while (bytes[count - 1] & 0x80);
	if (count == LEB128_MAX_BYTES && is_too_large(bytes[count - 1], is_signed))
		return -EBADMSG;
	if (is_signed && count < LEB128_MAX_BYTES && (bytes[count - 1] & 0x40))
		value |= UINT64_MAX << (7 * count);
	*ret = value;
	return (int)count;
}
