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

/*
 * Data in transit from the recorder to a relay, in memory of a fixed size. One thread
 * puts in, another takes out; neither ever waits for the other, and no lock is used.
 *
 * What was taken stays until it is released: should the connection break, it is sent again.
 */

enum push_kind {
	PUSH_SKIP, /* the queue's own */
	PUSH_PACKET, /* as a packet_sink gets it */
	PUSH_COMPLETE, /* a struct push_complete */
};

struct push_item {
	uint32_t kind;
	uint32_t len;
	uint64_t lost; /* packets of the same stream, directly before this one */
	uint8_t bytes[];
};

struct push_complete {
	uint64_t until_ns; /* nothing that begins before is still to be put in */
	uint64_t now_ns; /* when that was said: everything before it ended before */
};

struct push_queue {
	uint8_t *memory;
	size_t room;
	/* Bytes ever; places are these modulo room. */
	uint64_t tail; /* put in; the writer's */
	uint64_t head; /* released; the reader's */
	uint64_t next; /* taken; only the reader uses it */
};

/* @room: a power of two. 0 or -ENOMEM. */
int push_queue_init(struct push_queue *queue, size_t room);
void push_queue_fini(struct push_queue *queue);

/* The writer: a copy of @item, whose bytes are @bytes. False if the queue is full. */
bool push_queue_put(struct push_queue *queue, const struct push_item *item, const void *bytes);
/* Anybody: bytes that are not released. */
size_t push_queue_bytes(const struct push_queue *queue);

/* The reader: the item behind place *@at, which moves on to behind it; NULL = none. Starts at
 * queue->next, or further on, to look ahead. */
const struct push_item *push_queue_look(const struct push_queue *queue, uint64_t *at);
/* The next one, which counts as taken. Borrowed until it is released. */
const struct push_item *push_queue_take(struct push_queue *queue);
/* All that was taken is done with, or has to be taken again. */
void push_queue_release(struct push_queue *queue);
void push_queue_rewind(struct push_queue *queue);

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
