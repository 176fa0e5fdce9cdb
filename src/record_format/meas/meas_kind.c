// SPDX-License-Identifier: BSD-2-Clause
#include "record_format/meas/meas_kind.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "schema/event.h"
#include "schema/trace_info.h"

/* Whether @class has what the kind needs. */
static bool find_fields(struct meas_kind_class *found, const struct meas_kind *kind,
			const struct event_class *class)
{
	for (size_t i = 0; i < MEAS_KIND_FIELDS; i++)
		found->fields[i] = -1;
	for (size_t i = 0; kind->fields[i]; i++) {
		const char *name = kind->fields[i];
		bool optional = *name == '?';

		found->fields[i] = event_class_find(class, name + optional);
		if (found->fields[i] < 0 && !optional)
			return false;
	}
	return true;
}

struct meas_kind_class *meas_kinds_find(const struct trace_info *info,
					const struct meas_kind *kinds, size_t count)
{
	struct meas_kind_class *found = calloc(info->class_count ?: 1, sizeof(*found));

	for (size_t i = 0; found && i < info->class_count; i++) {
		found[i].kind = MEAS_KIND_NONE;
		for (size_t k = 0; k < count; k++) {
			if (!strcmp(kinds[k].name, info->classes[i]->name) &&
			    find_fields(&found[i], &kinds[k], info->classes[i]))
				found[i].kind = (int)k;
		}
	}
	return found;
}
