/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ingest_fixture: two streams that are received, of one session, into files in memory, for tests of what data
 * connections bring. They have handles 1 and 2.
 */
#ifndef SONDE_TESTS_INGEST_FIXTURE_H
#define SONDE_TESTS_INGEST_FIXTURE_H

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/buffer.h"
#include "live/access/file_pool.h"
#include "live/ingest/ingest_packets.h"
#include "live/ingest/ingest_place.h"
#include "live/ingest/ingest_session.h"
#include "live/ingest/ingest_stream.h"

#define INGEST_FIXTURE_STREAMS 2u

struct ingest_fixture {
	struct ingest_place place;
	struct ingest_session session;
	struct ingest_stream *streams[INGEST_FIXTURE_STREAMS];
	struct ingest_packets packets;
};

static inline void ingest_fixture_init(struct ingest_fixture *fix)
{
	*fix = (struct ingest_fixture){
		.session = {.place = &fix->place, .peer = "", .mark_fd = -1},
		.packets = {.place = &fix->place, .peer = ""},
	};
	map_init(&fix->place.streams, sizeof(uint64_t), sizeof(struct ingest_stream *), 0);
	for (uint64_t i = 0; i < INGEST_FIXTURE_STREAMS; i++) {
		struct ingest_stream *stream = calloc(1, sizeof(*stream));
		const uint64_t handle = i + 1;

		stream->session = &fix->session;
		stream->handle = handle;
		ingest_pending_init(&stream->pending, &fix->session.pending);
		stream->files = calloc(1, sizeof(*stream->files));
		if (pooled_file_new(NULL, NULL, NULL, memfd_create("sonde-ingest", MFD_CLOEXEC),
				    &stream->files[0].data))
			abort();
		stream->file_count = 1;
		fix->streams[i] = stream;
		*(struct ingest_stream **)map_at(&fix->place.streams, &handle) = stream;
	}
}

static inline void ingest_fixture_fini(struct ingest_fixture *fix)
{
	ingest_packets_end(&fix->packets);
	for (size_t i = 0; i < INGEST_FIXTURE_STREAMS; i++)
		ingest_stream_free(fix->streams[i]);
	map_fini(&fix->place.streams);
}

/* What is in the file of a stream; 0 where it cannot be told. */
static inline size_t ingest_fixture_bytes(const struct ingest_fixture *fix, size_t i)
{
	const off_t end = lseek(pooled_file_fd(fix->streams[i]->files[0].data), 0, SEEK_END);

	return end < 0 ? 0 : (size_t)end;
}

/* The head of a packet, as it goes over the wire. */
static inline void ingest_fixture_head(struct buffer *sent, uint64_t stream, uint64_t number,
				       uint32_t len, uint32_t padding)
{
	buffer_be64(sent, 0);
	buffer_be64(sent, stream);
	buffer_be64(sent, number);
	buffer_be32(sent, len);
	buffer_be32(sent, padding);
}

#endif /* SONDE_TESTS_INGEST_FIXTURE_H */
