/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * packet_index: reads LTTng's index files (wire/index.h): where each packet of a stream file is and what
 * it holds, without reading the data.
 */
#ifndef SONDE_CTF_PACKET_INDEX_H
#define SONDE_CTF_PACKET_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

#endif /* SONDE_CTF_PACKET_INDEX_H */
