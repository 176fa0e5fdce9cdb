// SPDX-License-Identifier: BSD-2-Clause
#include "probe/sockstat.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "TCP: inuse 5 orphan 0 tw 0 alloc 7 mem 3", in place. */
static bool find_number(char *line, const char *protocol, const char *what, uint64_t *ret)
{
	char *save = NULL, *word = strtok_r(line, ": \n", &save);

	if (!word || strcmp(word, protocol))
		return false;
	while ((word = strtok_r(NULL, " \n", &save))) {
		const char *number = strtok_r(NULL, " \n", &save);

		if (!strcmp(word, what) && number) {
			*ret = strtoull(number, NULL, 10);
			return true;
		}
	}
	return false;
}

int sockstat_get(const char *protocol, const char *what, uint64_t *ret)
{
	bool is_v6 = protocol[strlen(protocol) - 1] == '6', found = false;
	FILE *file = fopen(
		is_v6 ? "/proc/thread-self/net/sockstat6" : "/proc/thread-self/net/sockstat", "re");
	char line[256];

	if (!file)
		return -errno;
	while (!found && fgets(line, sizeof(line), file))
		found = find_number(line, protocol, what, ret);
	fclose(file);
	return found ? 0 : -ENODATA;
}

bool sockstat_has_tcp(void)
{
	uint64_t v4, v6;

	if (sockstat_get("TCP", "inuse", &v4))
		return true;
	if (sockstat_get("TCP6", "inuse", &v6))
		v6 = 0; /* no IPv6 here */
	return v4 || v6;
}
