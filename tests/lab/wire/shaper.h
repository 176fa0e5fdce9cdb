/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * shaper: decides what the wire does to each packet. It does no I/O and reads no clock: a packet goes in with its time, a
 * verdict comes out.
 *
 * Decisions by chance are functions of the seed, the direction, what is decided, and the packet's number among those of
 * its kind in its direction. So the n-th data segment has the same fate in each run with that seed, whatever
 * acknowledgements there were meanwhile, and one setting does not move the decisions of another.
 */
#ifndef LAB_WIRE_SHAPER_H
#define LAB_WIRE_SHAPER_H

#include <stdbool.h>
#include <stdint.h>

#include "flows.h"
#include "frame.h"
#include "settings.h"

enum action {
	ACTION_PASS,
	/* Lost, and why: the first of these that applies. */
	ACTION_DOWN,
	ACTION_MTU,
	ACTION_SYN,
	ACTION_SYNACK,
	ACTION_TAIL,
	ACTION_EVERY,
	ACTION_BURST,
	ACTION_LOSS,
	ACTION_ACK_LOSS,
	ACTION_QUEUE, /* full */
	ACTION_COUNT,
};

struct verdict {
	enum action action;
	/* Where it passes: */
	uint64_t due_ns;
	bool is_held; /* later packets may pass it */
	bool is_twice;
	bool is_marked; /* CE */
	bool is_corrupt;
	uint64_t bit; /* for frame_flip */
	/* Always: */
	uint64_t queue_bytes; /* that waited for the rate when it came */
	struct flow_place place; /* of TCP */
};

struct shaper {
	uint64_t seed;
	struct flows flows;
	struct {
		struct settings settings;
		uint64_t counts[FRAME_KIND_COUNT]; /* packets so far */
		bool in_burst;
		uint64_t free_ns; /* the rate has let out all that it accepted */
		uint64_t last_due_ns;
	} ways[DIRECTION_COUNT];
};

void shaper_init(struct shaper *shaper, uint64_t seed);
void shaper_fini(struct shaper *shaper);
/* Changes made through it hold for the packets that come after. */
struct settings *shaper_settings(struct shaper *shaper, enum direction direction);
/* @now_ns never goes back. */
void shaper_decide(struct shaper *shaper, enum direction direction, const struct frame *frame,
		   uint64_t now_ns, struct verdict *ret);
const char *action_name(enum action action);

#endif /* LAB_WIRE_SHAPER_H */
