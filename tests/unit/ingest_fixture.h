/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ingest_fixture: a session that is received, with two streams, in a folder of its own, for tests of what data
 * connections bring. The streams have handles 1 and 2.
 */
#ifndef SONDE_TESTS_INGEST_FIXTURE_H
#define SONDE_TESTS_INGEST_FIXTURE_H

#include <fcntl.h>
#include <ftw.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/io.h"
#include "live/ingest/ingest_packets.h"
#include "live/ingest/ingest_session.h"
#include "live/ingest/ingest_stream.h"

#define INGEST_FIXTURE_STREAMS 2u

struct ingest_fixture {
	char dir[64];
	struct ingest_place place;
	struct ingest_session *session;
	int files[INGEST_FIXTURE_STREAMS]; /* of the streams, as they are on disk */
	struct ingest_packets packets;
};

static inline void ingest_fixture_init(struct ingest_fixture *fix)
{
	static const char *const names[INGEST_FIXTURE_STREAMS] = {"one", "two"};
	const struct ingest_command create = {.host = "host", .name = "name", .path = "session"};
	const struct ingest_command chunk = {.name = ""};
	char path[64];

	*fix = (struct ingest_fixture){
		.place = {.sessions_most = 1},
		.packets = {.place = &fix->place, .peer = ""},
	};
	snprintf(fix->dir, sizeof(fix->dir), "%s/sonde-ingest-XXXXXX",
		 access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
	if (!mkdtemp(fix->dir))
		abort();
	fix->place.output = open(fix->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fix->place.output < 0 || ingest_place_init(&fix->place) ||
	    ingest_session_new(&fix->place, &create, "", true, &fix->session) ||
	    ingest_session_add_chunk(fix->session, &chunk))
		abort();
	for (uint64_t i = 0; i < INGEST_FIXTURE_STREAMS; i++) {
		const struct ingest_command add = {.name = names[i], .path = ""};
		uint64_t handle;

		snprintf(path, sizeof(path), "host/session/%s", names[i]);
		if (ingest_session_add_stream(fix->session, &add, &handle) || handle != i + 1)
			abort();
		fix->files[i] = openat(fix->place.output, path, O_RDONLY | O_CLOEXEC);
		if (fix->files[i] < 0)
			abort();
	}
}

static inline int ingest_fixture_remove(const char *path, const struct stat *st, int type,
					struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	return remove(path);
}

static inline void ingest_fixture_fini(struct ingest_fixture *fix)
{
	ingest_packets_end(&fix->packets);
	ingest_session_free(fix->session);
	ingest_place_fini(&fix->place);
	for (size_t i = 0; i < INGEST_FIXTURE_STREAMS; i++)
		fd_close(fix->files[i]);
	fd_close(fix->place.output);
	if (nftw(fix->dir, ingest_fixture_remove, 8, FTW_DEPTH | FTW_PHYS))
		abort();
}

/* What is in the file of a stream; 0 where it cannot be told. */
static inline size_t ingest_fixture_bytes(const struct ingest_fixture *fix, size_t i)
{
	const off_t end = lseek(fix->files[i], 0, SEEK_END);

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
