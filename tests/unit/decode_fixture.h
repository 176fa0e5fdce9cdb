/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * decode_fixture: what a decoder makes of some bytes, kept so that two ways of reading can be compared.
 */
#ifndef SONDE_TESTS_DECODE_FIXTURE_H
#define SONDE_TESTS_DECODE_FIXTURE_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/diag.h"
#include "ctf/decoder.h"
#include "ctf/metadata.h"
#include "ctf/trace_class.h"

#define DECODED_MAX 4096u
#define DECODED_OFFSETS 32u

/* What one reading has seen. */
struct decoded {
	struct {
		const struct event_class *class;
		size_t payload; /* from the start of the packet */
		int64_t time_ns;
		int32_t tid;
		uint32_t bytes;
		uint32_t offsets[DECODED_OFFSETS]; /* the first of them */
	} events[DECODED_MAX];
	size_t count;
	uint64_t steps; /* depend on the way of reading */
	int end;
};

static void keep_event(struct decoded *decoded, const struct event *event, const uint8_t *data)
{
	size_t i = decoded->count++, offsets = event->class->offset_count;

	assert_true(i < DECODED_MAX);
	if (offsets > DECODED_OFFSETS)
		offsets = DECODED_OFFSETS;
	memset(&decoded->events[i], 0, sizeof(decoded->events[i]));
	decoded->events[i].class = event->class;
	decoded->events[i].payload = (size_t)(event->payload - data);
	decoded->events[i].time_ns = event->time_ns;
	decoded->events[i].tid = event->tid;
	decoded->events[i].bytes = event->bytes;
	memcpy(decoded->events[i].offsets, event->offsets, offsets * sizeof(*event->offsets));
}

/* A packet of @bytes of events alone, through windows of @window bytes of it. */
static void decode_all(const struct ctf_trace_class *trace, const uint8_t *data, size_t bytes,
		       size_t window, struct decoded *decoded)
{
	static struct event events[32];
	static uint32_t offsets[CTF_OFFSETS_MAX];
	static struct decoder decoder;
	struct event_batch batch = {
		.events = events, .room = 32, .offsets = offsets, .offset_room = CTF_OFFSETS_MAX};
	size_t at = 0;

	decoded->count = 0;
	decoder_init(&decoder, trace);
	decoder_open_events(&decoder, trace->streams[0], 0, 1000, data, bytes);
	decoder_set_window(&decoder, 0, data, window < bytes ? window : bytes);
	do {
		batch.count = batch.offset_count = 0;
		batch.full = false;
		decoded->end = decoder_run(&decoder, INT64_MAX, &batch, NULL);
		for (size_t i = 0; i < batch.count; i++)
			keep_event(decoded, &events[i], data);
		if (decoded->end == -EAGAIN) {
			size_t next = (size_t)decoder_byte(&decoder);

			window = next == at ? window * 2 : window;
			at = next;
			decoder_set_window(&decoder, at, data + at,
					   at + window > bytes ? bytes - at : window);
		}
	} while (decoded->end == 1 || decoded->end == -EAGAIN);
	decoded->steps = decoder.steps;
}

static void assert_same_decoded(const struct decoded *got, const struct decoded *want,
				const char *what, unsigned int seed)
{
	if (got->count != want->count || got->end != want->end)
		fail_msg("%s, seed %u: %zu events and %d, not %zu and %d", what, seed, got->count,
			 got->end, want->count, want->end);
	for (size_t i = 0; i < got->count; i++)
		if (memcmp(&got->events[i], &want->events[i], sizeof(got->events[i])))
			fail_msg("%s, seed %u: event %zu of class %s differs", what, seed, i,
				 want->events[i].class->name);
}

static struct ctf_trace_class *trace_of(const char *metadata)
{
	struct ctf_trace_class *trace = NULL;
	struct diag diag = {.text = ""};

	if (metadata_read(metadata, strlen(metadata), &trace, &diag))
		fail_msg("%s", diag.text);
	return trace;
}

#endif /* SONDE_TESTS_DECODE_FIXTURE_H */
