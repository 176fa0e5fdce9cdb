// SPDX-License-Identifier: BSD-2-Clause
#include "base/file_window.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"

struct file_window {
	int fd;
	bool ended;
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

ssize_t file_window_look(struct file_window *window, size_t want, const uint8_t **ret)
{
	int err = make_room(window, want);
	ssize_t got;

	while (!err && !window->ended && window->end - window->start < want) {
		got = read(window->fd, window->bytes + window->end, window->room - window->end);
		if (got > 0)
			window->end += (size_t)got;
		else if (!got)
			window->ended = true;
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
