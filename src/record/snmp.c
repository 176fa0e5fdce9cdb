// SPDX-License-Identifier: BSD-2-Clause
#include "record/snmp.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Whether it begins with "PROTOCOL: ". */
static bool is_of(const char *line, const char *protocol)
{
	size_t len = strlen(protocol);

	return !strncmp(line, protocol, len) && line[len] == ':';
}

/* "Tcp: InSegs OutSegs" and "Tcp: 5 7", both in place. */
static void take_line(char *heads, char *values, const char *const *names, size_t count,
		      uint64_t *ret)
{
	char *save_head = NULL, *save_value = NULL;
	const char *head = strtok_r(heads, " \n", &save_head);
	const char *value = strtok_r(values, " \n", &save_value);

	while (head && value) {
		for (size_t i = 0; i < count; i++) {
			if (!strcmp(head, names[i]))
				ret[i] = strtoull(value, NULL, 10);
		}
		head = strtok_r(NULL, " \n", &save_head);
		value = strtok_r(NULL, " \n", &save_value);
	}
}

int snmp_get(const char *protocol, const char *const *names, size_t count, uint64_t *ret)
{
	FILE *file = fopen("/proc/thread-self/net/snmp", "re");
	char heads[4096], values[4096];
	bool found = false;

	if (!file)
		return -errno;
	memset(ret, 0, count * sizeof(*ret));
	while (!found && fgets(heads, sizeof(heads), file) && fgets(values, sizeof(values), file)) {
		found = is_of(heads, protocol) && is_of(values, protocol);
		if (found)
			take_line(heads, values, names, count, ret);
	}
	fclose(file);
	return found ? 0 : -ENODATA;
}
