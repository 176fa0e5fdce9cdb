// SPDX-License-Identifier: BSD-2-Clause
#include "live/push/push.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/confine.h"
#include "base/diag.h"
#include "base/io.h"
#include "live/push/push_link.h"
#include "live/push/push_sender.h"
#include "live/push/push_session.h"
#include "wire/record.h"

#define _GNU_SOURCE

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

#define RETRY_FIRST_NS (1 * NS_PER_SEC) /* sessions on a relay are named by the second */
#define RETRY_LAST_NS (30 * NS_PER_SEC)
#define LOOK_NS (100 * NS_PER_MS) /* while waiting, whether the end has come */

struct push {
	struct push_config config;
	struct push_intake intake;
	/* From the recorder's thread to ours. */
	int stop_fd; /* no waiting any more */
	bool finishing;
	/* Our thread. */
	pthread_t thread;
	bool runs;
	struct diag why; /* the relay is not there, as was said; empty = it is */
	struct push_sender sender;
	/* How far it got, for the recorder's thread to see. */
	uint64_t session_from; /* in the queue, where this session begins */
	uint64_t session_sent; /* bytes of packets since then */
	uint8_t uuid[16];
	uint64_t sessions;
};

struct packet_sink *push_sink(struct push *push)
{
	return &push->intake.sink;
}

static bool is_finishing(const struct push *push)
{
	return __atomic_load_n(&push->finishing, __ATOMIC_ACQUIRE);
}

static void say_down(struct push *push, const char *why)
{
	struct diag text = {0};

	if (!strcmp(push->why.text, why))
		return;
	diag_set(&push->why, 0, "%s", why);
	diag_set(&text, 0, "%s: data waits in memory until the relay is there", why);
	push->config.say(push->config.ctx, text.text);
}

static void say_up(struct push *push, const struct push_session *ps)
{
	struct diag text = {0};

	if (!*push->why.text)
		return;
	*push->why.text = '\0';
	diag_set(&text, 0, "the relay is there, the session is %s", push_session_path(ps));
	push->config.say(push->config.ctx, text.text);
}

/* At the end there is less patience. 0, or -ECANCELED. */
static int wait_to_retry(struct push *push, uint64_t ns)
{
	int err = 0;

	for (uint64_t waited = 0; !err && waited < (is_finishing(push) ? RETRY_FIRST_NS : ns);
	     waited += LOOK_NS)
		err = push_link_sleep(push->stop_fd, LOOK_NS);
	return err;
}

/* A session that begins, or may: data that is sent again is not progress. */
static void begin_session(struct push *push)
{
	__atomic_store_n(&push->session_sent, 0, __ATOMIC_RELEASE);
	__atomic_store_n(&push->session_from, push->intake.queue.head, __ATOMIC_RELEASE);
}

/* Tries until there is a session: 0, or -ECANCELED. */
static int connect_to_relay(struct push *push, struct push_session **ret)
{
	struct push_session_config config = {
		.url = &push->config.url,
		.host = push->config.host,
		.name = push->config.name,
		.live_timer_us = (uint32_t)(push->config.period_ns / NS_PER_US),
		.link = {push->config.credentials, push->stop_fd, push->config.stall_ns},
		.sent = &push->session_sent,
	};
	uint64_t retry_ns = RETRY_FIRST_NS;
	struct diag diag = {0};
	int err;

	memcpy(config.uuid, push->uuid, sizeof(config.uuid));
	for (;;) {
		config.number = ++push->sessions;
		begin_session(push);
		err = push_session_open(&config, ret, &diag);
		if (!err || err == -ECANCELED)
			return err;
		push->sessions--;
		say_down(push, diag.text);
		err = wait_to_retry(push, retry_ns);
		if (err)
			return err;
		retry_ns = 2 * retry_ns < RETRY_LAST_NS ? 2 * retry_ns : RETRY_LAST_NS;
	}
}

static int wait_for_more(struct push *push)
{
	struct pollfd polls[] = {{push->stop_fd, POLLIN, 0}, {push->intake.wake_fd, POLLIN, 0}};
	uint64_t count;

	if (poll(polls, 2, -1) < 0 && errno != EINTR)
		return -errno;
	if (polls[0].revents)
		return -ECANCELED;
	(void)!read(push->intake.wake_fd, &count, sizeof(count));
	return 0;
}

/* 0: all was sent, and the session has ended in good order. */
static int serve(struct push *push, struct push_session *ps)
{
	int err = push_sender_start(&push->sender, ps);

	while (!err) {
		bool finishing = is_finishing(push); /* then all is in the queue */
		struct push_text *text = push_intake_take_text(&push->intake);

		if (text)
			push_sender_text(&push->sender, text);
		err = push_sender_send(&push->sender, ps, finishing);
		if (!err && finishing)
			return push_session_end(ps);
		err = err ?: wait_for_more(push);
	}
	return err;
}

