/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * packet_queue: packets that wait, first in, first out, in memory of a fixed size. One puts them in,
 * one takes them out; the lock is theirs.
 */
#ifndef SONDE_TRACE_PACKET_QUEUE_H
#define SONDE_TRACE_PACKET_QUEUE_H

#include <stddef.h>
#include <stdint.h>

struct stream_file;

struct packet_queue {
	uint8_t *memory;
	size_t room;
	uint64_t head; /* bytes ever taken out, and put in: places are these modulo room */
	uint64_t tail;
};

/* What lies in front of each packet; @len = 0: nothing does from here to the end of the memory. */
struct queued_packet {
	struct stream_file *stream;
	size_t len;
	uint8_t bytes[];
};

/* @room: a power of two. 0 or -ENOMEM. */
int packet_queue_init(struct packet_queue *queue, size_t room);
void packet_queue_fini(struct packet_queue *queue);

/* Room for a packet of @len bytes, which is not in the queue before packet_queue_push; NULL = it
 * is full. */
struct queued_packet *packet_queue_reserve(struct packet_queue *queue, size_t len);
void packet_queue_push(struct packet_queue *queue, const struct queued_packet *packet);
/* The oldest, or NULL; it stays in its place until packet_queue_pop. */
const struct queued_packet *packet_queue_first(struct packet_queue *queue);
void packet_queue_pop(struct packet_queue *queue);
/* Memory that is taken. */
size_t packet_queue_bytes(const struct packet_queue *queue);

#endif /* SONDE_TRACE_PACKET_QUEUE_H */
