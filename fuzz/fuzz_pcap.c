// SPDX-License-Identifier: BSD-2-Clause
/*
 * fuzz_pcap: any bytes as a capture of packets, in pcap or pcapng. Every field of every event is read; times never go
 * back, and each packet is counted once, as what it is.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/diag.h"
#include "record_format/pcap/pcap_source.h"
#include "record_format/pcap/rx_capture.h"
#include "schema/source.h"

#include "memory_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t look_at(const struct event *event)
{
	uint64_t sum = (uint64_t)event->time_ns;

	for (size_t i = 0; i < event->class->field_count; i++) {
		for (uint32_t k = 0; k < event_count(event, i); k++)
			sum = sum * 31 + event_element(event, i, k);
	}
	return sum;
}

static void check_summary(const struct event *event)
{
	struct rx_summary sum;
	uint64_t cut_exchanges;

	memcpy(&sum, event->payload, sizeof(sum));
	/* What is cut may be known for a request or a reply all the same. */
	cut_exchanges = sum.requests + sum.replies + sum.malformed + sum.keepalives + sum.rx_other +
			sum.fragments + sum.unknown + sum.other;
	if (cut_exchanges > sum.packets || cut_exchanges + sum.cut < sum.packets ||
	    sum.unasked > sum.replies || sum.unanswered > sum.requests)
		abort();
}

static uint64_t read_source(struct event_source *source)
{
	int64_t last_ns = INT64_MIN;
	const struct event *events;
	uint64_t sum = 0;
	bool ended = false;
	int got;

	while ((got = source->ops->next(source, &events)) > 0) {
		for (int i = 0; i < got; i++) {
			if (events[i].time_ns < last_ns || ended)
				abort();
			last_ns = events[i].time_ns;
			sum += look_at(&events[i]);
			ended = !strcmp(events[i].class->name, "rx_debug.capture");
			if (ended)
				check_summary(&events[i]);
		}
	}
	if (got == 0 && !ended)
		abort();
	for (size_t i = 0; source->ops->problem(source, i); i++)
		sum += strlen(source->ops->problem(source, i));
	return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static volatile uint64_t sum;
	struct event_source *source;
	struct diag diag = {0};

	if (pcap_source_open(memory_file(data, size), "file", &source, &diag))
		return 0;
	sum += read_source(source);
	(void)sum;
	source->ops->close(source);
	return 0;
}
