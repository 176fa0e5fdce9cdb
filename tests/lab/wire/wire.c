// SPDX-License-Identifier: BSD-2-Clause
/*
 * wire: a cable between two TAP devices in two network namespaces, with the delay, losses and other faults that its
 * settings say. Prints "ready" when both devices are there; ends at SIGINT or SIGTERM.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/diag.h"
#include "base/io.h"
#include "frame.h"
#include "pending.h"
#include "settings.h"
#include "shaper.h"
#include "tap.h"
#include "truth_log.h"

#define BATCH 64u /* frames of one device, before the other one has its turn */
#define SETTINGS_BYTES_MAX (1u << 20)

enum {
	TAG_SIGNAL = DIRECTION_COUNT, /* a direction's own number: its device */
	TAG_TIMER,
};

struct wire {
	int taps[DIRECTION_COUNT]; /* where packets of that direction come from */
	int epoll;
	int timer;
	int signals;
	struct schedule schedule;
	size_t next_change;
	uint64_t origin_ns; /* of the first TCP packet; 0: there was none */
	struct shaper shaper;
	struct pending pending;
	struct truth_log log;
	uint8_t frame[FRAME_MAX];
};

static void apply_changes(struct wire *wire, uint64_t now_ns)
{
	for (; wire->next_change < wire->schedule.count; wire->next_change++) {
		const struct settings_change *change = &wire->schedule.changes[wire->next_change];

		if (change->at_ns && (!wire->origin_ns || now_ns < wire->origin_ns + change->at_ns))
			return;
		for (enum direction d = 0; d < DIRECTION_COUNT; d++)
			if (change->applies[d])
				settings_apply(shaper_settings(&wire->shaper, d), change->keys,
					       NULL);
		truth_log_change(&wire->log, now_ns, change->line, change->keys);
	}
}

/* A frame that is not sent again: whoever sent it finds that out. */
static void enqueue(struct wire *wire, enum direction direction, const struct frame *frame,
		    const struct verdict *verdict, uint64_t now_ns)
{
	struct packet *packet = packet_new(frame, wire->frame);

	if (!packet) {
		truth_log_failed(&wire->log, now_ns, direction, frame);
		return;
	}
	packet->direction = direction;
	packet->due_ns = verdict->due_ns;
	if (verdict->is_marked)
		frame_mark_ce(frame, packet->bytes);
	if (verdict->is_corrupt)
		frame_flip(frame, packet->bytes, verdict->bit);
	if (pending_push(&wire->pending, packet))
		truth_log_failed(&wire->log, now_ns, direction, frame);
}

static void arrive(struct wire *wire, enum direction direction, size_t length)
{
	uint64_t now_ns = clock_monotonic_ns();
	struct verdict verdict;
	struct frame frame;

	frame_parse(&frame, wire->frame, length);
	if (!wire->origin_ns && frame.kind >= FRAME_SYN)
		wire->origin_ns = now_ns;
	apply_changes(wire, now_ns);
	shaper_decide(&wire->shaper, direction, &frame, now_ns, &verdict);
	truth_log_verdict(&wire->log, now_ns, direction, &frame, &verdict);
	if (verdict.action != ACTION_PASS)
		return;
	enqueue(wire, direction, &frame, &verdict, now_ns);
	if (verdict.is_twice)
		enqueue(wire, direction, &frame, &verdict, now_ns);
}

static int read_tap(struct wire *wire, enum direction direction)
{
	for (unsigned int i = 0; i < BATCH; i++) {
		ssize_t length = read(wire->taps[direction], wire->frame, sizeof(wire->frame));

		if (length < 0)
			return errno == EAGAIN || errno == EINTR ? 0 : -errno;
		arrive(wire, direction, (size_t)length);
	}
	return 0;
}

/* All that is due. */
static void leave(struct wire *wire)
{
	const struct packet *first;
	struct packet *packet;
	uint64_t now_ns;

	while ((first = pending_first(&wire->pending))) {
		now_ns = clock_monotonic_ns();
		if (first->due_ns > now_ns)
			return;
		packet = pending_take(&wire->pending);
		if (write(wire->taps[!packet->direction], packet->bytes, packet->frame.length) < 0)
			truth_log_failed(&wire->log, now_ns, packet->direction, &packet->frame);
		else
			truth_log_leave(&wire->log, now_ns, packet->direction, &packet->frame,
					packet->due_ns);
		free(packet);
	}
}

static int set_timer(struct wire *wire)
{
	const struct packet *first = pending_first(&wire->pending);
	struct itimerspec when = {0};

	if (first) {
		when.it_value.tv_sec = (time_t)(first->due_ns / NS_PER_SEC);
		when.it_value.tv_nsec = (long)(first->due_ns % NS_PER_SEC);
	}
	return timerfd_settime(wire->timer, TFD_TIMER_ABSTIME, &when, NULL) ? -errno : 0;
}

