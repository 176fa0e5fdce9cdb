// SPDX-License-Identifier: BSD-2-Clause
#include "ctf/json_origin.h"

#include <string.h>

static const struct {
	const char *name;
	const char *path;
} origins[JSON_NOWHERE] = {
	[JSON_PACKET_HEADER] = {"packet-header", "trace.packet.header."},
	[JSON_PACKET_CONTEXT] = {"packet-context", "stream.packet.context."},
	[JSON_EVENT_HEADER] = {"event-record-header", "stream.event.header."},
	[JSON_COMMON_CONTEXT] = {"event-record-common-context", "stream.event.context."},
	[JSON_SPECIFIC_CONTEXT] = {"event-record-specific-context", "event.context."},
	[JSON_PAYLOAD] = {"event-record-payload", "event.fields."},
};

const char *json_origin_name(enum json_origin origin)
{
	return origins[origin].name;
}

const char *json_origin_path(enum json_origin origin)
{
	return origins[origin].path;
}

enum json_origin json_origin_find(const char *name)
{
	int i = 0;

	while (i < JSON_NOWHERE && strcmp(origins[i].name, name) != 0)
		i++;
	return (enum json_origin)i;
}
