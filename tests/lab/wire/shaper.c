// SPDX-License-Identifier: BSD-2-Clause
#include "shaper.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"

/* What is decided by chance: each has its own numbers. */
enum purpose {
	PURPOSE_LOSS,
	PURPOSE_ACK_LOSS,
	PURPOSE_BURST,
	PURPOSE_JITTER,
	PURPOSE_REORDER,
	PURPOSE_DUPLICATE,
	PURPOSE_CORRUPT,
	PURPOSE_BIT,
	PURPOSE_ECN,
	PURPOSE_COUNT,
};

void shaper_init(struct shaper *shaper, uint64_t seed)
{
	memset(shaper, 0, sizeof(*shaper));
	shaper->seed = seed;
	flows_init(&shaper->flows);
}

void shaper_fini(struct shaper *shaper)
{
	flows_fini(&shaper->flows);
}

struct settings *shaper_settings(struct shaper *shaper, enum direction direction)
{
	return &shaper->ways[direction].settings;
}

/* The finalizer of SplitMix64: each bit of the input changes half of the output's. */
static uint64_t mix(uint64_t value)
{
	value ^= value >> 30;
	value *= 0xbf58476d1ce4e5b9u;
	value ^= value >> 27;
	value *= 0x94d049bb133111ebu;
	return value ^ value >> 31;
}

static uint64_t random_bits(const struct shaper *shaper, enum direction direction,
			    enum purpose purpose, const struct frame *frame, uint64_t number)
{
	const uint64_t golden = 0x9e3779b97f4a7c15u;
	uint64_t stream =
		((uint64_t)frame->kind * PURPOSE_COUNT + purpose) * DIRECTION_COUNT + direction;

	return mix(mix(shaper->seed + golden) + golden * mix(stream + golden) + golden * number);
}

/* From 0 to 1, which it is not. */
static double uniform(const struct shaper *shaper, enum direction direction, enum purpose purpose,
		      const struct frame *frame)
{
	uint64_t number = shaper->ways[direction].counts[frame->kind];

	return (double)(random_bits(shaper, direction, purpose, frame, number) >> 11) * 0x1p-53;
}

static bool happens(const struct shaper *shaper, enum direction direction, enum purpose purpose,
		    const struct frame *frame, double chance)
{
	return chance > 0 && uniform(shaper, direction, purpose, frame) < chance;
}

/* The model of Gilbert: outside of a burst nothing is lost, in one everything. Each packet may begin or end one. */
static bool is_in_burst(struct shaper *shaper, enum direction direction, const struct frame *frame)
{
	const struct settings *settings = &shaper->ways[direction].settings;
	double number = uniform(shaper, direction, PURPOSE_BURST, frame);
	bool *in_burst = &shaper->ways[direction].in_burst;

	if (!(settings->burst > 0))
		*in_burst = false;
	else if (*in_burst)
		*in_burst = number >= 1 / fmax(settings->burst_length, 1);
	else
		*in_burst = number < settings->burst;
	return *in_burst;
}

/* Why it is lost, but for the queue; ACTION_PASS: it is not. */
static enum action lose(struct shaper *shaper, enum direction direction, const struct frame *frame,
			const struct flow_place *place)
{
	const struct settings *settings = &shaper->ways[direction].settings;
	uint64_t nth = shaper->ways[direction].counts[frame->kind] + 1;
	bool is_data = frame->kind == FRAME_DATA;
	bool in_burst;

	if (settings->down)
		return ACTION_DOWN;
	if (frame->kind == FRAME_OTHER)
		return ACTION_PASS;
	in_burst = is_in_burst(shaper, direction, frame);
	if (settings->mtu && frame->ip_length > settings->mtu)
		return ACTION_MTU;
	if (frame->kind == FRAME_SYN && place->is_known && place->opening < settings->syn)
		return ACTION_SYN;
	if (frame->kind == FRAME_SYNACK && place->is_known && place->opening < settings->synack)
		return ACTION_SYNACK;
	if (is_data && settings->tail && place->is_known && !place->is_again &&
	    place->end > settings->tail)
		return ACTION_TAIL;
	if (is_data && settings->every && nth % settings->every == 0)
		return ACTION_EVERY;
	if (in_burst)
		return ACTION_BURST;
	if (happens(shaper, direction, PURPOSE_LOSS, frame, settings->loss))
		return ACTION_LOSS;
	if (frame->kind == FRAME_ACK &&
	    happens(shaper, direction, PURPOSE_ACK_LOSS, frame, settings->ack_loss))
		return ACTION_ACK_LOSS;
	return ACTION_PASS;
}

