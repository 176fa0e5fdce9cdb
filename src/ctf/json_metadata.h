/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * json_metadata: reads metadata of CTF 2 (CTF2-SPEC-2.0, section 5): a sequence of JSON texts (RFC
 * 7464), each of which describes a part of the trace and never changes once it is written.
 */
#ifndef SONDE_CTF_JSON_METADATA_H
#define SONDE_CTF_JSON_METADATA_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * One JSON text from untrusted bytes as a tree of jansson's.
 *
 * The bytes are looked over before they are parsed, so that neither their depth nor the number of
 * their values exceeds what wire/ctf.h allows. Integers above INT64_MAX, for which jansson has no
 * value, become strings of their digits; json_value takes them back.
 */

struct diag;

/*
 * Parses @len bytes. The caller owns *@ret (json_decref); *@ret_values is the number of values in
 * it. -EBADMSG malformed, -ENODATA it breaks off, -E2BIG over a limit; the diag's offset counts
 * from @text.
 */
int json_text_parse(const char *text, size_t len, json_t **ret, size_t *ret_values,
		    struct diag *diag);

struct ctf_trace_class;

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
