/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * push_sender: takes what is in a push_queue to a session on a relay, in the order that viewers need:
 * first the streams, then the metadata, then the packets, then how far all is complete. What the relay
 * has confirmed is released.
 */
#ifndef SONDE_LIVE_PUSH_PUSH_SENDER_H
#define SONDE_LIVE_PUSH_PUSH_SENDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

struct push_queue;
struct push_session;

/* A copy of the metadata. */
struct push_text {
	size_t len;
	char bytes[];
};

struct push_sender {
	struct push_queue *queue;
	struct push_text *text; /* owned */
	size_t text_sent; /* of it, in this session */
	struct buffer kept; /* packets of the recorder's own stream, each behind its u64 length: a
			     * session that comes later gets them again for their names */
	struct buffer fresh; /* those that are not confirmed */
	uint64_t packets; /* confirmed ones */
	uint64_t bytes;
	uint64_t taken_packets; /* and those that are not yet */
	uint64_t taken_bytes;
	uint64_t until_ns; /* the latest that was said to be complete */
};

void push_sender_init(struct push_sender *sender, struct push_queue *queue);
void push_sender_fini(struct push_sender *sender);
/* Takes @text, which begins with the text before. */
void push_sender_text(struct push_sender *sender, struct push_text *text);
/* A session begins. 0 or what push_session says. */
int push_sender_start(struct push_sender *sender, struct push_session *ps);
/* Sends what may go. @all: that is everything. */
int push_sender_send(struct push_sender *sender, struct push_session *ps, bool all);

#endif /* SONDE_LIVE_PUSH_PUSH_SENDER_H */
