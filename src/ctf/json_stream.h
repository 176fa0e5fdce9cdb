/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * json_stream: data stream classes and the event record classes in them (CTF 2, sections 5.8, 5.9).
 */
#ifndef SONDE_CTF_JSON_STREAM_H
#define SONDE_CTF_JSON_STREAM_H

#include <jansson.h>

struct json_reader;

/* Each takes in one fragment. */
int json_stream_read(struct json_reader *reader, const json_t *fragment);
int json_stream_read_event(struct json_reader *reader, const json_t *fragment);

#endif /* SONDE_CTF_JSON_STREAM_H */
