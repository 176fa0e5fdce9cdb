/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * packet_sink: where a recording goes: a directory (trace/writer), a relay, or any other receiver. Each
 * gets the same, in the same order: metadata before the packets that need it, the packets of each
 * stream as they follow each other, and from time to time how far all streams are complete.
 *
 * All calls come from the recording's thread, which must never be made to wait by a receiver that
 * is not the disk. Who made a sink closes it.
 */
#ifndef SONDE_TRACE_PACKET_SINK_H
#define SONDE_TRACE_PACKET_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PACKET_SINKS_MAX 8

struct packet_sink;

/* All are given borrowed memory; NULL = does not care. 0 or -errno, which ends the recording. */
struct packet_sink_ops {
	/* All of it; it begins with the text that was given before. */
	int (*metadata)(struct packet_sink *sink, const void *metadata, size_t len);
	/* Starts with a struct packet_head (wire/record.h). Otherwise as a ring_sink (ring/ring.h). */
	int (*packet)(struct packet_sink *sink, const void *packet, size_t len, bool late);
	/* No packet that is still to come, of whatever stream, begins before @time_ns
	 * (CLOCK_MONOTONIC). */
	int (*complete)(struct packet_sink *sink, uint64_t time_ns);
	/* The last packet, which holds the end mark: it is to get through even if others did not. NULL: as
	 * any other. */
	int (*end)(struct packet_sink *sink, const void *packet, size_t len);
	/* What was given is to be where readers find it. */
	int (*flush)(struct packet_sink *sink);
};

struct packet_sink {
	const struct packet_sink_ops *ops;
};

/* Several, each of which gets all of it, whatever becomes of the others. */
struct packet_fan {
	struct packet_sink *sinks[PACKET_SINKS_MAX]; /* borrowed */
	size_t count;
};

/* 0, or -E2BIG. */
int packet_fan_add(struct packet_fan *fan, struct packet_sink *sink);
/* As the operations above: the first error, after all were called. */
int packet_fan_metadata(const struct packet_fan *fan, const void *metadata, size_t len);
int packet_fan_packet(const struct packet_fan *fan, const void *packet, size_t len, bool late);
int packet_fan_complete(const struct packet_fan *fan, uint64_t time_ns);
int packet_fan_end(const struct packet_fan *fan, const void *packet, size_t len);
int packet_fan_flush(const struct packet_fan *fan);

struct packet_head;

#define PACKET_STREAM_NAME_BYTES 32u

/* The name of the stream that a packet belongs to, which is that of its file: "cpu0_level0", or
 * "recorder" for the recorder's own notes. */
void packet_stream_name(const struct packet_head *head, char name[PACKET_STREAM_NAME_BYTES]);

#endif /* SONDE_TRACE_PACKET_SINK_H */
