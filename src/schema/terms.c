// SPDX-License-Identifier: BSD-2-Clause
#include "schema/terms.h"

#include <string.h>

uint64_t *terms_put(struct terms_out *out, const struct event_class *class, size_t slots,
		    const struct event *like)
{
	uint64_t *payload = out->slots + out->slot_count;

	memset(payload, 0, slots * sizeof(*payload));
	out->slot_count += slots;
	out->events[out->count++] = (struct event){
		.class = class,
		.payload = (const uint8_t *)payload,
		.offsets = class->offsets,
		.time_ns = like->time_ns,
		.cpu = like->cpu,
		.tid = like->tid,
	};
	return payload;
}
