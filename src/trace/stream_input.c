// SPDX-License-Identifier: BSD-2-Clause
#include "trace/stream_input.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/io.h"
#include "ctf/packet.h"
#include "trace/index_walk.h"
#include "trace/name_stream.h"

#define CONSUME_BYTES (256u << 10) /* of one hole, and what they are aligned to */

struct file_input {
	struct stream_input input; /* first: the vtable's functions get this */
	int fd; /* -1: opened for each use, by `folder` */
	int dir; /* for the index, which is read only when it is needed */
	char *folder; /* NULL: `fd` and `dir` stay open */
	dev_t device; /* of the file, where it is opened again */
	ino_t inode;
	struct index_walk *walk; /* NULL until then */
	uint64_t sought; /* what it was last asked for: the packet behind this */
	int hole_fd; /* of the same file, to make holes by; -1 until one is made */
	uint64_t hole_end;
};

/* The folder, open: for close_folder. */
static int open_folder(const struct file_input *file)
{
	int dir = file->dir;

	if (file->folder)
		dir = open(file->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return dir < 0 ? -errno : dir;
}

static void close_folder(const struct file_input *file, int dir)
{
	if (dir != file->dir)
		(void)fd_close(dir);
}

/* The file, open: for close_stream. -ESTALE: another file is in its place. */
static int open_stream(const struct file_input *file)
{
	int dir, fd, err = 0;
	struct stat st;

	if (file->fd >= 0)
		return file->fd;
	dir = open_folder(file);
	if (dir < 0)
		return dir;
	fd = file_open(dir, file->input.name);
	close_folder(file, dir);
	if (fd < 0)
		return fd;
	if (fstat(fd, &st))
		err = -errno;
	else if (st.st_dev != file->device || st.st_ino != file->inode)
		err = -ESTALE;
	if (err)
		(void)fd_close(fd);
	return err ?: fd;
}

static void close_stream(const struct file_input *file, int fd)
{
	if (fd != file->fd)
		(void)fd_close(fd);
}

static int file_size(struct stream_input *input, uint64_t *ret)
{
	const struct file_input *file = (const struct file_input *)input;
	struct stat st;
	int fd, err;

	if (input->follow && !input->look) {
		*ret = input->seen;
		return 0;
	}
	fd = open_stream(file);
	if (fd < 0)
		return fd;
	err = fstat(fd, &st) ? -errno : 0;
	close_stream(file, fd);
	if (!err)
		*ret = input->seen = (uint64_t)st.st_size;
	return err;
}

/* If the file system cannot, the file keeps its size. */
static void consume(struct file_input *file, uint64_t end)
{
	if (file->hole_fd < 0)
		file->hole_fd = openat(file->dir, file->input.name, O_WRONLY | O_CLOEXEC);
	if (file->hole_fd >= 0)
		(void)fallocate(file->hole_fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
				(off_t)file->hole_end, (off_t)(end - file->hole_end));
	file->hole_end = end;
}

static ssize_t file_read(struct stream_input *input, void *bytes, size_t len, uint64_t offset)
{
	struct file_input *file = (struct file_input *)input;
	ssize_t got;
	int fd;

	if (input->consume && offset >= file->hole_end + CONSUME_BYTES)
		consume(file, offset / CONSUME_BYTES * CONSUME_BYTES);
	fd = open_stream(file);
	if (fd < 0)
		return fd;
	got = read_at(fd, bytes, len, offset);
	close_stream(file, fd);
	return got;
}

static int file_open_index(struct stream_input *input)
{
	const struct file_input *file = (const struct file_input *)input;
	int dir = open_folder(file), fd = dir;

	if (dir >= 0)
		fd = stream_input_index(dir, input->name);
	if (dir >= 0)
		close_folder(file, dir);
	return fd;
}

/*
 * Only damage brings us here. Packets of an index follow one another, as do those that are searched
 * for: so the walk continues from its position, and starts again if the reader went back.
 */
static int file_seek(struct stream_input *input, uint64_t offset, uint64_t *ret)
{
	struct file_input *file = (struct file_input *)input;
	struct index_packet packet;
	int more = 1;

	if (!file->walk)
		file->walk = index_walk_new(file_open_index(input));
	else if (offset <= file->sought)
		index_walk_rewind(file->walk);
	if (!file->walk)
		return 0;
	file->sought = offset;
	while ((more = index_walk_next(file->walk, &packet))) {
		if (more < 0 || packet.offset <= offset)
			continue;
		*ret = packet.offset;
		return 1;
	}
	return 0;
}

static void file_close(struct stream_input *input)
{
	struct file_input *file = (struct file_input *)input;

	index_walk_free(file->walk);
	(void)fd_close(file->fd);
	(void)fd_close(file->dir);
	(void)fd_close(file->hole_fd);
	free(file->folder);
	free(file->input.name);
	free(file);
}

static const struct stream_input_ops file_ops = {
	.size = file_size,
	.read = file_read,
	.seek = file_seek,
	.open_index = file_open_index,
	.close = file_close,
};

int stream_input_index(int dir, const char *name)
{
	char *path;
	int fd;

	if (asprintf(&path, "index/%s.idx", name) < 0)
		return -ENOMEM;
	fd = file_open(dir, path);
	free(path);
	return fd;
}

int stream_input_open_file(int dir, const char *folder, const char *name, struct stream_input **ret)
{
	struct stat st;
	struct file_input *file;
	int err = -ENOMEM;

	file = malloc(sizeof(*file));
	if (!file)
		return err;
	*file = (struct file_input){.input.ops = &file_ops, .fd = -1, .dir = -1, .hole_fd = -1};
	file->input.name = strdup(name);
	if (!file->input.name)
		goto fail;
	file->fd = file_open(dir, name);
	err = file->fd < 0 ? file->fd : 0;
	if (err)
		goto fail;
	if (folder) {
		file->folder = strdup(folder);
		err = !file->folder ? -ENOMEM : fstat(file->fd, &st) ? -errno : 0;
		if (err)
			goto fail;
		file->device = st.st_dev;
		file->inode = st.st_ino;
		(void)fd_close(file->fd);
		file->fd = -1;
		*ret = &file->input;
		return 0;
	}
	file->dir = fcntl(dir, F_DUPFD_CLOEXEC, 0);
	err = file->dir < 0 ? -errno : 0;
	if (err)
		goto fail;
	*ret = &file->input;
	return 0;

fail:
	file_close(&file->input);
	return err;
}

static int empty_size(struct stream_input *input, uint64_t *ret)
{
	(void)input;
	*ret = 0;
	return 0;
}

static ssize_t empty_read(struct stream_input *input, void *bytes, size_t len, uint64_t offset)
{
	(void)input;
	(void)bytes;
	(void)len;
	(void)offset;
	return 0;
}

static void empty_close(struct stream_input *input)
{
	free(input->name);
	free(input);
}

static const struct stream_input_ops empty_ops = {
	.size = empty_size,
	.read = empty_read,
	.close = empty_close,
};

struct stream_input *stream_input_empty(const char *name)
{
	struct stream_input *input = calloc(1, sizeof(*input));

	if (!input)
		return NULL;
	input->ops = &empty_ops;
	input->name = strdup(name);
	if (input->name)
		return input;
	free(input);
	return NULL;
}

/* Regular files that are neither hidden (but for the names) nor the metadata are streams. */
int stream_input_is_file(const struct dirent *entry)
{
	return (entry->d_name[0] != '.' || name_stream_is_file(entry->d_name)) &&
	       strcmp(entry->d_name, "metadata") &&
	       (entry->d_type == DT_REG || entry->d_type == DT_LNK || entry->d_type == DT_UNKNOWN);
}
