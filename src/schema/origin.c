// SPDX-License-Identifier: BSD-2-Clause
#include "schema/origin.h"

#include <stdio.h>
#include <string.h>

#include "schema/event.h"
#include "schema/trace_info.h"

const char *const origin_names[ORIGIN_PART_COUNT] = {
	[ORIGIN_HOSTNAME] = "hostname",
	[ORIGIN_PROCNAME] = "procname",
	[ORIGIN_VPID] = "vpid",
};

/* What several traces that were converted into one say each for itself is called "trace1_NAME". */
static const struct trace_env *find_env(const struct trace_info *info, uint32_t trace,
					enum origin_part part)
{
	const struct trace_env *env = NULL;
	char name[32];

	(void)snprintf(name, sizeof(name), "trace%u_%s", trace, origin_names[part]);
	if (trace)
		env = trace_info_env(info, name);
	return env ?: trace_info_env(info, origin_names[part]);
}

bool origin_find(const struct trace_info *info, uint32_t trace, struct origin *ret)
{
	const struct trace_env *hostname = find_env(info, trace, ORIGIN_HOSTNAME);
	const struct trace_env *procname = find_env(info, trace, ORIGIN_PROCNAME);
	const struct trace_env *vpid = find_env(info, trace, ORIGIN_VPID);

	*ret = (struct origin){
		.hostname = hostname ? hostname->text : NULL,
		.procname = procname ? procname->text : NULL,
		.has_vpid = vpid && !vpid->text,
		.vpid = vpid && !vpid->text ? vpid->number : 0,
	};
	return ret->hostname || ret->procname || ret->has_vpid;
}

static int compare_texts(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) : !!a - !!b;
}

static int compare_hosts(const struct origin *a, const struct origin *b)
{
	return compare_texts(a ? a->hostname : NULL, b ? b->hostname : NULL);
}

static int compare_processes(const struct origin *a, const struct origin *b)
{
	static const struct origin unknown;

	a = a ?: &unknown;
	b = b ?: &unknown;
	return compare_texts(a->procname, b->procname) ?:
		       a->has_vpid - b->has_vpid       ?:
							 (a->vpid > b->vpid) - (a->vpid < b->vpid);
}

int origin_compare(const struct origin *a, const struct origin *b)
{
	return a == b ? 0 : compare_hosts(a, b) ?: compare_processes(a, b);
}

static bool differ(const struct trace_info *info,
		   int (*compare)(const struct origin *a, const struct origin *b))
{
	const struct event_class *first = NULL;

	for (size_t i = 0; i < info->class_count; i++) {
		const struct event_class *class = info->classes[i];

		if (class->role == EVENT_ROLE_LOST)
			continue;
		first = first ?: class;
		if (class->origin != first->origin && compare(class->origin, first->origin))
			return true;
	}
	return false;
}

bool origin_hosts_differ(const struct trace_info *info)
{
	return differ(info, compare_hosts);
}

bool origin_processes_differ(const struct trace_info *info)
{
	return differ(info, compare_processes);
}
