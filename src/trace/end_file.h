/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * end_file: the end mark of a trace that sonde convert writes: a hidden file of lines, written after all streams
 * (END MARK in sonde-trace(5)). trace/ctf_sink writes it; trace/reader compares it with the files of the trace.
 * A converted trace without it is incomplete. Invariant: the streams of a loaded mark are in the order of their names.
 */
#ifndef SONDE_TRACE_END_FILE_H
#define SONDE_TRACE_END_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "trace/end_notes.h"

struct problem_list;
struct trace_end;

/* In the environment of a trace that ends with such a file: the version of its form. */
#define END_FILE_ENV "sonde_end_file"
#define END_FILE_VERSION 1
#define END_FILE_NAME ".end"

/* Collects the lines. */
struct end_file_writer {
	struct buffer lines;
	uint64_t events;
	uint64_t lost;
	uint32_t streams;
};

void end_file_writer_init(struct end_file_writer *writer);
void end_file_writer_fini(struct end_file_writer *writer);
/* @name: of the stream's file, without a suffix of compression. Of @total only events, lost, packets and
 * last_packet count. */
void end_file_stream(struct end_file_writer *writer, const char *name,
		     const struct stream_total *total);
/* A sentence about what the source turned out to lack. */
void end_file_missing(struct end_file_writer *writer, const char *sentence);
/* Makes the file in @dir. 0 or -errno. */
int end_file_write(struct end_file_writer *writer, int dir);

struct end_file_stream {
	const char *name; /* in `text` */
	struct stream_total total; /* without a CPU, a level and a time */
};

struct end_file {
	char *text; /* NULL: no such file */
	struct end_file_stream *streams;
	size_t count;
};

/* @text: allocated, @len bytes and a NUL; @file owns it. -EBADMSG if it is damaged. @missing gets what the source of
 * the trace lacked. */
int end_file_parse(struct end_file *file, char *text, size_t len, struct problem_list *missing);
/* The same of the file in @dir. -ENOENT without a file; -errno. */
int end_file_load(struct end_file *file, int dir, struct problem_list *missing);
void end_file_fini(struct end_file *file);
/* What loading or parsing it as @err means for a trace that should have it: @end says so. */
void end_file_judge(int err, struct trace_end *end);
/* The mark of stream file @name; NULL if it has none. */
const struct end_file_stream *end_file_find(const struct end_file *file, const char *name);

#endif /* SONDE_TRACE_END_FILE_H */
