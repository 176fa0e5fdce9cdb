// SPDX-License-Identifier: BSD-2-Clause
#include "trace/sink_env.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "ctf/stream_traces.h"
#include "schema/trace_end.h"
#include "schema/trace_info.h"
#include "trace/end_file.h"
#include "trace/stream_plan.h"
#include "wire/note.h"

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

/* NULL: no memory. */
static char *describe_missing(const struct trace_info *info)
{
	struct buffer text;
	const char *missing;
	char *copy;

	buffer_init(&text);
	for (size_t i = 0; (missing = trace_end_missing(info, i)); i++)
		buffer_format(&text, "%s%s", i ? "; " : "", missing);
	buffer_char(&text, '\0');
	copy = buffer_error(&text) ? NULL : strdup(text.data);
	buffer_fini(&text);
	return copy;
}

static int add_text(struct sink_env *env, const char *name, char *text, char **owner)
{
	*owner = text;
	if (!text) {
		sink_env_fini(env);
		return -ENOMEM;
	}
	env->entries[env->count++] = (struct trace_env){.name = name, .text = text};
	return 0;
}

/* What an incomplete source says, or was said to have lacked itself, stands once. */
static bool is_replaced(const struct trace_info *info, const char *name)
{
	return !strcmp(name, STREAM_TRACES_ENV) || !strcmp(name, "sonde_format") ||
	       !strcmp(name, END_FILE_ENV) ||
	       (!strcmp(name, TRACE_MISSING_ENV) && trace_end_missing(info, 0));
}

int sink_env_init(struct sink_env *env, const struct trace_info *info,
		  const struct stream_plan *plan)
{
	int err = 0;

	*env = (struct sink_env){0};
	env->entries = calloc(info->env_count + 3, sizeof(*env->entries));
	if (!env->entries)
		return -ENOMEM;
	/* What the source says of its streams is not so of ours: they have other numbers. Its end mark, which
	 * the format stands for, counts what was in them. */
	for (size_t i = 0; i < info->env_count; i++) {
		if (!is_replaced(info, info->env[i].name))
			env->entries[env->count++] = info->env[i];
	}
	env->entries[env->count++] =
		(struct trace_env){.name = END_FILE_ENV, .number = END_FILE_VERSION};
	if (trace_end_missing(info, 0))
		err = add_text(env, TRACE_MISSING_ENV, describe_missing(info), &env->missing);
	if (!err && trace_info_traces(info) > 1)
		err = add_text(env, STREAM_TRACES_ENV, describe_traces(plan), &env->traces);
	return err;
}

void sink_env_fini(struct sink_env *env)
{
	free(env->entries);
	free(env->traces);
	free(env->missing);
	*env = (struct sink_env){0};
}
