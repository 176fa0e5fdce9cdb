// SPDX-License-Identifier: BSD-2-Clause
#include "live/session_file.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/cursor.h"
#include "base/io.h"
#include "ctf/packet_index.h"
#include "trace/frame_input.h"
#include "trace/stream_input.h"
#include "trace/stream_open.h"
#include "wire/index.h"

static struct session_file *make(int data_fd, struct stream_input *input, int index_fd)
{
	struct session_file *file = calloc(1, sizeof(*file));

	if (file)
		*file = (struct session_file){
			.refs = 1, .data_fd = data_fd, .input = input, .index_fd = index_fd};
	return file;
}

int session_file_new(int data_fd, int index_fd, struct session_file **ret)
{
	struct session_file *file = make(data_fd, NULL, index_fd);

	if (!file) {
		(void)fd_close(data_fd);
		(void)fd_close(index_fd);
		return -ENOMEM;
	}
	*ret = file;
	return 0;
}

static int open_frames(int dir, const char *name, int index_fd, struct session_file **ret)
{
	struct stream_input *input;
	int err = stream_open(dir, name, &input);

	if (!err) {
		input->follow = true; /* what is cut off is still to come */
		input->look = true;
		*ret = make(-1, input, index_fd);
		if (*ret)
			return 0;
		input->ops->close(input);
		err = -ENOMEM;
	}
	(void)fd_close(index_fd);
	return err;
}

int session_file_open(int dir, const char *name, int index_fd, struct session_file **ret)
{
	int data_fd;

	if (frame_input_is(name))
		return open_frames(dir, name, index_fd, ret);
	data_fd = file_open(dir, name);
	if (data_fd < 0) {
		(void)fd_close(index_fd);
		return data_fd;
	}
	return session_file_new(data_fd, index_fd, ret);
}

struct session_file *session_file_ref(struct session_file *file)
{
	file->refs++;
	return file;
}

void session_file_unref(struct session_file *file)
{
	if (!file || --file->refs)
		return;
	(void)fd_close(file->data_fd);
	(void)fd_close(file->index_fd);
	if (file->input)
		file->input->ops->close(file->input);
	free(file);
}

static bool know_entries(struct session_file *file)
{
	uint8_t head[INDEX_HEAD_BYTES];
	struct packet_index index;

	if (!file->entry_bytes && read_at(file->index_fd, head, sizeof(head), 0) == sizeof(head) &&
	    !packet_index_parse(head, sizeof(head), &index, NULL))
		file->entry_bytes = index.entry_bytes;
	return file->entry_bytes;
}

uint64_t session_file_entries(struct session_file *file)
{
	struct stat st;

	if (!know_entries(file) || fstat(file->index_fd, &st) ||
	    st.st_size < (off_t)INDEX_HEAD_BYTES)
		return 0;
	return ((uint64_t)st.st_size - INDEX_HEAD_BYTES) / file->entry_bytes;
}

/* Whether the data file goes as far as @end. */
static bool reaches(struct session_file *file, uint64_t end)
{
	struct stat st;

	if (end <= file->bytes)
		return true;
	if (file->input) /* its index is written last, and frames are checked when they are read */
		return true;
	if (fstat(file->data_fd, &st))
		return false;
	file->bytes = (uint64_t)st.st_size;
	return end <= file->bytes;
}

int session_file_packet(struct session_file *file, uint64_t i, struct session_packet *ret)
{
	uint8_t bytes[INDEX_HEAD_BYTES + INDEX_ENTRY_MAX_BYTES];
	struct packet_index index = {.count = 1};
	struct index_packet packet;
	struct cursor cur;
	ssize_t got;
	int err;

	if (!know_entries(file))
		return 0;
	index.entry_bytes = file->entry_bytes;
	got = read_at(file->index_fd, bytes + INDEX_HEAD_BYTES, file->entry_bytes,
		      INDEX_HEAD_BYTES + i * file->entry_bytes);
	if (got < 0)
		return (int)got;
	if ((size_t)got < file->entry_bytes)
		return 0;
	err = packet_index_get(&index, bytes, 0, &packet);
	if (err)
		return err;
	if (!reaches(file, packet.offset + packet.packet_bytes))
		return 0;
	cursor_init(&cur, bytes + INDEX_HEAD_BYTES, file->entry_bytes);
	cursor_skip(&cur, 16);
	*ret = (struct session_packet){
		.offset = packet.offset,
		.packet_bits = packet.packet_bytes * 8,
		.content_bits = cursor_be64(&cur), /* to the bit, as the index has it */
		.begin = packet.begin,
		.end = packet.end,
		.discarded = packet.discarded,
		.class_id = packet.stream_id,
	};
	return 1;
}

ssize_t session_file_read(struct session_file *file, void *bytes, size_t len, uint64_t offset)
{
	if (file->input)
		return file->input->ops->read(file->input, bytes, len, offset);
	return read_at(file->data_fd, bytes, len, offset);
}
