/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stream_seek: finds the packet of a stream at which reading for a time has to begin, by the stream's
 * index, or, if the index is missing or wrong, by the heads of the packets.
 *
 * What it finds was read from the packet itself: an index that lies costs time, never events.
 *
 * Packets before that time are left out too as far as nothing in them changes what is shown: our own
 * say which of them tell names (wire/record.h, name_packets).
 */
#ifndef SONDE_TRACE_STREAM_SEEK_H
#define SONDE_TRACE_STREAM_SEEK_H

#include <stdbool.h>
#include <stdint.h>

#include "ctf/packet.h"
#include "schema/source.h"

struct ctf_trace_class;
struct packet_map;
struct stream_input;
struct stream_seek;

/* A place to go on at. */
struct stream_spot {
	uint64_t offset;
	struct packet before; /* the packet before it: its counter of losses */
};

/* NULL = no memory. Borrows both. */
struct stream_seek *stream_seek_new(struct stream_input *input,
				    const struct ctf_trace_class *trace);
void stream_seek_free(struct stream_seek *seek);
/* Where that takes long, the stream's packets are not looked for any more. */
void stream_seek_stop_when(struct stream_seek *seek, source_stop_fn *is_stopped);

/* Its packets, or NULL where they do not tell when they begin. */
const struct packet_map *stream_seek_map(struct stream_seek *seek);
/* From the packet at @at on, packets that @span does not need are skipped, as stream_seek_next says. */
void stream_seek_set(struct stream_seek *seek, uint64_t at, const struct source_span *span);
/*
 * Before the packet at @at is begun: whether to go on at *@ret instead. @names: how many packets that
 * tell names were read, or passed when they were not needed.
 */
bool stream_seek_next(struct stream_seek *seek, uint64_t at, uint64_t names,
		      struct stream_spot *ret);
/* Whether the rest of a packet from before that time is needed; @names: it has some. */
bool stream_seek_needs(const struct stream_seek *seek, bool names);

#endif /* SONDE_TRACE_STREAM_SEEK_H */
