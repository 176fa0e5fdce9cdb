// SPDX-License-Identifier: BSD-2-Clause
#include "trace/packet_queue.h"

#include <errno.h>
#include <stdlib.h>

int packet_queue_init(struct packet_queue *queue, size_t room)
{
	*queue = (struct packet_queue){.memory = malloc(room), .room = room};
	return queue->memory ? 0 : -ENOMEM;
}

void packet_queue_fini(struct packet_queue *queue)
{
	free(queue->memory);
	queue->memory = NULL;
}

static struct queued_packet *place(const struct packet_queue *queue, uint64_t at)
{
	return (struct queued_packet *)(queue->memory + (at & (queue->room - 1)));
}

/* To the end of the memory, which has room for a head at least: heads are as long as they are
 * aligned, or half of that. */
static size_t left(const struct packet_queue *queue, uint64_t at)
{
	return queue->room - (size_t)(at & (queue->room - 1));
}

static size_t taken_by(size_t len)
{
	return (sizeof(struct queued_packet) * 2 - 1 + len) & -sizeof(struct queued_packet);
}

struct queued_packet *packet_queue_reserve(struct packet_queue *queue, size_t len)
{
	size_t want = taken_by(len), end = left(queue, queue->tail);
	size_t free_bytes = queue->room - packet_queue_bytes(queue);

	if (len > queue->room || want + (want > end ? end : 0) > free_bytes)
		return NULL;
	if (want > end) {
		*place(queue, queue->tail) = (struct queued_packet){.len = 0};
		queue->tail += end;
	}
	*place(queue, queue->tail) = (struct queued_packet){.len = len};
	return place(queue, queue->tail);
}

void packet_queue_push(struct packet_queue *queue, const struct queued_packet *packet)
{
	queue->tail += taken_by(packet->len);
}

const struct queued_packet *packet_queue_first(struct packet_queue *queue)
{
	if (queue->head != queue->tail && !place(queue, queue->head)->len)
		queue->head += left(queue, queue->head);
	return queue->head == queue->tail ? NULL : place(queue, queue->head);
}

void packet_queue_pop(struct packet_queue *queue)
{
	const struct queued_packet *packet = packet_queue_first(queue);

	if (packet)
		queue->head += taken_by(packet->len);
}

size_t packet_queue_bytes(const struct packet_queue *queue)
{
	return (size_t)(queue->tail - queue->head);
}
