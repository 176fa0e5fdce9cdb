// SPDX-License-Identifier: BSD-2-Clause
#include "live/session/session_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/cursor.h"
#include "base/io.h"
#include "ctf/packet.h"
#include "live/access/file_pool.h"
#include "trace/frame_input.h"
#include "trace/stream_input.h"
#include "wire/index.h"

static int make(struct pooled_file *data, struct stream_input *input, struct pooled_file *index,
		struct session_file **ret)
{
	struct session_file *file = calloc(1, sizeof(*file));

	if (!file) {
		pooled_file_close(data);
		pooled_file_close(index);
		return -ENOMEM;
	}
	*file = (struct session_file){.refs = 1, .data = data, .input = input, .index = index};
	*ret = file;
	return 0;
}

int session_file_of(struct pooled_file *data, struct pooled_file *index, struct session_file **ret)
{
	return make(data, NULL, index, ret);
}

int session_file_new(int data_fd, int index_fd, struct session_file **ret)
{
	struct pooled_file *data, *index;
	int err = pooled_file_new(NULL, NULL, NULL, data_fd, &data);

	if (err) {
		(void)fd_close(index_fd);
		return err;
	}
	err = pooled_file_new(NULL, NULL, NULL, index_fd, &index);
	if (err) {
		pooled_file_close(data);
		return err;
	}
	return session_file_of(data, index, ret);
}

static int open_pooled(struct file_pool *pool, struct pool_folder *folder, const char *path,
		       struct pooled_file **ret)
{
	int fd = file_open(pool_folder_dir(folder), path);

	if (fd == -EMFILE && file_pool_make_room(pool))
		fd = file_open(pool_folder_dir(folder), path);
	return fd < 0 ? fd : pooled_file_new(pool, folder, path, fd, ret);
}

static int open_index(struct file_pool *pool, struct pool_folder *folder, const char *name,
		      struct pooled_file **ret)
{
	char *path;
	int err;

	if (asprintf(&path, "index/%s.idx", name) < 0)
		return -ENOMEM;
	err = open_pooled(pool, folder, path, ret);
	free(path);
	return err;
}

static int open_frames(struct pool_folder *folder, const char *name, struct pooled_file *index,
		       struct session_file **ret)
{
	struct stream_input *input = NULL;
	int err = stream_open(pool_folder_dir(folder), name, &input);

	if (err) {
		pooled_file_close(index);
		return err;
	}
	input->follow = true; /* what is cut off is still to come */
	input->look = true;
	err = make(NULL, input, index, ret);
	if (err)
		input->ops->close(input);
	return err;
}

int session_file_open(struct file_pool *pool, struct pool_folder *folder, const char *name,
		      int index_fd, struct session_file **ret)
{
	struct pooled_file *data, *index;
	int err = index_fd < 0 ? open_index(pool, folder, name, &index) :
				 pooled_file_new(NULL, NULL, NULL, index_fd, &index);

	if (err)
		return err;
	if (frame_input_is(name))
		return open_frames(folder, name, index, ret);
	err = open_pooled(pool, folder, name, &data);
	if (err) {
		pooled_file_close(index);
		return err;
	}
	return session_file_of(data, index, ret);
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
	pooled_file_close(file->data);
	pooled_file_close(file->index);
	if (file->input)
		file->input->ops->close(file->input);
	free(file);
}

static bool know_entries(struct session_file *file)
{
	uint8_t head[INDEX_HEAD_BYTES];
	struct packet_index index;
	int fd = file->entry_bytes ? -1 : pooled_file_fd(file->index);

	if (fd >= 0 && read_at(fd, head, sizeof(head), 0) == sizeof(head) &&
	    !packet_index_parse(head, sizeof(head), &index, NULL))
		file->entry_bytes = index.entry_bytes;
	return file->entry_bytes;
}

uint64_t session_file_entries(struct session_file *file)
{
	int fd = know_entries(file) ? pooled_file_fd(file->index) : -1;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) || st.st_size < (off_t)INDEX_HEAD_BYTES)
		return 0;
	return ((uint64_t)st.st_size - INDEX_HEAD_BYTES) / file->entry_bytes;
}

/* Whether the data file goes as far as @end: 1, 0, or -errno. */
static int reaches(struct session_file *file, uint64_t end)
{
	struct stat st;
	int fd;

	if (file->input) /* its index is written last, and frames are checked when they are read */
		return 1;
	fd = pooled_file_fd(file->data);
	if (fd < 0)
		return fd; /* a viewer that is not told of the packet does not ask for it */
	if (end <= file->bytes)
		return 1;
	if (fstat(fd, &st))
		return 0;
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
	int fd, err;

	if (!know_entries(file))
		return 0;
	index.entry_bytes = file->entry_bytes;
	fd = pooled_file_fd(file->index);
	if (fd < 0)
		return fd;
	got = read_at(fd, bytes + INDEX_HEAD_BYTES, file->entry_bytes,
		      INDEX_HEAD_BYTES + i * file->entry_bytes);
	if (got < 0)
		return (int)got;
	if ((size_t)got < file->entry_bytes)
		return 0;
	err = packet_index_get(&index, bytes, 0, &packet);
	if (err)
		return err;
	err = reaches(file, packet.offset + packet.packet_bytes);
	if (err != 1)
		return err;
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
	int fd;

	if (file->input)
		return file->input->ops->read(file->input, bytes, len, offset);
	fd = pooled_file_fd(file->data);
	return fd < 0 ? fd : read_at(fd, bytes, len, offset);
}

int session_file_fd(const struct session_file *file)
{
	return pooled_file_fd(file->data);
}

bool session_file_is_gone(const struct session_file *file)
{
	return file->data && pooled_file_is_gone(file->data);
}
