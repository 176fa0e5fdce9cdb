// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/origin_label.h"

#include <string.h>

#include "base/emit.h"
#include "base/escape.h"
#include "schema/event.h"
#include "schema/lost.h"
#include "schema/origin.h"
#include "schema/trace_info.h"

#define FIXED_BYTES 96u /* of keys and punctuation, and of the number */

struct origin_parts origin_parts_differing(const struct trace_info *info)
{
	return (struct origin_parts){origin_hosts_differ(info), origin_processes_differ(info)};
}

struct origin_parts origin_parts_known(const struct trace_info *info)
{
	struct origin_parts parts = {.hosts = origin_hosts_differ(info)};

	for (size_t i = 0; i < info->class_count && !parts.processes; i++)
		parts.processes = origin_has(info->classes[i]->origin, ORIGIN_PROCNAME) ||
				  origin_has(info->classes[i]->origin, ORIGIN_VPID);
	return parts;
}

const struct origin *origin_of_loss(const struct trace_info *info, const struct event *event)
{
	const uint32_t stream = lost_stream(event);

	return stream < info->stream_count ? info->streams[stream].origin : NULL;
}

static char *write_name(char *p, const char *name)
{
	return escape_terminal(p, name, strlen(name));
}

size_t origin_label_room(const struct origin *origin)
{
	size_t names = origin && origin->hostname ? strlen(origin->hostname) : 0;

	names += origin && origin->procname ? strlen(origin->procname) : 0;
	return names * ESCAPE_FACTOR + FIXED_BYTES + EMIT_SLACK_BYTES;
}

char *origin_label_text(char *p, const struct origin *origin, struct origin_parts parts)
{
	static const struct origin unknown;

	origin = origin ?: &unknown;
	if (parts.hosts)
		p = write_name(p, origin->hostname ?: "-");
	if (parts.hosts && parts.processes)
		p = emit_char(p, ' ');
	if (parts.processes)
		p = write_name(p, origin->procname ?: "-");
	if (parts.processes && origin->has_vpid) {
		p = emit_char(p, ':');
		p = emit_int(p, origin->vpid);
	}
	return p;
}
