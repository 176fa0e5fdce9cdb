// SPDX-License-Identifier: BSD-2-Clause
#include "pending.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

int pending_init(struct pending *pending)
{
	memset(pending, 0, sizeof(*pending));
	pending->heap = calloc(PENDING_MAX, sizeof(struct packet *));
	return pending->heap ? 0 : -ENOMEM;
}

void pending_fini(struct pending *pending)
{
	while (pending->count)
		free(pending->heap[--pending->count]);
	free(pending->heap);
	pending->heap = NULL;
}

struct packet *packet_new(const struct frame *frame, const uint8_t *bytes)
{
	struct packet *packet = malloc(sizeof(*packet) + frame->length);

	if (!packet)
		return NULL;
	memset(packet, 0, sizeof(*packet));
	packet->frame = *frame;
	memcpy(packet->bytes, bytes, frame->length);
	return packet;
}

static bool is_before(const struct packet *one, const struct packet *other)
{
	return one->due_ns != other->due_ns ? one->due_ns < other->due_ns :
					      one->number < other->number;
}

static void swap(struct pending *pending, size_t i, size_t j)
{
	struct packet *packet = pending->heap[i];

	pending->heap[i] = pending->heap[j];
	pending->heap[j] = packet;
}

int pending_push(struct pending *pending, struct packet *packet)
{
	size_t i = pending->count;

	if (pending->count == PENDING_MAX) {
		free(packet);
		return -ENOSPC;
	}
	packet->number = pending->arrived++;
	pending->heap[pending->count++] = packet;
	while (i && is_before(pending->heap[i], pending->heap[(i - 1) / 2])) {
		swap(pending, i, (i - 1) / 2);
		i = (i - 1) / 2;
	}
	return 0;
}

const struct packet *pending_first(const struct pending *pending)
{
	return pending->count ? pending->heap[0] : NULL;
}

struct packet *pending_take(struct pending *pending)
{
	struct packet *first = pending->heap[0];
	size_t i = 0, child;

	pending->heap[0] = pending->heap[--pending->count];
	while ((child = 2 * i + 1) < pending->count) {
		if (child + 1 < pending->count &&
		    is_before(pending->heap[child + 1], pending->heap[child]))
			child++;
		if (!is_before(pending->heap[child], pending->heap[i]))
			break;
		swap(pending, i, child);
		i = child;
	}
	return first;
}
