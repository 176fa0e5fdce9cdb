// SPDX-License-Identifier: BSD-2-Clause
#include "base/glob.h"

#include <fnmatch.h>
#include <string.h>

bool pattern_matches(const char *pattern, const char *name)
{
	size_t len = strlen(pattern);

	if (!fnmatch(pattern, name, 0))
		return true;
	return !strncmp(pattern, name, len) && (name[len] == '.' || name[len] == ':');
}

/* The length of the set that begins at @p with '[', or 0: it has no end, and is just a bracket. */
static size_t set_len(const char *p, const char *end)
{
	const char *first = p + 1 + (p + 1 < end && p[1] == '!');
	/* A bracket that comes first is one of the set. */
	const char *close = first < end ? memchr(first + 1, ']', (size_t)(end - first - 1)) : NULL;

	return close ? (size_t)(close + 1 - p) : 0;
}

static bool set_has(const char *p, size_t len, unsigned char c)
{
	const char *end = p + len - 1;
	bool invert = p[1] == '!', found = false;

	for (p += 1 + invert; p < end; p++) {
		unsigned char first = (unsigned char)*p, last = first;

		if (end - p > 2 && p[1] == '-') {
			last = (unsigned char)p[2];
			p += 2;
		}
		found |= c >= first && c <= last;
	}
	return found != invert;
}

/* Whether the element at @p, which is not a star, takes @c; @len is how long the element is. */
static bool takes(const char *p, const char *end, char c, size_t *len)
{
	*len = 1;
	if (*p == '?')
		return true;
	if (*p == '[' && (*len = set_len(p, end)))
		return set_has(p, *len, (unsigned char)c);
	*len = 1;
	if (*p == '\\' && end - p > 1) {
		*len = 2;
		return p[1] == c;
	}
	return *p == c;
}

/* Where nothing fits any more, the last star takes one byte more: those before it never have to. */
bool glob_match(const char *pattern, size_t pattern_len, const char *text, size_t len)
{
	const char *p = pattern, *p_end = pattern + pattern_len, *star = NULL;
	const char *t = text, *t_end = text + len, *star_text = NULL;
	size_t step;

	while (t < t_end) {
		if (p < p_end && *p == '*') {
			star = ++p;
			star_text = t;
		} else if (p < p_end && takes(p, p_end, *t, &step)) {
			p += step;
			t++;
		} else if (star) {
			p = star;
			t = ++star_text;
		} else {
			return false;
		}
	}
	while (p < p_end && *p == '*')
		p++;
	return p == p_end;
}
