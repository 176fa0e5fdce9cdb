/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * json_fragment: fragments of CTF 2 metadata (sections 5.4 to 5.9), each added to the trace class.
 */
#ifndef SONDE_CTF_JSON_FRAGMENT_H
#define SONDE_CTF_JSON_FRAGMENT_H

#include <stddef.h>

#include <jansson.h>

struct json_reader;

/* Takes in @fragment, which has @values JSON values. */
int json_fragment_read(struct json_reader *reader, json_t *fragment, size_t values);

#endif /* SONDE_CTF_JSON_FRAGMENT_H */
