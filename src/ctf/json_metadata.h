/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * json_metadata: reads metadata of CTF 2 (CTF2-SPEC-2.0, section 5): a sequence of JSON texts (RFC
 * 7464), each of which describes a part of the trace and never changes once it is written.
 */
#ifndef SONDE_CTF_JSON_METADATA_H
#define SONDE_CTF_JSON_METADATA_H

#include <stdbool.h>
#include <stddef.h>

struct ctf_trace_class;
struct diag;

/* Whether it is metadata of CTF 2, and not TSDL. */
bool json_metadata_is(const char *text, size_t len);
/*
 * Fills @trace, which ctf/resolve then has to finish. -ENODATA: the last fragment breaks off, and
 * @trace has what is before it. Other errors: -EBADMSG malformed, -E2BIG over a limit, -ENOTSUP
 * what cannot be read; the diag names fragment and property, its line is the fragment's number.
 */
int json_metadata_read(const char *text, size_t len, struct ctf_trace_class *trace,
		       struct diag *diag);

#endif /* SONDE_CTF_JSON_METADATA_H */
