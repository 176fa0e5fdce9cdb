// SPDX-License-Identifier: BSD-2-Clause
#include "cli/xgraph_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/io.h"

#define WRITE_BYTES (16u << 10)

struct xgraph_file {
	char *path;
	struct buffer text;
	bool begun;
	int err; /* first failure, sticky */
};

struct xgraph_file *xgraph_file_new(const char *path, const char *name)
{
	struct xgraph_file *file = calloc(1, sizeof(*file));

	if (!file)
		return NULL;
	file->path = strdup(path);
	if (!file->path) {
		free(file);
		return NULL;
	}
	buffer_init(&file->text);
	buffer_format(&file->text, "\"%s\n", name);
	return file;
}

void xgraph_file_free(struct xgraph_file *file)
{
	if (!file)
		return;
	free(file->path);
	buffer_fini(&file->text);
	free(file);
}

const char *xgraph_file_path(const struct xgraph_file *file)
{
	return file->path;
}

int xgraph_file_end(struct xgraph_file *file)
{
	int flags = O_WRONLY | O_CREAT | O_CLOEXEC | (file->begun ? O_APPEND : O_TRUNC);
	int fd, close_err;

	if (!file->err)
		file->err = buffer_error(&file->text);
	if (file->err || !file->text.len)
		return file->err;
	fd = open(file->path, flags, 0666);
	file->begun = true;
	if (fd < 0) {
		file->err = -errno;
		return file->err;
	}
	file->err = write_all(fd, file->text.data, file->text.len);
	close_err = fd_close(fd);
	file->err = file->err ? file->err : close_err;
	buffer_reset(&file->text);
	return file->err;
}

int xgraph_file_add(struct xgraph_file *file, int64_t since_ns, const char *text, size_t len)
{
	uint64_t ns = since_ns < 0 ? 0 - (uint64_t)since_ns : (uint64_t)since_ns;

	if (since_ns < 0)
		buffer_char(&file->text, '-');
	buffer_uint(&file->text, ns / NS_PER_SEC);
	buffer_char(&file->text, '.');
	buffer_digits(&file->text, ns % NS_PER_SEC / NS_PER_US, 6);
	buffer_char(&file->text, ' ');
	buffer_append(&file->text, text, len);
	buffer_char(&file->text, '\n');
	return file->text.len < WRITE_BYTES ? file->err : xgraph_file_end(file);
}
