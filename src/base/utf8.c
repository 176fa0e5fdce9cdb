// SPDX-License-Identifier: BSD-2-Clause
#include "base/utf8.h"

#include <string.h>

size_t utf8_length(const uint8_t *s, size_t len)
{
	size_t want, i;

	if (s[0] >= 0xc2 && s[0] <= 0xdf)
		want = 2;
	else if ((s[0] & 0xf0) == 0xe0)
		want = 3;
	else if (s[0] >= 0xf0 && s[0] <= 0xf4)
		want = 4;
	else
		return 0;
	if (len < want)
		return 0;
	for (i = 1; i < want; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f))
		return 0;
	if ((s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
		return 0;
	return want;
}

uint32_t utf8_decode(const uint8_t *s, size_t len)
{
	uint32_t character = s[0] & (0x7fu >> len);

	for (size_t i = 1; i < len; i++)
		character = character << 6 | (s[i] & 0x3f);
	return character;
}

bool utf8_is_unsafe(uint32_t character)
{
	return character < 0x20 || (character >= 0x7f && character < 0xa0) ||
	       (character >= 0x2028 && character <= 0x202e) ||
	       (character >= 0x2066 && character <= 0x2069);
}

uint32_t utf8_next(const char **at)
{
	const uint8_t *s = (const uint8_t *)*at;
	uint32_t character;
	size_t len;

	if (!*s)
		return 0;
	if (*s < 0x80) {
		++*at;
		return *s < ' ' || *s == 0x7f ? UTF8_REPLACEMENT : *s;
	}
	len = utf8_length(s, strnlen(*at, UTF8_BYTES));
	*at += len ? len : 1;
	character = len ? utf8_decode(s, len) : UTF8_REPLACEMENT;
	return utf8_is_unsafe(character) ? UTF8_REPLACEMENT : character;
}

char *utf8_put(char *p, uint32_t character)
{
	if (character < 0x80) {
		*p++ = (char)character;
		return p;
	}
	if (character < 0x800) {
		*p++ = (char)(0xc0 | character >> 6);
	} else {
		if (character < 0x10000) {
			*p++ = (char)(0xe0 | character >> 12);
		} else {
			*p++ = (char)(0xf0 | character >> 18);
			*p++ = (char)(0x80 | (character >> 12 & 0x3f));
		}
		*p++ = (char)(0x80 | (character >> 6 & 0x3f));
	}
	*p++ = (char)(0x80 | (character & 0x3f));
	return p;
}
