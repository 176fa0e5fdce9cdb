// SPDX-License-Identifier: BSD-2-Clause
#include "live/push/push_link.h"

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

const char *push_link_reason(const struct push_link *link, int err)
{
	if (*link->link.reason)
		return link->link.reason;
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
	*stall = (struct stall){.end_ns = clock_monotonic_ns() + link->config.patience_ns};
}

static void stall_move(struct stall *stall, const struct push_link *link, size_t bytes)
{
	stall->moved += bytes;
	if (stall->moved >= LINK_PROGRESS_BYTES)
		stall_set(stall, link);
}

/* As wait_for, until @end_ns. */
static int wait_until(int fd, short events, const struct push_link_config *config, uint64_t end_ns)
{
	uint64_t now_ns = clock_monotonic_ns();

	if (now_ns >= end_ns)
		return -ETIMEDOUT;
	return wait_for(fd, events, config->stop_fd, end_ns - now_ns);
}

/* For @events, or what TLS needs before. */
static int stall_wait(const struct stall *stall, const struct push_link *link, short events)
{
	return wait_until(link->link.fd, link->link.wants ?: events, &link->config, stall->end_ns);
}

static int connect_to(int fd, const struct addrinfo *info, const struct push_link_config *config)
{
	const uint64_t ns = config->patience_ns < CONNECT_NS ? config->patience_ns : CONNECT_NS;
	socklen_t len = sizeof(int);
	int err = 0;

	if (!connect(fd, info->ai_addr, info->ai_addrlen))
		return 0;
	if (errno != EINPROGRESS)
		return -errno;
	err = wait_for(fd, POLLOUT, config->stop_fd, ns);
	if (!err && getsockopt(fd, SOL_SOCKET, SO_ERROR, &err, &len))
		err = errno;
	return err > 0 ? -err : err;
}

/* A command is small and waits for its reply; a peer that has gone is to be missed. */
static void set_options(int fd, const struct push_link_config *config)
{
	const int on = 1, idle_s = 10, count = 3;
	const unsigned int stall_ms = (unsigned int)(config->patience_ns / NS_PER_MS);

	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	(void)setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
	(void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle_s, sizeof(idle_s));
	(void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &idle_s, sizeof(idle_s));
	(void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &count, sizeof(count));
	(void)setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &stall_ms, sizeof(stall_ms));
}

/* A connected socket, or -errno. */
static int connect_any(const struct addrinfo *list, const struct push_link_config *config)
{
	int fd = -1, err = -EHOSTUNREACH;

	for (const struct addrinfo *info = list; info && err && err != -ECANCELED;
	     info = info->ai_next) {
		fd = socket(info->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
		err = fd < 0 ? -errno : connect_to(fd, info, config);
		if (err)
			(void)fd_close(fd);
	}
	return err ?: fd;
}

/* How long the relay may take until it has let us in. */
struct entry {
	const struct push_link_config *config;
	uint64_t end_ns;
};

static int wait_to_enter(void *ctx, int fd, short events)
{
	const struct entry *entry = ctx;

	return wait_until(fd, events, entry->config, entry->end_ns);
}

int push_link_open(const char *host, const char *port, const struct push_link_config *config,
		   struct push_link *ret, struct diag *diag)
{
	const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
	struct push_link link = {.config = *config};
	struct entry entry = {.config = config};
	struct addrinfo *list = NULL;
	int err = getaddrinfo(host, port, &hints, &list), fd;

	if (err)
		return diag_set(diag, -EHOSTUNREACH, "%s: %s", host, gai_strerror(err));
	fd = connect_any(list, config);
	freeaddrinfo(list);
	if (fd < 0)
		return diag_set(diag, fd, "%s port %s: %s", host, port,
				push_link_reason(&link, fd));
	set_options(fd, config);
	entry.end_ns = clock_monotonic_ns() + config->patience_ns;
	err = client_link_open(&link.link, fd, config->credentials, host, wait_to_enter, &entry,
			       diag);
	if (err)
		return diag_prefix(diag, err, "%s port %s", host, port);
	*ret = link;
	return 0;
}

void push_link_close(struct push_link *link)
{
	client_link_close(&link->link);
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
		ssize_t sent = client_link_write_parts(&link->link, parts, count);
		int err = 0;

		if (sent == -EAGAIN)
			err = stall_wait(&stall, link, POLLOUT);
		else if (sent < 0 && sent != -EINTR)
			err = (int)sent;
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
		ssize_t got = client_link_read(&link->link, at, len);
		int err = got ? 0 : -ECONNRESET;

		if (got == -EAGAIN)
			err = stall_wait(&stall, link, POLLIN);
		else if (got < 0 && got != -EINTR)
			err = (int)got;
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
