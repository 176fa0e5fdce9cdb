/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stream_open: opens the stream files of trace directories, compressed or not: chooses the kind of stream_input by
 * the name.
 */
#ifndef SONDE_TRACE_STREAM_OPEN_H
#define SONDE_TRACE_STREAM_OPEN_H

struct stream_input;

/* A stream file in directory @dir, compressed where its name ends so (wire/frame.h), with its index
 * in index/ if there is one. The caller closes. */
int stream_open(int dir, const char *name, struct stream_input **ret);
/*
 * The same of one of very many streams: no file stays open, each read opens it by the path of the folder. A compressed
 * one is opened as above.
 */
int stream_open_many(int dir, const char *folder, const char *name, struct stream_input **ret);

#endif /* SONDE_TRACE_STREAM_OPEN_H */
