/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * compact: recognises our own event header (wire/record.h) in a stream class. There the task is
 * part of the head, and no field of events.
 */
#ifndef SONDE_CTF_COMPACT_H
#define SONDE_CTF_COMPACT_H

#include <stdbool.h>

struct ctf_stream_class;

/* Once references are resolved. */
bool compact_is(const struct ctf_stream_class *stream);

#endif /* SONDE_CTF_COMPACT_H */
