/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * relay_cursor: where one viewer is in a stream that it was shown: which packet comes next, up to
 * which time nothing will come if no packet is there, and which bytes were announced to it, the
 * only ones it may have.
 */
#ifndef SONDE_LIVE_RELAY_RELAY_CURSOR_H
#define SONDE_LIVE_RELAY_RELAY_CURSOR_H

#include <stdint.h>

#include "wire/lttng_live.h"

struct seen_stream;
struct session_file;
struct session_packet;

/* LIVE_INDEX_OK, and *@ret is announced to the viewer: the next packet follows.
 * LIVE_INDEX_INACTIVE: *@ret has end and class. Otherwise *@ret is all zeros. */
enum live_index relay_cursor_next(struct seen_stream *seen, struct session_packet *ret);
/* The file that has these bytes, borrowed until the next call; NULL = they were not announced to the viewer. */
struct session_file *relay_cursor_file(const struct seen_stream *seen, uint64_t offset,
				       uint32_t len);

#endif /* SONDE_LIVE_RELAY_RELAY_CURSOR_H */
