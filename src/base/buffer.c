// SPDX-License-Identifier: BSD-2-Clause
#include "base/buffer.h"

#include <endian.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"

const char digits_pairs[201] = "00010203040506070809101112131415161718192021222324"
			       "25262728293031323334353637383940414243444546474849"
			       "50515253545556575859606162636465666768697071727374"
			       "75767778798081828384858687888990919293949596979899";

const uint64_t digits_powers[20] = {
	0,
	10,
	100,
	1000,
	10000,
	100000,
	1000000,
	10000000,
	100000000,
	1000000000,
	10000000000,
	100000000000,
	1000000000000,
	10000000000000,
	100000000000000,
	1000000000000000,
	10000000000000000,
	100000000000000000,
	1000000000000000000,
	10000000000000000000u,
};

#define FIRST_BYTES 256u
#define UINT_DIGITS 20u /* of 2^64 - 1 */

void buffer_init(struct buffer *buf)
{
	*buf = (struct buffer){0};
}

void buffer_fini(struct buffer *buf)
{
	free(buf->data);
	*buf = (struct buffer){0};
}

void buffer_reset(struct buffer *buf)
{
	buf->len = 0;
	buf->err = 0;
}

int buffer_error(const struct buffer *buf)
{
	return buf->err;
}

static __attribute__((noinline)) char *grow(struct buffer *buf, size_t len)
{
	size_t room = buf->room ?: FIRST_BYTES;
	char *data;

	while (room - buf->len < len && room <= SIZE_MAX / 2)
		room *= 2;
	data = room - buf->len < len ? NULL : realloc(buf->data, room);
	if (!data) {
		buf->err = -ENOMEM;
		return NULL;
	}
	buf->data = data;
	buf->room = room;
	return data + buf->len;
}

static inline char *reserve(struct buffer *buf, size_t len)
{
	if (__builtin_expect(buf->err != 0, 0))
		return NULL;
	if (__builtin_expect(!buf->data || buf->room - buf->len < len, 0))
		return grow(buf, len);
	return buf->data + buf->len;
}

char *buffer_reserve(struct buffer *buf, size_t len)
{
	return reserve(buf, len);
}

void buffer_advance(struct buffer *buf, size_t len)
{
	buf->len += len;
}

void buffer_append(struct buffer *buf, const void *bytes, size_t len)
{
	char *p = reserve(buf, len);

	if (!p || !len)
		return;
	memcpy(p, bytes, len);
	buf->len += len;
}

void buffer_char(struct buffer *buf, char c)
{
	char *p = reserve(buf, 1);

	if (!p)
		return;
	*p = c;
	buf->len++;
}

void buffer_string(struct buffer *buf, const char *text)
{
	buffer_append(buf, text, strlen(text));
}

void buffer_list(struct buffer *buf, size_t start, const char *name)
{
	const size_t len = strlen(name);

	if (!len || buffer_error(buf))
		return;
	for (size_t at = start, end; at < buf->len; at = end + 2) {
		const char *comma = memchr(buf->data + at, ',', buf->len - at);

		end = comma ? (size_t)(comma - buf->data) : buf->len;
		if (end - at == len && !memcmp(buf->data + at, name, len))
			return;
	}
	if (buf->len > start)
		buffer_string(buf, ", ");
	buffer_append(buf, name, len);
}

void buffer_pad(struct buffer *buf, char c, size_t count)
{
	char *p = reserve(buf, count);

	if (!p)
		return;
	memset(p, c, count);
	buf->len += count;
}

void buffer_be32(struct buffer *buf, uint32_t value)
{
	value = htobe32(value);
	buffer_append(buf, &value, sizeof(value));
}

void buffer_be64(struct buffer *buf, uint64_t value)
{
	value = htobe64(value);
	buffer_append(buf, &value, sizeof(value));
}

void buffer_uint(struct buffer *buf, uint64_t value)
{
	char *p = reserve(buf, UINT_DIGITS);
	unsigned int digits;

	if (!p)
		return;
	digits = digits_count(value);
	digits_put(p + digits, value);
	buf->len += digits;
}

void buffer_int(struct buffer *buf, int64_t value)
{
	if (value < 0) {
		buffer_char(buf, '-');
		buffer_uint(buf, -(uint64_t)value);
	} else {
		buffer_uint(buf, (uint64_t)value);
	}
}

void buffer_hex(struct buffer *buf, uint64_t value, unsigned int digits)
{
	static const char hex[16] = "0123456789abcdef";
	unsigned int need = (67 - (unsigned int)__builtin_clzll(value | 1)) / 4;
	char *p;

	if (digits > need)
		buffer_pad(buf, '0', digits - need);
	p = reserve(buf, 16);
	if (!p)
		return;
	buf->len += need;
	for (p += need; need; need--, value >>= 4)
		*--p = hex[value & 15];
}

void buffer_digits(struct buffer *buf, uint64_t value, unsigned int digits)
{
	char *p = reserve(buf, digits);
	char *end;

	if (!p)
		return;
	buf->len += digits;
	for (end = p + digits; end - p >= 2; value /= 100) {
		end -= 2;
		digits_put_two(end, value % 100);
	}
	if (end > p)
		*p = (char)('0' + value % 10);
}

void buffer_format(struct buffer *buf, const char *format, ...)
{
	size_t room = 128;
	va_list args;
	char *p;
	int len;

	for (;;) {
		p = reserve(buf, room);
		if (!p)
			return;
		va_start(args, format);
		len = vsnprintf(p, room, format, args);
		va_end(args);
		if (len < 0) {
			buf->err = -ENOMEM;
			return;
		}
		if ((size_t)len < room)
			break;
		room = (size_t)len + 1;
	}
	buf->len += (size_t)len;
}

void buffer_json_text(struct buffer *buf, const char *text, size_t len)
{
	char *p = reserve(buf, len * ESCAPE_FACTOR + 1);

	if (p)
		buf->len += (size_t)(escape_json(p, text, len) - p);
}
