// SPDX-License-Identifier: BSD-2-Clause
#include "cli/http_answer.h"

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/diag.h"
#include "base/io.h"
#include "base/listen_address.h"

#define BACKLOG 16
#define REQUEST_MAX 8192u
#define PATIENCE_NS (2 * NS_PER_SEC) /* for a whole request */
#define SEND_PATIENCE_S 5

int http_listen(const char *text, int *ret_fd, uint16_t *ret_port, struct diag *diag)
{
	struct listen_address address;
	struct sockaddr_in at;
	socklen_t len = sizeof(at);
	int err, fd = -1;

	err = listen_address_parse(text, AF_INET, LISTEN_PORT_NEEDED, &address, diag);
	if (err)
		return err;
	err = listen_address_open(&address, BACKLOG, &fd);
	if (!err && getsockname(fd, (struct sockaddr *)&at, &len))
		err = -errno;
	if (err) {
		(void)fd_close(fd);
		return diag_set(diag, err, "TCP port %s: %s", text, strerror(-err));
	}
	*ret_fd = fd;
	*ret_port = ntohs(at.sin_port);
	return 0;
}

/* Up to the blank line behind the head: 0, or -errno. */
static int read_request(int fd, char *text)
{
	uint64_t end_ns = clock_monotonic_ns() + PATIENCE_NS;
	size_t len = 0;

	for (;;) {
		uint64_t now_ns = clock_monotonic_ns();
		struct pollfd wait = {fd, POLLIN, 0};
		ssize_t got;

		if (now_ns >= end_ns || poll(&wait, 1, (int)((end_ns - now_ns) / NS_PER_MS)) <= 0)
			return -ETIMEDOUT;
		got = recv(fd, text + len, REQUEST_MAX - len, 0);
		if (got <= 0)
			return got ? -errno : -ECONNRESET;
		len += (size_t)got;
		text[len] = '\0';
		if (strstr(text, "\r\n\r\n") || strstr(text, "\n\n"))
			return 0;
		if (len == REQUEST_MAX)
			return -E2BIG;
	}
}

/* What the first line asks for. */
static const char *judge(const char *request, const char *path)
{
	size_t len = strlen(path);

	if (strncmp(request, "GET ", 4) != 0)
		return "405 Method Not Allowed";
	request += 4;
	if (strncmp(request, path, len) != 0 || !strchr(" ?\r\n", request[len]))
		return "404 Not Found";
	return NULL;
}

static void send_all(int fd, const struct buffer *head, const struct buffer *body)
{
	const struct buffer *parts[] = {head, body};

	for (size_t i = 0; i < 2; i++) {
		for (size_t at = 0; at < parts[i]->len;) {
			ssize_t sent =
				send(fd, parts[i]->data + at, parts[i]->len - at, MSG_NOSIGNAL);

			if (sent <= 0)
				return;
			at += (size_t)sent;
		}
	}
}

static void answer(int fd, const char *path, const char *type, http_page page, void *ctx)
{
	char request[REQUEST_MAX + 1];
	struct buffer head, body;
	const char *fault;

	if (read_request(fd, request))
		return;
	buffer_init(&head);
	buffer_init(&body);
	fault = judge(request, path);
	if (!fault && (page(ctx, &body) || buffer_error(&body))) {
		fault = "503 Service Unavailable";
		buffer_reset(&body);
	}
	if (fault)
		buffer_format(&body, "%s\n", fault);
	buffer_format(&head,
		      "HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\nConnection: "
		      "close\r\n\r\n",
		      fault ?: "200 OK", fault ? "text/plain" : type, body.len);
	send_all(fd, &head, &body);
	(void)shutdown(fd, SHUT_WR);
	buffer_fini(&head);
	buffer_fini(&body);
}

void http_answer(int fd, int wait_ms, const char *path, const char *type, http_page page, void *ctx)
{
	const struct timeval patience = {.tv_sec = SEND_PATIENCE_S};
	struct pollfd wait = {fd, POLLIN, 0};
	int conn;

	if (poll(&wait, 1, wait_ms) <= 0)
		return;
	conn = accept4(fd, NULL, NULL, SOCK_CLOEXEC);
	if (conn < 0)
		return;
	(void)setsockopt(conn, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	(void)setsockopt(conn, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	answer(conn, path, type, page, ctx);
	(void)fd_close(conn);
}
