/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * session_fixture: files of packets in memory, with their indexes, for tests of what is published. Packets have
 * PACKET_BYTES each and last 10 cycles, the first from 100 on.
 */
#ifndef SONDE_TESTS_SESSION_FIXTURE_H
#define SONDE_TESTS_SESSION_FIXTURE_H

#include <endian.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "live/access/file_pool.h"
#include "live/session/session.h"
#include "wire/index.h"

#define FIXTURE_PACKET_BYTES 128u
#define FIXTURE_CLASS 7u

static const char fixture_metadata[] =
	"/* CTF 1.8 */\n"
	"trace { major = 1; minor = 8; byte_order = be; uuid = \"000102030405060708090a0b0c0d0e0f\"; };\n"
	"env { hostname = \"there\"; };\n"
	"stream { id = 7; };\n"
	"event { id = 1; stream_id = 7; name = \"e\"; };\n";

static inline void fixture_append(int fd, const void *bytes, size_t len)
{
	if (write(fd, bytes, len) != (ssize_t)len)
		abort();
}

static inline struct session_file *fixture_file(void)
{
	const uint32_t head[] = {htobe32(INDEX_MAGIC), htobe32(INDEX_MAJOR), htobe32(INDEX_MINOR),
				 htobe32(INDEX_ENTRY_BYTES)};
	struct session_file *file;

	if (session_file_new(memfd_create("data", MFD_CLOEXEC), memfd_create("index", MFD_CLOEXEC),
			     &file))
		abort();
	fixture_append(pooled_file_fd(file->index), head, sizeof(head));
	return file;
}

/* One more packet of @file, its number in all its bytes. */
static inline void fixture_packet(struct session_file *file)
{
	uint64_t i = session_file_entries(file), begin = 100 + 20 * i;
	const uint64_t entry[] = {
		htobe64(i * FIXTURE_PACKET_BYTES),
		htobe64(FIXTURE_PACKET_BYTES * 8),
		htobe64(FIXTURE_PACKET_BYTES * 8 - 3),
		htobe64(begin),
		htobe64(begin + 10),
		htobe64(i),
		htobe64(FIXTURE_CLASS),
		0,
		htobe64(i),
	};
	uint8_t bytes[FIXTURE_PACKET_BYTES];

	memset(bytes, (int)i, sizeof(bytes));
	fixture_append(pooled_file_fd(file->data), bytes, sizeof(bytes));
	fixture_append(pooled_file_fd(file->index), entry, sizeof(entry));
}

/* Published, with its metadata. */
static inline struct session_stream *fixture_stream(struct session_trace *trace,
						    const char *channel, struct session_file *file)
{
	struct session_stream *stream;

	if (session_stream_new(trace, channel, SESSION_CLASS_UNKNOWN, &stream) ||
	    session_stream_file(stream, file))
		abort();
	return stream;
}

static inline struct session_trace *fixture_trace(struct session *session)
{
	struct session_trace *trace;

	if (session_trace_new(session, "a/b", &trace) ||
	    session_trace_metadata(trace, fixture_metadata, strlen(fixture_metadata), NULL))
		abort();
	return trace;
}

static inline struct session *fixture_session(const char *name)
{
	const struct session_config config = {.host = "here", .name = name, .live_timer_us = 1000};
	struct session *session;

	if (session_new(&config, &session))
		abort();
	return session;
}

#endif /* SONDE_TESTS_SESSION_FIXTURE_H */
