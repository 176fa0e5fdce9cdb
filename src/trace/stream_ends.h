/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stream_ends: the first and the last packet of a stream file, by its index, or by the heads of its
 * packets where it has no index that counts packets. trace/stream_chain finds out with it which file
 * continues which.
 */
#ifndef SONDE_TRACE_STREAM_ENDS_H
#define SONDE_TRACE_STREAM_ENDS_H

#include "wire/ctf.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The heads of a stream's packets, one after the other, for trace/stream_seek and trace/stream_ends. Bytes that were
 * read are used again: small packets take one read for many of them, and of a large packet only its head is read.
 */

struct ctf_trace_class;
struct packet;
struct stream_input;

#define HEAD_WINDOW_HEAD_BYTES 1024u /* a packet whose head is longer is not found */

/* The caller's; the first four members are set, the others zeros. */
struct head_window {
	struct stream_input *input;
	const struct ctf_trace_class *trace;
	uint8_t *bytes;
	size_t room; /* of these: HEAD_WINDOW_HEAD_BYTES at least */
	uint64_t at; /* offset in the input of what is there */
	size_t len;
	uint64_t slots[CTF_SLOTS_MAX];
};

/* The head of the packet at @offset. False: no packet begins there. */
bool head_window_parse(struct head_window *window, uint64_t offset, struct packet *ret);

struct stream_ends {
	uint64_t stream_id;
	uint64_t instance_id;
	bool has_instance; /* false: only the file's name identifies the stream */
	uint64_t first_sequence;
	uint64_t last_sequence;
	uint64_t discarded; /* events, up to the end of the last packet */
};

/* Of the index file @name in index/ of directory @dir. False: none, or it does not count packets. */
bool stream_ends_by_index(int dir, const char *name, struct stream_ends *ret);
/* Of the stream file behind @input, whose packets @trace describes. False: its packets are not counted. */
bool stream_ends_read(struct stream_input *input, const struct ctf_trace_class *trace,
		      struct stream_ends *ret);

#endif /* SONDE_TRACE_STREAM_ENDS_H */
