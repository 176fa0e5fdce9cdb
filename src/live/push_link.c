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

#define CONNECT_NS (10 * NS_PER_SEC)

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

static int connect_to(int fd, const struct addrinfo *info, int stop_fd)
{
	socklen_t len = sizeof(int);
	int err = 0;

	if (!connect(fd, info->ai_addr, info->ai_addrlen))
		return 0;
	if (errno != EINPROGRESS)
		return -errno;
	err = wait_for(fd, POLLOUT, stop_fd, CONNECT_NS);
	if (!err && getsockopt(fd, SOL_SOCKET, SO_ERROR, &err, &len))
		err = errno;
	return err > 0 ? -err : err;
}

/* A command is small and waits for its reply; a peer that has gone is to be missed. */
static void set_options(int fd)
{
	const int on = 1, idle_s = 10, count = 3;
	const unsigned int stall_ms = LINK_STALL_NS / NS_PER_MS;

	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	(void)setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
	(void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle_s, sizeof(idle_s));
	(void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &idle_s, sizeof(idle_s));
	(void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &count, sizeof(count));
	(void)setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &stall_ms, sizeof(stall_ms));
}

int push_link_open(const char *host, const char *port, int stop_fd, struct push_link *ret,
		   struct diag *diag)
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
		err = fd < 0 ? -errno : connect_to(fd, info, stop_fd);
		if (err) {
			fd_close(fd);
			fd = -1;
		}
	}
	freeaddrinfo(list);
	if (err)
		return diag_set(diag, err, "%s port %s: %s", host, port, strerror(-err));
	set_options(fd);
	*ret = (struct push_link){.fd = fd, .stop_fd = stop_fd};
	return 0;
}

void push_link_close(struct push_link *link)
{
	fd_close(link->fd);
	link->fd = -1;
}

int push_link_send(struct push_link *link, struct iovec *parts, size_t count)
{
	while (count) {
		struct msghdr message = {.msg_iov = parts, .msg_iovlen = count};
		ssize_t sent = sendmsg(link->fd, &message, MSG_NOSIGNAL);
		int err = 0;

		if (sent < 0 && errno == EAGAIN)
			err = wait_for(link->fd, POLLOUT, link->stop_fd, LINK_STALL_NS);
		else if (sent < 0 && errno != EINTR)
			err = -errno;
		if (err)
			return err;
		for (size_t left = sent < 0 ? 0 : (size_t)sent; count;) {
			size_t part = left < parts->iov_len ? left : parts->iov_len;

			parts->iov_base = (char *)parts->iov_base + part;
			parts->iov_len -= part;
			left -= part;
			if (parts->iov_len)
				break;
			parts++;
			count--;
		}
	}
	return 0;
}

int push_link_receive(struct push_link *link, void *bytes, size_t len)
{
	char *at = bytes;

	while (len) {
		ssize_t got = recv(link->fd, at, len, 0);
		int err = got ? 0 : -ECONNRESET;

		if (got < 0 && errno == EAGAIN)
			err = wait_for(link->fd, POLLIN, link->stop_fd, LINK_STALL_NS);
		else if (got < 0 && errno != EINTR)
			err = -errno;
		if (err)
			return err;
		at += got > 0 ? got : 0;
		len -= got > 0 ? (size_t)got : 0;
	}
	return 0;
}
