// SPDX-License-Identifier: BSD-2-Clause
#include "probe/kallsyms.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint64_t kallsyms_find(const char *name)
{
	FILE *file = fopen("/proc/kallsyms", "re");
	uint64_t found = 0;
	char line[512];

	while (file && !found && fgets(line, sizeof(line), file)) {
		/* "ffffffff81000000 T _text", and "\t[module]" behind a module's. */
		char *type = strchr(line, ' ');
		char *symbol = type ? strchr(type + 1, ' ') : NULL;

		if (!symbol)
			continue;
		symbol++;
		symbol[strcspn(symbol, " \t\n")] = 0;
		if (!strcmp(symbol, name))
			found = strtoull(line, NULL, 16);
	}
	if (file)
		fclose(file);
	return found;
}
