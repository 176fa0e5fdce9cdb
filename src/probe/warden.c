// SPDX-License-Identifier: BSD-2-Clause
#define _GNU_SOURCE
#include "probe/warden.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/confine.h"
#include "base/io.h"
#include "probe/netns.h"
#include "probe/warden_request.h"
#include "probe/warden_work.h"

/* A thread serves each, so that a drain never waits for what a round of tcp.poll asks. */
#define LINES 2
#define FIRST_FD 3 /* behind the standard ones */

struct line {
	pthread_mutex_t lock; /* one request at a time */
	int fd; /* the recorder's end */
};

struct warden {
	pid_t pid; /* 0: none, @here does the work */
	struct line lines[LINES];
	bool ended; /* atomic */
	struct warden_work *here;
};

/* Anything but a request closes the line: its sender cannot be trusted any more. */
static int serve_one(struct warden_work *work, int socket)
{
	uint8_t bytes[sizeof(struct warden_request) + 1];
	struct warden_request req;
	struct warden_reply reply;
	int given, answer = -1, err;
	ssize_t len = warden_message_receive(socket, bytes, sizeof(bytes), &given);

	if (len <= 0)
		return len ? (int)len : -EPIPE;
	err = warden_request_parse(bytes, (size_t)len, given >= 0, &req);
	if (!err) {
		reply = (struct warden_reply){
			.kind = req.kind,
			.err = warden_work_do(work, &req, given, &answer),
		};
		err = warden_message_send(socket, &reply, sizeof(reply), answer);
	}
	fd_close(answer);
	fd_close(given);
	return err;
}

struct service {
	struct warden_work *work;
	int socket;
};

/* The recorder has ended, or is not to be trusted. */
static void *serve(void *arg)
{
	const struct service *service = arg;

	while (!serve_one(service->work, service->socket))
		;
	_exit(0);
}

/* A terminal's Ctrl-C, or a service manager's SIGTERM, reaches the recorder as well, which still has
 * requests. */
static void ignore_signals(void)
{
	static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGPIPE};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		signal(numbers[i], SIG_IGN);
}

/* Nothing stays open but @keep, which get the numbers from FIRST_FD on: a pipe that the recorder closes must
 * end, and so must a COMMAND that still waits. @keep may be -1. */
static int keep_files(int *keep, int count)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC), safe[LINES + 1];

	for (int i = 0; i < count; i++) {
		safe[i] = keep[i] < 0 ? -1 : fcntl(keep[i], F_DUPFD_CLOEXEC, FIRST_FD + count);
		if (keep[i] >= 0 && safe[i] < 0)
			return -errno;
	}
	for (int i = 0; i < FIRST_FD; i++) {
		if (null >= 0)
			dup2(null, i);
	}
	for (int i = 0; i < count; i++) {
		if (safe[i] >= 0 && dup3(safe[i], FIRST_FD + i, O_CLOEXEC) < 0)
			return -errno;
		if (safe[i] < 0)
			(void)close(FIRST_FD + i);
		keep[i] = safe[i] < 0 ? -1 : FIRST_FD + i;
	}
	return close_range((unsigned int)(FIRST_FD + count), ~0u, 0) ? -errno : 0;
}

static int give_up(bool command)
{
	const struct confine to = {
		.allow = CONFINE_NETWORK | CONFINE_KERNEL | CONFINE_PROCESSES,
		.capabilities = 1ull << CAP_SYS_ADMIN | 1ull << CAP_SYS_PTRACE |
				1ull << CAP_DAC_READ_SEARCH | 1ull << CAP_NET_ADMIN |
				1ull << CAP_BPF | 1ull << CAP_PERFMON | 1ull << CAP_SYSLOG |
				(uint64_t)command << CAP_KILL,
	};

	return confine(&to);
}

