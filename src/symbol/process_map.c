// SPDX-License-Identifier: BSD-2-Clause
#include "symbol/process_map.h"

#include <string.h>

/* A number in @base, and the character behind it. */
static bool take_number(const char **at, const char *end, unsigned int base, char stop,
			uint64_t *ret)
{
	const char *p = *at;
	uint64_t value = 0;

	for (; p < end && *p != stop; p++) {
		unsigned int digit = base;

		if (*p >= '0' && *p <= '9')
			digit = (unsigned int)(*p - '0');
		else if (*p >= 'a' && *p <= 'f')
			digit = (unsigned int)(*p - 'a') + 10;
		if (digit >= base || value > (UINT64_MAX - digit) / base)
			return false;
		value = value * base + digit;
	}
	if (p == *at || p == end)
		return false;
	*at = p + 1;
	*ret = value;
	return true;
}

/* "7f0d8a400000-7f0d8a428000 r-xp 00000000 fe:00 1234    /usr/lib/libc.so.6" */
static bool parse_line(const char *p, const char *end, struct code_mapping *m)
{
	uint64_t major, minor;
	bool code;

	if (!take_number(&p, end, 16, '-', &m->start) || !take_number(&p, end, 16, ' ', &m->end) ||
	    end - p < 5)
		return false;
	code = p[2] == 'x';
	p += 5;
	if (!code || m->end <= m->start || !take_number(&p, end, 16, ' ', &m->offset) ||
	    !take_number(&p, end, 16, ':', &major) || !take_number(&p, end, 16, ' ', &minor))
		return false;
	m->device = major << 32 | minor;
	if (!take_number(&p, end, 10, ' ', &m->inode))
		return false;
	while (p < end && *p == ' ')
		p++;
	m->path = p;
	m->path_len = (size_t)(end - p);
	return true;
}

bool process_map_next(const char **at, const char *end, struct code_mapping *ret)
{
	while (*at < end) {
		const char *line = *at;
		const char *stop = memchr(line, '\n', (size_t)(end - line));

		stop = stop ? stop : end;
		*at = stop < end ? stop + 1 : end;
		*ret = (struct code_mapping){0};
		if (parse_line(line, stop, ret))
			return true;
	}
	return false;
}
