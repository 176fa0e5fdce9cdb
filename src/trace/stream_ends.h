/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stream_ends: the first and the last packet of a stream file, by its index, or by the heads of its
 * packets where it has no index that counts packets. trace/stream_chain finds out with it which file
 * continues which.
 */
#ifndef SONDE_TRACE_STREAM_ENDS_H
#define SONDE_TRACE_STREAM_ENDS_H

#include <stdbool.h>
#include <stdint.h>

struct ctf_trace_class;
struct stream_input;

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
