/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stream_chain: which stream file continues which. A stream may be in several files: "ch_0_0", "ch_0_1", ...
 * of one folder (--tracefile-size of lttng), and files of one name in the folders of several chunks (lttng
 * rotate); the oldest may be gone. The counters of its packets run on from file to file.
 *
 * Two files are of one stream if their traces have one UUID, their names are equal but for the number at the
 * end, and their packets are of one stream class and instance. Packet counters tell their order.
 */
#ifndef SONDE_TRACE_STREAM_CHAIN_H
#define SONDE_TRACE_STREAM_CHAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ctf_trace_class;
struct stream_before;
struct stream_part;
struct stream_reader;

struct stream_chain {
	struct stream_part *parts; /* in the order of streams and packets, once linked */
	size_t count;
};

void stream_chain_init(struct stream_chain *chain);
void stream_chain_fini(struct stream_chain *chain);

/* Adds the file that @reader, which has read nothing yet, is going to read. Borrows both. 0 or -ENOMEM. */
int stream_chain_add(struct stream_chain *chain, const struct ctf_trace_class *trace,
		     struct stream_reader *reader);
/* Adds the stream file @name in @dir, for stream_chain_before; one without an index that counts packets is left out.
 * 0 or -ENOMEM. */
int stream_chain_add_file(struct stream_chain *chain, int dir, const char *name);

/* Once all are added: finds for each file the one that it continues, and gives its reader the counters of that
 * one's end (stream_reader_continue). Reads no file whose name no other has. */
void stream_chain_link(struct stream_chain *chain);
/* The counters before the file @name begins; false: it begins its stream. Behind stream_chain_link. */
bool stream_chain_before(const struct stream_chain *chain, const char *name,
			 struct stream_before *ret);

#endif /* SONDE_TRACE_STREAM_CHAIN_H */
