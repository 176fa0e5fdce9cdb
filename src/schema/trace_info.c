// SPDX-License-Identifier: BSD-2-Clause
#include "schema/trace_info.h"

#include <string.h>

#include "schema/problem_list.h"

const char *trace_info_breach(const struct trace_info *info, size_t i)
{
	return info->breaches ? problem_list_get(info->breaches, i) : NULL;
}

const struct trace_env *trace_info_env(const struct trace_info *info, const char *name)
{
	size_t i;

	for (i = 0; i < info->env_count; i++) {
		if (strcmp(info->env[i].name, name) == 0)
			return &info->env[i];
	}
	return NULL;
}

uint32_t trace_info_trace(const struct trace_info *info, uint32_t stream)
{
	uint32_t trace = stream < info->stream_count ? info->streams[stream].trace : 0;

	return trace < TRACE_INFO_TRACES ? trace : 0;
}

uint32_t trace_info_traces(const struct trace_info *info)
{
	uint32_t last = 0;

	for (uint32_t i = 0; i < info->stream_count; i++) {
		uint32_t trace = trace_info_trace(info, i);

		last = trace > last ? trace : last;
	}
	return last + 1;
}

bool trace_info_is_filtered(const struct trace_info *info)
{
	const struct trace_env *env = trace_info_env(info, "sonde_filtered");

	return env && env->number;
}
