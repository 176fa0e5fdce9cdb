// SPDX-License-Identifier: BSD-2-Clause
#include "live/push/push_intake.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/io.h"
#include "live/push/push_sender.h"
#include "wire/record.h"

#define STREAMS_MAX (1u << 20)

/* Which stream a packet belongs to. */
struct stream_key {
	uint32_t class_id;
	uint32_t cpu;
	uint32_t level;
};

/* Packets of a stream that were lost, one after the other. */
struct gap {
	struct packet_head last;
	uint64_t first; /* number */
};

void push_intake_wake(const struct push_intake *intake)
{
	const uint64_t one = 1;

	(void)!write(intake->wake_fd, &one, sizeof(one));
}

static int take_metadata(struct packet_sink *sink, const void *metadata, size_t len)
{
	struct push_intake *intake = (struct push_intake *)sink;
	struct push_text *text = malloc(sizeof(*text) + len);

	if (!text)
		return -ENOMEM;
	text->len = len;
	memcpy(text->bytes, metadata, len);
	free(__atomic_exchange_n(&intake->text, text, __ATOMIC_ACQ_REL));
	return 0;
}

static struct stream_key key_of(const struct packet_head *head)
{
	return (struct stream_key){head->stream_id, head->cpu, head->level};
}

/* The next packet of its stream reports it, or, at the end, one that has nothing else in it. */
static void lose_packet(struct push_intake *intake, const struct packet_head *head)
{
	struct stream_key key = key_of(head);
	struct gap *gap = map_get(&intake->gaps, &key);

	intake->lost_packets++;
	intake->lost_bytes += head->packet_bits / 8;
	if (!gap) {
		gap = map_at(&intake->gaps, &key);
		if (!gap)
			return;
		gap->first = head->sequence;
	}
	gap->last = *head;
}

static bool put_packet(struct push_intake *intake, const struct packet_head *head,
		       const void *packet, size_t len)
{
	struct stream_key key = key_of(head);
	const struct gap *gap = map_get(&intake->gaps, &key);
	const struct push_item item = {
		.kind = PUSH_PACKET,
		.len = (uint32_t)len,
		.lost = gap ? head->sequence - gap->first : 0,
	};

	if (!push_queue_put(&intake->queue, &item, packet))
		return false;
	map_remove(&intake->gaps, &key);
	return true;
}

static int take_packet(struct packet_sink *sink, const void *packet, size_t len, bool late)
{
	struct push_intake *intake = (struct push_intake *)sink;
	struct packet_head head;

	(void)late;
	memcpy(&head, packet, sizeof(head));
	if (!put_packet(intake, &head, packet, len))
		lose_packet(intake, &head);
	else if (push_queue_bytes(&intake->queue) > intake->queue.room / 2)
		push_intake_wake(intake);
	return 0;
}

/* Without room it is skipped: the next one says it too. */
static int take_complete(struct packet_sink *sink, uint64_t time_ns)
{
	struct push_intake *intake = (struct push_intake *)sink;
	const struct push_complete complete = {time_ns, clock_monotonic_ns()};
	const struct push_item item = {.kind = PUSH_COMPLETE, .len = sizeof(complete)};

	(void)push_queue_put(&intake->queue, &item, &complete);
	push_intake_wake(intake);
	return 0;
}

static const struct packet_sink_ops sink_ops = {
	.metadata = take_metadata,
	.packet = take_packet,
	.complete = take_complete,
};

int push_intake_init(struct push_intake *intake, size_t room)
{
	*intake = (struct push_intake){.sink.ops = &sink_ops};
	map_init(&intake->gaps, sizeof(struct stream_key), sizeof(struct gap), STREAMS_MAX);
	intake->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	return intake->wake_fd < 0 ? -errno : push_queue_init(&intake->queue, room);
}

void push_intake_fini(struct push_intake *intake)
{
	(void)fd_close(intake->wake_fd);
	push_queue_fini(&intake->queue);
	map_fini(&intake->gaps);
	free(intake->text);
}

struct push_text *push_intake_take_text(struct push_intake *intake)
{
	return __atomic_exchange_n(&intake->text, NULL, __ATOMIC_ACQ_REL);
}

void push_intake_end(struct push_intake *intake)
{
	const void *key;
	size_t at = 0;
	void *value;

	while (map_next(&intake->gaps, &at, &key, &value)) {
		const struct gap *gap = value;
		struct packet_head head = gap->last;
		struct push_item item = {.kind = PUSH_PACKET, .len = sizeof(head)};

		head.begin_ns = head.end_ns;
		head.sequence++;
		head.content_bits = head.packet_bits = sizeof(head) * 8;
		item.lost = head.sequence - gap->first;
		(void)push_queue_put(&intake->queue, &item, &head);
	}
}
