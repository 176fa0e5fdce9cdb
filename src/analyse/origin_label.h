/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * origin_label: the host and the process of a trace as text ("web1 nginx:42"), and which of both a view shows.
 * Written once for each class; views copy what it made.
 */
#ifndef SONDE_ANALYSE_ORIGIN_LABEL_H
#define SONDE_ANALYSE_ORIGIN_LABEL_H

#include <stdbool.h>
#include <stddef.h>

struct event;
struct origin;
struct trace_info;

/* Which parts tell the events of a source apart. */
struct origin_parts {
	bool hosts;
	bool processes;
};

/* Those in which traces of @info differ. */
struct origin_parts origin_parts_differing(const struct trace_info *info);
/* As members of JSON and columns of CSV: hosts where they differ, processes where they are known. */
struct origin_parts origin_parts_known(const struct trace_info *info);

/* That of the trace in which @event says that events are missing. NULL: not known. */
const struct origin *origin_of_loss(const struct trace_info *info, const struct event *event);

/* Room that the text, or members of JSON, take at most, what may be overwritten behind it (base/emit.h) included. */
size_t origin_label_room(const struct origin *origin);
/* "web1 nginx:42", safe for terminals; "-" in the place of what is not known. @origin: NULL = nothing is.
 * Its end. */
char *origin_label_text(char *p, const struct origin *origin, struct origin_parts parts);

#endif /* SONDE_ANALYSE_ORIGIN_LABEL_H */
