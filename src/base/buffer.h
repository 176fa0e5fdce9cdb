/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * buffer: a growing run of bytes, and the fast formatters that append to it.
 *
 * Everything that produces text or packs bytes writes here and hands the whole to write(2). Out
 * of memory is sticky: appends become no-ops and buffer_error returns it, so that formatting code
 * needs no checks in between.
 */
#ifndef SONDE_BASE_BUFFER_H
#define SONDE_BASE_BUFFER_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*
 * Decimal digits, as fast as they can be had: in pairs out of a table, and written where
 * they belong, since it is known beforehand how many there are.
 */

extern const char digits_pairs[201]; /* "000102...99" */
extern const uint64_t digits_powers[20]; /* 0, 10, 100, ... */

/* How many @value has. */
static inline unsigned int digits_count(uint64_t value)
{
	/* 1233/4096 is log10(2), near enough below 2^64. */
	unsigned int guess = (64u - (unsigned int)__builtin_clzll(value | 1)) * 1233u >> 12;

	return guess + (value >= digits_powers[guess]);
}

/* @value is below 100. */
static inline void digits_put_two(char *p, uint64_t value)
{
	memcpy(p, digits_pairs + 2 * value, 2);
}

static inline void digits_put_four(char *p, uint32_t value)
{
	digits_put_two(p, value / 100);
	digits_put_two(p + 2, value % 100);
}

/* All of @value's, so that they end at @end. Eight at a time while it is long: two halves that do
 * not wait for each other. */
static inline void digits_put(char *end, uint64_t value)
{
	uint32_t low;

	while (value >= 100000000) {
		low = (uint32_t)(value % 100000000);
		value /= 100000000;
		end -= 8;
		digits_put_four(end, low / 10000);
		digits_put_four(end + 4, low % 10000);
	}
	low = (uint32_t)value;
	if (low >= 10000) {
		end -= 4;
		digits_put_four(end, low % 10000);
		low /= 10000;
	}
	if (low >= 100) {
		end -= 2;
		digits_put_two(end, low % 100);
		low /= 100;
	}
	if (low >= 10)
		digits_put_two(end - 2, low);
	else
		end[-1] = (char)('0' + low);
}

struct buffer {
	char *data;
	size_t len;
	size_t room;
	int err; /* 0 or -ENOMEM, sticky */
};

void buffer_init(struct buffer *buf);
void buffer_fini(struct buffer *buf);
/* Empties it and keeps its memory. */
void buffer_reset(struct buffer *buf);
int buffer_error(const struct buffer *buf);

/* Room for @len more bytes at the end, or NULL; buffer_advance then takes what was written. */
char *buffer_reserve(struct buffer *buf, size_t len);
void buffer_advance(struct buffer *buf, size_t len);

void buffer_append(struct buffer *buf, const void *bytes, size_t len);
void buffer_char(struct buffer *buf, char c);
void buffer_string(struct buffer *buf, const char *text);
void buffer_pad(struct buffer *buf, char c, size_t count);
/* One more name of the list with commas that begins at @start, unless it is "" or stands there already. */
void buffer_list(struct buffer *buf, size_t start, const char *name);
/* Big-endian, as protocols have numbers. */
void buffer_be32(struct buffer *buf, uint32_t value);
void buffer_be64(struct buffer *buf, uint64_t value);
void buffer_uint(struct buffer *buf, uint64_t value);
void buffer_int(struct buffer *buf, int64_t value);
/* At least @digits digits, no "0x" in front. */
void buffer_hex(struct buffer *buf, uint64_t value, unsigned int digits);
/* Exactly @digits digits, zeros in front: parts of times. */
void buffer_digits(struct buffer *buf, uint64_t value, unsigned int digits);
void buffer_format(struct buffer *buf, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* As the inside of a JSON string: control characters, quotes, backslashes and bytes that are not
 * UTF-8 escaped (the last as U+FFFD). */
void buffer_json_text(struct buffer *buf, const char *text, size_t len);

#endif /* SONDE_BASE_BUFFER_H */
