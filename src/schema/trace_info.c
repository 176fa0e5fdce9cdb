// SPDX-License-Identifier: BSD-2-Clause
#include "schema/trace_info.h"

#include <string.h>

const struct trace_env *trace_info_env(const struct trace_info *info, const char *name)
{
	size_t i;

	for (i = 0; i < info->env_count; i++) {
		if (strcmp(info->env[i].name, name) == 0)
			return &info->env[i];
	}
	return NULL;
}

bool trace_info_is_filtered(const struct trace_info *info)
{
	const struct trace_env *env = trace_info_env(info, "sonde_filtered");

	return env && env->number;
}
