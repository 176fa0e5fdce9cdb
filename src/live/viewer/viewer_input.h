/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * viewer_input: the packets received of one stream, one behind the other, as a stream_input. Offsets
 * count received bytes: bytes that were read are freed, unless they are kept to be read once more.
 */
#ifndef SONDE_LIVE_VIEWER_VIEWER_INPUT_H
#define SONDE_LIVE_VIEWER_VIEWER_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct stream_input;

/* The directory of files without a name. */
const char *viewer_input_folder(void);
/* @name: for messages. @keep: nothing goes; it is in a file without a name then. 0 or -errno. */
int viewer_input_new(const char *name, bool keep, struct stream_input **ret);
/* What is kept in @input, from its begin; @input can be closed then. 0 or -errno. */
int viewer_input_again(const struct stream_input *input, struct stream_input **ret);
/* @len bytes more of a packet. 0 or -errno. */
int viewer_input_append(struct stream_input *input, const void *bytes, size_t len);
/* The packet is whole. */
void viewer_input_end_packet(struct stream_input *input);
/* Drops the part of a packet that is not complete. */
void viewer_input_drop(struct stream_input *input);
/* Readers see packets only once they are whole and shown. */
void viewer_input_show(struct stream_input *input);
bool viewer_input_is_shown(const struct stream_input *input);
/* Bytes that are there and not read. */
uint64_t viewer_input_left(const struct stream_input *input);

#endif /* SONDE_LIVE_VIEWER_VIEWER_INPUT_H */
