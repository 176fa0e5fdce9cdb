/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * leb128: integers of up to 64 bits that take as many bytes as they need: seven bits in each, the
 * lowest first, the eighth says that more follow.
 */
#ifndef SONDE_BASE_LEB128_H
#define SONDE_BASE_LEB128_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LEB128_MAX_BYTES 10u

/*
 * Reads one of at most @room bytes; a signed one in two's complement. How many bytes it has, or
 * -ENODATA: it needs more than @room; -EBADMSG: it does not fit 64 bits.
 */
int leb128_get(const uint8_t *bytes, size_t room, bool is_signed, uint64_t *ret);

#endif /* SONDE_BASE_LEB128_H */
