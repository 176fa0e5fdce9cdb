// SPDX-License-Identifier: BSD-2-Clause
#define _GNU_SOURCE
#include "record/control.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/diag.h"
#include "base/io.h"
#include "base/json_writer.h"
#include "record/control_dir.h"

#define BACKLOG 16
#define LISTENER CONTROL_CLIENTS_MAX /* in epoll, behind the clients */

struct client {
	int fd; /* -1 = free */
	uint64_t since_ns;
	bool waits; /* for the end of the recording */
	size_t len;
	char line[CONTROL_LINE_MAX];
};

struct control {
	int dir;
	int listen_fd;
	int epoll_fd;
	bool paused; /* no file descriptor is left for a client: until the next tick */
	char file[CONTROL_FILE_BYTES]; /* empty = none */
	control_handler handler;
	void *ctx;
	struct buffer answer;
	struct client clients[CONTROL_CLIENTS_MAX];
};

void control_refuse(struct buffer *answer, const char *code, const char *text)
{
	struct json_writer json;

	json_writer_init(&json, answer);
	json_writer_object(&json, NULL);
	json_writer_bool(&json, "ok", false);
	json_writer_string(&json, "code", code);
	json_writer_string(&json, "error", text);
	json_writer_finish(&json);
}

static int watch(const struct control *c, int fd, uint32_t who)
{
	struct epoll_event event = {.events = EPOLLIN, .data.u32 = who};

	return epoll_ctl(c->epoll_fd, EPOLL_CTL_ADD, fd, &event) ? -errno : 0;
}

/* It gets its name when it listens: one that refuses to be connected to has no recorder any more.
 * The mode of the socket is that of the file. */
static int listen_as(struct control *c, enum control_kind kind, const char *name)
{
	struct sockaddr_un address;
	char file[CONTROL_FILE_BYTES], making[32];

	snprintf(making, sizeof(making), "%d.new", (int)getpid());
	control_file_format(file, kind, name, getpid());
	control_address(&address, c->dir, making);
	(void)unlinkat(c->dir, making, 0);
	c->listen_fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (c->listen_fd < 0 || fchmod(c->listen_fd, 0600) ||
	    bind(c->listen_fd, (struct sockaddr *)&address, sizeof(address)) ||
	    listen(c->listen_fd, BACKLOG))
		return -errno;
	if (renameat(c->dir, making, c->dir, file)) {
		int err = -errno;

		(void)unlinkat(c->dir, making, 0);
		return err;
	}
	strcpy(c->file, file);
	return 0;
}

int control_open(int dir, enum control_kind kind, const char *name, control_handler handler,
		 void *ctx, struct control **ret, struct diag *diag)
{
	struct control *c = calloc(1, sizeof(*c));
	int err;

	if (!c)
		return diag_set(diag, -ENOMEM, "no memory");
	*c = (struct control){.listen_fd = -1, .handler = handler, .ctx = ctx};
	for (size_t i = 0; i < CONTROL_CLIENTS_MAX; i++)
		c->clients[i].fd = -1;
	buffer_init(&c->answer);
	c->dir = fcntl(dir, F_DUPFD_CLOEXEC, 0);
	c->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	err = c->dir < 0 || c->epoll_fd < 0 ? -errno : 0;
	err = err ?: listen_as(c, kind, name) ?: watch(c, c->listen_fd, LISTENER);
	if (err) {
		control_close(c, NULL);
		return diag_set(diag, err, "the control socket cannot be made: %s", strerror(-err));
	}
	*ret = c;
	return 0;
}

int control_fd(const struct control *c)
{
	return c->epoll_fd;
}

static void client_close(struct client *client)
{
	fd_close(client->fd); /* epoll forgets it by that */
	client->fd = -1;
}

/* At once or never: what the socket does not take, its client has not earned. */
static void reply(int fd, const struct buffer *answer)
{
	if (!buffer_error(answer) && answer->len)
		(void)send(fd, answer->data, answer->len, MSG_DONTWAIT | MSG_NOSIGNAL);
}

static void reply_refusal(struct control *c, int fd, const char *code, const char *text)
{
	buffer_reset(&c->answer);
	control_refuse(&c->answer, code, text);
	reply(fd, &c->answer);
}

