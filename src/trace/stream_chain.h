/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stream_chain: which files of a trace go on where others end. A stream may be in several files, "ch_0_0",
 * "ch_0_1", ... (--tracefile-size of lttng), of which the oldest may be gone; what its packets count, they
 * count through. Told by the indexes: files of one name but for the number, of one stream.
 */
#ifndef SONDE_TRACE_STREAM_CHAIN_H
#define SONDE_TRACE_STREAM_CHAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct stream_part;

struct stream_chain {
	struct stream_part *parts;
	size_t count;
};

/* Where a stream was before a file begins. */
struct stream_before {
	uint64_t sequence; /* of its last packet */
	uint64_t discarded; /* events, until then */
};

void stream_chain_init(struct stream_chain *chain);
void stream_chain_fini(struct stream_chain *chain);
/* Looks at the index of stream file @name in @dir; one that has none, or tells of no packets, is left out.
 * 0 or -ENOMEM. */
int stream_chain_add(struct stream_chain *chain, int dir, const char *name);
/* What was before @name, by those that were added; false = it begins its stream. */
bool stream_chain_before(const struct stream_chain *chain, const char *name,
			 struct stream_before *ret);

#endif /* SONDE_TRACE_STREAM_CHAIN_H */
