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

struct stream_input;

/* Whether a stream file of this name is compressed. */
bool frame_input_is(const char *name);
/* As stream_open, which calls this. */
int frame_input_open(int dir, const char *name, struct stream_input **ret);

#endif /* SONDE_TRACE_FRAME_INPUT_H */
