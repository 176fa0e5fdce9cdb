/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * frame_input: a compressed stream file (wire/frame.h) as the stream that it was made of. Offsets
 * are those of that stream. The content of one frame is in memory, whatever the file's size.
 *
 * Frames are found one behind the other; stream_input_locate enters the file anywhere, by an entry
 * of its index.
 */
#ifndef SONDE_TRACE_FRAME_INPUT_H
#define SONDE_TRACE_FRAME_INPUT_H

#include <stdbool.h>

/*
 * Opens the stream files of trace directories, compressed or not: chooses the kind of stream_input by
 * the name.
 */

struct stream_input;

/* A stream file in directory @dir, compressed where its name ends so (wire/frame.h), with its index
 * in index/ if there is one. The caller closes. */
int stream_open(int dir, const char *name, struct stream_input **ret);
/*
 * The same of one of very many streams: no file stays open, each read opens it by the path of the folder. A compressed
 * one is opened as above.
 */
int stream_open_many(int dir, const char *folder, const char *name, struct stream_input **ret);

/* Whether a stream file of this name is compressed. */
bool frame_input_is(const char *name);
/* As stream_open, which calls this. */
int frame_input_open(int dir, const char *name, struct stream_input **ret);

#endif /* SONDE_TRACE_FRAME_INPUT_H */
