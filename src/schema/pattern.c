// SPDX-License-Identifier: BSD-2-Clause
#include "schema/pattern.h"

#include <fnmatch.h>
#include <string.h>

bool pattern_matches(const char *pattern, const char *name)
{
	size_t len = strlen(pattern);

	if (!fnmatch(pattern, name, 0))
		return true;
	return !strncmp(pattern, name, len) && (name[len] == '.' || name[len] == ':');
}
