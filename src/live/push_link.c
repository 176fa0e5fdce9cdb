// SPDX-License-Identifier: BSD-2-Clause
#include "live/push_link.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

#include "base/diag.h"
#include "base/io.h"

#define CONNECT_NS (10 * NS_PER_SEC) /* to one address, where there is patience for it */

/* 0: @fd is ready, or its peer has gone. */
static int wait_for(int fd, short events, int stop_fd, uint64_t ns)
{
	struct pollfd polls[] = {{stop_fd, POLLIN, 0}, {fd, events, 0}};
	const struct timespec time = {(time_t)(ns / NS_PER_SEC), (long)(ns % NS_PER_SEC)};
	int count = ppoll(polls, 2, &time, NULL);

	if (count < 0)
		return errno == EINTR ? 0 : -errno;
	if (polls[0].revents)
		return -ECANCELED;
	return count ? 0 : -ETIMEDOUT;
}

int push_link_sleep(int stop_fd, uint64_t ns)
{
	int err = wait_for(-1, 0, stop_fd, ns);

	return err == -ETIMEDOUT ? 0 : err;
}

const char *push_link_reason(int err)
{
	return err == -ETIMEDOUT ? "it answers nothing, or takes nothing, for too long" :
				   strerror(-err);
}

/* The time until which there has to be progress. */
struct stall {
	uint64_t end_ns;
	size_t moved; /* since it was set */
};

static void stall_set(struct stall *stall, const struct push_link *link)
{
	*stall = (struct stall){.end_ns = clock_monotonic_ns() + link->limits.patience_ns};
}

static void stall_move(struct stall *stall, const struct push_link *link, size_t bytes)
{
	stall->moved += bytes;
	if (stall->moved >= LINK_PROGRESS_BYTES)
		stall_set(stall, link);
}

/* As wait_for, until the time is over. */
static int stall_wait(const struct stall *stall, const struct push_link *link, short events)
{
	uint64_t now_ns = clock_monotonic_ns();

	if (now_ns >= stall->end_ns)
		return -ETIMEDOUT;
	return wait_for(link->fd, events, link->limits.stop_fd, stall->end_ns - now_ns);
}

static int connect_to(int fd, const struct addrinfo *info, const struct push_link_limits *limits)
{
	const uint64_t ns = limits->patience_ns < CONNECT_NS ? limits->patience_ns : CONNECT_NS;
	socklen_t len = sizeof(int);
	int err = 0;

	if (!connect(fd, info->ai_addr, info->ai_addrlen))
		return 0;
	if (errno != EINPROGRESS)
		return -errno;
	err = wait_for(fd, POLLOUT, limits->stop_fd, ns);
	if (!err && getsockopt(fd, SOL_SOCKET, SO_ERROR, &err, &len))
		err = errno;
	return err > 0 ? -err : err;
}

/* A command is small and waits for its reply; a peer that has gone is to be missed. */
static void set_options(int fd, const struct push_link_limits *limits)
{
	const int on = 1, idle_s = 10, count = 3;
	const unsigned int stall_ms = (unsigned int)(limits->patience_ns / NS_PER_MS);

	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	(void)setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
	(void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle_s, sizeof(idle_s));
	(void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &idle_s, sizeof(idle_s));
	(void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &count, sizeof(count));
	(void)setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &stall_ms, sizeof(stall_ms));
}

int push_link_open(const char *host, const char *port, const struct push_link_limits *limits,
		   struct push_link *ret, struct diag *diag)
{
	const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
	struct addrinfo *list = NULL;
	int err = getaddrinfo(host, port, &hints, &list), fd = -1;

	if (err)
		return diag_set(diag, -EHOSTUNREACH, "%s: %s", host, gai_strerror(err));
	err = -EHOSTUNREACH;
	for (struct addrinfo *info = list; info && fd < 0 && err != -ECANCELED;
	     info = info->ai_next) {
		fd = socket(info->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
		err = fd < 0 ? -errno : connect_to(fd, info, limits);
		if (err) {
			fd_close(fd);
			fd = -1;
		}
	}
	freeaddrinfo(list);
	if (err)
		return diag_set(diag, err, "%s port %s: %s", host, port, push_link_reason(err));
	set_options(fd, limits);
	*ret = (struct push_link){.fd = fd, .limits = *limits};
	return 0;
}

void push_link_close(struct push_link *link)
{
	fd_close(link->fd);
	link->fd = -1;
}

/* The first @len bytes of the parts are gone, and so are parts of which nothing is left. */
static void skip(struct iovec **parts, size_t *count, size_t len)
{
	while (*count) {
		struct iovec *part = *parts;
		size_t gone = len < part->iov_len ? len : part->iov_len;

		part->iov_base = (char *)part->iov_base + gone;
		part->iov_len -= gone;
		len -= gone;
		if (part->iov_len)
			return;
		++*parts;
		--*count;
	}
}

int push_link_send(struct push_link *link, struct iovec *parts, size_t count)
{
	struct stall stall;

	stall_set(&stall, link);
	while (count) {
		struct msghdr message = {.msg_iov = parts, .msg_iovlen = count};
		ssize_t sent = sendmsg(link->fd, &message, MSG_NOSIGNAL);
		int err = 0;

		if (sent < 0 && errno == EAGAIN)
			err = stall_wait(&stall, link, POLLOUT);
		else if (sent < 0 && errno != EINTR)
			err = -errno;
		if (err)
			return err;
		if (sent < 0)
			continue;
		stall_move(&stall, link, (size_t)sent);
		if (link->sent)
			__atomic_fetch_add(link->sent, (uint64_t)sent, __ATOMIC_RELAXED);
		skip(&parts, &count, (size_t)sent);
	}
	return 0;
}

int push_link_receive(struct push_link *link, void *bytes, size_t len)
{
	struct stall stall;
	char *at = bytes;

	stall_set(&stall, link);
	while (len) {
		ssize_t got = recv(link->fd, at, len, 0);
		int err = got ? 0 : -ECONNRESET;

		if (got < 0 && errno == EAGAIN)
			err = stall_wait(&stall, link, POLLIN);
		else if (got < 0 && errno != EINTR)
			err = -errno;
		if (err)
			return err;
		if (got < 0)
			continue;
		stall_move(&stall, link, (size_t)got);
		at += got;
		len -= (size_t)got;
	}
	return 0;
}
