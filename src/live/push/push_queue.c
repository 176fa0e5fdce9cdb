// SPDX-License-Identifier: BSD-2-Clause
#include "live/push/push_queue.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A place has room for the head of an item at least: these are as long as places are aligned. */
#define ALIGNMENT sizeof(struct push_item)

_Static_assert(ALIGNMENT == 16, "a power of two");

int push_queue_init(struct push_queue *queue, size_t room)
{
	*queue = (struct push_queue){.memory = malloc(room), .room = room};
	return queue->memory ? 0 : -ENOMEM;
}

void push_queue_fini(struct push_queue *queue)
{
	free(queue->memory);
	queue->memory = NULL;
}

static struct push_item *place(const struct push_queue *queue, uint64_t at)
{
	return (struct push_item *)(queue->memory + (at & (queue->room - 1)));
}

static size_t to_the_end(const struct push_queue *queue, uint64_t at)
{
	return queue->room - (size_t)(at & (queue->room - 1));
}

static size_t taken_by(size_t len)
{
	return (sizeof(struct push_item) + len + ALIGNMENT - 1) & ~(ALIGNMENT - 1);
}

bool push_queue_put(struct push_queue *queue, const struct push_item *item, const void *bytes)
{
	uint64_t tail = queue->tail;
	size_t len = item->len, want = taken_by(len), end = to_the_end(queue, tail);
	size_t skip = want > end ? end : 0;

	if (len > queue->room || want + skip > queue->room - push_queue_bytes(queue))
		return false;
	if (skip)
		*place(queue, tail) = (struct push_item){.kind = PUSH_SKIP};
	tail += skip;
	*place(queue, tail) = *item;
	memcpy(place(queue, tail)->bytes, bytes, len);
	__atomic_store_n(&queue->tail, tail + want, __ATOMIC_RELEASE);
	return true;
}

size_t push_queue_bytes(const struct push_queue *queue)
{
	/* In this order: the head never overtakes the tail. */
	uint64_t head = __atomic_load_n(&queue->head, __ATOMIC_ACQUIRE);

	return (size_t)(__atomic_load_n(&queue->tail, __ATOMIC_ACQUIRE) - head);
}

const struct push_item *push_queue_look(const struct push_queue *queue, uint64_t *at)
{
	uint64_t tail = __atomic_load_n(&queue->tail, __ATOMIC_ACQUIRE);
	const struct push_item *item;

	if (*at == tail)
		return NULL;
	if (place(queue, *at)->kind == PUSH_SKIP)
		*at += to_the_end(queue, *at);
	item = place(queue, *at);
	*at += taken_by(item->len);
	return item;
}

const struct push_item *push_queue_take(struct push_queue *queue)
{
	return push_queue_look(queue, &queue->next);
}

void push_queue_release(struct push_queue *queue)
{
	__atomic_store_n(&queue->head, queue->next, __ATOMIC_RELEASE);
}

void push_queue_rewind(struct push_queue *queue)
{
	queue->next = queue->head;
}
