// SPDX-License-Identifier: BSD-2-Clause
#include "record/end_mark.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "record/notes.h"
#include "ring/ring.h"
#include "trace/writer.h"
#include "wire/measure.h"
#include "wire/record.h"

/* What the last packet of a stream said. */
struct stream_state {
	uint64_t packets;
	uint64_t last_packet; /* its number */
	uint64_t lost;
};

struct end_mark {
	uint32_t cpus;
	struct stream_state streams[]; /* [cpus * RING_LEVELS] */
};

struct end_mark *end_mark_new(uint32_t cpus)
{
	struct end_mark *mark =
		calloc(1, sizeof(*mark) + (size_t)cpus * RING_LEVELS * sizeof(struct stream_state));

	if (mark)
		mark->cpus = cpus;
	return mark;
}

void end_mark_free(struct end_mark *mark)
{
	free(mark);
}

bool end_mark_packet(struct end_mark *mark, const void *packet)
{
	struct stream_state *state;
	struct packet_head head;
	bool first;

	memcpy(&head, packet, sizeof(head));
	if (head.stream_id != STREAM_CLASS_KERNEL)
		return false;
	state = &mark->streams[(size_t)head.cpu * RING_LEVELS + head.level];
	first = !state->packets++;
	state->last_packet = head.sequence;
	state->lost = head.discarded;
	return first;
}

static int note(struct notes *notes, uint32_t id, const void *record, size_t len)
{
	/* Behind the head, which notes_add_record makes. */
	return notes_add_record(notes, clock_monotonic_ns(), id, 0,
				(const uint8_t *)record + RECORD_HEAD_BYTES,
				len - RECORD_HEAD_BYTES);
}

/* Of what was made, the disk may lack the last. */
static void subtract_refused(struct sonde_stream *record, struct writer *writer)
{
	struct writer_stream written;

	if (!writer)
		return;
	written = writer_stream(writer, record->of_cpu, record->of_level);
	record->events -= written.refused_events;
	record->lost += written.refused_events;
	record->unwritten = written.refused_events;
	record->packets = written.packets;
	record->last_packet = written.last_packet;
}

int end_mark_note(const struct end_mark *mark, struct notes *notes, const struct ring *ring,
		  struct writer *writer, uint64_t lost, enum end_reason reason)
{
	struct sonde_end end = {.reason = reason};
	struct sonde_stream own = {.of_cpu = STREAM_OF_RECORDER};
	int err = 0;

	for (uint32_t i = 0; ring && i < mark->cpus * RING_LEVELS; i++) {
		const struct stream_state *state = &mark->streams[i];
		struct sonde_stream record = {
			.of_cpu = i / RING_LEVELS,
			.of_level = i % RING_LEVELS,
			.lost = state->lost,
			.packets = state->packets,
			.last_packet = state->last_packet,
		};

		if (!state->packets)
			continue;
		record.events = ring_records(ring, record.of_cpu, record.of_level);
		subtract_refused(&record, writer);
		end.events += record.events;
		end.lost += record.lost;
		end.streams++;
		err = err ?: note(notes, SONDE_STREAM, &record, sizeof(record));
	}
	own.events = notes_count(notes) + 2;
	own.lost = lost;
	own.packets = notes_packets(notes);
	subtract_refused(&own, writer);
	own.packets++; /* the one that this goes into */
	own.last_packet = notes_packets(notes);
	end.events += own.events;
	end.lost += own.lost;
	end.streams++;
	err = err ?: note(notes, SONDE_STREAM, &own, sizeof(own));
	return err ?: note(notes, SONDE_END, &end, sizeof(end));
}

enum end_reason end_reason_of(int err)
{
	switch (err) {
	case 0:
		return END_STOPPED;
	case -ENOSPC:
	case -EDQUOT:
	case -EFBIG: /* as far as this file may go */
		return END_DISK_FULL;
	default:
		return END_WRITE_ERROR;
	}
}
