/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * json_text: one JSON text from untrusted bytes as a tree of jansson's.
 *
 * The bytes are looked over before they are parsed, so that neither their depth nor the number of
 * their values exceeds what wire/ctf.h allows. Integers above INT64_MAX, for which jansson has no
 * value, become strings of their digits; json_value takes them back.
 */
#ifndef SONDE_CTF_JSON_TEXT_H
#define SONDE_CTF_JSON_TEXT_H

#include <stddef.h>

#include <jansson.h>

struct diag;

/*
 * Parses @len bytes. The caller owns *@ret (json_decref); *@ret_values is the number of values in
 * it. -EBADMSG malformed, -ENODATA it breaks off, -E2BIG over a limit; the diag's offset counts
 * from @text.
 */
int json_text_parse(const char *text, size_t len, json_t **ret, size_t *ret_values,
		    struct diag *diag);

#endif /* SONDE_CTF_JSON_TEXT_H */
