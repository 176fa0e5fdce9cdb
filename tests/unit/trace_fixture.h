/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * trace_fixture: a place for a trace that goes away again, and packets of a recorder's for its
 * writer, for the tests of src/trace.
 *
 * A record is of class 5, or of class 6 in the recorder's own stream; its value is the low half of its
 * time, and its task FIXTURE_TID.
 */
#ifndef SONDE_TESTS_TRACE_FIXTURE_H
#define SONDE_TESTS_TRACE_FIXTURE_H

#include <ftw.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "ctf/metadata_write.h"
#include "trace/writer.h"
#include "wire/record.h"

#define FIXTURE_WALL_NS 1700000000000000000ll
#define FIXTURE_RECORD_BYTES 12u
#define FIXTURE_RECORDS_MAX 100u
#define FIXTURE_TID 77

static const struct field fixture_fields[] = {
	{.name = "value",
	 .kind = FIELD_INT,
	 .bits = 32,
	 .align_bits = 32,
	 .count = 1,
	 .scope = FIELD_SCOPE_OBJECT},
};

struct fixture_place {
	char parent[64];
	char path[80]; /* within it; not made */
};

/* Where tests leave anything they leave it in here. 0 or -1. */
static inline int fixture_place_make(struct fixture_place *place)
{
	(void)snprintf(place->parent, sizeof(place->parent), "/tmp/sonde-trace-XXXXXX");
	if (!mkdtemp(place->parent))
		return -1;
	(void)snprintf(place->path, sizeof(place->path), "%s/trace", place->parent);
	return 0;
}

static inline int fixture_remove_one(const char *path, const struct stat *st, int kind,
				     struct FTW *ftw)
{
	(void)st;
	(void)kind;
	(void)ftw;
	return remove(path);
}

static inline int fixture_place_remove(const struct fixture_place *place)
{
	return nftw(place->parent, fixture_remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static inline int fixture_metadata(struct buffer *out)
{
	static const struct event_class event = {
		.id = 5, .name = "an.event", .fields = fixture_fields, .field_count = 1};
	static const struct event_class note = {
		.id = 6, .name = "a.note", .fields = fixture_fields, .field_count = 1};
	const struct event_class *events[] = {&event}, *notes[] = {&note};
	struct metadata_spec spec = {
		.wall_offset_ns = FIXTURE_WALL_NS,
		.classes = events,
		.class_count = 1,
		.notes = notes,
		.note_count = 1,
	};

	return metadata_write(&spec, out);
}

struct fixture_packet {
	uint32_t stream;
	uint32_t cpu;
	uint32_t level;
	uint64_t begin_ns;
	uint64_t step_ns; /* from one record to the next */
	uint32_t count;
};

/* What writer_packet says of it. */
static inline int fixture_append(struct writer *writer, const struct fixture_packet *wanted)
{
	uint8_t packet[sizeof(struct packet_head) + FIXTURE_RECORDS_MAX * FIXTURE_RECORD_BYTES];
	size_t len = sizeof(struct packet_head) + wanted->count * FIXTURE_RECORD_BYTES;
	struct packet_head head = {
		.magic = PACKET_MAGIC,
		.stream_id = wanted->stream,
		.begin_ns = wanted->begin_ns,
		.end_ns = wanted->begin_ns + (wanted->count - 1) * wanted->step_ns,
		.content_bits = len * 8,
		.packet_bits = len * 8,
		.cpu = wanted->cpu,
		.level = wanted->level,
	};

	memcpy(packet, &head, sizeof(head));
	for (uint32_t i = 0; i < wanted->count; i++) {
		uint8_t *at = packet + sizeof(head) + i * FIXTURE_RECORD_BYTES;
		uint32_t value = (uint32_t)(wanted->begin_ns + i * wanted->step_ns);
		uint64_t word = (5 + wanted->stream) | (uint64_t)value << RECORD_TIME_SHIFT |
				(uint64_t)FIXTURE_TID << RECORD_TID_SHIFT;

		memcpy(at, &word, sizeof(word));
		memcpy(at + sizeof(word), &value, sizeof(value));
	}
	return writer_packet(writer, packet, len, false);
}

#endif /* SONDE_TESTS_TRACE_FIXTURE_H */
