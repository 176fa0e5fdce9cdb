/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * relay_attached: what one viewer was shown of one session: its traces and streams, under ids that are the
 * viewer's own. relay_view attaches to sessions and answers; relay_cursor moves in the streams.
 */
#ifndef SONDE_LIVE_RELAY_RELAY_ATTACHED_H
#define SONDE_LIVE_RELAY_RELAY_ATTACHED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"

struct attached;
struct buffer;
struct session;
struct session_file;
struct session_stream;
struct session_trace;

#define RELAY_STREAMS_OF_REPLY 1024u /* those behind come with the next NEW_STREAMS */

/* What one viewer calls the traces and streams of all its sessions. */
struct seen_ids {
	struct map streams; /* by id: struct seen_stream * */
	uint64_t last;
};

/*
 * A trace as the viewer knows it. Where all streams of it have ended and others come, they are of another
 * trace for the viewer, with the same metadata: some forget a trace when its last stream hangs up.
 */
struct seen_trace {
	struct attached *attached;
	struct session_trace *trace;
	uint64_t id;
	uint64_t metadata_id; /* the stream of its metadata */
	size_t metadata_at; /* bytes of it that were sent */
	size_t streams; /* that the viewer knows */
	size_t over; /* of these, hung up */
};

struct seen_stream {
	struct seen_trace *trace;
	struct session_stream *stream; /* NULL: the metadata */
	uint64_t id;
	uint64_t next; /* number of the next packet */
	uint64_t told; /* cycles: when the last packet ended, or the last beacon */
	struct session_file *file; /* of the last announced packet; it keeps a reference */
	uint64_t file_end; /* so much of the file the viewer knows of */
	bool over; /* hung up */
};

/* One session. Traces and streams of a session only come, so that they are counted by what was seen. */
struct attached {
	struct session *session;
	bool from_now;
	bool hidden; /* streams are seen, too */
	struct seen_trace **traces; /* also those that were followed by another of the same */
	size_t trace_count;
	struct seen_trace **current; /* by index of the session's traces */
	size_t *shown; /* likewise: how many of its streams */
	size_t known; /* room of both */
	struct seen_stream **streams;
	size_t stream_count;
};

/* It counts as a viewer of @session. @from_now: of the streams that are shown first, only what is still to
 * come. NULL = no memory. */
struct attached *attached_new(struct session *session, bool from_now);
/* Its streams are taken out of @ids. NULL is fine. */
void attached_free(struct attached *attached, struct seen_ids *ids);

/* Whether there are streams that the viewer does not know; whether one of these has packets, of whatever
 * time. */
bool attached_has_new_streams(const struct attached *attached);
bool attached_has_new_packets(const struct attached *attached);
/* Those streams, or as many as a reply should have, as entries of a reply appended to @out. *@count: the
 * entries that are there. 0 or -ENOMEM. */
int attached_show_streams(struct attached *attached, struct seen_ids *ids, struct buffer *out,
			  uint32_t *count);
/* Everything was delivered, and nothing is to come. */
bool attached_is_over(const struct attached *attached);

#endif /* SONDE_LIVE_RELAY_RELAY_ATTACHED_H */
