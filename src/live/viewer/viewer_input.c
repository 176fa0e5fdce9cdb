// SPDX-License-Identifier: BSD-2-Clause
#include "live/viewer/viewer_input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "trace/stream_input.h"

struct viewer_input {
	struct stream_input input; /* first: the vtable's functions get this */
	int fd; /* of what is kept; -1: it is in memory */
	uint8_t *bytes; /* from `at` on: those of `begin` and behind it */
	size_t at;
	size_t room;
	uint64_t begin; /* what is before it has gone */
	uint64_t shown;
	uint64_t whole; /* the end of the last packet of which all is there */
	uint64_t end;
	uint64_t read_at; /* up to here it was read */
};

static int input_size(struct stream_input *input, uint64_t *ret)
{
	*ret = ((const struct viewer_input *)input)->shown;
	return 0;
}

static size_t smaller(size_t a, uint64_t b)
{
	return a < b ? a : (size_t)b;
}

/* A stream is read forwards: a read at @offset means that earlier bytes are not needed. */
static ssize_t input_read(struct stream_input *input, void *bytes, size_t len, uint64_t offset)
{
	struct viewer_input *in = (struct viewer_input *)input;

	if (offset < in->begin)
		return -ESPIPE;
	if (offset >= in->shown)
		return 0;
	len = smaller(len, in->shown - offset);
	if (offset + len > in->read_at)
		in->read_at = offset + len;
	if (in->fd >= 0)
		return read_at(in->fd, bytes, len, offset);
	in->at += (size_t)(offset - in->begin);
	in->begin = offset;
	memcpy(bytes, in->bytes + in->at, len);
	return (ssize_t)len;
}

static void input_close(struct stream_input *input)
{
	struct viewer_input *in = (struct viewer_input *)input;

	(void)fd_close(in->fd);
	free(in->input.name);
	free(in->bytes);
	free(in);
}

static const struct stream_input_ops input_ops = {
	.size = input_size,
	.read = input_read,
	.close = input_close,
};

const char *viewer_input_folder(void)
{
	const char *folder = secure_getenv("TMPDIR");

	return folder && *folder ? folder : "/var/tmp";
}

static int open_kept(void)
{
	int fd = open(viewer_input_folder(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	return fd < 0 ? -errno : fd;
}

int viewer_input_new(const char *name, bool keep, struct stream_input **ret)
{
	struct viewer_input *in = calloc(1, sizeof(*in));
	int err;

	if (!in)
		return -ENOMEM;
	in->input.ops = &input_ops;
	in->input.follow = true;
	in->input.name = strdup(name);
	in->fd = keep ? open_kept() : -1;
	err = !in->input.name ? -ENOMEM : keep && in->fd < 0 ? in->fd : 0;
	if (err)
		input_close(&in->input);
	else
		*ret = &in->input;
	return err;
}

int viewer_input_again(const struct stream_input *input, struct stream_input **ret)
{
	const struct viewer_input *from = (const struct viewer_input *)input;
	struct viewer_input *in;
	int err = viewer_input_new(input->name, false, ret);

	if (err)
		return err;
	in = (struct viewer_input *)*ret;
	in->fd = fcntl(from->fd, F_DUPFD_CLOEXEC, 0);
	if (in->fd < 0) {
		err = -errno;
		input_close(&in->input);
		return err;
	}
	in->shown = from->shown;
	in->whole = from->whole;
	in->end = from->end;
	return 0;
}

/* Room for @len bytes behind those that are there. */
static int make_room(struct viewer_input *in, size_t len)
{
	const size_t have = (size_t)(in->end - in->begin);
	size_t room = in->room ?: 4096;
	uint8_t *bytes;

	if (in->room - in->at >= have && in->room - in->at - have >= len)
		return 0;
	while (room - have < len)
		room *= 2;
	if (room == in->room) {
		memmove(in->bytes, in->bytes + in->at, have);
		in->at = 0;
		return 0;
	}
	bytes = malloc(room);
	if (!bytes)
		return -ENOMEM;
	if (have)
		memcpy(bytes, in->bytes + in->at, have);
	free(in->bytes);
	in->bytes = bytes;
	in->room = room;
	in->at = 0;
	return 0;
}

static int append_kept(struct viewer_input *in, const uint8_t *bytes, size_t len)
{
	while (len) {
		ssize_t put = pwrite(in->fd, bytes, len, (off_t)in->end);

		if (put < 0 && errno != EINTR)
			return -errno;
		if (put < 0)
			continue;
		bytes += put;
		len -= (size_t)put;
		in->end += (uint64_t)put;
	}
	return 0;
}

int viewer_input_append(struct stream_input *input, const void *bytes, size_t len)
{
	struct viewer_input *in = (struct viewer_input *)input;

	if (in->fd >= 0)
		return append_kept(in, bytes, len);
	if (make_room(in, len))
		return -ENOMEM;
	memcpy(in->bytes + in->at + (in->end - in->begin), bytes, len);
	in->end += len;
	return 0;
}

void viewer_input_end_packet(struct stream_input *input)
{
	struct viewer_input *in = (struct viewer_input *)input;

	in->whole = in->end;
}

void viewer_input_drop(struct stream_input *input)
{
	struct viewer_input *in = (struct viewer_input *)input;

	in->end = in->whole;
}

void viewer_input_show(struct stream_input *input)
{
	struct viewer_input *in = (struct viewer_input *)input;

	in->shown = in->whole;
}

bool viewer_input_is_shown(const struct stream_input *input)
{
	const struct viewer_input *in = (const struct viewer_input *)input;

	return in->shown == in->end;
}

uint64_t viewer_input_left(const struct stream_input *input)
{
	const struct viewer_input *in = (const struct viewer_input *)input;

	return in->end - (in->read_at < in->end ? in->read_at : in->end);
}
