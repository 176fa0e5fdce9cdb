/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * merged_info: what several sources tell of themselves, as one: classes and streams of each behind
 * those of the one before; of the environment once what all say, else each entry as "trace1_NAME".
 * A source that was made of several is so many traces here as well.
 */
#ifndef SONDE_TRACE_MERGED_INFO_H
#define SONDE_TRACE_MERGED_INFO_H

#include "schema/source.h"

/* How one of the sources is found in the whole. */
struct merged_part {
	const struct trace_info *info; /* borrowed */
	const struct event_class **classes; /* by event_class.index of the source */
	uint32_t first_stream;
	uint32_t *traces; /* numbers in the whole, of the source's number 1, or all of it, and up */
	uint32_t trace_count;
};

struct merged_info {
	struct trace_info info;
	struct merged_part *parts;
	size_t part_count;
	struct event_class *copies; /* the sources' classes, with their index in the whole */
	const struct event_class **classes;
	struct trace_stream *streams;
	struct trace_env *env;
	char **env_names; /* of those of `env` that belong to no source */
	size_t env_name_count;
};

/* Borrows the infos, not the array. 0 or -ENOMEM; to be finished also then. */
int merged_info_init(struct merged_info *merged, const struct trace_info *const *infos,
		     size_t count);
/* The same for sources whose data has grown since, or shrunk: traces keep their numbers. On failure
 * it stays as it was. */
int merged_info_renew(struct merged_info *merged, const struct trace_info *const *infos,
		      size_t count);
void merged_info_fini(struct merged_info *merged);
/* Sums up what has been read of each. */
void merged_info_count(struct merged_info *merged);

#endif /* SONDE_TRACE_MERGED_INFO_H */
