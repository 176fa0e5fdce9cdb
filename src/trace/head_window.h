/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * head_window: the heads of a stream's packets, one after the other, for trace/stream_seek and trace/stream_ends. Bytes that were
 * read are used again: small packets take one read for many of them, and of a large packet only its head is read.
 */
#ifndef SONDE_TRACE_HEAD_WINDOW_H
#define SONDE_TRACE_HEAD_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/ctf.h"

struct ctf_trace_class;
struct packet;
struct stream_input;

#define HEAD_WINDOW_HEAD_BYTES 1024u /* a packet whose head is longer is not found */

/* The caller's; the first four members are set, the others zeros. */
struct head_window {
	struct stream_input *input;
	const struct ctf_trace_class *trace;
	uint8_t *bytes;
	size_t room; /* of these: HEAD_WINDOW_HEAD_BYTES at least */
	uint64_t at; /* offset in the input of what is there */
	size_t len;
	uint64_t slots[CTF_SLOTS_MAX];
};

/* The head of the packet at @offset. False: no packet begins there. */
bool head_window_parse(struct head_window *window, uint64_t offset, struct packet *ret);

#endif /* SONDE_TRACE_HEAD_WINDOW_H */
