// SPDX-License-Identifier: BSD-2-Clause
#include "live/access/live_conn.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/diag.h"
#include "base/io.h"
#include "live/access/client_link.h"
#include "live/proto/live_url.h"

struct tcp_conn {
	struct live_conn conn; /* first: the vtable's functions get this */
	struct client_link link;
};

static struct client_link *link_of(struct live_conn *conn)
{
	return &((struct tcp_conn *)conn)->link;
}

static ssize_t tcp_read(struct live_conn *conn, void *bytes, size_t len)
{
	return client_link_read(link_of(conn), bytes, len);
}

static ssize_t tcp_write(struct live_conn *conn, const void *bytes, size_t len)
{
	return client_link_write(link_of(conn), bytes, len);
}

static int wait_for(int fd, short events, uint64_t timeout_ns)
{
	struct pollfd poll_fd = {.fd = fd, .events = events};
	const struct timespec timeout = {
		.tv_sec = (time_t)(timeout_ns / NS_PER_SEC),
		.tv_nsec = (long)(timeout_ns % NS_PER_SEC),
	};
	int ready = ppoll(&poll_fd, 1, &timeout, NULL);

	return ready < 0 ? -errno : ready;
}

static int tcp_wait(struct live_conn *conn, bool write, uint64_t timeout_ns)
{
	const struct client_link *link = link_of(conn);

	return wait_for(link->fd, client_link_events(link, write), timeout_ns);
}

static const char *tcp_reason(const struct live_conn *conn)
{
	const char *reason = ((const struct tcp_conn *)conn)->link.reason;

	return *reason ? reason : NULL;
}

static void tcp_close(struct live_conn *conn)
{
	client_link_close(link_of(conn));
	free((struct tcp_conn *)conn);
}

static const struct live_conn_ops tcp_ops = {
	.read = tcp_read,
	.write = tcp_write,
	.wait = tcp_wait,
	.reason = tcp_reason,
	.close = tcp_close,
};

/* What became of a connect that did not finish at once. */
static int finish_connect(int fd, uint64_t timeout_ns)
{
	int ready = wait_for(fd, POLLOUT, timeout_ns), err = 0;
	socklen_t len = sizeof(err);

	if (ready <= 0)
		return ready ?: -ETIMEDOUT;
	if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &err, &len))
		return -errno;
	return -err;
}

/* A connected socket, or -errno. */
static int connect_to(const struct addrinfo *address, uint64_t timeout_ns)
{
	const int on = 1;
	int fd, err;

	fd = socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	err = connect(fd, address->ai_addr, address->ai_addrlen) ? -errno : 0;
	if (err == -EINPROGRESS)
		err = finish_connect(fd, timeout_ns);
	if (err) {
		(void)fd_close(fd);
		return err;
	}
	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	return fd;
}

static int connect_any(const struct live_url *url, uint64_t timeout_ns, struct diag *diag)
{
	const struct addrinfo hints = {.ai_family = url->family, .ai_socktype = SOCK_STREAM};
	struct addrinfo *addresses = NULL;
	int fd = -EADDRNOTAVAIL, err = getaddrinfo(url->relay, url->port, &hints, &addresses);

	if (err)
		return diag_set(diag, -EHOSTUNREACH, "%s: %s", url->relay, gai_strerror(err));
	for (struct addrinfo *a = addresses; a && fd < 0 && fd != -EINTR; a = a->ai_next)
		fd = connect_to(a, timeout_ns);
	freeaddrinfo(addresses);
	if (fd < 0)
		return diag_set(diag, fd, "%s port %s: %s%s", url->relay, url->port, strerror(-fd),
				fd == -ECONNREFUSED ? ": no relay listens there" : "");
	return fd;
}

/* @ctx: until when. */
static int wait_until(void *ctx, int fd, short events)
{
	const uint64_t until_ns = *(const uint64_t *)ctx, now_ns = clock_monotonic_ns();
	int ready = now_ns < until_ns ? wait_for(fd, events, until_ns - now_ns) : 0;

	return ready > 0 ? 0 : ready ?: -ETIMEDOUT;
}

int live_conn_open(const struct live_url *url, const struct credentials *credentials,
		   uint64_t timeout_ns, struct live_conn **ret, struct diag *diag)
{
	struct tcp_conn *conn = malloc(sizeof(*conn));
	uint64_t until_ns;
	int fd, err;

	if (!conn)
		return diag_set(diag, -ENOMEM, "no memory");
	conn->conn.ops = &tcp_ops;
	fd = connect_any(url, timeout_ns, diag);
	if (fd < 0) {
		free(conn);
		return fd;
	}
	until_ns = clock_monotonic_ns() + timeout_ns;
	err = client_link_open(&conn->link, fd, credentials, url->relay, wait_until, &until_ns,
			       diag);
	if (err) {
		free(conn);
		return diag_prefix(diag, err, "%s port %s", url->relay, url->port);
	}
	*ret = &conn->conn;
	return 0;
}
