// SPDX-License-Identifier: BSD-2-Clause
/*
 * What a peer sends over a data connection. The first byte tells the pieces in which the rest comes; what is made of it
 * must be the same as of all at once.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "ingest_fixture.h"

#define COMPARED 4096u /* bytes of each file; padding may make it long */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static ssize_t take(struct ingest_fixture *fix, const uint8_t *data, size_t size, size_t piece)
{
	ssize_t missing = 0;

	for (size_t at = 0; at < size && missing >= 0; at += piece)
		missing = ingest_packets_take(&fix->packets, data + at,
					      piece < size - at ? piece : size - at);
	return missing;
}

static void compare_files(const struct ingest_fixture *one, const struct ingest_fixture *other,
			  size_t i)
{
	struct ingest_stream_state state[2];
	char bytes[2][COMPARED];
	ssize_t got[2];

	got[0] = read_at(one->files[i], bytes[0], COMPARED, 0);
	got[1] = read_at(other->files[i], bytes[1], COMPARED, 0);
	ingest_stream_state(ingest_session_stream_at(one->session, i, NULL), &state[0]);
	ingest_stream_state(ingest_session_stream_at(other->session, i, NULL), &state[1]);
	if (got[0] != got[1] || got[0] < 0 || memcmp(bytes[0], bytes[1], (size_t)got[0]) != 0 ||
	    ingest_fixture_bytes(one, i) != ingest_fixture_bytes(other, i) ||
	    state[0].next_data != state[1].next_data)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ingest_session_info info[2];
	struct ingest_fixture whole, cut;

	if (!size)
		return 0;
	ingest_fixture_init(&whole);
	ingest_fixture_init(&cut);
	if (take(&whole, data + 1, size - 1, size) != take(&cut, data + 1, size - 1, data[0] + 1u))
		abort();
	ingest_packets_end(&whole.packets);
	ingest_packets_end(&cut.packets);
	ingest_session_info(whole.session, &info[0]);
	ingest_session_info(cut.session, &info[1]);
	if (info[0].packets != info[1].packets || info[0].bytes != info[1].bytes)
		abort();
	for (size_t i = 0; i < INGEST_FIXTURE_STREAMS; i++)
		compare_files(&whole, &cut, i);
	ingest_fixture_fini(&whole);
	ingest_fixture_fini(&cut);
	return 0;
}
