// SPDX-License-Identifier: BSD-2-Clause
#include "base/file_window.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/io.h"

struct file_window {
	int fd;
	bool ended;
	bool follow;
	bool final; /* no process writes it any more: its content is final */
	uint64_t size;
	uint64_t offset; /* in the file, of bytes[start] */
	uint8_t *bytes;
	size_t room;
	size_t start; /* what comes next */
	size_t end; /* behind the last that was read */
};

static int open_file(const char *name, int *fd, uint64_t *size)
{
	struct stat st;
	int err = 0;

	*fd = strcmp(name, "-") ? open(name, O_RDONLY | O_CLOEXEC) :
				  fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
	if (*fd < 0 || fstat(*fd, &st))
		err = -errno;
	else if (S_ISDIR(st.st_mode))
		err = -EISDIR;
	else if (S_ISREG(st.st_mode))
		*size = (uint64_t)st.st_size;
	return err;
}

int file_window_open(const char *name, struct file_window **ret)
{
	struct file_window *window = calloc(1, sizeof(*window));
	int err = -ENOMEM;

	if (window) {
		window->fd = -1;
		window->room = FILE_WINDOW_BYTES;
		window->bytes = malloc(window->room);
		err = window->bytes ? open_file(name, &window->fd, &window->size) : -ENOMEM;
	}
	if (err)
		file_window_close(window);
	else
		*ret = window;
	return err;
}

void file_window_close(struct file_window *window)
{
	if (!window)
		return;
	(void)fd_close(window->fd);
	free(window->bytes);
	free(window);
}

/* Room for @want bytes behind what is done with. */
static int make_room(struct file_window *window, size_t want)
{
	uint8_t *bytes;

	if (want > FILE_WINDOW_MAX_BYTES)
		return -E2BIG;
	if (window->room - window->start >= want)
		return 0;
	memmove(window->bytes, window->bytes + window->start, window->end - window->start);
	window->end -= window->start;
	window->start = 0;
	if (window->room >= want)
		return 0;
	bytes = realloc(window->bytes, want);
	if (!bytes)
		return -ENOMEM;
	window->bytes = bytes;
	window->room = want;
	return 0;
}

static void pause_a_moment(void)
{
	const struct timespec pause = {0, FILE_WINDOW_PAUSE_NS};

	(void)nanosleep(&pause, NULL); /* cut short by a signal: the caller's business */
}

/* The writer holds the lock; the kernel releases it however the writer ends. */
static bool is_written(int fd)
{
	if (flock(fd, LOCK_SH | LOCK_NB))
		return errno == EWOULDBLOCK;
	(void)flock(fd, LOCK_UN);
	return false;
}

/* Nothing more is there, for now. Who is found not to write has written all, so it is read once more. */
static int meet_end(struct file_window *window)
{
	if (!window->follow || window->final) {
		window->ended = true;
	} else if (is_written(window->fd)) {
		pause_a_moment();
		return -EAGAIN;
	} else {
		window->final = true;
	}
	return 0;
}

void file_window_follow(struct file_window *window)
{
	window->follow = true;
	window->ended = false;
}

int file_window_again(struct file_window *window)
{
	if (!window->follow || window->final)
		return 0;
	window->final = !is_written(window->fd);
	if (!window->final)
		pause_a_moment();
	if (lseek(window->fd, (off_t)window->offset, SEEK_SET) < 0)
		return -errno;
	window->start = window->end = 0;
	window->ended = false;
	return -EAGAIN;
}

ssize_t file_window_look(struct file_window *window, size_t want, const uint8_t **ret)
{
	int err = make_room(window, want);
	ssize_t got;

	while (!err && !window->ended && window->end - window->start < want) {
		got = read(window->fd, window->bytes + window->end, window->room - window->end);
		if (got > 0)
			window->end += (size_t)got;
		else if (!got)
			err = meet_end(window);
		else if (errno != EINTR)
			err = -errno;
	}
	*ret = window->bytes + window->start;
	return err ?: (ssize_t)(window->end - window->start);
}

void file_window_skip(struct file_window *window, size_t len)
{
	assert(len <= window->end - window->start);
	window->start += len;
	window->offset += len;
}

uint64_t file_window_offset(const struct file_window *window)
{
	return window->offset;
}

uint64_t file_window_size(const struct file_window *window)
{
	return window->size;
}
