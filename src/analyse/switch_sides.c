// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/switch_sides.h"

#include <string.h>

#include "schema/trace_info.h"

int switch_sides_find(const struct event_class *class)
{
	return event_class_find_number(class, "wanted");
}

bool switch_sides_unknown(const struct trace_info *info)
{
	if (!trace_info_is_filtered(info))
		return false;
	for (size_t i = 0; i < info->class_count; i++) {
		const struct event_class *class = info->classes[i];

		if (!strcmp(class->name, "sched.switch") && switch_sides_find(class) < 0)
			return true;
	}
	return false;
}