static bool is_permitted(int fd)
{
	struct ucred peer;
	socklen_t len = sizeof(peer);

	return !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) &&
	       (!peer.uid || peer.uid == geteuid());
}

static struct client *free_client(struct control *c)
{
	for (size_t i = 0; i < CONTROL_CLIENTS_MAX; i++) {
		if (c->clients[i].fd < 0)
			return &c->clients[i];
	}
	return NULL;
}

/* Without this, epoll would report the client that cannot be taken over and over. */
static void pause_listening(struct control *c)
{
	if (!epoll_ctl(c->epoll_fd, EPOLL_CTL_DEL, c->listen_fd, NULL))
		c->paused = true;
}

static void take_client(struct control *c)
{
	int fd = accept4(c->listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	struct client *client = free_client(c);

	if (fd < 0) {
		if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)
			pause_listening(c);
		return;
	}
	if (!is_permitted(fd)) {
		reply_refusal(c, fd, "not permitted", "it is another user's");
	} else if (!client) {
		reply_refusal(c, fd, "error", "too many clients: try again");
	} else if (!watch(c, fd, (uint32_t)(client - c->clients))) {
		client->fd = fd;
		client->since_ns = clock_monotonic_ns();
		client->waits = false;
		client->len = 0;
		return;
	}
	fd_close(fd);
}

/* True: it wants a stop. */
static bool answer_client(struct control *c, struct client *client)
{
	buffer_reset(&c->answer);
	if (c->handler(c->ctx, client->line, &c->answer) == CONTROL_STOP) {
		client->waits = true;
		return true;
	}
	reply(client->fd, &c->answer);
	client_close(client);
	return false;
}

/* One read: a client that sends much gets no more of the recorder's time than one that sends little. */
static bool hear_client(struct control *c, struct client *client)
{
	ssize_t got;
	char *end;

	if (client->waits)
		client->len = 0; /* it has said what it had to say; only its end matters */
	got = recv(client->fd, client->line + client->len, CONTROL_LINE_MAX - client->len,
		   MSG_DONTWAIT);
	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	if (got <= 0) {
		client_close(client);
		return false;
	}
	if (client->waits)
		return false;
	client->len += (size_t)got;
	end = memchr(client->line, '\n', client->len);
	if (end) {
		*end = 0;
		return answer_client(c, client);
	}
	if (client->len == CONTROL_LINE_MAX) {
		reply_refusal(c, client->fd, "usage", "the request is too long");
		client_close(client);
	}
	return false;
}

int control_pump(struct control *c)
{
	struct epoll_event events[CONTROL_CLIENTS_MAX + 1];
	int count = epoll_wait(c->epoll_fd, events, CONTROL_CLIENTS_MAX + 1, 0);
	bool stop = false;

	for (int i = 0; i < count; i++) {
		if (events[i].data.u32 == LISTENER)
			take_client(c);
		else if (c->clients[events[i].data.u32].fd >= 0)
			stop |= hear_client(c, &c->clients[events[i].data.u32]);
	}
	return stop;
}

void control_tick(struct control *c, uint64_t now_ns)
{
	if (c->paused && c->listen_fd >= 0 && !watch(c, c->listen_fd, LISTENER))
		c->paused = false;
	for (size_t i = 0; i < CONTROL_CLIENTS_MAX; i++) {
		struct client *client = &c->clients[i];

		if (client->fd < 0 || client->waits ||
		    now_ns < client->since_ns + CONTROL_PATIENCE_NS)
			continue;
		reply_refusal(c, client->fd, "usage", "no request came");
		client_close(client);
	}
}

void control_unlink(struct control *c)
{
	if (*c->file)
		(void)unlinkat(c->dir, c->file, 0);
	*c->file = 0;
	fd_close(c->listen_fd);
	c->listen_fd = -1;
}

void control_close(struct control *c, const struct buffer *answer)
{
	if (!c)
		return;
	control_unlink(c);
	for (size_t i = 0; i < CONTROL_CLIENTS_MAX; i++) {
		struct client *client = &c->clients[i];

		if (client->fd >= 0 && client->waits && answer)
			reply(client->fd, answer);
		client_close(client);
	}
	fd_close(c->epoll_fd);
	fd_close(c->dir);
	buffer_fini(&c->answer);
	free(c);
}
