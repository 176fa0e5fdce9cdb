/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * session_metadata: the metadata of a published trace as viewers get it: of CTF 1.8 packets of 4096
 * bytes as LTTng's (CTF 1.8.3, section 7.1), in the trace's byte order and with its UUID; for CTF 2 the text
 * unchanged. It only grows; each viewer is somewhere in it.
 */
#ifndef SONDE_LIVE_SESSION_SESSION_METADATA_H
#define SONDE_LIVE_SESSION_SESSION_METADATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "wire/ctf.h"
#include "wire/lttng_live.h"

struct diag;

#define SESSION_METADATA_PACKET_BYTES 4096u

struct session_metadata {
	struct buffer wire; /* what viewers get */
	struct buffer text; /* what that says */
	enum live_format format;
	bool big_endian;
	uint8_t uuid[CTF_UUID_BYTES];
	char host[LIVE_HOST_BYTES]; /* as its environment says, or "" */
	bool snapshots; /* likewise: the recorder keeps the newest in memory until it is to write that */
	bool converted; /* likewise: its end mark is a file */
};

void session_metadata_init(struct session_metadata *metadata);
void session_metadata_fini(struct session_metadata *metadata);
/* As session_trace_metadata. */
int session_metadata_set(struct session_metadata *metadata, const char *bytes, size_t len,
			 struct diag *diag);
/* How many bytes a reply may have that begins at @at: whole packets, and not too many. */
size_t session_metadata_piece(const struct session_metadata *metadata, size_t at);

#endif /* SONDE_LIVE_SESSION_SESSION_METADATA_H */
