// SPDX-License-Identifier: BSD-2-Clause
#include "base/escape.h"

#include <stdint.h>
#include <string.h>

#include "base/utf8.h"

static const char hex_digits[] = "0123456789abcdef";

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

/* The kinds of characters in a text: most texts are copied unchanged. */
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

/* Sixteen bytes at once: byte_kinds' IS_NOT_PLAIN, by comparison (a unit test holds them against each other). */
typedef uint8_t vector __attribute__((vector_size(16)));

/* Of each byte: all bits where it is not plain. */
static vector not_plain(const char *text)
{
	vector bytes;

	memcpy(&bytes, text, sizeof(bytes));
	return (vector)(bytes < 0x20) | (vector)(bytes >= 0x7f) | (vector)(bytes == '"') |
	       (vector)(bytes == '\\');
}

static bool is_zero(vector bytes)
{
	uint64_t halves[2];

	memcpy(halves, &bytes, sizeof(halves));
	return !(halves[0] | halves[1]);
}

bool escape_is_plain(const char *text, size_t len)
{
	vector found = {0};

	if (len < sizeof(found))
		return !(kinds_in(text, len) & IS_NOT_PLAIN);
	for (size_t i = 0; i < len - sizeof(found); i += sizeof(found))
		found |= not_plain(text + i);
	return is_zero(found | not_plain(text + len - sizeof(found)));
}

/* Bytes of the character at @s, which is not ASCII; 0: not a character, or not one that may be shown. */
static size_t safe_length(const uint8_t *s, size_t len)
{
	size_t n = utf8_length(s, len);

	return n && utf8_is_unsafe(utf8_decode(s, n)) ? 0 : n;
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

struct escaped_name escape_name(const char *name)
{
	struct escaped_name ret;

	*escape_terminal(ret.text, name, strnlen(name, ESCAPE_NAME_BYTES)) = '\0';
	return ret;
}

/* @c: of the basic plane, as all characters are that are not shown. */
static char *write_json_control(char *p, uint32_t c)
{
	char *next = write_letter(p, c < 0x80 ? (uint8_t)c : 0xff);

	if (next)
		return next;
	p[0] = '\\';
	p[1] = 'u';
	for (int i = 0; i < 4; i++)
		p[2 + i] = hex_digits[c >> (12 - 4 * i) & 15];
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
		if (*s >= 0x80 && utf8_is_unsafe(utf8_decode(s, n))) {
			p = write_json_control(p, utf8_decode(s, n));
			s += n;
			continue;
		}
		memcpy(p, s, n);
		p += n;
		s += n;
	}
	return p;
}

/* What spreadsheets take for a formula where a cell begins with it, and what they skip before. */
static bool is_formula(const char *text, size_t len)
{
	return len && memchr("=+-@\t\r\n", *text, 7);
}

static char *write_tsv(char *p, const char *text, size_t len)
{
	const uint8_t *s = (const uint8_t *)text, *end = s + len;

	if (!(kinds_in(text, len) & (IS_ANY_CONTROL | IS_BACKSLASH | IS_HIGH)))
		return copy(p, text, len);
	while (s < end) {
		size_t n = *s < 0x80 ? 1 : safe_length(s, (size_t)(end - s));

		if (is_control(*s) || *s == '\\')
			p = write_letter(p, *s) ?: write_hex(p, *s);
		else
			p = n ? copy(p, (const char *)s, n) : write_hex(p, *s);
		s += n ?: 1;
	}
	return p;
}

/* The inside of a cell: the text between the quotes, if it needs any. */
static char *write_csv(char *p, const char *text, size_t len)
{
	const uint8_t *s = (const uint8_t *)text, *end = s + len;

	while (s < end) {
		bool hidden = is_control(*s) && *s != '\n' && *s != '\r' && *s != '\t';
		size_t n = *s < 0x80 ? !hidden : safe_length(s, (size_t)(end - s));

		if (*s == '"')
			*p++ = '"';
		p = n ? copy(p, (const char *)s, n) : write_hex(p, *s);
		s += n ?: 1;
	}
	return p;
}

char *escape_tsv(char *p, const char *text, size_t len)
{
	return write_tsv(p, text, len);
}

char *escape_tsv_safe(char *p, const char *text, size_t len)
{
	if (is_formula(text, len))
		*p++ = '\'';
	return write_tsv(p, text, len);
}

static char *write_cell(char *p, const char *text, size_t len, bool safe)
{
	unsigned int kinds = kinds_in(text, len);
	bool quotes = kinds & (IS_COMMA | IS_QUOTE | IS_LINE);

	if (quotes)
		*p++ = '"';
	if (safe && is_formula(text, len))
		*p++ = '\'';
	if (kinds & (IS_QUOTE | IS_CONTROL | IS_HIGH))
		p = write_csv(p, text, len);
	else
		p = copy(p, text, len);
	if (quotes)
		*p++ = '"';
	return p;
}

char *escape_csv(char *p, const char *text, size_t len)
{
	return write_cell(p, text, len, false);
}

char *escape_csv_safe(char *p, const char *text, size_t len)
{
	return write_cell(p, text, len, true);
}

void escape_blank(char *text)
{
	uint8_t *s = (uint8_t *)text, *end = s + strlen(text);

	while (s < end) {
		size_t n = is_control(*s) ? 0 : 1;

		if (*s >= 0x80)
			n = safe_length(s, (size_t)(end - s));
		if (!n)
			*s = '?';
		s += n ?: 1;
	}
}
