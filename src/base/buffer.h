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