/* In the new process, which never comes back. */
static void run(const struct warden_config *config, const int sockets[LINES])
{
	int keep[LINES + 1] = {sockets[0], sockets[1], config->command_fd};
	struct service services[LINES];
	struct warden_work *work;
	pthread_t thread;

	ignore_signals();
	(void)prctl(PR_SET_NAME, "sonde-warden");
	if (config->begin)
		config->begin();
	if (keep_files(keep, LINES + 1) || give_up(keep[LINES] >= 0))
		_exit(1);
	work = warden_work_new(keep[LINES]);
	if (!work)
		_exit(1);
	for (int i = 0; i < LINES; i++) {
		services[i] = (struct service){work, keep[i]};
		if (i && pthread_create(&thread, NULL, serve, &services[i]))
			_exit(1);
	}
	serve(&services[0]);
}

static struct warden *warden_new(void)
{
	struct warden *warden = calloc(1, sizeof(*warden));

	for (int i = 0; warden && i < LINES; i++) {
		pthread_mutex_init(&warden->lines[i].lock, NULL);
		warden->lines[i].fd = -1;
	}
	return warden;
}

int warden_open(const struct warden_config *config, struct warden **ret)
{
	struct warden *warden = warden_new();
	int sockets[LINES] = {-1, -1}, err = warden ? 0 : -ENOMEM;

	for (int i = 0; !err && i < LINES; i++) {
		int pair[2];

		if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair)) {
			err = -errno;
		} else {
			warden->lines[i].fd = pair[0];
			sockets[i] = pair[1];
		}
	}
	if (!err) {
		warden->pid = fork();
		if (!warden->pid)
			run(config, sockets);
		err = warden->pid < 0 ? -errno : 0;
	}
	for (int i = 0; i < LINES; i++)
		fd_close(sockets[i]);
	if (err) {
		if (warden)
			warden->pid = 0;
		warden_close(warden);
		return err;
	}
	*ret = warden;
	return 0;
}

int warden_open_here(struct warden **ret)
{
	struct warden *warden = warden_new();

	if (warden)
		warden->here = warden_work_new(-1);
	if (!warden || !warden->here) {
		warden_close(warden);
		return -ENOMEM;
	}
	*ret = warden;
	return 0;
}

void warden_close(struct warden *warden)
{
	if (!warden)
		return;
	for (int i = 0; i < LINES; i++) {
		fd_close(warden->lines[i].fd);
		pthread_mutex_destroy(&warden->lines[i].lock);
	}
	if (warden->pid)
		(void)waitpid(warden->pid, NULL, 0);
	warden_work_free(warden->here);
	free(warden);
}

static void set_ended(struct warden *warden)
{
	__atomic_store_n(&warden->ended, true, __ATOMIC_RELAXED);
}

bool warden_has_ended(struct warden *warden)
{
	struct pollfd end = {.fd = warden->lines[0].fd, .events = 0};

	if (warden->pid && poll(&end, 1, 0) > 0)
		set_ended(warden);
	return __atomic_load_n(&warden->ended, __ATOMIC_RELAXED);
}

const char *warden_why(struct warden *warden)
{
	return warden_has_ended(warden) ? "the recorder's privileged process has ended" : "";
}

/* The first that is free; the last where none is. */
static struct line *take_line(struct warden *warden)
{
	for (int i = 0; i < LINES - 1; i++) {
		if (!pthread_mutex_trylock(&warden->lines[i].lock))
			return &warden->lines[i];
	}
	pthread_mutex_lock(&warden->lines[LINES - 1].lock);
	return &warden->lines[LINES - 1];
}

static int exchange(int socket, const struct warden_request *req, int fd, int *ret)
{
	struct warden_reply reply;
	int answer = -1, err = warden_message_send(socket, req, sizeof(*req), fd);
	ssize_t len = err ? err : warden_message_receive(socket, &reply, sizeof(reply), &answer);

	if (len == -EMFILE) /* the reply was good, and its file is closed */
		return -EMFILE;
	if (len != (ssize_t)sizeof(reply) || reply.kind != req->kind || reply.err > 0 ||
	    (reply.err && answer >= 0)) {
		fd_close(answer);
		return -EPIPE;
	}
	if (!reply.err && answer < 0 && warden_request_gets(req->kind))
		return -EPIPE;
	if (!reply.err)
		*ret = answer;
	return reply.err;
}

