// SPDX-License-Identifier: BSD-2-Clause
#include "trace/packet_count.h"

#include <stdlib.h>

#include "ctf/decoder.h"

#define BATCH_EVENTS 512u

uint64_t packet_count(const struct ctf_trace_class *trace, const void *packet, size_t len)
{
	struct event_batch batch = {
		.events = calloc(BATCH_EVENTS, sizeof(struct event)),
		.room = BATCH_EVENTS,
		.offsets = calloc(CTF_OFFSETS_MAX, sizeof(uint32_t)),
		.offset_room = CTF_OFFSETS_MAX,
	};
	struct decoder decoder;
	uint64_t count = 0;
	int more = 0;

	decoder_init(&decoder, trace);
	if (batch.events && batch.offsets)
		more = !decoder_open(&decoder, packet, len, len, NULL);
	while (more == 1) {
		batch.count = batch.offset_count = 0;
		batch.full = false;
		more = decoder_run(&decoder, INT64_MAX, &batch, NULL);
		count += batch.count;
		if (!batch.count)
			break;
	}
	free(batch.events);
	free(batch.offsets);
	return count;
}
