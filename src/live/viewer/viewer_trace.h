/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * viewer_trace: one CTF trace of a session that is read from a relay: its metadata as it comes, and its
 * classes. The classes in use stay until viewer_trace_renew, and in memory as long as the trace.
 */
#ifndef SONDE_LIVE_VIEWER_VIEWER_TRACE_H
#define SONDE_LIVE_VIEWER_VIEWER_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "trace/end_file.h"
#include "trace/end_notes.h"

/*
 * The metadata of one trace as a relay sends it, piece after piece: packets, in either byte
 * order, or plain text, or first one and then the other. All of its text is kept: metadata that has grown is
 * parsed again as a whole.
 */

struct ctf_trace_class;
struct diag;

struct viewer_metadata {
	struct buffer text;
	struct buffer raw; /* the begin of a packet of which the rest is still to come */
	size_t parsed; /* so much of the text was */
	bool cut; /* that ends inside a declaration */
};

void viewer_metadata_init(struct viewer_metadata *metadata);
void viewer_metadata_fini(struct viewer_metadata *metadata);

/* One reply's bytes. 0, -ENOMEM, -E2BIG, -EBADMSG or -ENOTSUP with the diag. */
int viewer_metadata_add(struct viewer_metadata *metadata, const uint8_t *bytes, size_t len,
			struct diag *diag);
/* Whether all that @old has is what this begins with: then it describes the same trace. */
bool viewer_metadata_continues(const struct viewer_metadata *metadata,
			       const struct viewer_metadata *old);
/* What it says, once the relay has no more for now: 1 with *@ret, which is the caller's; 0 = nothing new, or not
 * enough of it yet; or as metadata_read. */
int viewer_metadata_parse(struct viewer_metadata *metadata, struct ctf_trace_class **ret,
			  struct diag *diag);
/* Whether it ends inside a declaration or a packet, as viewer_metadata_parse found. */
bool viewer_metadata_is_cut(const struct viewer_metadata *metadata);

struct viewer;
struct viewer_reply;

struct viewer_trace {
	uint64_t id;
	uint64_t session; /* of the relay */
	uint64_t metadata_id; /* the stream that it comes in */
	bool has_metadata; /* its stream is known */
	bool asked;
	bool wanted; /* there may be more: later packets must not be decoded before */
	bool closed; /* no more comes */
	bool broken; /* what came cannot be read */
	bool final; /* the session is over: the relay gets no more of it */
	bool orphan; /* of a connection that is gone */
	unsigned int empty_replies; /* in a row: OK, and no bytes */
	unsigned int vain_replies; /* no more for now, since the text last grew */
	uint64_t ask_ns; /* not to be asked for before */
	struct viewer_metadata metadata;
	struct ctf_trace_class **classes; /* all that were made of it; in use is the first */
	size_t class_count;
	struct ctf_trace_class *next; /* made of all that came by now; NULL = as in use */
	struct ctf_trace_class
		*partial; /* made of text that is cut: for when the rest does not come */
	struct end_notes end; /* its end mark, as far as it was received */
	bool end_unseen; /* a packet came in pieces: the mark may be in it */
	struct end_file end_file; /* of a converted trace that is over: its end mark */
};

/* NULL = no memory. */
struct viewer_trace *viewer_trace_new(uint64_t id, uint64_t session);
void viewer_trace_free(struct viewer_trace *trace);

/* The classes that decoding uses, or will use: NULL = nothing is known yet. */
const struct ctf_trace_class *viewer_trace_class(const struct viewer_trace *trace);
/* What is in use, or NULL. */
struct ctf_trace_class *viewer_trace_used(const struct viewer_trace *trace);
/* Whether all metadata is there that the relay announced. */
bool viewer_trace_is_settled(const struct viewer_trace *trace);

/* Asks for metadata, if it is wanted or not known at all, and not too early. 0 or -ENOMEM. */
int viewer_trace_ask(struct viewer_trace *trace, struct viewer *viewer, uint64_t now_ns);
/* When it would; UINT64_MAX: not before a reply. */
uint64_t viewer_trace_due(const struct viewer_trace *trace);
/* 1 = a batch is complete, 0 = more is asked for; -ENOMEM; other errors break the trace, the diag
 * says why. */
int viewer_trace_take(struct viewer_trace *trace, const struct viewer_reply *reply,
		      uint64_t retry_ns, struct diag *diag);
/*
 * A packet of the stream class @id is announced. If that class is not declared, its declaration is on the way: there may
 * be more, and packets wait for it, for a limited number of replies.
 */
void viewer_trace_need(struct viewer_trace *trace, uint64_t id);
/* What was made last is in use from here on. 0 or -ENOMEM. */
int viewer_trace_renew(struct viewer_trace *trace);

/* The connection is gone. */
void viewer_trace_break(struct viewer_trace *trace);
/* Whether @trace describes all that the orphan @old did, so that it continues it. */
bool viewer_trace_continues(const struct viewer_trace *trace, const struct viewer_trace *old);
/* Then @trace takes over the identity of @old, whose classes are in use. */
void viewer_trace_inherit(struct viewer_trace *trace, struct viewer_trace *old);

#endif /* SONDE_LIVE_VIEWER_VIEWER_TRACE_H */
