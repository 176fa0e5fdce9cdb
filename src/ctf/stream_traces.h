/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stream_traces: which stream classes are of which trace, where several traces were written as one: an
 * entry of the environment, "ID TRACE,ID TRACE", as of other numbers that metadata has no place for.
 */
#ifndef SONDE_CTF_STREAM_TRACES_H
#define SONDE_CTF_STREAM_TRACES_H

#include <stddef.h>
#include <stdint.h>

struct buffer;
struct trace_stream;

#define STREAM_TRACES_ENV "sonde_stream_traces"

/* Appends one stream class. */
void stream_traces_add(struct buffer *text, uint64_t id, uint32_t trace);
/* Sets the trace of the @streams that @text has, by their id. Text that is not of that form, and
 * all after it, has no effect. 0 or -ENOMEM. */
int stream_traces_read(const char *text, struct trace_stream *streams, size_t count);

#endif /* SONDE_CTF_STREAM_TRACES_H */
