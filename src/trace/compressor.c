// SPDX-License-Identifier: BSD-2-Clause
#include "trace/compressor.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#include "base/confine.h"
#include "trace/frame.h"
#include "trace/stream_file.h"
#include "wire/record.h"

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

/*
 * `work` is held by the thread that takes packets out, until they are written; `lock` for a moment, and
 * inside of `work`. Both lend the priority of the waiting thread: a recorder that drains in real time must not
 * wait for a thread that does not get a CPU.
 */
struct lane {
	pthread_mutex_t work;
	struct frame_writer *writer;
	struct frame_parts parts;
	pthread_mutex_t lock;
	pthread_cond_t filled;
	struct packet_queue queue;
	struct compressor_totals totals;
	int err;
	bool end;
	bool has_thread;
	bool patient;
	void (*refused)(void *ctx, const void *packet, size_t len);
	void *ctx;
	pthread_t thread;
};

struct compressor {
	struct compressor_config config;
	uint32_t count; /* lanes, one at least */
	struct lane *lanes;
};

static int lane_write(struct lane *lane, struct stream_file *stream, const void *packet, size_t len,
		      bool store)
{
	struct packet_head head;
	size_t bytes = 0;
	int err;

	memcpy(&head, packet, sizeof(head));
	err = store ? frame_store(packet, len, &lane->parts) :
		      frame_writer_compress(lane->writer, packet, len, &lane->parts);
	err = err ?: stream_file_append_frame(stream, lane->parts.parts, lane->parts.count, &head);
	for (int i = 0; !err && i < lane->parts.count; i++)
		bytes += lane->parts.parts[i].iov_len;

	pthread_mutex_lock(&lane->lock);
	lane->err = lane->err ?: err;
	lane->totals.packets += !err;
	lane->totals.stored += !err && store;
	lane->totals.plain_bytes += err ? 0 : len;
	lane->totals.frame_bytes += bytes;
	lane->totals.refused += err ? len - sizeof(head) : 0;
	pthread_mutex_unlock(&lane->lock);
	if (err && lane->refused)
		lane->refused(lane->ctx, packet, len);
	return err;
}

/* The oldest packet; false without one. `work` is held. If the queue is half full, it is too late
 * to compress: @store says so for all of it. */
static bool lane_step(struct lane *lane, bool store)
{
	const struct queued_packet *packet;

	pthread_mutex_lock(&lane->lock);
	packet = packet_queue_first(&lane->queue);
	store |= packet_queue_bytes(&lane->queue) > lane->queue.room / 2;
	pthread_mutex_unlock(&lane->lock);
	if (!packet)
		return false;
	(void)lane_write(lane, packet->stream, packet->bytes, packet->len, store && !lane->patient);
	pthread_mutex_lock(&lane->lock);
	packet_queue_pop(&lane->queue);
	pthread_mutex_unlock(&lane->lock);
	return true;
}

static bool lane_wait(struct lane *lane)
{
	bool any;

	pthread_mutex_lock(&lane->lock);
	while (!packet_queue_first(&lane->queue) && !lane->end)
		pthread_cond_wait(&lane->filled, &lane->lock);
	any = packet_queue_first(&lane->queue);
	pthread_mutex_unlock(&lane->lock);
	return any;
}

static void *lane_run(void *arg)
{
	struct lane *lane = arg;
	const struct confine nothing = {.allow = 0}; /* but what is open */

	(void)confine(&nothing);
	while (lane_wait(lane)) {
		pthread_mutex_lock(&lane->work);
		(void)lane_step(lane, false);
		pthread_mutex_unlock(&lane->work);
	}
	return NULL;
}

static int lane_error(struct lane *lane)
{
	int err;

	pthread_mutex_lock(&lane->lock);
	err = lane->err;
	pthread_mutex_unlock(&lane->lock);
	return err;
}

/* Signals are for the thread that asked for them. */
static int start_thread(struct lane *lane)
{
	sigset_t all, before;
	int err;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = -pthread_create(&lane->thread, NULL, lane_run, lane);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	lane->has_thread = !err;
	return err;
}

