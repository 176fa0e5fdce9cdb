// SPDX-License-Identifier: BSD-2-Clause
#include "live/push/push_sender.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "live/push/push_session.h"
#include "wire/record.h"

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

#define KEPT_MAX (4u << 20)

void push_sender_init(struct push_sender *sender, struct push_queue *queue)
{
	*sender = (struct push_sender){.queue = queue};
	buffer_init(&sender->kept);
	buffer_init(&sender->fresh);
}

void push_sender_fini(struct push_sender *sender)
{
	free(sender->text);
	buffer_fini(&sender->kept);
	buffer_fini(&sender->fresh);
}

void push_sender_text(struct push_sender *sender, struct push_text *text)
{
	free(sender->text);
	sender->text = text;
}

static struct packet_head head_of(const void *packet)
{
	struct packet_head head;

	memcpy(&head, packet, sizeof(head));
	return head;
}

/* What the packets that follow @packet need. */
static int send_text(struct push_sender *sender, struct push_session *ps, const void *packet)
{
	const struct push_text *text = sender->text;
	const struct packet_head head = head_of(packet);
	int err;

	if (!text || text->len == sender->text_sent)
		return 0;
	err = push_session_metadata(ps, head.uuid, text->bytes + sender->text_sent,
				    text->len - sender->text_sent);
	sender->text_sent = text->len;
	return err;
}

static int send_one(struct push_sender *sender, struct push_session *ps, const void *packet,
		    size_t len)
{
	return send_text(sender, ps, packet) ?: push_session_packet(ps, packet, len);
}

/* Readers know losses by the numbers of two packets. Where the one before was in another session, an empty one
 * has its number; if none was before, that of the first one that was lost. */
static int send_gap(struct push_sender *sender, struct push_session *ps,
		    const struct push_item *item)
{
	struct packet_head head = head_of(item->bytes);

	if (!item->lost || push_session_has(ps, item->bytes))
		return 0;
	head.end_ns = head.begin_ns;
	head.sequence -= item->lost + (head.sequence > item->lost);
	head.content_bits = head.packet_bits = sizeof(head) * 8;
	return send_one(sender, ps, &head, sizeof(head));
}

static void keep(struct push_sender *sender, const struct push_item *item)
{
	const uint64_t len = item->len;

	if (head_of(item->bytes).stream_id != STREAM_CLASS_RECORDER ||
	    sender->kept.len + sender->fresh.len + len > KEPT_MAX)
		return;
	buffer_append(&sender->fresh, &len, sizeof(len));
	buffer_append(&sender->fresh, item->bytes, len);
}

static int confirm(struct push_sender *sender, struct push_session *ps)
{
	int err = push_session_confirm(ps);

	if (err)
		return err;
	push_queue_release(sender->queue);
	buffer_append(&sender->kept, sender->fresh.data, sender->fresh.len);
	buffer_reset(&sender->fresh);
	__atomic_store_n(&sender->packets, sender->packets + sender->taken_packets,
			 __ATOMIC_RELAXED);
	__atomic_store_n(&sender->bytes, sender->bytes + sender->taken_bytes, __ATOMIC_RELAXED);
	sender->taken_packets = 0;
	sender->taken_bytes = 0;
	return 0;
}

int push_sender_start(struct push_sender *sender, struct push_session *ps)
{
	const char *at = sender->kept.data, *end = at + sender->kept.len;
	uint64_t len;
	int err = 0;

	sender->text_sent = 0;
	sender->taken_packets = 0;
	sender->taken_bytes = 0;
	buffer_reset(&sender->fresh);
	if (at != end)
		err = push_session_announce(ps, at + sizeof(len)) ?: push_session_publish(ps);
	for (; !err && at != end; at += len) {
		memcpy(&len, at, sizeof(len));
		at += sizeof(len);
		err = send_one(sender, ps, at, len);
	}
	return err;
}

/* The place up to which things may go out. */
static uint64_t find_limit(struct push_sender *sender, bool all)
{
	const struct push_queue *queue = sender->queue;
	uint64_t at = queue->next, limit = queue->next;
	const struct push_item *item;
	struct push_complete complete;

	all |= push_queue_bytes(queue) > queue->room / 2;
	while ((item = push_queue_look(queue, &at))) {
		if (item->kind != PUSH_COMPLETE)
			continue;
		memcpy(&complete, item->bytes, sizeof(complete));
		sender->until_ns = complete.until_ns;
	}
	if (all)
		return at;
	for (at = limit; (item = push_queue_look(queue, &at));) {
		if (item->kind != PUSH_COMPLETE)
			continue;
		memcpy(&complete, item->bytes, sizeof(complete));
		if (complete.now_ns <= sender->until_ns)
			limit = at;
	}
	return limit;
}

/* All streams so far, before @limit. */
static int announce(struct push_sender *sender, struct push_session *ps, uint64_t limit)
{
	const struct push_item *item;
	int err = 0;

	for (uint64_t at = sender->queue->next; !err && at < limit;) {
		item = push_queue_look(sender->queue, &at);
		if (item->kind == PUSH_PACKET)
			err = push_session_announce(ps, item->bytes);
	}
	return err ?: push_session_publish(ps);
}

int push_sender_send(struct push_sender *sender, struct push_session *ps, bool all)
{
	struct push_queue *queue = sender->queue;
	const uint64_t limit = find_limit(sender, all);
	uint64_t from = queue->next;
	struct push_complete complete = {0};
	int err = announce(sender, ps, limit);

	while (!err && queue->next < limit) {
		const struct push_item *item = push_queue_take(queue);

		if (item->kind == PUSH_COMPLETE) {
			memcpy(&complete, item->bytes, sizeof(complete));
			continue;
		}
		keep(sender, item);
		sender->taken_packets++;
		sender->taken_bytes += item->len;
		err = send_gap(sender, ps, item) ?: send_one(sender, ps, item->bytes, item->len);
		if (!err && queue->next - from > queue->room / 8) {
			err = confirm(sender, ps);
			from = queue->next;
		}
	}
	if (!err && queue->next != queue->head)
		err = confirm(sender, ps);
	if (!err && complete.until_ns)
		err = push_session_beacon(ps, complete.until_ns);
	return err;
}