/* 1: asked to end. */
static int run_once(struct wire *wire)
{
	struct epoll_event events[TAG_TIMER + 1];
	int count = epoll_wait(wire->epoll, events, TAG_TIMER + 1, -1), err;
	uint64_t expired;

	if (count < 0)
		return errno == EINTR ? 0 : -errno;
	for (int i = 0; i < count; i++) {
		leave(wire);
		if (events[i].data.u32 == TAG_SIGNAL)
			return 1;
		if (events[i].data.u32 == TAG_TIMER) {
			if (read(wire->timer, &expired, sizeof(expired)) < 0 && errno != EAGAIN)
				return -errno;
			continue;
		}
		err = read_tap(wire, (enum direction)events[i].data.u32);
		if (err)
			return err;
	}
	leave(wire);
	return set_timer(wire);
}

static int watch(struct wire *wire, int fd, uint32_t tag)
{
	struct epoll_event event = {.events = EPOLLIN, .data.u32 = tag};

	if (fd < 0 || epoll_ctl(wire->epoll, EPOLL_CTL_ADD, fd, &event))
		return -errno;
	return 0;
}

static int prepare(struct wire *wire, char **where, struct diag *diag)
{
	sigset_t set;
	int err;

	for (enum direction d = 0; d < DIRECTION_COUNT; d++) {
		wire->taps[d] = tap_open(where[d], diag);
		if (wire->taps[d] < 0)
			return wire->taps[d];
	}
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	prctl(PR_SET_TIMERSLACK, 1ul); /* ns; the default is 50 us */
	wire->signals = signalfd(-1, &set, SFD_CLOEXEC);
	wire->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	wire->epoll = epoll_create1(EPOLL_CLOEXEC);
	err = watch(wire, wire->signals, TAG_SIGNAL);
	err = err ? err : watch(wire, wire->timer, TAG_TIMER);
	for (enum direction d = 0; !err && d < DIRECTION_COUNT; d++)
		err = watch(wire, wire->taps[d], d);
	return err ? diag_set(diag, err, "%s", strerror(-err)) : 0;
}

static int load_schedule(struct wire *wire, const char *path, struct diag *diag)
{
	size_t length;
	char *text;
	int err;

	if (!path)
		return schedule_parse(&wire->schedule, "", diag);
	err = file_load(AT_FDCWD, path, SETTINGS_BYTES_MAX, &text, &length);
	if (err)
		return diag_set(diag, err, "%s: %s", path, strerror(-err));
	err = schedule_parse(&wire->schedule, text, diag);
	free(text);
	return err ? diag_prefix(diag, err, "%s", path) : 0;
}

static int run(struct wire *wire, char **where, const char *log, uint64_t seed, struct diag *diag)
{
	int err = truth_log_open(&wire->log, log, seed, diag), closed;

	if (err)
		return err;
	err = prepare(wire, where, diag);
	if (!err) {
		apply_changes(wire, clock_monotonic_ns());
		puts("ready");
		fflush(stdout);
		while (!err)
			err = run_once(wire);
		if (err < 0)
			diag_set(diag, err, "%s", strerror(-err));
	}
	closed = truth_log_close(&wire->log, &wire->shaper);
	if (closed && err >= 0)
		return diag_set(diag, closed, "%s: %s", log, strerror(-closed));
	return err < 0 ? err : 0;
}

static int usage(void)
{
	fputs("Usage: wire [--seed N] [--settings FILE] --log FILE NETNS:DEVICE NETNS:DEVICE\n",
	      stderr);
	return 2;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{"seed", required_argument, NULL, 's'},
		{"settings", required_argument, NULL, 'f'},
		{"log", required_argument, NULL, 'l'},
		{0},
	};
	static struct wire wire = {.taps = {-1, -1}, .epoll = -1, .timer = -1, .signals = -1};
	const char *settings = NULL, *log = NULL;
	uint64_t seed = 1;
	struct diag diag;
	char *end = "";
	int option, err;

	while ((option = getopt_long(argc, argv, "", options, NULL)) >= 0) {
		if (option == 's')
			seed = strtoull(optarg, &end, 10);
		else if (option == 'f')
			settings = optarg;
		else if (option == 'l')
			log = optarg;
		else
			return usage();
	}
	if (*end || !log || argc - optind != 2)
		return usage();
	shaper_init(&wire.shaper, seed);
	err = pending_init(&wire.pending);
	if (err)
		diag_set(&diag, err, "out of memory");
	err = err ? err : load_schedule(&wire, settings, &diag);
	err = err ? err : run(&wire, argv + optind, log, seed, &diag);
	if (err)
		fprintf(stderr, "wire: %s\n", diag.text);
	for (enum direction d = 0; d < DIRECTION_COUNT; d++)
		fd_close(wire.taps[d]);
	fd_close(wire.epoll);
	fd_close(wire.timer);
	fd_close(wire.signals);
	pending_fini(&wire.pending);
	shaper_fini(&wire.shaper);
	schedule_free(&wire.schedule);
	return err ? 1 : 0;
}
