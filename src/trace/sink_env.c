// SPDX-License-Identifier: BSD-2-Clause
#include "trace/sink_env.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "ctf/stream_traces.h"
#include "schema/trace_info.h"
#include "trace/stream_plan.h"

/* NULL: no memory. */
static char *describe_traces(const struct stream_plan *plan)
{
	struct buffer text;
	char *copy;

	buffer_init(&text);
	for (uint32_t i = 0; i < plan->count; i++) {
		uint32_t trace = plan->kinds[i].trace;

		stream_traces_add(&text, i, trace < TRACE_INFO_TRACES ? trace : 0);
	}
	buffer_char(&text, '\0');
	copy = buffer_error(&text) ? NULL : strdup(text.data);
	buffer_fini(&text);
	return copy;
}

int sink_env_init(struct sink_env *env, const struct trace_info *info,
		  const struct stream_plan *plan)
{
	*env = (struct sink_env){0};
	env->entries = calloc(info->env_count + 1, sizeof(*env->entries));
	if (!env->entries)
		return -ENOMEM;
	/* What the source says of its streams is not so of ours: they have other numbers. Its end mark, which
	 * the format stands for, counts what was in them. */
	for (size_t i = 0; i < info->env_count; i++) {
		if (strcmp(info->env[i].name, STREAM_TRACES_ENV) != 0 &&
		    strcmp(info->env[i].name, "sonde_format") != 0)
			env->entries[env->count++] = info->env[i];
	}
	if (trace_info_traces(info) == 1)
		return 0;
	env->traces = describe_traces(plan);
	if (!env->traces) {
		sink_env_fini(env);
		return -ENOMEM;
	}
	env->entries[env->count++] =
		(struct trace_env){.name = STREAM_TRACES_ENV, .text = env->traces};
	return 0;
}

void sink_env_fini(struct sink_env *env)
{
	free(env->entries);
	free(env->traces);
	*env = (struct sink_env){0};
}
