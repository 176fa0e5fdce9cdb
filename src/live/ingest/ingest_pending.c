// SPDX-License-Identifier: BSD-2-Clause
#include "live/ingest/ingest_pending.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#define ROOM_LEAST 16u

void ingest_pending_init(struct ingest_pending *pending, size_t *total)
{
	*pending = (struct ingest_pending){.total = total};
}

void ingest_pending_fini(struct ingest_pending *pending)
{
	if (pending->total)
		*pending->total -= pending->count;
	free(pending->packets);
	*pending = (struct ingest_pending){0};
}

bool ingest_pending_is_sound(const struct ingest_pending *pending)
{
	bool data_ahead = pending->next_data > pending->next_index;
	uint64_t least = data_ahead ? pending->next_index : pending->next_data;
	uint64_t most = data_ahead ? pending->next_data : pending->next_index;

	return pending->done == least && pending->count == most - least &&
	       pending->count <= INGEST_PENDING_MAX && pending->count <= pending->room &&
	       pending->count <= *pending->total &&
	       (pending->has_first || (!most && !pending->has_index));
}

static struct ingest_packet *place(const struct ingest_pending *pending, size_t i)
{
	return &pending->packets[(pending->head + i) & (pending->room - 1)];
}

/* Whether packet @number may be the one that comes next, if @next is expected. */
static bool is_next(const struct ingest_pending *pending, uint64_t number, uint64_t next)
{
	return number != RELAY_NO_PACKET && (!pending->has_first || number == next);
}

static void set_first(struct ingest_pending *pending, uint64_t number)
{
	if (pending->has_first)
		return;
	pending->has_first = true;
	pending->done = pending->next_data = pending->next_index = number;
}

static int grow(struct ingest_pending *pending)
{
	size_t room = pending->room ? 2 * pending->room : ROOM_LEAST;
	struct ingest_packet *packets;

	if (pending->count < pending->room)
		return 0;
	packets = malloc(room * sizeof(*packets));
	if (!packets)
		return -ENOMEM;
	for (size_t i = 0; i < pending->count; i++)
		packets[i] = *place(pending, i);
	free(pending->packets);
	pending->packets = packets;
	pending->room = room;
	pending->head = 0;
	return 0;
}

static int push(struct ingest_pending *pending, const struct ingest_packet *packet)
{
	int err;

	if (pending->count == INGEST_PENDING_MAX || *pending->total >= INGEST_PENDING_ALL)
		return -ENOBUFS;
	err = grow(pending);
	if (err)
		return err;
	*place(pending, pending->count) = *packet;
	pending->count++;
	++*pending->total;
	return 0;
}

static void pop(struct ingest_pending *pending)
{
	pending->head = (pending->head + 1) & (pending->room - 1);
	pending->count--;
	--*pending->total;
	pending->done++;
}

static bool fit(const struct ingest_packet *data, const struct ingest_index *index)
{
	return index->packet_bits / 8 == data->bytes;
}

int ingest_pending_begin(struct ingest_pending *pending, uint64_t number)
{
	if (!is_next(pending, number, pending->next_data))
		return -EPROTO;
	set_first(pending, number);
	return 0;
}

int ingest_pending_data(struct ingest_pending *pending, const struct ingest_packet *data,
			struct ingest_packet *whole)
{
	int err;

	if (!pending->has_first || !is_next(pending, data->number, pending->next_data))
		return -EPROTO;
	if (pending->next_data < pending->next_index) {
		const struct ingest_packet *first = place(pending, 0);

		if (!fit(data, &first->index))
			return -EPROTO;
		*whole = *data;
		whole->index = first->index;
		pop(pending);
		pending->next_data++;
		assert(ingest_pending_is_sound(pending));
		return 1;
	}
	if (pending->count == INGEST_PENDING_MAX)
		ingest_pending_give_up(pending);
	if (pending->given_up) {
		pending->done = pending->next_index = ++pending->next_data;
		return 0;
	}
	err = push(pending, data);
	if (!err)
		pending->next_data++;
	assert(ingest_pending_is_sound(pending));
	return err;
}

int ingest_pending_index(struct ingest_pending *pending, const struct ingest_index *index,
			 struct ingest_packet *whole)
{
	const struct ingest_packet packet = {.number = index->number, .index = *index};
	int got = 1;

	if (pending->given_up || !is_next(pending, index->number, pending->next_index))
		return -EPROTO;
	if (pending->next_index < pending->next_data) {
		const struct ingest_packet *first = place(pending, 0);

		if (!fit(first, index))
			return -EPROTO;
		*whole = *first;
		whole->index = *index;
		pop(pending);
	} else {
		set_first(pending, index->number);
		got = push(pending, &packet);
	}
	if (got >= 0) {
		pending->has_index = true;
		pending->next_index++;
	}
	assert(ingest_pending_is_sound(pending));
	return got;
}

struct ingest_packet *ingest_pending_get(struct ingest_pending *pending, uint64_t i)
{
	return pending->next_data > pending->next_index && i < pending->count ?
		       place(pending, (size_t)i) :
		       NULL;
}

void ingest_pending_give_up(struct ingest_pending *pending)
{
	if (pending->has_index)
		return;
	pending->given_up = true;
	*pending->total -= pending->count;
	pending->count = 0;
	pending->done = pending->next_index = pending->next_data;
	assert(ingest_pending_is_sound(pending));
}

bool ingest_pending_has(const struct ingest_pending *pending, uint64_t last)
{
	uint64_t until = pending->has_index ? pending->done : pending->next_data;

	return last == RELAY_NO_PACKET || (pending->has_first && until > last);
}
