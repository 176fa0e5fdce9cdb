// SPDX-License-Identifier: BSD-2-Clause
#include "view/escape.h"

#include <stdint.h>
#include <string.h>

static const char hex_digits[] = "0123456789abcdef";

/* Bytes of the well-formed UTF-8 character of two or more bytes at @s, or 0 (RFC 3629, 4). */
static size_t utf8_length(const uint8_t *s, size_t len)
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

static bool is_control(uint8_t c)
{
	return c < 0x20 || c == 0x7f;
}

static char *write_hex(char *p, uint8_t c)
{
	p[0] = '\\';
	p[1] = 'x';
	p[2] = hex_digits[c >> 4];
	p[3] = hex_digits[c & 15];
	return p + 4;
}

/* "\n" and the like, or NULL where @c has no letter of its own. */
static char *write_letter(char *p, uint8_t c)
{
	static const char letters[] = "\nn\tt\rr\"\"\\\\";
	const char *at;

	for (at = letters; *at; at += 2) {
		if ((uint8_t)*at != c)
			continue;
		p[0] = '\\';
		p[1] = at[1];
		return p + 2;
	}
	return NULL;
}

/* What a byte is to any of the forms. */
enum {
	IS_CONTROL = 1,
	IS_TAB = 2,
	IS_LINE = 4, /* ends one */
	IS_QUOTE = 8,
	IS_BACKSLASH = 16,
	IS_COMMA = 32,
	IS_HIGH = 64,
};
#define IS_ANY_CONTROL (IS_CONTROL | IS_TAB | IS_LINE)
#define IS_NOT_PLAIN (IS_ANY_CONTROL | IS_QUOTE | IS_BACKSLASH | IS_HIGH)

static const uint8_t byte_kinds[256] = {
	[0 ... 8] = IS_CONTROL,	  ['\t'] = IS_TAB,	     ['\n'] = IS_LINE,
	[11 ... 12] = IS_CONTROL, ['\r'] = IS_LINE,	     [14 ... 31] = IS_CONTROL,
	['"'] = IS_QUOTE,	  [','] = IS_COMMA,	     ['\\'] = IS_BACKSLASH,
	[0x7f] = IS_CONTROL,	  [0x80 ... 0xff] = IS_HIGH,
};

/* All that there is in a text: most are copied as they are. */
static unsigned int kinds_in(const char *text, size_t len)
{
	unsigned int kinds = 0;

	for (size_t i = 0; i < len; i++)
		kinds |= byte_kinds[(uint8_t)text[i]];
	return kinds;
}

static char *copy(char *p, const char *text, size_t len)
{
	memcpy(p, text, len);
	return p + len;
}

bool escape_is_plain(const char *text, size_t len)
{
	return !(kinds_in(text, len) & IS_NOT_PLAIN);
}

/* U+0080 to U+009F are control characters too: terminals take 0x9b for ESC [. */
static size_t safe_length(const uint8_t *s, size_t len)
{
	size_t n = utf8_length(s, len);

	return n == 2 && s[0] == 0xc2 && s[1] < 0xa0 ? 0 : n;
}

char *escape_terminal(char *p, const char *text, size_t len)
{
	const uint8_t *s = (const uint8_t *)text, *end = s + len;

	if (escape_is_plain(text, len))
		return copy(p, text, len);
	while (s < end) {
		size_t n = 1;
		char *next = NULL;

		if (is_control(*s) || *s == '"' || *s == '\\')
			next = write_letter(p, *s) ?: write_hex(p, *s);
		else if (*s >= 0x80 && !(n = safe_length(s, (size_t)(end - s))))
			next = write_hex(p, *s);
		if (next) {
			p = next;
			s++;
			continue;
		}
		memcpy(p, s, n);
		p += n;
		s += n;
	}
	return p;
}

static char *write_json_control(char *p, uint8_t c)
{
	char *next = write_letter(p, c);

	if (next)
		return next;
	memcpy(p, "\\u00", 4);
	p[4] = hex_digits[c >> 4];
	p[5] = hex_digits[c & 15];
	return p + 6;
}

char *escape_json(char *p, const char *text, size_t len)
{
	const uint8_t *s = (const uint8_t *)text, *end = s + len;

	if (escape_is_plain(text, len))
		return copy(p, text, len);
	while (s < end) {
		size_t n = 1;

		if (is_control(*s) || *s == '"' || *s == '\\') {
			p = write_json_control(p, *s++);
			continue;
		}
		if (*s >= 0x80 && !(n = utf8_length(s, (size_t)(end - s)))) {
			memcpy(p, "\xef\xbf\xbd", 3);
			p += 3;
			s++;
			continue;
		}
		memcpy(p, s, n);
		p += n;
		s += n;
	}
	return p;
}

char *escape_tsv(char *p, const char *text, size_t len)
{
	size_t i;

	if (!(kinds_in(text, len) & (IS_ANY_CONTROL | IS_BACKSLASH)))
		return copy(p, text, len);
	for (i = 0; i < len; i++) {
		uint8_t c = (uint8_t)text[i];

		if (is_control(c) || c == '\\')
			p = write_letter(p, c) ?: write_hex(p, c);
		else
			*p++ = text[i];
	}
	return p;
}

char *escape_csv(char *p, const char *text, size_t len)
{
	unsigned int kinds = kinds_in(text, len);
	bool quotes = kinds & (IS_COMMA | IS_QUOTE | IS_LINE);
	size_t i;

	if (!quotes && !(kinds & IS_CONTROL))
		return copy(p, text, len);
	if (quotes)
		*p++ = '"';
	for (i = 0; i < len; i++) {
		uint8_t c = (uint8_t)text[i];

		if (is_control(c) && c != '\n' && c != '\r' && c != '\t') {
			p = write_hex(p, c);
			continue;
		}
		if (c == '"')
			*p++ = '"';
		*p++ = text[i];
	}
	if (quotes)
		*p++ = '"';
	return p;
}
