// SPDX-License-Identifier: BSD-2-Clause
#define _GNU_SOURCE
#include "probe/attach_tracepoint.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/io.h"
#include "probe/tracepoint.h"

struct state {
	int event_fd;
	int link_fd;
	int watch_fd; /* link of the watching program, or -1 */
	sem_t off; /* the link is gone */
	int users; /* the caller that closes it, and the thread that does so */
};

/* For one CPU, as it must be for one: the program is called on all of them. */
static int open_event(uint32_t event_id)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.config = event_id,
		.disabled = 1,
	};
	long fd = syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : (int)fd;
}

int attach_tracepoint_open(int prog_fd, int watch_fd, const struct tracepoint *tp, void **ret)
{
	struct state *state = malloc(sizeof(*state));
	int err;

	if (!state)
		return -ENOMEM;
	*state = (struct state){
		.event_fd = open_event(tp->format.id),
		.link_fd = -1,
		.watch_fd = -1,
		.users = 2,
	};
	sem_init(&state->off, 0, 0);
	err = state->event_fd < 0 ? state->event_fd : 0;
	if (!err) {
		state->link_fd = bpf_link_create(prog_fd, state->event_fd, BPF_PERF_EVENT, NULL);
		err = state->link_fd < 0 ? state->link_fd : 0;
	}
	if (err) {
		attach_tracepoint_close_begin(state);
		attach_tracepoint_close_end(state);
		return err;
	}
	/* Those of system calls are not tracepoints by their own names; no interrupt hits them. */
	if (watch_fd >= 0)
		state->watch_fd = bpf_raw_tracepoint_open(tp->event, watch_fd);
	*ret = state;
	return 0;
}

static void put(struct state *state)
{
	if (__atomic_sub_fetch(&state->users, 1, __ATOMIC_ACQ_REL))
		return;
	sem_destroy(&state->off);
	free(state);
}

/* The link first: without it nothing is called. */
static void *close_both(void *arg)
{
	struct state *state = arg;

	fd_close(state->link_fd);
	if (state->watch_fd >= 0)
		fd_close(state->watch_fd);
	sem_post(&state->off);
	fd_close(state->event_fd);
	put(state);
	return NULL;
}

void attach_tracepoint_close_begin(void *arg)
{
	struct state *state = arg;
	pthread_attr_t small;
	pthread_t thread;

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, (size_t)PTHREAD_STACK_MIN);
	pthread_attr_setdetachstate(&small, PTHREAD_CREATE_DETACHED);
	if (pthread_create(&thread, &small, close_both, state))
		close_both(state);
	pthread_attr_destroy(&small);
}

void attach_tracepoint_close_end(void *arg)
{
	struct state *state = arg;

	while (sem_wait(&state->off) && errno == EINTR)
		;
	put(state);
}
