// SPDX-License-Identifier: BSD-2-Clause
#define _GNU_SOURCE
#include "record/loop.h"

#include <errno.h>
#include <sched.h>
#include <stdbool.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/io.h"
#include "record/control.h"
#include "record/recording.h"

#define NICE_FALLBACK (-15)

enum wake {
	WAKE_BELL,
	WAKE_TICK,
	WAKE_FLUSH,
	WAKE_TIME,
	WAKE_SIGNAL,
	WAKE_COMMAND,
	WAKE_CONTROL,
	WAKE_POLL,
	WAKE_METER,
	WAKE_WATCH,
	WAKE_RX
};

struct loop {
	struct recording *rec;
	const struct loop_config *config;
	int epoll_fd;
	int tick_fd; /* timer: open sub-buffers, losses, progress */
	int flush_fd; /* timer: open sub-buffers, where a tick is too long for them */
	int time_fd; /* timer: the end */
	int poll_fd; /* timer: the rounds of tcp.poll */
	int watch_fd; /* timer: what triggers wait for */
	int signal_fd;
	uint64_t start_ns;
};

static void wanted_signals(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGHUP);
	sigaddset(set, SIGUSR2);
}

void loop_block_signals(void)
{
	sigset_t set;

	wanted_signals(&set);
	sigprocmask(SIG_BLOCK, &set, NULL);
}

void loop_raise_priority(void)
{
	struct sched_param param = {.sched_priority = 1};

	if (sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &param))
		(void)setpriority(PRIO_PROCESS, 0, NICE_FALLBACK);
}

static int watch(struct loop *loop, int fd, enum wake what)
{
	struct epoll_event event = {.events = EPOLLIN, .data.u32 = what};

	return epoll_ctl(loop->epoll_fd, EPOLL_CTL_ADD, fd, &event) ? -errno : 0;
}

static int timer(uint64_t first_ns, uint64_t every_ns, int *ret)
{
	struct itimerspec spec = {
		.it_value = {(time_t)(first_ns / NS_PER_SEC), (long)(first_ns % NS_PER_SEC)},
		.it_interval = {(time_t)(every_ns / NS_PER_SEC), (long)(every_ns % NS_PER_SEC)},
	};

	*ret = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (*ret < 0 || timerfd_settime(*ret, 0, &spec, NULL))
		return -errno;
	return 0;
}

static int loop_open(struct loop *loop)
{
	uint64_t flush_ns = recording_flush_ns(loop->rec) / 2;
	sigset_t set;
	int err;

	wanted_signals(&set);
	loop->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	loop->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (loop->epoll_fd < 0 || loop->signal_fd < 0)
		return -errno;
	err = timer(RECORDING_TICK_NS, RECORDING_TICK_NS, &loop->tick_fd) ?:
		      watch(loop, loop->tick_fd, WAKE_TICK)		  ?:
		      watch(loop, loop->signal_fd, WAKE_SIGNAL)		  ?:
		      watch(loop, recording_meter_fd(loop->rec), WAKE_METER);
	if (!err && flush_ns < RECORDING_TICK_NS)
		err = timer(flush_ns, flush_ns, &loop->flush_fd) ?:
			      watch(loop, loop->flush_fd, WAKE_FLUSH);
	if (!err && recording_fd(loop->rec) >= 0)
		err = watch(loop, recording_fd(loop->rec), WAKE_BELL);
	if (!err && loop->config->period_ns)
		err = timer(1, loop->config->period_ns, &loop->poll_fd) ?:
			      watch(loop, loop->poll_fd, WAKE_POLL);
	if (!err && recording_rx_fd(loop->rec) >= 0)
		err = watch(loop, recording_rx_fd(loop->rec), WAKE_RX);
	if (!err && recording_watches(loop->rec))
		err = timer(RECORDING_WATCH_NS, RECORDING_WATCH_NS, &loop->watch_fd) ?:
			      watch(loop, loop->watch_fd, WAKE_WATCH);
	if (!err && loop->config->duration_ns)
		err = timer(loop->config->duration_ns, 0, &loop->time_fd) ?:
			      watch(loop, loop->time_fd, WAKE_TIME);
	if (!err && loop->config->command_fd >= 0)
		err = watch(loop, loop->config->command_fd, WAKE_COMMAND);
	if (!err && loop->config->control)
		err = watch(loop, control_fd(loop->config->control), WAKE_CONTROL);
	return err;
}

