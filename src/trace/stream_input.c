// SPDX-License-Identifier: BSD-2-Clause
#include "trace/stream_input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/io.h"
#include "ctf/packet_index.h"
#include "trace/frame_input.h"

/* An index entry is 72 bytes, so this is room for some million packets. */
#define INDEX_FILE_MAX_BYTES (256u << 20)

struct file_input {
	struct stream_input input; /* first: the vtable's functions get this */
	int fd;
	int dir; /* for the index, which is read only when it is needed */
};

static int file_size(struct stream_input *input, uint64_t *ret)
{
	const struct file_input *file = (const struct file_input *)input;
	struct stat st;

	if (input->follow && !input->look) {
		*ret = input->seen;
		return 0;
	}
	if (fstat(file->fd, &st))
		return -errno;
	*ret = input->seen = (uint64_t)st.st_size;
	return 0;
}

static ssize_t file_read(struct stream_input *input, void *bytes, size_t len, uint64_t offset)
{
	const struct file_input *file = (const struct file_input *)input;

	return read_at(file->fd, bytes, len, offset);
}

static int load_index(const struct file_input *file, char **bytes, size_t *len,
		      struct packet_index *index)
{
	char *name;
	int err;

	if (asprintf(&name, "index/%s.idx", file->input.name) < 0)
		return -ENOMEM;
	err = file_load(file->dir, name, INDEX_FILE_MAX_BYTES, bytes, len);
	free(name);
	if (err)
		return err;
	err = packet_index_parse((const uint8_t *)*bytes, *len, index, NULL);
	if (err)
		free(*bytes);
	return err;
}

/* Only damage brings us here, so nothing of the index is kept. */
static int file_seek(struct stream_input *input, uint64_t offset, uint64_t *ret)
{
	const struct file_input *file = (const struct file_input *)input;
	struct packet_index index;
	uint64_t best = UINT64_MAX;
	char *bytes;
	size_t len;

	if (load_index(file, &bytes, &len, &index))
		return 0;
	for (size_t i = 0; i < index.count; i++) {
		struct index_packet packet;

		if (!packet_index_get(&index, (const uint8_t *)bytes, i, &packet) &&
		    packet.offset > offset && packet.offset < best)
			best = packet.offset;
	}
	free(bytes);
	if (best == UINT64_MAX)
		return 0;
	*ret = best;
	return 1;
}

static int file_open_index(struct stream_input *input)
{
	const struct file_input *file = (const struct file_input *)input;
	char *name;
	int fd;

	if (asprintf(&name, "index/%s.idx", input->name) < 0)
		return -ENOMEM;
	fd = openat(file->dir, name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	fd = fd < 0 ? -errno : fd;
	free(name);
	return fd;
}

static void file_close(struct stream_input *input)
{
	struct file_input *file = (struct file_input *)input;

	(void)fd_close(file->fd);
	(void)fd_close(file->dir);
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

int stream_input_open(int dir, const char *name, struct stream_input **ret)
{
	struct file_input *file;
	int err = -ENOMEM;

	if (frame_input_is(name))
		return frame_input_open(dir, name, ret);
	file = malloc(sizeof(*file));
	if (!file)
		return err;
	*file = (struct file_input){.input.ops = &file_ops, .fd = -1, .dir = -1};
	file->input.name = strdup(name);
	if (!file->input.name)
		goto fail;
	file->fd = file_open(dir, name);
	err = file->fd < 0 ? file->fd : 0;
	if (err)
		goto fail;
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
