// SPDX-License-Identifier: BSD-2-Clause
#include "base/io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

void output_init(struct output *out, int fd, bool eager)
{
	*out = (struct output){.fd = fd, .eager = eager};
	buffer_init(&out->buf);
}

void output_fini(struct output *out)
{
	buffer_fini(&out->buf);
}

int output_flush(struct output *out)
{
	if (!out->err)
		out->err = buffer_error(&out->buf);
	if (!out->err && out->buf.len)
		out->err = out->put ? out->put(out->put_ctx, out->buf.data, out->buf.len) :
				      write_all(out->fd, out->buf.data, out->buf.len);
	buffer_reset(&out->buf);
	return out->err;
}

int output_end_batch(struct output *out)
{
	return out->eager ? output_flush(out) : out->err;
}

#define LOAD_FIRST_BYTES 4096u

/* At @offset, or, NULL, where the file is. */
static int write_through(int fd, const char *p, size_t len, const uint64_t *offset)
{
	size_t done = 0;

	while (done < len) {
		ssize_t n = offset ? pwrite(fd, p + done, len - done, (off_t)(*offset + done)) :
				     write(fd, p + done, len - done);

		if (n < 0) {
			if (errno == EINTR)
				continue;
			return -errno;
		}
		done += (size_t)n;
	}
	return 0;
}

int write_all(int fd, const void *bytes, size_t len)
{
	return write_through(fd, bytes, len, NULL);
}

int write_at(int fd, const void *bytes, size_t len, uint64_t offset)
{
	return offset > INT64_MAX - len ? -EINVAL : write_through(fd, bytes, len, &offset);
}

ssize_t read_at(int fd, void *bytes, size_t len, uint64_t offset)
{
	char *p = bytes;
	size_t got = 0;

	if (offset > INT64_MAX - len)
		return -EINVAL;
	while (got < len) {
		ssize_t n = pread(fd, p + got, len - got, (off_t)(offset + got));

		if (n < 0) {
			if (errno == EINTR)
				continue;
			return -errno;
		}
		if (n == 0)
			break;
		got += (size_t)n;
	}
	return (ssize_t)got;
}

/* Reads to the end whatever the size says: files in /proc and /sys claim 0 or a page. */
int file_load_fd(int fd, size_t limit, char **ret, size_t *len)
{
	size_t room = LOAD_FIRST_BYTES, got = 0;
	char *data = malloc(room);
	char *more;
	ssize_t n;

	if (!data)
		return -ENOMEM;
	for (;;) {
		n = read(fd, data + got, room - 1 - got);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		got += (size_t)n;
		if (got > limit) {
			free(data);
			return -EFBIG;
		}
		if (got < room - 1)
			continue;
		more = realloc(data, room * 2);
		if (!more) {
			free(data);
			return -ENOMEM;
		}
		data = more;
		room *= 2;
	}
	if (n < 0) {
		int err = -errno;

		free(data);
		return err;
	}
	data[got] = '\0';
	*ret = data;
	*len = got;
	return 0;
}

/* A FIFO would wait for someone to write into it, and a terminal might become ours. */
int file_open(int dir, const char *name)
{
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct stat st;
	int err = 0;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st))
		err = -errno;
	else if (!S_ISREG(st.st_mode))
		err = S_ISDIR(st.st_mode) ? -EISDIR : -ENOTSUP;
	if (!err)
		return fd;
	(void)fd_close(fd);
	return err;
}

int file_load(int dir, const char *name, size_t limit, char **ret, size_t *len)
{
	int fd = file_open(dir, name);
	int err;

	if (fd < 0)
		return fd;
	err = file_load_fd(fd, limit, ret, len);
	(void)fd_close(fd);
	return err;
}

void file_limit_raise(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	(void)setrlimit(RLIMIT_NOFILE, &limit);
}

int fd_close(int fd)
{
	/* Linux releases the descriptor even when close is interrupted: never again. */
	if (fd >= 0 && close(fd) && errno != EINTR)
		return -errno;
	return 0;
}
