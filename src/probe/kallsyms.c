// SPDX-License-Identifier: BSD-2-Clause
#include "probe/kallsyms.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"

/* The first symbols are at 0 where they are those of each CPU's own memory. */
#define SHOWN_LINES 64

bool kallsyms_shown(void)
{
	int fd = file_open(AT_FDCWD, "/proc/kallsyms");
	FILE *file = fd < 0 ? NULL : fdopen(fd, "r");
	bool shown = false;
	char line[512];

	for (int i = 0; file && !shown && i < SHOWN_LINES && fgets(line, sizeof(line), file); i++)
		shown = strtoull(line, NULL, 16) != 0;
	if (file)
		fclose(file);
	else
		fd_close(fd);
	return shown;
}

uint64_t kallsyms_find_in(int fd, const char *name)
{
	FILE *file = fd < 0 ? NULL : fdopen(fd, "r");
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
	else
		fd_close(fd);
	return found;
}

uint64_t kallsyms_find(const char *name)
{
	return kallsyms_find_in(file_open(AT_FDCWD, "/proc/kallsyms"), name);
}
