/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * origin: the host and the process that a trace is of, by its environment. All events of a class have one
 * origin (event_class.origin): ctf/ finds it, and views show it where a source is made of several traces.
 */
#ifndef SONDE_SCHEMA_ORIGIN_H
#define SONDE_SCHEMA_ORIGIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct trace_info;

enum origin_part {
	ORIGIN_HOSTNAME,
	ORIGIN_PROCNAME,
	ORIGIN_VPID,
	ORIGIN_PART_COUNT,
};

struct origin {
	const char *hostname; /* NULL = not known; borrowed from the environment, and so the next */
	const char *procname; /* of a trace of one process (--buffers-pid of lttng) */
	bool has_vpid;
	int64_t vpid;
};

/* "hostname", "procname", "vpid": as in environments, in --where and in JSON. */
extern const char *const origin_names[ORIGIN_PART_COUNT];

/* That of trace @trace of @info, as trace_info_trace numbers it. False: nothing is known. */
bool origin_find(const struct trace_info *info, uint32_t trace, struct origin *ret);

/* NULL: nothing is known. */
static inline bool origin_has(const struct origin *origin, enum origin_part part)
{
	if (!origin)
		return false;
	if (part == ORIGIN_VPID)
		return origin->has_vpid;
	return part == ORIGIN_HOSTNAME ? origin->hostname != NULL : origin->procname != NULL;
}

/* By host, then by process; below, equal to or above 0. Unknown ones come first. */
int origin_compare(const struct origin *a, const struct origin *b);
/* Whether two classes of @info, losses aside, differ in the host; in the process. */
bool origin_hosts_differ(const struct trace_info *info);
bool origin_processes_differ(const struct trace_info *info);

#endif /* SONDE_SCHEMA_ORIGIN_H */
