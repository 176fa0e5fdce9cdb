// SPDX-License-Identifier: BSD-2-Clause
#include "trace/packet_sink.h"

#include <errno.h>
#include <stdio.h>

#include "wire/record.h"

int packet_fan_add(struct packet_fan *fan, struct packet_sink *sink)
{
	if (fan->count == PACKET_SINKS_MAX)
		return -E2BIG;
	fan->sinks[fan->count++] = sink;
	return 0;
}

int packet_fan_metadata(const struct packet_fan *fan, const void *metadata, size_t len)
{
	int first = 0;

	for (size_t i = 0; i < fan->count; i++) {
		struct packet_sink *sink = fan->sinks[i];
		int err = sink->ops->metadata ? sink->ops->metadata(sink, metadata, len) : 0;

		first = first ?: err;
	}
	return first;
}

int packet_fan_packet(const struct packet_fan *fan, const void *packet, size_t len, bool late)
{
	int first = 0;

	for (size_t i = 0; i < fan->count; i++) {
		struct packet_sink *sink = fan->sinks[i];
		int err = sink->ops->packet ? sink->ops->packet(sink, packet, len, late) : 0;

		first = first ?: err;
	}
	return first;
}

int packet_fan_complete(const struct packet_fan *fan, uint64_t time_ns)
{
	int first = 0;

	for (size_t i = 0; i < fan->count; i++) {
		struct packet_sink *sink = fan->sinks[i];
		int err = sink->ops->complete ? sink->ops->complete(sink, time_ns) : 0;

		first = first ?: err;
	}
	return first;
}

static int end(struct packet_sink *sink, const void *packet, size_t len)
{
	if (sink->ops->end)
		return sink->ops->end(sink, packet, len);
	return sink->ops->packet ? sink->ops->packet(sink, packet, len, false) : 0;
}

int packet_fan_end(const struct packet_fan *fan, const void *packet, size_t len)
{
	int first = 0;

	for (size_t i = 0; i < fan->count; i++) {
		int err = end(fan->sinks[i], packet, len);

		first = first ?: err;
	}
	return first;
}

int packet_fan_flush(const struct packet_fan *fan)
{
	int first = 0;

	for (size_t i = 0; i < fan->count; i++) {
		struct packet_sink *sink = fan->sinks[i];
		int err = sink->ops->flush ? sink->ops->flush(sink) : 0;

		first = first ?: err;
	}
	return first;
}

void packet_stream_name(const struct packet_head *head, char name[PACKET_STREAM_NAME_BYTES])
{
	if (head->stream_id == STREAM_CLASS_KERNEL)
		snprintf(name, PACKET_STREAM_NAME_BYTES, "cpu%u_level%u", head->cpu, head->level);
	else
		snprintf(name, PACKET_STREAM_NAME_BYTES, "recorder");
}
