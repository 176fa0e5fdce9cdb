// SPDX-License-Identifier: BSD-2-Clause
#include "probe/costs.h"

#include <stdio.h>
#include <string.h>

/* bench/costs.tsv: a line each, "NAME<tab>NS"; lines that begin with # say how it was made. */
extern const unsigned char measured_costs[];
extern const size_t measured_costs_size;

/* The table ends where it ends, without a NUL. */
static int parse_count(const char *at, const char *end)
{
	int count = 0;

	for (; at < end && *at >= '0' && *at <= '9' && count < 100000000; at++)
		count = 10 * count + (*at - '0');
	return count;
}

int cost_of(const char *measurement)
{
	const char *at = (const char *)measured_costs;
	const char *end = at + measured_costs_size;
	size_t len = strlen(measurement);

	while (at < end) {
		const char *line_end = memchr(at, '\n', (size_t)(end - at));

		if (!line_end)
			line_end = end;
		if ((size_t)(line_end - at) > len + 1 && !memcmp(at, measurement, len) &&
		    at[len] == '\t')
			return parse_count(at + len + 1, line_end);
		at = line_end + 1;
	}
	return 0;
}

/* The last of the lines that say how it was made. */
char *cost_machine(char *text, size_t room)
{
	const char *at = (const char *)measured_costs;
	const char *end = at + measured_costs_size;

	*text = 0;
	while (end - at > 2 && *at == '#') {
		const char *line_end = memchr(at, '\n', (size_t)(end - at));

		if (!line_end)
			line_end = end;
		snprintf(text, room, "%.*s", (int)(line_end - at - 2), at + 2);
		at = line_end < end ? line_end + 1 : end;
	}
	return text;
}