static int lane_init(struct lane *lane, const struct compressor_config *config)
{
	pthread_mutexattr_t lends;
	int err;

	lane->patient = config->patient;
	lane->refused = config->refused;
	lane->ctx = config->ctx;
	pthread_mutexattr_init(&lends);
	pthread_mutexattr_setprotocol(&lends, PTHREAD_PRIO_INHERIT);
	pthread_mutex_init(&lane->work, &lends);
	pthread_mutex_init(&lane->lock, &lends);
	pthread_mutexattr_destroy(&lends);
	pthread_cond_init(&lane->filled, NULL);
	err = frame_writer_new(config->level, &lane->writer);
	if (err || !config->lanes)
		return err;
	return packet_queue_init(&lane->queue, config->queue_bytes) ?: start_thread(lane);
}

static void lane_fini(struct lane *lane)
{
	if (lane->has_thread) {
		pthread_mutex_lock(&lane->lock);
		lane->end = true;
		pthread_cond_signal(&lane->filled);
		pthread_mutex_unlock(&lane->lock);
		pthread_join(lane->thread, NULL);
	}
	frame_writer_free(lane->writer);
	packet_queue_fini(&lane->queue);
	pthread_cond_destroy(&lane->filled);
	pthread_mutex_destroy(&lane->lock);
	pthread_mutex_destroy(&lane->work);
}

int compressor_new(const struct compressor_config *config, struct compressor **ret)
{
	struct compressor *compressor = calloc(1, sizeof(*compressor));
	uint32_t lanes = config->lanes ?: 1;
	int err = 0;

	if (!compressor)
		return -ENOMEM;
	compressor->config = *config;
	compressor->lanes = calloc(lanes, sizeof(*compressor->lanes));
	if (!compressor->lanes)
		err = -ENOMEM;
	while (!err && compressor->count < lanes)
		err = lane_init(&compressor->lanes[compressor->count++], config);
	if (err) {
		compressor_free(compressor);
		return err;
	}
	*ret = compressor;
	return 0;
}

/* Where it has no room, all that waits goes out first, and so does this one. */
static int push_through(struct lane *lane, struct stream_file *stream, const void *packet,
			size_t len)
{
	pthread_mutex_lock(&lane->work);
	while (lane_step(lane, true))
		;
	(void)lane_write(lane, stream, packet, len, lane->has_thread && !lane->patient);
	pthread_mutex_unlock(&lane->work);
	return lane_error(lane);
}

int compressor_push(struct compressor *compressor, uint32_t lane_number, struct stream_file *stream,
		    const void *packet, size_t len)
{
	struct lane *lane = &compressor->lanes[lane_number % compressor->count];
	struct queued_packet *place = NULL;
	int err;

	if (lane->has_thread) {
		pthread_mutex_lock(&lane->lock);
		place = packet_queue_reserve(&lane->queue, len);
		pthread_mutex_unlock(&lane->lock);
	}
	if (!place)
		return push_through(lane, stream, packet, len);
	place->stream = stream;
	memcpy(place->bytes, packet, len);
	pthread_mutex_lock(&lane->lock);
	packet_queue_push(&lane->queue, place);
	err = lane->err;
	pthread_cond_signal(&lane->filled);
	pthread_mutex_unlock(&lane->lock);
	return err;
}

int compressor_flush(struct compressor *compressor)
{
	int err = 0;

	for (uint32_t i = 0; i < compressor->count; i++) {
		struct lane *lane = &compressor->lanes[i];

		pthread_mutex_lock(&lane->work);
		while (lane->has_thread && lane_step(lane, false))
			;
		pthread_mutex_unlock(&lane->work);
		err = err ?: lane_error(lane);
	}
	return err;
}

void compressor_totals(struct compressor *compressor, struct compressor_totals *ret)
{
	*ret = (struct compressor_totals){0};
	for (uint32_t i = 0; i < compressor->count; i++) {
		struct lane *lane = &compressor->lanes[i];

		pthread_mutex_lock(&lane->lock);
		ret->packets += lane->totals.packets;
		ret->stored += lane->totals.stored;
		ret->plain_bytes += lane->totals.plain_bytes;
		ret->frame_bytes += lane->totals.frame_bytes;
		ret->refused += lane->totals.refused;
		pthread_mutex_unlock(&lane->lock);
	}
}

void compressor_free(struct compressor *compressor)
{
	if (!compressor)
		return;
	for (uint32_t i = 0; i < compressor->count; i++)
		lane_fini(&compressor->lanes[i]);
	free(compressor->lanes);
	free(compressor);
}
