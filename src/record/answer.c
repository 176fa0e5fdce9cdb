// SPDX-License-Identifier: BSD-2-Clause
#include "record/answer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *skip_blanks(const char *p)
{
	return p + strspn(p, " \t\r\n");
}

/* Behind a text that begins at @p; NULL where it has no end. */
static const char *skip_text(const char *p)
{
	if (*p != '"')
		return NULL;
	for (p++; *p != '"'; p++) {
		if (*p == '\\')
			p++;
		if (!*p)
			return NULL;
	}
	return p + 1;
}

/* Behind a list, an object, or anything else up to a comma. */
static const char *skip_value(const char *p)
{
	int depth = 0;

	if (*p == '"')
		return skip_text(p);
	for (; *p; p++) {
		if (!depth && strchr(",}]", *p))
			return p;
		depth += *p == '[' || *p == '{';
		depth -= *p == ']' || *p == '}';
		if (*p != '"')
			continue;
		p = skip_text(p);
		if (!p)
			return NULL;
		p--; /* the loop's step is over the quote */
	}
	return NULL;
}

/* Where the value of @key begins, or NULL. */
static const char *find(const char *json, const char *key)
{
	size_t len = strlen(key);
	const char *p = skip_blanks(json);

	if (*p++ != '{')
		return NULL;
	while (p) {
		const char *name = skip_blanks(p);
		bool ours = *name == '"' && !strncmp(name + 1, key, len) && name[len + 1] == '"';

		p = skip_text(name);
		p = p ? skip_blanks(p) : NULL;
		if (!p || *p++ != ':')
			return NULL;
		p = skip_blanks(p);
		if (ours)
			return p;
		p = skip_value(p);
		p = p ? skip_blanks(p) : NULL;
		if (!p || *p++ != ',')
			return NULL;
	}
	return NULL;
}

bool answer_number(const char *json, const char *key, uint64_t *ret)
{
	const char *p = find(json, key);

	if (!p || *p < '0' || *p > '9')
		return false;
	errno = 0;
	*ret = strtoull(p, NULL, 10);
	return !errno;
}

bool answer_flag(const char *json, const char *key)
{
	const char *p = find(json, key);

	return p && !strncmp(p, "true", 4);
}

/* "\u001b" and escapes longer than a byte: names here are ASCII except for bytes that a file system may
 * have, which are passed on unchanged. */
static char unescape(const char **p)
{
	static const char from[] = "nrtbf", to[] = "\n\r\t\b\f";
	const char *known;
	char digits[5] = "";

	known = **p ? strchr(from, **p) : NULL;
	if (known)
		return to[known - from];
	if (**p != 'u' || strspn(*p + 1, "0123456789abcdefABCDEF") < 4)
		return **p;
	memcpy(digits, *p + 1, 4);
	*p += 4;
	return (char)strtoul(digits, NULL, 16) & 0x7f;
}

static void copy_text(const char *p, char *text, size_t room)
{
	size_t len = 0;

	for (p++; *p != '"' && len + 1 < room; p++) {
		if (*p == '\\') {
			p++;
			text[len++] = unescape(&p);
		} else {
			text[len++] = *p;
		}
	}
	text[len] = 0;
}

bool answer_text(const char *json, const char *key, size_t i, char *text, size_t room)
{
	const char *p = find(json, key);

	*text = 0;
	if (p && *p == '[') {
		p = skip_blanks(p + 1);
		while (p && i-- && *p == '"') {
			p = skip_text(p);
			p = p ? skip_blanks(p) : NULL;
			p = p && *p == ',' ? skip_blanks(p + 1) : NULL;
		}
		i = 0;
	}
	if (!p || i || !skip_text(p))
		return false;
	copy_text(p, text, room);
	return true;
}

const char *answer_object(const char *json, const char *key, size_t i)
{
	const char *p = find(json, key);

	if (!p || *p != '[')
		return NULL;
	for (p = skip_blanks(p + 1); i; i--) {
		p = skip_value(p);
		p = p ? skip_blanks(p) : NULL;
		if (!p || *p != ',')
			return NULL;
		p = skip_blanks(p + 1);
	}
	return *p == '{' ? p : NULL;
}
