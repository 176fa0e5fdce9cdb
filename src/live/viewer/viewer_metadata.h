/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * viewer_metadata: the metadata of one trace as a relay sends it, piece after piece: packets, in either byte
 * order, or plain text, or first one and then the other. All of its text is kept: metadata that has grown is
 * parsed again as a whole.
 */
#ifndef SONDE_LIVE_VIEWER_VIEWER_METADATA_H
#define SONDE_LIVE_VIEWER_VIEWER_METADATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

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

#endif /* SONDE_LIVE_VIEWER_VIEWER_METADATA_H */
