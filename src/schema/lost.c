// SPDX-License-Identifier: BSD-2-Clause
#include "schema/lost.h"

#include <stddef.h>

#define LOST_BITS(member) (8 * (uint32_t)offsetof(struct lost_payload, member))

#define HOST_IS_BIG (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

static const struct field lost_fields[LOST_FIELD_COUNT] = {
	[LOST_COUNT] = {.name = "count",
			.text = "events lost",
			.unit = "events",
			.scope = FIELD_SCOPE_SYSTEM,
			.big_endian = HOST_IS_BIG,
			.bits = 64,
			.align_bits = 64,
			.count = 1,
			.offset_bits = LOST_BITS(count)},
	[LOST_NESTED] = {.name = "nested",
			 .text = "of these, lost because contexts were nested too deep",
			 .unit = "events",
			 .scope = FIELD_SCOPE_SYSTEM,
			 .big_endian = HOST_IS_BIG,
			 .bits = 64,
			 .align_bits = 64,
			 .count = 1,
			 .offset_bits = LOST_BITS(nested)},
	[LOST_RECURSION] = {.name = "recursion",
			    .text = "of these, lost because a program was running already",
			    .unit = "events",
			    .scope = FIELD_SCOPE_SYSTEM,
			    .big_endian = HOST_IS_BIG,
			    .bits = 64,
			    .align_bits = 64,
			    .count = 1,
			    .offset_bits = LOST_BITS(recursion)},
	[LOST_PACKETS] = {.name = "packets",
			  .text = "whole packets that a flight recorder overwrote",
			  .unit = "packets",
			  .scope = FIELD_SCOPE_SYSTEM,
			  .big_endian = HOST_IS_BIG,
			  .bits = 64,
			  .align_bits = 64,
			  .count = 1,
			  .offset_bits = LOST_BITS(packets)},
	[LOST_LEVEL] = {.name = "level",
			.text = "context level: 0 task, 1 softirq, 2 hardirq, 3 NMI",
			.scope = FIELD_SCOPE_SYSTEM,
			.big_endian = HOST_IS_BIG,
			.bits = 32,
			.align_bits = 32,
			.count = 1,
			.offset_bits = LOST_BITS(level)},
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