/* *@ret is -1 where the reply has no file. */
static int ask(struct warden *warden, const struct warden_request *req, int fd, int *ret)
{
	struct line *line;
	int err;

	if (warden->here)
		return warden_work_do(warden->here, req, fd, ret);
	line = take_line(warden);
	err = exchange(line->fd, req, fd, ret);
	pthread_mutex_unlock(&line->lock);
	if (err == -EPIPE)
		set_ended(warden);
	return err;
}

int warden_run_stats(struct warden *warden, int *ret)
{
	const struct warden_request req = {.kind = WARDEN_RUN_STATS};

	return ask(warden, &req, -1, ret);
}

int warden_maps(struct warden *warden, uint32_t pid, int *ret)
{
	const struct warden_request req = {.kind = WARDEN_MAPS, .pid = pid};

	return ask(warden, &req, -1, ret);
}

int warden_mapped_file(struct warden *warden, uint32_t pid, uint64_t start, uint64_t end, int *ret)
{
	const struct warden_request req = {
		.kind = WARDEN_MAPPED_FILE,
		.pid = pid,
		.start = start,
		.end = end,
	};

	return ask(warden, &req, -1, ret);
}

int warden_sockets(struct warden *warden, uint32_t pid, int (*visit)(void *ctx, uint32_t inode),
		   void *ctx)
{
	const struct warden_request req = {.kind = WARDEN_SOCKETS, .pid = pid};
	uint32_t inode;
	int fd, err = ask(warden, &req, -1, &fd);

	if (err)
		return err;
	for (uint64_t at = 0; !err && read_at(fd, &inode, sizeof(inode), at) == sizeof(inode);
	     at += sizeof(inode))
		err = visit(ctx, inode);
	fd_close(fd);
	return err;
}

static bool is_wanted(const uint32_t *wanted, size_t count, uint32_t inode)
{
	for (size_t i = 0; i < count; i++) {
		if (wanted[i] == inode)
			return true;
	}
	return !count;
}

int warden_netns_walk(struct warden *warden, const uint32_t *wanted, size_t count,
		      warden_netns_visitor visit, void *ctx)
{
	const struct warden_request req = {.kind = WARDEN_NETNS_LIST};
	uint32_t own = netns_current();
	struct warden_netns one;
	int fd, err = ask(warden, &req, -1, &fd);

	if (err == -EPIPE && is_wanted(wanted, count, own))
		return visit(ctx, own, 0) ?: -EPIPE;
	if (err)
		return err;
	for (uint64_t at = 0; !err && read_at(fd, &one, sizeof(one), at) == sizeof(one);
	     at += sizeof(one)) {
		if (is_wanted(wanted, count, one.inode))
			err = visit(ctx, one.inode, one.err);
	}
	fd_close(fd);
	return err;
}

int warden_netns_diag(struct warden *warden, uint32_t netns, int *ret)
{
	const struct warden_request req = {.kind = WARDEN_NETNS_DIAG, .netns = netns};

	return ask(warden, &req, -1, ret);
}

int warden_netns_iter(struct warden *warden, uint32_t netns, int link_fd, int *ret)
{
	const struct warden_request req = {.kind = WARDEN_NETNS_ITER, .netns = netns};

	return ask(warden, &req, link_fd, ret);
}

int warden_netns_hook(struct warden *warden, uint32_t netns, const struct warden_hook *hook,
		      int *ret)
{
	const struct warden_request req = {
		.kind = WARDEN_NETNS_HOOK,
		.netns = netns,
		.family = hook->family,
		.hook = hook->hook,
		.last = hook->last,
	};

	return ask(warden, &req, hook->prog_fd, ret);
}

int warden_kallsyms(struct warden *warden, int *ret)
{
	const struct warden_request req = {.kind = WARDEN_KALLSYMS};

	return ask(warden, &req, -1, ret);
}

int warden_end_command(struct warden *warden, int number)
{
	const struct warden_request req = {
		.kind = WARDEN_END_COMMAND,
		.signal = (uint32_t)number,
	};
	int none;

	return ask(warden, &req, -1, &none);
}
