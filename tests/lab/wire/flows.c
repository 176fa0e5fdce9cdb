// SPDX-License-Identifier: BSD-2-Clause
#include "flows.h"

#include <string.h>

struct flow {
	bool is_known;
	uint32_t isn; /* the stream's first byte has the next number */
	uint32_t openings;
	uint64_t highest; /* end of what was on the wire, counted from the isn */
};

void flows_init(struct flows *flows)
{
	memset(flows, 0, sizeof(*flows));
	map_init(&flows->map, sizeof(struct frame_flow), sizeof(struct flow), FLOWS_MAX);
}

void flows_fini(struct flows *flows)
{
	map_fini(&flows->map);
}

static bool is_opening(const struct frame *frame)
{
	return frame->kind == FRAME_SYN || frame->kind == FRAME_SYNACK;
}

/* A flow whose opening was not seen begins with the first segment that was. */
static void begin(struct flow *flow, const struct frame *frame)
{
	memset(flow, 0, sizeof(*flow));
	flow->is_known = true;
	flow->isn = is_opening(frame) ? frame->seq : frame->seq - 1;
	flow->highest = 0;
}

void flows_follow(struct flows *flows, const struct frame *frame, struct flow_place *ret)
{
	struct flow *flow = map_at(&flows->map, &frame->flow);
	uint64_t begins, end;
	uint32_t taken;

	memset(ret, 0, sizeof(*ret));
	if (!flow) {
		flows->unknown++;
		return;
	}
	if (!flow->is_known || (is_opening(frame) && frame->seq != flow->isn))
		begin(flow, frame);
	/* The low 32 bits of the place in the stream are known; it is near the highest one. */
	begins = flow->highest +
		 (uint64_t)(int64_t)(int32_t)(frame->seq - flow->isn - (uint32_t)flow->highest);
	taken = frame->payload + (is_opening(frame) ? 1 : 0) + (frame->flags & TCP_FIN ? 1 : 0);
	end = begins + taken;
	ret->is_known = true;
	ret->opening = flow->openings;
	/* Before the isn, as a keepalive of a new connection, it is old as well. */
	ret->is_again = taken && ((int64_t)end <= (int64_t)flow->highest);
	ret->end = (int64_t)end > 0 ? end - 1 : 0;
	if (is_opening(frame))
		flow->openings++;
	if ((int64_t)end > (int64_t)flow->highest)
		flow->highest = end;
}