/* How long @bytes take at @rate, rounded up. */
static uint64_t wire_ns(uint64_t bytes, uint64_t rate)
{
	return (bytes * 8 * NS_PER_SEC + rate - 1) / rate;
}

/*
 * The queue in front of the rate, as the time that it takes: what it accepted leaves at the rate of that time. False: it
 * is full.
 */
static bool pass_queue(struct shaper *shaper, enum direction direction, const struct frame *frame,
		       uint64_t now_ns, struct verdict *ret)
{
	const struct settings *settings = &shaper->ways[direction].settings;
	uint64_t *free_ns = &shaper->ways[direction].free_ns;

	if (*free_ns < now_ns)
		*free_ns = now_ns;
	ret->due_ns = *free_ns;
	if (!settings->rate_bits)
		return true;
	ret->queue_bytes =
		(uint64_t)((double)(*free_ns - now_ns) * (double)settings->rate_bits / 8e9);
	if (settings->queue_bytes && ret->queue_bytes + frame->length > settings->queue_bytes)
		return false;
	*free_ns += wire_ns(frame->length, settings->rate_bits);
	ret->due_ns = *free_ns;
	return true;
}

static void delay(struct shaper *shaper, enum direction direction, const struct frame *frame,
		  struct verdict *ret)
{
	const struct settings *settings = &shaper->ways[direction].settings;
	uint64_t *last_due_ns = &shaper->ways[direction].last_due_ns;

	ret->due_ns += settings->delay_ns;
	if (settings->jitter_ns)
		ret->due_ns += (uint64_t)(uniform(shaper, direction, PURPOSE_JITTER, frame) *
					  (double)settings->jitter_ns);
	if (ret->due_ns < *last_due_ns)
		ret->due_ns = *last_due_ns;
	if (frame->kind != FRAME_OTHER &&
	    happens(shaper, direction, PURPOSE_REORDER, frame, settings->reorder)) {
		ret->is_held = true;
		ret->due_ns += settings->reorder_by_ns;
		return; /* and the later ones do not wait for it */
	}
	*last_due_ns = ret->due_ns;
}

static void change(struct shaper *shaper, enum direction direction, const struct frame *frame,
		   struct verdict *ret)
{
	const struct settings *settings = &shaper->ways[direction].settings;

	if (frame->kind == FRAME_OTHER)
		return;
	ret->is_twice = happens(shaper, direction, PURPOSE_DUPLICATE, frame, settings->duplicate);
	ret->is_corrupt = happens(shaper, direction, PURPOSE_CORRUPT, frame, settings->corrupt);
	ret->bit = random_bits(shaper, direction, PURPOSE_BIT, frame,
			       shaper->ways[direction].counts[frame->kind]);
	ret->is_marked = frame->is_ect &&
			 (happens(shaper, direction, PURPOSE_ECN, frame, settings->ecn) ||
			  (settings->ecn_queue && ret->queue_bytes > settings->ecn_queue));
}

void shaper_decide(struct shaper *shaper, enum direction direction, const struct frame *frame,
		   uint64_t now_ns, struct verdict *ret)
{
	memset(ret, 0, sizeof(*ret));
	if (frame->kind >= FRAME_SYN)
		flows_follow(&shaper->flows, frame, &ret->place);
	ret->action = lose(shaper, direction, frame, &ret->place);
	if (ret->action == ACTION_PASS) {
		if (pass_queue(shaper, direction, frame, now_ns, ret)) {
			delay(shaper, direction, frame, ret);
			change(shaper, direction, frame, ret);
		} else {
			ret->action = ACTION_QUEUE;
		}
	}
	shaper->ways[direction].counts[frame->kind]++;
}

const char *action_name(enum action action)
{
	static const char *const names[ACTION_COUNT] = {
		[ACTION_PASS] = "pass",		[ACTION_DOWN] = "down",	    [ACTION_MTU] = "mtu",
		[ACTION_SYN] = "syn",		[ACTION_SYNACK] = "synack", [ACTION_TAIL] = "tail",
		[ACTION_EVERY] = "every",	[ACTION_BURST] = "burst",   [ACTION_LOSS] = "loss",
		[ACTION_ACK_LOSS] = "ack_loss", [ACTION_QUEUE] = "queue",
	};

	return names[action];
}
