/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * json_clock: clock classes of CTF 2 (section 5.7).
 */
#ifndef SONDE_CTF_JSON_CLOCK_H
#define SONDE_CTF_JSON_CLOCK_H

#include <jansson.h>

struct ctf_clock;
struct ctf_trace_class;
struct json_reader;

/* Takes in one fragment. */
int json_clock_read(struct json_reader *reader, const json_t *fragment);
/* The one whose id is @id; NULL = not found. */
struct ctf_clock *json_clock_find(const struct ctf_trace_class *trace, const char *id);

#endif /* SONDE_CTF_JSON_CLOCK_H */
