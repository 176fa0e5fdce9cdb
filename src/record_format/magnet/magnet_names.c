// SPDX-License-Identifier: BSD-2-Clause
#include "record_format/magnet/magnet_names.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "record_format/magnet/magnet_event.h"
#include "schema/pattern.h"

static void add_name(struct magnet_names *names, const char *name)
{
	for (size_t i = 0; i < names->count; i++) {
		if (!strcmp(names->names[i], name))
			return;
	}
	if (names->count < MAGNET_NAMES_MAX)
		names->names[names->count++] = name;
}

static int add_pattern(struct magnet_names *names, const char *pattern, struct diag *diag)
{
	const struct magnet_event *event;
	bool any = false;

	for (size_t i = 0; (event = magnet_event_get(i)); i++) {
		if (!event->net || !pattern_matches(pattern, event->net))
			continue;
		add_name(names, event->net);
		any = true;
	}
	if (any)
		return 0;
	return diag_set(diag, -ENOENT, "'%s' is nothing that MAGNeT has a record for", pattern);
}

int magnet_names_add(struct magnet_names *names, const char *patterns, struct diag *diag)
{
	char *list = strdup(patterns), *rest = list, *one;
	int err = 0;

	if (!list)
		return diag_set(diag, -ENOMEM, "no memory");
	while (!err && (one = strsep(&rest, ",")))
		err = add_pattern(names, one, diag);
	free(list);
	return err;
}