static void loop_close(struct loop *loop)
{
	fd_close(loop->epoll_fd);
	fd_close(loop->tick_fd);
	fd_close(loop->flush_fd);
	fd_close(loop->time_fd);
	fd_close(loop->poll_fd);
	fd_close(loop->watch_fd);
	fd_close(loop->signal_fd);
}

static int tick_passed(struct loop *loop)
{
	uint64_t times;
	int err;

	if (read(loop->tick_fd, &times, sizeof(times)) < 0 && errno != EAGAIN)
		return -errno;
	err = recording_tick(loop->rec);
	if (loop->config->control)
		control_tick(loop->config->control, clock_monotonic_ns());
	if (loop->config->tick)
		loop->config->tick(loop->config->ctx, loop->rec,
				   clock_monotonic_ns() - loop->start_ns);
	return err;
}

static int flush_passed(struct loop *loop)
{
	uint64_t times;

	if (read(loop->flush_fd, &times, sizeof(times)) < 0 && errno != EAGAIN)
		return -errno;
	return recording_flush(loop->rec);
}

/* The timer counts the periods that pass while a round takes its time. */
static int period_passed(struct loop *loop)
{
	uint64_t periods;

	if (read(loop->poll_fd, &periods, sizeof(periods)) != sizeof(periods))
		return errno == EAGAIN ? 0 : -errno;
	return recording_poll(loop->rec, periods);
}

static int watch_passed(struct loop *loop)
{
	uint64_t times;

	if (read(loop->watch_fd, &times, sizeof(times)) < 0 && errno != EAGAIN)
		return -errno;
	return recording_watch(loop->rec);
}

/* The next signal of an end is the kernel's own business again: twice leaves at once. But timeout(1) sends it to
 * its child and to the group of both, which is one wish. */
static int signal_came(struct loop *loop, bool *end)
{
	static const struct timespec same_moment = {.tv_nsec = 20 * 1000 * 1000};
	struct signalfd_siginfo info;
	sigset_t set;

	if (read(loop->signal_fd, &info, sizeof(info)) != sizeof(info))
		return 0;
	if (info.ssi_signo == SIGUSR2)
		return recording_snapshot(loop->rec);
	*end = true;
	wanted_signals(&set);
	sigdelset(&set, SIGUSR2); /* a late snapshot request is not a stop request */
	(void)sigtimedwait(&set, NULL, &same_moment);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	return 0;
}

/* An enum loop_end, or -1 to go on. */
static int handle(struct loop *loop, enum wake what)
{
	bool signalled = false;
	int err = 0;

	switch (what) {
	case WAKE_BELL:
		err = recording_answer(loop->rec);
		break;
	case WAKE_TICK:
		err = tick_passed(loop);
		break;
	case WAKE_FLUSH:
		err = flush_passed(loop);
		break;
	case WAKE_WATCH:
		err = watch_passed(loop);
		break;
	case WAKE_POLL:
		err = period_passed(loop);
		break;
	case WAKE_RX:
		err = recording_ask_rx(loop->rec);
		break;
	case WAKE_METER:
		err = recording_measure(loop->rec);
		break;
	case WAKE_SIGNAL:
		err = signal_came(loop, &signalled);
		break;
	case WAKE_CONTROL:
		return control_pump(loop->config->control) ? LOOP_END_STOP : -1;
	case WAKE_TIME:
		return LOOP_END_TIME;
	case WAKE_COMMAND:
		return LOOP_END_COMMAND;
	}
	if (err)
		return LOOP_END_ERROR;
	if (recording_wants_stop(loop->rec))
		return LOOP_END_TRIGGER;
	return signalled ? LOOP_END_SIGNAL : -1;
}

int loop_run(struct recording *rec, const struct loop_config *config)
{
	struct loop loop = {
		.rec = rec,
		.config = config,
		.epoll_fd = -1,
		.tick_fd = -1,
		.flush_fd = -1,
		.time_fd = -1,
		.poll_fd = -1,
		.watch_fd = -1,
		.signal_fd = -1,
		.start_ns = clock_monotonic_ns(),
	};
	int err = loop_open(&loop);
	int end = -1;

	while (!err && end < 0) {
		struct epoll_event events[8];
		int count = epoll_wait(loop.epoll_fd, events, 8, -1);

		if (count < 0 && errno != EINTR)
			err = -errno;
		for (int i = 0; i < count && end < 0; i++)
			end = handle(&loop, events[i].data.u32);
	}
	loop_close(&loop);
	return err ?: end;
}
