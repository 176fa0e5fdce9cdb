/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * utf8: which bytes are characters (RFC 3629: no overlong forms, no surrogates).
 */
#ifndef SONDE_BASE_UTF8_H
#define SONDE_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UTF8_BYTES 4u /* of one character at most */
#define UTF8_REPLACEMENT 0xfffdu

/* Bytes of the well-formed character of two or more bytes at @s, of which @len are there; else 0. */
size_t utf8_length(const uint8_t *s, size_t len);
/* The character that utf8_length has found: @len bytes. */
uint32_t utf8_decode(const uint8_t *s, size_t len);
/*
 * Whether @character must not reach a terminal or a page unescaped: control characters (terminals
 * take U+009B for ESC [), U+2028 and U+2029, which end lines, and the embeddings, overrides and
 * isolates that reorder what stands around them (U+202A to U+202E, U+2066 to U+2069).
 */
bool utf8_is_unsafe(uint32_t character);
/* The character at *@at, which moves behind it; 0 at the NUL. Unsafe characters, and each byte that is
 * not a character, become UTF8_REPLACEMENT. */
uint32_t utf8_next(const char **at);
/* At @p, which has UTF8_BYTES; returns the end. */
char *utf8_put(char *p, uint32_t character);

#endif /* SONDE_BASE_UTF8_H */
