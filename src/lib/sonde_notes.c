// SPDX-License-Identifier: BSD-2-Clause
/*
 * sonde_notes: facts about a source beside its events: missing and damaged parts, breaches of the standard, and
 * the host and process that recorded it.
 */
#include <errno.h>

#include "lib/handles.h"

uint64_t sonde_lost_events(const struct sonde_source *source)
{
	return source->select.lost;
}

uint64_t sonde_lost_packets(const struct sonde_source *source)
{
	return source->select.overwritten;
}

const char *sonde_problem(const struct sonde_source *source, size_t i)
{
	return source->source->ops->problem(source->source, i);
}

const char *sonde_warning(const struct sonde_source *source, size_t i)
{
	return trace_info_breach(source->source->info, i);
}

size_t sonde_env_count(const struct sonde_source *source)
{
	return source->source->info->env_count;
}

const char *sonde_env_name(const struct sonde_source *source, size_t i)
{
	return i < sonde_env_count(source) ? source->source->info->env[i].name : NULL;
}

const char *sonde_env_text(const struct sonde_source *source, const char *name)
{
	const struct trace_env *env = trace_info_env(source->source->info, name);

	return env ? env->text : NULL;
}

int sonde_env_number(const struct sonde_source *source, const char *name, int64_t *ret)
{
	const struct trace_env *env = trace_info_env(source->source->info, name);

	if (!env || env->text)
		return -ENOENT;
	*ret = env->number;
	return 0;
}
