/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sink_env: the environment of a trace that is written again: that of its source, and, where several
 * traces are in it, which stream is of which; and what its source lacked (TRACE_MISSING_ENV). Only trace/ctf_sink calls it.
 */
#ifndef SONDE_TRACE_SINK_ENV_H
#define SONDE_TRACE_SINK_ENV_H

#include <stddef.h>

struct stream_plan;
struct trace_env;
struct trace_info;

struct sink_env {
	size_t count;
	struct trace_env *entries;
	char *traces; /* texts of those that are not the source's; NULL = none */
	char *missing;
};

/* Borrows the entries of @info. 0 or -ENOMEM, and then nothing is left to be finished. */
int sink_env_init(struct sink_env *env, const struct trace_info *info,
		  const struct stream_plan *plan);
void sink_env_fini(struct sink_env *env);

#endif /* SONDE_TRACE_SINK_ENV_H */
