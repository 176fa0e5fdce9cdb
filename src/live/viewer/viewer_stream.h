/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * viewer_stream: one stream of a trace that is read from a relay: when its next packet is asked for,
 * what is received of it, and up to when nothing of it is still to come.
 *
 * A request for an index goes out behind those for the packet before, so that offsets are used before they
 * may become invalid (a session that is cleared begins its files again). A relay that sends less
 * of a packet than it was asked for is asked for one piece after the other, and for the next index
 * when the packet is whole.
 *
 * Invariant: packet_got <= packet_asked <= packet_bytes; nothing is asked for while the trace has metadata to fetch.
 */
#ifndef SONDE_LIVE_VIEWER_VIEWER_STREAM_H
#define SONDE_LIVE_VIEWER_VIEWER_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "live/proto/viewer_codec.h"

struct ctf_trace_class;
struct diag;
struct stream_input;
struct stream_reader;
struct viewer;
struct viewer_reply;
struct viewer_trace;

#define VIEWER_PACKET_MAX_BYTES (256u << 20)

struct viewer_stream {
	uint64_t id;
	struct viewer_trace *trace;
	char *channel;
	bool asked; /* for an index */
	bool ended; /* nothing more comes */
	bool is_end_file; /* no events: the end mark of a converted trace (trace/end_file.h) */
	bool tells_symbols; /* what addresses mean, behind the events of other streams */
	bool behind; /* the relay has more of it than was asked for */
	uint64_t ask_ns; /* not to be asked for one before */
	uint64_t packet_at; /* of the packet that is being fetched: as the relay counts */
	uint64_t packet_bytes; /* 0: none */
	uint64_t packet_asked; /* requests cover so many of its bytes */
	uint64_t packet_got; /* so many were received, from its first byte on */
	unsigned int pieces_due; /* requests for pieces of it without reply */
	unsigned int refusals; /* of it, by which it is to be asked for again */
	bool packet_failed; /* the relay does not have all of it */
	bool packet_again; /* it is to be asked for once more */
	bool stepwise; /* the relay has sent less than it was asked for */
	uint64_t packet_end; /* cycles */
	bool has_next; /* the index of the one behind it is there already */
	struct viewer_index next;
	uint64_t stream_class;
	int64_t known_ns; /* what was received goes up to here */
	int64_t until_ns; /* so far of what is shown: nothing earlier is still to come */
	struct stream_input *input; /* of the reader's, once there is one */
	struct stream_reader *reader; /* the merge's; NULL = none yet, or no more */
};

/* What a reply asks for in turn. */
enum viewer_want {
	VIEWER_WANT_METADATA = LIVE_FLAG_NEW_METADATA,
	VIEWER_WANT_STREAMS = LIVE_FLAG_NEW_STREAMS,
	VIEWER_WANT_ANEW = 1u << 2, /* the connection is of no more use */
	VIEWER_WANT_PACKET = 1u << 3, /* a packet is missing that the relay announced */
};

/* NULL = no memory. @keep as viewer_input_new. 0 or -errno. */
int viewer_stream_new(struct viewer_trace *trace, const struct viewer_stream_entry *entry,
		      bool keep, struct viewer_stream **ret);
void viewer_stream_free(struct viewer_stream *stream);

/* Asks for what comes next, unless enough is there, or it is too early. 0 or -ENOMEM. */
int viewer_stream_ask(struct viewer_stream *stream, struct viewer *viewer, uint64_t now_ns);
/* When viewer_stream_ask would ask; UINT64_MAX: not before something has come or was read. */
uint64_t viewer_stream_due(const struct viewer_stream *stream);

/* Replies. @retry_ns: when to ask again where there is nothing yet. The wants, or -ENOMEM, -EBADMSG, -E2BIG with
 * the diag. */
int viewer_stream_take_index(struct viewer_stream *stream, const struct viewer_reply *reply,
			     uint64_t retry_ns, struct diag *diag);
int viewer_stream_take_packet(struct viewer_stream *stream, const struct viewer_reply *reply,
			      uint32_t relay_minor, uint64_t retry_ns, struct diag *diag);
/* Shows what is whole: all that describes it is known. */
void viewer_stream_show(struct viewer_stream *stream);

/* Whether something of it is still to be received or shown, though the relay may have no more to announce. */
bool viewer_stream_is_pending(const struct viewer_stream *stream);
/* Whether others are not to go on before all that the relay has of it was received. */
bool viewer_stream_is_awaited(const struct viewer_stream *stream);

/* The connection is gone: drops requests in progress. */
void viewer_stream_break(struct viewer_stream *stream);
/* Goes on where @old has ended, of another connection: its packets are in front. */
void viewer_stream_inherit(struct viewer_stream *stream, struct viewer_stream *old);

#endif /* SONDE_LIVE_VIEWER_VIEWER_STREAM_H */
