/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * metadata: reads a trace's metadata, as text or cut into packets: TSDL (CTF 1.8.3) or, where it
 * begins with a record separator, JSON (CTF 2).
 */
#ifndef SONDE_CTF_METADATA_H
#define SONDE_CTF_METADATA_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Metadata that is cut into packets (CTF 1.8.3, section 7.1; CTF2-PMETA-1.0),
 * joined to one text.
 */

struct diag;

bool metadata_packet_is(const char *bytes, size_t len);
/* How long the packet is that begins at @bytes, of which CTF_METADATA_HEAD_BYTES at least are there. 0, or
 * as metadata_packet_join. */
int metadata_packet_bytes(const char *bytes, size_t len, size_t *ret, struct diag *diag);
/*
 * The caller frees *@ret. A last packet that is cut off gives what is there. -EBADMSG where a
 * packet is malformed, -ENOTSUP where it is compressed, encrypted or of another version.
 */
int metadata_packet_join(const char *bytes, size_t len, char **ret, size_t *ret_len,
			 struct diag *diag);

struct ctf_trace_class;

/*
 * Reads @len bytes. On success the caller owns *@ret, which borrows nothing of @text. A text that
 * breaks off in the middle, of a word too, still succeeds where at least one event class is complete: then
 * (*ret)->cut is set. -EBADMSG malformed, -ENODATA cut too early, -E2BIG over a limit of
 * wire/ctf.h, -ENOTSUP a version or a type that cannot be read; the diag has line and offset.
 */
int metadata_read(const char *text, size_t len, struct ctf_trace_class **ret, struct diag *diag);
/* The same without event classes, which are most of large metadata and take most of the time: mistakes in them are
 * not found. */
int metadata_read_head(const char *text, size_t len, struct ctf_trace_class **ret,
		       struct diag *diag);

#endif /* SONDE_CTF_METADATA_H */
