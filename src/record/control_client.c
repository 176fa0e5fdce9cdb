// SPDX-License-Identifier: BSD-2-Clause
#define _GNU_SOURCE
#include "record/control_client.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/io.h"

#define CONNECT_PATIENCE_MS 2000

/* If others wait for the socket, it waits for @patience_ms (0 = not at all): -EAGAIN. */
static int connect_to(int dir, const char *file, int patience_ms, int *ret)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | (patience_ms ? 0 : SOCK_NONBLOCK), 0);
	struct timeval patience = {
		.tv_sec = patience_ms / 1000,
		.tv_usec = patience_ms % 1000 * 1000,
	};
	struct sockaddr_un address;
	int err;

	if (fd < 0)
		return -errno;
	(void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	control_address(&address, dir, file);
	if (connect(fd, (struct sockaddr *)&address, sizeof(address))) {
		err = -errno;
		fd_close(fd);
		return err;
	}
	*ret = fd;
	return 0;
}

/* A socket has its name only while a process listens, or after that process died. */
static bool is_alive(int dir, const char *file)
{
	int fd = -1, err = connect_to(dir, file, 0, &fd);

	fd_close(fd);
	if (err == -ECONNREFUSED)
		(void)unlinkat(dir, file, 0);
	return err != -ECONNREFUSED && err != -ENOENT;
}

static int compare_pids(const void *a, const void *b)
{
	const struct recorder *x = a, *y = b;

	return x->pid < y->pid ? -1 : x->pid > y->pid;
}

int recorder_list(int dir, unsigned int kinds, struct recorder list[RECORDERS_MAX])
{
	int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *entries = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	int count = 0;

	if (!entries) {
		int err = -errno;

		fd_close(fd);
		return err;
	}
	while (count < RECORDERS_MAX && (entry = readdir(entries))) {
		struct recorder *r = &list[count];

		if (!control_file_parse(entry->d_name, &r->kind, r->name, &r->pid) ||
		    !(kinds & 1u << r->kind) || !is_alive(dir, entry->d_name))
			continue;
		strcpy(r->file, entry->d_name); /* parsed, so it fits */
		count++;
	}
	closedir(entries);
	qsort(list, (size_t)count, sizeof(*list), compare_pids);
	return count;
}

/* Up to the newline. */
static int read_answer(int fd, int timeout_ms, struct buffer *answer)
{
	struct pollfd poll_fd = {.fd = fd, .events = POLLIN};

	for (;;) {
		char *room = buffer_reserve(answer, 4096);
		int ready = poll(&poll_fd, 1, timeout_ms);
		ssize_t got;

		if (ready <= 0)
			return ready ? -errno : -ETIMEDOUT;
		if (!room)
			return -ENOMEM;
		got = recv(fd, room, 4095, MSG_DONTWAIT);
		if (got <= 0)
			return got ? -errno : -EPIPE;
		buffer_advance(answer, (size_t)got);
		if (room[got - 1] == '\n') {
			buffer_char(answer, 0);
			return buffer_error(answer);
		}
		if (answer->len > CONTROL_ANSWER_MAX)
			return -E2BIG;
	}
}

int recorder_ask(int dir, const struct recorder *recorder, const char *request, int timeout_ms,
		 struct buffer *answer)
{
	bool brief = timeout_ms > 0 && timeout_ms < CONNECT_PATIENCE_MS;
	size_t len = strlen(request);
	int fd = -1, err;

	err = connect_to(dir, recorder->file, brief ? timeout_ms : CONNECT_PATIENCE_MS, &fd);
	if (err)
		return err;
	/* The recorder may already have closed: its answer is there all the same. */
	(void)send(fd, request, len, MSG_NOSIGNAL | MSG_MORE);
	(void)send(fd, "\n", 1, MSG_NOSIGNAL);
	buffer_reset(answer);
	err = read_answer(fd, timeout_ms, answer);
	fd_close(fd);
	return err;
}

void recorder_wait(int pid_fd, int timeout_ms)
{
	struct pollfd end = {.fd = pid_fd, .events = POLLIN};

	(void)poll(&end, 1, timeout_ms);
}
