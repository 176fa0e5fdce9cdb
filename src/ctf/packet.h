/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * packet: the head of one packet: its header and its context, as the metadata describes them.
 */
#ifndef SONDE_CTF_PACKET_H
#define SONDE_CTF_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Reads LTTng's index files (wire/index.h): where each packet of a stream file is and what
 * it holds, without reading the data.
 */

struct diag;

/* One packet. Sizes in bytes, times in cycles of the trace clock. */
struct index_packet {
	uint64_t offset; /* in the stream, which a file may have compressed */
	uint64_t packet_bytes;
	uint64_t content_bytes; /* rounded up */
	uint64_t begin;
	uint64_t end;
	uint64_t discarded;
	uint64_t stream_id;
	bool has_sequence; /* and the instance: from version 1.1 on */
	uint64_t instance_id;
	uint64_t sequence;
	/* Of a compressed stream file: where the packet's frame is, in the file. Else as above. */
	uint64_t file_offset;
	uint64_t file_bytes;
};

struct packet_index {
	uint32_t entry_bytes;
	size_t count; /* whole entries; a torn one behind them does not count */
};

/* Reads the head: -EBADMSG no index, -ENOTSUP another version, -ENODATA too short. */
int packet_index_parse(const uint8_t *bytes, size_t len, struct packet_index *ret,
		       struct diag *diag);
/* Entry @i, which is less than index->count, of the same bytes. -EBADMSG: it cannot be. */
int packet_index_get(const struct packet_index *index, const uint8_t *bytes, size_t i,
		     struct index_packet *ret);

struct ctf_stream_class;
struct ctf_trace_class;

struct packet {
	const struct ctf_stream_class *stream;
	uint64_t context_at; /* bits: behind its header */
	uint64_t head_bits; /* where its events begin */
	uint64_t content_bits; /* where they end; UINT64_MAX = not given: all of it */
	uint64_t packet_bits; /* where the next packet begins; UINT64_MAX likewise */
	uint64_t clock; /* cycles: where the clock stands before the first event */
	bool ends_early; /* before it begins, by its own timestamps */
	bool is_foreign; /* its UUID is another trace's: what the metadata says of it may be wrong */
	bool has_begin;
	bool has_end;
	bool has_discarded;
	bool has_sequence;
	bool has_name_packets;
	bool has_instance;
	uint64_t begin; /* cycles */
	uint64_t end; /* likewise: as many bits of it as the packet has */
	uint64_t discarded; /* events lost since the stream began */
	uint64_t nested; /* of these: nested too deep */
	uint64_t recursion; /* of these: a program was running already */
	uint64_t sequence;
	uint64_t instance; /* of the stream, among those of its class */
	uint64_t name_packets; /* that hold records which tell names, this one included */
	int32_t cpu; /* -1 = not given */
	uint32_t level;
};

/*
 * Reads the head of the packet at @data, of which @len bytes are available. @slots: CTF_SLOTS_MAX
 * values, for the decoder; @clock: where the stream's clock stands. -ENODATA: the head is longer
 * than @len; -EBADMSG: not a packet of the trace, the diag says why.
 */
int packet_parse(const struct ctf_trace_class *trace, const uint8_t *data, size_t len,
		 uint64_t *slots, uint64_t clock, struct packet *ret, struct diag *diag);

#endif /* SONDE_CTF_PACKET_H */
