// SPDX-License-Identifier: BSD-2-Clause
#include "base/emit.h"

#include <arpa/inet.h>
#include <math.h>
#include <stdbool.h>
#include <sys/socket.h>

#include "base/shortest.h"

char *emit_uint_long(char *p, uint64_t value)
{
	char *end = p + digits_count(value);

	digits_put(end, value);
	return end;
}

/* Eight hexadecimal digits at once: a nibble to each byte, then all bytes to ASCII. */
static void write_hex8(char *p, uint32_t value)
{
	uint64_t x = value, letters;

	x = (x << 16 | x) & 0x0000ffff0000ffffu;
	x = (x << 8 | x) & 0x00ff00ff00ff00ffu;
	x = (x << 4 | x) & 0x0f0f0f0f0f0f0f0fu;
	letters = (x + 0x0606060606060606u) >> 4 & 0x0101010101010101u;
	x += 0x3030303030303030u + letters * ('a' - '0' - 10);
	/* The first digit to the lowest address. */
	if (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
		x = __builtin_bswap64(x);
	memcpy(p, &x, sizeof(x));
}

char *emit_hex(char *p, uint64_t value)
{
	char digits[32];
	unsigned int len = value ? (67u - (unsigned int)__builtin_clzll(value)) / 4 : 1;

	write_hex8(digits, (uint32_t)(value >> 32));
	write_hex8(digits + 8, (uint32_t)value);
	memset(digits + 16, 0, 16);
	p = emit_bytes(p, "0x", 2);
	memcpy(p, digits + 16 - len, 16);
	return p + len;
}

char *emit_octal(char *p, uint64_t value)
{
	char digits[24];
	char *at = digits + sizeof(digits);

	do {
		*--at = (char)('0' + (value & 7));
		value >>= 3;
	} while (value);
	*--at = '0';
	return emit_bytes(p, at, (size_t)(digits + sizeof(digits) - at));
}

char *emit_binary(char *p, uint64_t value)
{
	unsigned int bit = value ? 63u - (unsigned int)__builtin_clzll(value) : 0;

	p = emit_bytes(p, "0b", 2);
	do
		*p++ = (char)('0' + (value >> bit & 1));
	while (bit--);
	return p;
}

char *emit_nine(char *p, uint32_t value)
{
	uint32_t high = value / 100000, low = value % 100000;

	p = emit_pair(p, high / 100);
	p = emit_pair(p, high % 100);
	p = emit_char(p, (char)('0' + low / 10000));
	low %= 10000;
	p = emit_pair(p, low / 100);
	return emit_pair(p, low % 100);
}

/* "1.5e-07": @point: the exponent of the first digit. */
static char *emit_scientific(char *p, const char *digits, unsigned int count, int point)
{
	p = emit_char(p, digits[0]);
	if (count > 1) {
		p = emit_char(p, '.');
		p = emit_bytes(p, digits + 1, count - 1);
	}
	p = emit_char(p, 'e');
	p = emit_char(p, point < 0 ? '-' : '+');
	point = point < 0 ? -point : point;
	if (point >= 100)
		return emit_uint(p, (uint64_t)point);
	return emit_pair(p, (unsigned int)point);
}

/* "0.00015", "1.5", "150" */
static char *emit_fixed(char *p, const char *digits, unsigned int count, int point)
{
	unsigned int whole = point < 0 ? 0 : (unsigned int)point + 1;

	if (point < 0) {
		p = emit_bytes(p, "0.0000", 6) - (5 + point);
		return emit_bytes(p, digits, count);
	}
	if (count <= whole) {
		p = emit_bytes(p, digits, count);
		memset(p, '0', whole - count);
		return p + (whole - count);
	}
	p = emit_bytes(p, digits, whole);
	p = emit_char(p, '.');
	return emit_bytes(p, digits + whole, count - whole);
}

/* As printf's %g would, of the least precision that is enough, which is 15, else 17; of a float 6, else 9. */
char *emit_float(char *p, double value, unsigned int bits)
{
	const bool is_float = bits == 32;
	struct shortest shortest;
	char digits[24];
	unsigned int count;
	int point, precision;

	if (isnan(value))
		return emit_bytes(p, "nan", 3);
	if (signbit(value))
		p = emit_char(p, '-');
	if (isinf(value))
		return emit_bytes(p, "inf", 3);
	if (value == 0)
		return emit_char(p, '0');
	shortest = is_float ? shortest_of_float((float)value) : shortest_of_double(value);
	count = digits_count(shortest.digits);
	digits_put(digits + count, shortest.digits);
	point = shortest.exponent + (int)count - 1;
	if (is_float)
		precision = count <= 6 ? 6 : 9;
	else
		precision = count <= 15 ? 15 : 17;
	if (point < -4 || point >= precision)
		return emit_scientific(p, digits, count, point);
	return emit_fixed(p, digits, count, point);
}

static char *emit_ipv4(char *p, const uint8_t *address)
{
	p = emit_uint(p, address[0]);
	p = emit_char(p, '.');
	p = emit_uint(p, address[1]);
	p = emit_char(p, '.');
	p = emit_uint(p, address[2]);
	p = emit_char(p, '.');
	return emit_uint(p, address[3]);
}

char *emit_address(char *p, const uint8_t *address, int brackets)
{
	static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};
	char text[INET6_ADDRSTRLEN];

	if (!memcmp(address, mapped, sizeof(mapped)))
		return emit_ipv4(p, address + 12);
	if (!inet_ntop(AF_INET6, address, text, sizeof(text)))
		return p;
	if (brackets)
		p = emit_char(p, '[');
	p = emit_bytes(p, text, strlen(text));
	if (brackets)
		p = emit_char(p, ']');
	return p;
}
