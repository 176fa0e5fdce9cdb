// SPDX-License-Identifier: BSD-2-Clause
#include "schema/lost.h"

#include <stddef.h>
#include <string.h>

#define LOST_BITS(member) (8 * (uint32_t)offsetof(struct lost_payload, member))

#define HOST_IS_BIG (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

/* An integer of the payload; @of is its type's size in bits. */
#define LOST_FIELD(member, of, meaning, in)                                                \
	{                                                                                  \
		.name = #member, .text = meaning, .unit = in, .scope = FIELD_SCOPE_SYSTEM, \
		.big_endian = HOST_IS_BIG, .bits = of, .align_bits = of, .count = 1,       \
		.offset_bits = LOST_BITS(member),                                          \
	}

static const struct field lost_fields[LOST_FIELD_COUNT] = {
	[LOST_COUNT] = LOST_FIELD(count, 64, "events lost", "events"),
	[LOST_NESTED] = LOST_FIELD(
		nested, 64, "of these, lost because contexts were nested too deep", "events"),
	[LOST_RECURSION] = LOST_FIELD(
		recursion, 64, "of these, lost because a program was running already", "events"),
	[LOST_PACKETS] = LOST_FIELD(packets, 64, "whole packets that a flight recorder overwrote",
				    "packets"),
	[LOST_LEVEL] =
		LOST_FIELD(level, 32, "context level: 0 task, 1 softirq, 2 hardirq, 3 NMI", NULL),
};

static const uint32_t lost_offsets[LOST_FIELD_COUNT] = {
	[LOST_COUNT] = LOST_BITS(count),	 [LOST_NESTED] = LOST_BITS(nested),
	[LOST_RECURSION] = LOST_BITS(recursion), [LOST_PACKETS] = LOST_BITS(packets),
	[LOST_LEVEL] = LOST_BITS(level),
};

const struct event_class lost_class = {
	.id = UINT32_MAX, /* no class of a trace of ours */
	.name = "sonde.lost",
	.text = "events are missing here",
	.role = EVENT_ROLE_LOST,
	.fixed = true,
	.payload_bytes = sizeof(struct lost_payload),
	.field_count = LOST_FIELD_COUNT,
	.fields = lost_fields,
	.offsets = lost_offsets,
	.index = 0,
};

uint32_t lost_stream(const struct event *event)
{
	struct lost_payload lost;

	memcpy(&lost, event->payload, sizeof(lost));
	return lost.stream;
}
