/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lost: the class of the events that a reader makes where a stream says that events are missing.
 *
 * Fields: count (u64, events lost), nested (u64, of these: contexts nested too deep),
 * recursion (u64, of these: a program was hit by an interrupt while it ran), packets (u64, whole
 * packets overwritten by a flight recorder; their events are not counted), level (u32). The rest
 * of count was lost because a buffer was full. The time is the begin of the packet before which they were lost.
 */
#ifndef SONDE_SCHEMA_LOST_H
#define SONDE_SCHEMA_LOST_H

#include <stdint.h>

#include "schema/event.h"

/* The payload of such an event, in the host's byte order. */
struct lost_payload {
	uint64_t count;
	uint64_t nested;
	uint64_t recursion;
	uint64_t packets;
	uint32_t level;
	uint32_t stream; /* among trace_info.streams; no field */
};

enum lost_field {
	LOST_COUNT,
	LOST_NESTED,
	LOST_RECURSION,
	LOST_PACKETS,
	LOST_LEVEL,
	LOST_FIELD_COUNT,
};

/* The stream in which @event, which is of lost_class, says that events are missing. */
uint32_t lost_stream(const struct event *event);

extern const struct event_class lost_class; /* its `index` is 0: every source's first class */

#endif /* SONDE_SCHEMA_LOST_H */
