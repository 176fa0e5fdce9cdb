/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cursor: reads bytes that another program wrote, never past their end.
 *
 * A read past the end returns 0 and sets `short_read`, sticky; decoders check it once per item.
 */
#ifndef SONDE_BASE_CURSOR_H
#define SONDE_BASE_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Integers of up to 64 bits that take as many bytes as they need: seven bits in each, the
 * lowest first, the eighth says that more follow.
 */

#define LEB128_MAX_BYTES 10u

/*
 * Reads one of at most @room bytes; a signed one in two's complement. How many bytes it has, or
 * -ENODATA: it needs more than @room; -EBADMSG: it does not fit 64 bits.
 */
int leb128_get(const uint8_t *bytes, size_t room, bool is_signed, uint64_t *ret);

struct cursor {
	const uint8_t *data;
	size_t len;
	size_t at;
	bool short_read;
};

void cursor_init(struct cursor *cur, const void *data, size_t len);
size_t cursor_left(const struct cursor *cur);
void cursor_skip(struct cursor *cur, size_t len);
uint8_t cursor_u8(struct cursor *cur);
uint16_t cursor_be16(struct cursor *cur);
uint32_t cursor_be32(struct cursor *cur);
uint64_t cursor_be64(struct cursor *cur);
uint16_t cursor_le16(struct cursor *cur);
uint32_t cursor_le32(struct cursor *cur);
uint64_t cursor_le64(struct cursor *cur);
/* Borrowed from the input; NULL where fewer than @len bytes are left. */
const void *cursor_bytes(struct cursor *cur, size_t len);

#endif /* SONDE_BASE_CURSOR_H */
