/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * emit: writes numbers and short texts at a pointer and returns the pointer behind them.
 *
 * The views format millions of events a second, so they reserve a line's greatest length once
 * and write without checks. The rule: EMIT_SLACK_BYTES more than what is meant may be overwritten
 * behind the end, so every reservation includes them.
 */
#ifndef SONDE_BASE_EMIT_H
#define SONDE_BASE_EMIT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/buffer.h"

#define EMIT_SLACK_BYTES 64u
#define EMIT_NUMBER_BYTES 24u /* no decimal or hexadecimal 64-bit number is longer */
#define EMIT_ADDRESS_BYTES 48u /* nor an address; with brackets */
#define EMIT_BINARY_BYTES 72u

/* A text prepared for emit_short: EMIT_PADDING bytes can be read from it, however short it is. */
#define EMIT_PADDING 32u

/* 10 and more. */
char *emit_uint_long(char *p, uint64_t value);
/* "0x" and as many digits as it takes. */
char *emit_hex(char *p, uint64_t value);
char *emit_octal(char *p, uint64_t value);
char *emit_binary(char *p, uint64_t value);
/* Exactly nine digits: the part of a time below the second. */
char *emit_nine(char *p, uint32_t value);
/* The shortest that reads back as the same number; "nan", "inf" and "-inf" as those. */
char *emit_float(char *p, double value, unsigned int bits);
/* 16 bytes, IPv6, with IPv4-mapped ones as dotted; @brackets: "[::1]" as in front of a port. */
char *emit_address(char *p, const uint8_t *address, int brackets);

static inline char *emit_uint(char *p, uint64_t value)
{
	if (value >= 10)
		return emit_uint_long(p, value);
	*p = (char)('0' + value);
	return p + 1;
}

static inline char *emit_int(char *p, int64_t value)
{
	if (value >= 0)
		return emit_uint(p, (uint64_t)value);
	*p = '-';
	return emit_uint(p + 1, -(uint64_t)value);
}

static inline char *emit_pair(char *p, unsigned int value)
{
	digits_put_two(p, value);
	return p + 2;
}

static inline char *emit_char(char *p, char c)
{
	*p = c;
	return p + 1;
}

static inline char *emit_bytes(char *p, const void *bytes, size_t len)
{
	memcpy(p, bytes, len);
	return p + len;
}

/* A prepared text: one move of fixed length where it is short, which is nearly always. */
static inline char *emit_short(char *p, const char *text, size_t len)
{
	memcpy(p, text, EMIT_PADDING);
	if (__builtin_expect(len > EMIT_PADDING, 0))
		memcpy(p + EMIT_PADDING, text + EMIT_PADDING, len - EMIT_PADDING);
	return p + len;
}

/* Spaces up to column @width counted from @start; at least one. At most EMIT_PADDING. */
static inline char *emit_column(char *p, const char *start, size_t width)
{
	size_t len = (size_t)(p - start);

	memset(p, ' ', EMIT_PADDING);
	return p + (len < width ? width - len : 1);
}

#endif /* SONDE_BASE_EMIT_H */
