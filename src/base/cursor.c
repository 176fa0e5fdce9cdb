// SPDX-License-Identifier: BSD-2-Clause
#include "base/cursor.h"

#include <endian.h>
#include <errno.h>
#include <string.h>

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

void cursor_init(struct cursor *cur, const void *data, size_t len)
{
	*cur = (struct cursor){.data = data, .len = len};
}

size_t cursor_left(const struct cursor *cur)
{
	return cur->len - cur->at;
}

const void *cursor_bytes(struct cursor *cur, size_t len)
{
	const uint8_t *p;

	if (len > cursor_left(cur)) {
		/* Nothing behind a short read is in its place: the rest is given up. */
		cur->short_read = true;
		cur->at = cur->len;
		return NULL;
	}
	p = cur->data + cur->at;
	cur->at += len;
	return p;
}

void cursor_skip(struct cursor *cur, size_t len)
{
	(void)cursor_bytes(cur, len);
}

uint8_t cursor_u8(struct cursor *cur)
{
	const uint8_t *p = cursor_bytes(cur, 1);

	return p ? *p : 0;
}

static uint16_t load_u16(struct cursor *cur)
{
	const void *p = cursor_bytes(cur, sizeof(uint16_t));
	uint16_t v = 0;

	if (p)
		memcpy(&v, p, sizeof(v));
	return v;
}

static uint32_t load_u32(struct cursor *cur)
{
	const void *p = cursor_bytes(cur, sizeof(uint32_t));
	uint32_t v = 0;

	if (p)
		memcpy(&v, p, sizeof(v));
	return v;
}

static uint64_t load_u64(struct cursor *cur)
{
	const void *p = cursor_bytes(cur, sizeof(uint64_t));
	uint64_t v = 0;

	if (p)
		memcpy(&v, p, sizeof(v));
	return v;
}

uint16_t cursor_be16(struct cursor *cur)
{
	return be16toh(load_u16(cur));
}

uint32_t cursor_be32(struct cursor *cur)
{
	return be32toh(load_u32(cur));
}

uint64_t cursor_be64(struct cursor *cur)
{
	return be64toh(load_u64(cur));
}

uint16_t cursor_le16(struct cursor *cur)
{
	return le16toh(load_u16(cur));
}

uint32_t cursor_le32(struct cursor *cur)
{
	return le32toh(load_u32(cur));
}

uint64_t cursor_le64(struct cursor *cur)
{
	return le64toh(load_u64(cur));
}
