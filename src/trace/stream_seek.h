/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stream_seek: finds the packet of a stream at which reading for a time has to begin, by the stream's
 * index, or, where there is none or it does not tell the truth, by the heads of the packets.
 *
 * What it finds was read from the packet itself: an index that lies costs time, never events.
 */
#ifndef SONDE_TRACE_STREAM_SEEK_H
#define SONDE_TRACE_STREAM_SEEK_H

#include <stdbool.h>
#include <stdint.h>

#include "ctf/packet.h"

struct ctf_trace_class;
struct packet_map;
struct stream_input;
struct stream_seek;

/* A place to go on at. */
struct stream_spot {
	uint64_t offset;
	struct packet before; /* the packet in front of it: what was lost until then */
};

/* NULL = no memory. Borrows both. */
struct stream_seek *stream_seek_new(struct stream_input *input,
				    const struct ctf_trace_class *trace);
void stream_seek_free(struct stream_seek *seek);

/* What class of stream it is, by its first packet; NULL: that is not known, and nothing found. */
const struct ctf_stream_class *stream_seek_class(struct stream_seek *seek);
/* Its packets, or NULL where they do not tell when they begin. */
const struct packet_map *stream_seek_map(struct stream_seek *seek);
/*
 * Where to go on for @from_ns and later, behind the packet at @at: 1 = at *@ret, 0 = right where it is.
 */
int stream_seek_find(struct stream_seek *seek, uint64_t at, int64_t from_ns,
		     struct stream_spot *ret);

#endif /* SONDE_TRACE_STREAM_SEEK_H */