static void *run(void *ctx)
{
	struct push *push = ctx;
	const struct confine sockets = {.allow = CONFINE_NETWORK};
	struct push_session *ps = NULL;
	int err = confine(&sockets);

	if (err) {
		push->config.say(push->config.ctx, "nothing is sent: privileges cannot be dropped");
		return NULL;
	}
	while (!(err = connect_to_relay(push, &ps))) {
		say_up(push, ps);
		err = serve(push, ps);
		if (err && err != -ECANCELED)
			say_down(push, push_session_reason(ps, err));
		push_session_close(ps);
		if (!err || err == -ECANCELED)
			break;
		push_queue_rewind(&push->intake.queue);
		if (wait_to_retry(push, RETRY_FIRST_NS))
			break;
	}
	return NULL;
}

static int start(struct push *push)
{
	sigset_t all, old;
	int err;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	err = -pthread_create(&push->thread, NULL, run, push);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	push->runs = !err;
	return err;
}

static size_t round_up(uint64_t bytes)
{
	size_t room = 1;

	while (room < bytes)
		room <<= 1;
	return room;
}

int push_open(const struct push_config *config, struct push **ret, struct diag *diag)
{
	struct push *push = calloc(1, sizeof(*push));
	int err;

	if (!push)
		return diag_set(diag, -ENOMEM, "no memory");
	push->config = *config;
	push_sender_init(&push->sender, &push->intake.queue);
	err = push_intake_init(&push->intake, round_up(config->buffer_bytes));
	push->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (!err && push->stop_fd < 0)
		err = -errno;
	if (!err && getrandom(push->uuid, sizeof(push->uuid), 0) != sizeof(push->uuid))
		err = -errno;
	err = err ?: start(push);
	if (err) {
		push_close(push);
		return diag_set(diag, err, "cannot start the thread that pushes: %s",
				strerror(-err));
	}
	*ret = push;
	return 0;
}

/* False: the time is over. */
static bool join_within(struct push *push, uint64_t ns)
{
	uint64_t end_ns = clock_monotonic_ns() + ns;
	struct timespec end = {(time_t)(end_ns / NS_PER_SEC), (long)(end_ns % NS_PER_SEC)};

	return !pthread_clockjoin_np(push->thread, NULL, CLOCK_MONOTONIC, &end);
}

static void end_thread(struct push *push)
{
	const uint64_t one = 1;

	(void)!write(push->stop_fd, &one, sizeof(one));
	pthread_join(push->thread, NULL);
	push->runs = false;
}

/* What shows whether the relay still takes something. */
struct progress {
	uint64_t since_ns;
	size_t left; /* in the queue, at least */
	uint64_t sent; /* of all that was ever put in there, roughly */
};

static bool is_stuck(const struct push *push, struct progress *progress)
{
	const uint64_t sent = __atomic_load_n(&push->session_from, __ATOMIC_ACQUIRE) +
			      __atomic_load_n(&push->session_sent, __ATOMIC_ACQUIRE);
	const size_t left = push_queue_bytes(&push->intake.queue);
	const uint64_t now_ns = clock_monotonic_ns();

	if (left < progress->left || sent >= progress->sent + LINK_PROGRESS_BYTES)
		*progress = (struct progress){now_ns, left, sent};
	return now_ns - progress->since_ns > PUSH_PATIENCE_NS;
}

void push_finish(struct push *push)
{
	struct progress progress = {.since_ns = clock_monotonic_ns(), .left = SIZE_MAX};
	bool stuck = false;

	if (!push->runs)
		return;
	/* In a queue that is full there is room for them soon, or the relay never hears of anything. */
	while (push_queue_bytes(&push->intake.queue) > push->intake.queue.room / 2 && !stuck) {
		usleep(LOOK_NS / NS_PER_US);
		stuck = is_stuck(push, &progress);
	}
	push_intake_end(&push->intake);
	__atomic_store_n(&push->finishing, true, __ATOMIC_RELEASE);
	push_intake_wake(&push->intake);
	while (!stuck) {
		if (join_within(push, LOOK_NS)) {
			push->runs = false;
			return;
		}
		stuck = is_stuck(push, &progress);
	}
	end_thread(push);
}

void push_totals(const struct push *push, struct push_totals *ret)
{
	const struct push_item *item;
	uint64_t at = push->intake.queue.head;

	*ret = (struct push_totals){
		.packets = push->sender.packets,
		.bytes = push->sender.bytes,
		.lost_packets = push->intake.lost_packets,
		.lost_bytes = push->intake.lost_bytes,
		.sessions = push->sessions,
	};
	while (!push->runs && (item = push_queue_look(&push->intake.queue, &at))) {
		if (item->kind != PUSH_PACKET)
			continue;
		ret->lost_packets++;
		ret->lost_bytes += item->len;
	}
}

void push_close(struct push *push)
{
	if (!push)
		return;
	if (push->runs)
		end_thread(push);
	(void)fd_close(push->stop_fd);
	push_intake_fini(&push->intake);
	push_sender_fini(&push->sender);
	free(push);
}
