/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * flows: how far each TCP flow, one direction of a connection, has come on the wire. The shaper asks it
 * which segments are new.
 *
 * It learns from packets that enter the wire, whether they leave it or not. Memory is bounded: flows beyond
 * FLOWS_MAX are not followed, and counted.
 */
#ifndef LAB_WIRE_FLOWS_H
#define LAB_WIRE_FLOWS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "frame.h"

#define FLOWS_MAX 4096u

struct flows {
	struct map map;
	uint64_t unknown; /* packets of flows that are not followed */
};

/* What a segment is in its flow. */
struct flow_place {
	bool is_known; /* else nothing below is */
	bool is_again; /* has bytes, and ends at or below the highest one that came before */
	uint32_t opening; /* how many SYNs, or SYN-ACKs, were there before it */
	uint64_t end; /* bytes of the stream up to its end */
};

void flows_init(struct flows *flows);
void flows_fini(struct flows *flows);
/* Follows a segment of any kind. */
void flows_follow(struct flows *flows, const struct frame *frame, struct flow_place *ret);

#endif /* LAB_WIRE_FLOWS_H */
