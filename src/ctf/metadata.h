/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * metadata: reads a trace's metadata, as text or cut into packets: TSDL (CTF 1.8.3) or, where it
 * begins with a record separator, JSON (CTF 2).
 */
#ifndef SONDE_CTF_METADATA_H
#define SONDE_CTF_METADATA_H

#include <stddef.h>

struct ctf_trace_class;
struct diag;

/*
 * Reads @len bytes. On success the caller owns *@ret, which borrows nothing of @text. A text that
 * breaks off in the middle, of a word too, still succeeds where at least one event class is complete: then
 * (*ret)->cut is set. -EBADMSG malformed, -ENODATA cut too early, -E2BIG over a limit of
 * wire/ctf.h, -ENOTSUP a version or a type that cannot be read; the diag has line and offset.
 */
int metadata_read(const char *text, size_t len, struct ctf_trace_class **ret, struct diag *diag);
/* The same without event classes, which are most of large metadata, and take most of the time: what is wrong with them is
 * not found. */
int metadata_read_head(const char *text, size_t len, struct ctf_trace_class **ret,
		       struct diag *diag);

#endif /* SONDE_CTF_METADATA_H */
