/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * json_metadata_write: metadata of CTF 2 (CTF2-SPEC-2.0, section 5) for a trace whose streams stay as
 * they are, whether they were described in TSDL or in JSON: each type becomes a field class that lies
 * as the type does, and what names mean to readers of CTF 1.8 becomes roles.
 */
#ifndef SONDE_CTF_JSON_METADATA_WRITE_H
#define SONDE_CTF_JSON_METADATA_WRITE_H

#include <stddef.h>

struct buffer;
struct ctf_trace_class;
struct diag;

/*
 * Appends all fragments. -ENOTSUP: CTF 2 has no form for something of @trace, the diag says for what;
 * -ENOMEM. On failure some of it may have been appended.
 */
int json_metadata_write(const struct ctf_trace_class *trace, struct buffer *out, struct diag *diag);

/* The same of the trace that @len bytes of metadata, of either form, describe. Errors as those of
 * metadata_read, too. */
int json_metadata_translate(const char *metadata, size_t len, struct buffer *out,
			    struct diag *diag);

#endif /* SONDE_CTF_JSON_METADATA_WRITE_H */
