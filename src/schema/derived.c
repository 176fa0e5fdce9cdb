// SPDX-License-Identifier: BSD-2-Clause
#include "schema/derived.h"

#include <string.h>

const struct derived_field derived_fields[DERIVED_COUNT] = {
	[DERIVED_DUR] = {"dur", "sys.exit", {"sys.enter"}},
	[DERIVED_QUEUE] = {"queue", "disk.issue", {"disk.queue"}},
	[DERIVED_SERVICE] = {"service", "disk.complete", {"disk.issue"}},
	[DERIVED_TOTAL] = {"total", "disk.complete", {"disk.queue", "disk.issue"}},
	[DERIVED_WAIT] = {"wait", "sched.switch", {"sched.waking", "sched.wakeup_new"}},
};

int derived_find(const char *event, const char *name)
{
	for (int i = 0; i < DERIVED_COUNT; i++) {
		if (!strcmp(derived_fields[i].name, name) &&
		    !strcmp(derived_fields[i].event, event))
			return i;
	}
	return -1;
}

bool derived_is(const char *name)
{
	for (int i = 0; i < DERIVED_COUNT; i++) {
		if (!strcmp(derived_fields[i].name, name))
			return true;
	}
	return false;
}
