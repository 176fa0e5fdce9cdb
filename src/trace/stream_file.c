// SPDX-License-Identifier: BSD-2-Clause
#define _GNU_SOURCE
#include "trace/stream_file.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/io.h"
#include "wire/frame.h"
#include "wire/index.h"
#include "wire/record.h"

#define DIRECT_ALIGN 4096u /* suits every disk */
/* ext4 looks for blocks at each write that makes a file longer: one that has grown gets them ahead. */
#define AHEAD_FROM (1u << 20)
#define AHEAD_BYTES (8u << 20)

enum way { WAY_CACHE, WAY_DIRECT, WAY_COUNT };

struct stream_file {
	char name[128]; /* of the data file */
	int data_fd;
	int direct_fd; /* the same file, O_DIRECT; -1 = this file system has no such thing */
	double ns_per_byte[WAY_COUNT]; /* of the last aligned packet that went that way; 0 = none */
	int index_fd;
	bool frames;
	uint64_t offset; /* where the next packet, or its frame, starts */
	uint64_t plain_offset; /* of the next packet, where frames are around them */
	uint64_t index_offset; /* where the next entry starts */
	uint64_t packets;
	uint64_t last_sequence; /* of these */
	bool ahead; /* its file system is one where blocks ahead are worth it */
	uint64_t ahead_end; /* the file has blocks up to here, as far as they were taken ahead */
	uint64_t reserve; /* kept behind `offset`; 0 = nothing */
	bool reserved; /* the files may end in blocks that hold nothing */
	int err; /* first failure, sticky */
};

static int create_at(int dir, const char *name, int *ret)
{
	int fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);

	if (fd < 0)
		return -errno;
	*ret = fd;
	return 0;
}

static int write_index_header(int fd, bool frames)
{
	uint32_t words[4] = {
		htobe32(INDEX_MAGIC),
		htobe32(INDEX_MAJOR),
		htobe32(INDEX_MINOR),
		htobe32(frames ? INDEX_ENTRY_FRAME_BYTES : INDEX_ENTRY_BYTES),
	};

	return write_all(fd, words, sizeof(words));
}

static bool is_ext4(int fd)
{
	struct statfs fs;

	return !fstatfs(fd, &fs) && fs.f_type == EXT4_SUPER_MAGIC;
}

static int create(int data_dir, int index_dir, const char *name, bool frames,
		  struct stream_file **ret)
{
	struct stream_file *sf = malloc(sizeof(*sf));
	char index_name[128];
	int err;

	if (!sf)
		return -ENOMEM;
	*sf = (struct stream_file){
		.data_fd = -1,
		.direct_fd = -1,
		.index_fd = -1,
		.frames = frames,
		.index_offset = INDEX_HEAD_BYTES,
	};
	snprintf(sf->name, sizeof(sf->name), "%s", name);
	snprintf(index_name, sizeof(index_name), "%s.idx", name);

	err = create_at(data_dir, name, &sf->data_fd);
	if (err)
		goto fail;
	sf->ahead = is_ext4(sf->data_fd);
	if (!frames) /* which are never aligned */
		sf->direct_fd = openat(data_dir, name, O_WRONLY | O_DIRECT | O_CLOEXEC);
	err = create_at(index_dir, index_name, &sf->index_fd);
	if (err)
		goto fail;
	err = write_index_header(sf->index_fd, frames);
	if (err) {
		(void)unlinkat(index_dir, index_name, 0);
		goto fail;
	}
	*ret = sf;
	return 0;

fail:
	/* O_EXCL made the data file ours; an orphan would make every retry fail. */
	if (sf->data_fd >= 0)
		(void)unlinkat(data_dir, name, 0);
	(void)stream_file_close(sf);
	return err;
}

int stream_file_create(int data_dir, int index_dir, const char *name, struct stream_file **ret)
{
	return create(data_dir, index_dir, name, false, ret);
}

int stream_file_create_frames(int data_dir, int index_dir, const char *name,
			      struct stream_file **ret)
{
	char frames_name[120];

	snprintf(frames_name, sizeof(frames_name), "%s" FRAME_SUFFIX, name);
	return create(data_dir, index_dir, frames_name, true, ret);
}

static size_t entry_bytes(const struct stream_file *sf)
{
	return sf->frames ? INDEX_ENTRY_FRAME_BYTES : INDEX_ENTRY_BYTES;
}

/* Blocks of both files up to the reserve that is to be behind the next @bytes. The files' lengths stay. */
static int keep_reserve(struct stream_file *sf, uint64_t bytes)
{
	if (!sf->reserve)
		return 0;
	sf->reserved = true;
	if (!fallocate(sf->data_fd, FALLOC_FL_KEEP_SIZE, (off_t)sf->offset,
		       (off_t)(bytes + sf->reserve)) &&
	    !fallocate(sf->index_fd, FALLOC_FL_KEEP_SIZE, (off_t)sf->index_offset,
		       (off_t)(2 * entry_bytes(sf))))
		return 0;
	if (errno != EOPNOTSUPP && errno != ENOSYS)
		return -errno;
	sf->reserve = 0;
	return 0;
}

/* The file's length stays. Best effort: a disk that has no such room left is not yet full. */
static void take_ahead(struct stream_file *sf, uint64_t bytes)
{
	uint64_t end = sf->offset + bytes;

	if (!sf->ahead || sf->offset < AHEAD_FROM || end <= sf->ahead_end)
		return;
	sf->reserved = true;
	sf->ahead_end = end + AHEAD_BYTES;
	if (!fallocate(sf->data_fd, FALLOC_FL_KEEP_SIZE, (off_t)sf->offset,
		       (off_t)(sf->ahead_end - sf->offset)))
		return;
	sf->ahead = false;
	(void)!ftruncate(sf->data_fd, (off_t)sf->offset); /* a part of it may have been taken */
}

/* Before @bytes are written. */
static int make_room(struct stream_file *sf, uint64_t bytes)
{
	take_ahead(sf, bytes);
	return keep_reserve(sf, bytes);
}

int stream_file_reserve(struct stream_file *sf, uint64_t bytes)
{
	sf->reserve = bytes;
	return keep_reserve(sf, 0);
}

void stream_file_release(struct stream_file *sf)
{
	sf->reserve = 0;
	if (sf->err == -ENOSPC || sf->err == -EDQUOT || sf->err == -EFBIG)
		sf->err = 0; /* whole packets only: take_back saw to that */
}

/* @bytes: of the frame. */
static int append_index(struct stream_file *sf, const struct packet_head *head, uint64_t bytes)
{
	uint64_t entry[] = {
		htobe64(sf->offset),
		htobe64(head->packet_bits),
		htobe64(head->content_bits),
		htobe64(head->begin_ns),
		htobe64(head->end_ns),
		htobe64(head->discarded),
		htobe64(head->stream_id),
		htobe64((uint64_t)head->cpu * RING_LEVELS + head->level),
		htobe64(head->sequence),
		htobe64(bytes),
		htobe64(sf->plain_offset),
	};

	_Static_assert(sizeof(entry) == INDEX_ENTRY_FRAME_BYTES, "index entry");
	sf->packets++;
	sf->last_sequence = head->sequence;
	sf->index_offset += entry_bytes(sf);
	return write_all(sf->index_fd, entry, entry_bytes(sf));
}

static bool is_aligned(const struct stream_file *sf, const void *packet, size_t len)
{
	return !(((uintptr_t)packet | len | sf->offset) & (DIRECT_ALIGN - 1));
}

/* Who is late takes the way that was the faster one when it was last taken. */
static enum way choose_way(const struct stream_file *sf, bool late)
{
	if (!late || sf->direct_fd < 0)
		return WAY_CACHE;
	return sf->ns_per_byte[WAY_DIRECT] <= sf->ns_per_byte[WAY_CACHE] ? WAY_DIRECT : WAY_CACHE;
}

static int write_aligned(struct stream_file *sf, const void *packet, size_t len, bool late)
{
	enum way way = choose_way(sf, late);
	uint64_t start_ns = clock_monotonic_ns();
	int err = 0;

	/* Errors of direct writes are clearer from the page cache's write. */
	if (way == WAY_CACHE ||
	    pwrite(sf->direct_fd, packet, len, (off_t)sf->offset) != (ssize_t)len)
		err = write_all(sf->data_fd, packet, len);
	else if (lseek(sf->data_fd, (off_t)(sf->offset + len), SEEK_SET) < 0)
		err = -errno;
	sf->ns_per_byte[way] = (double)(clock_monotonic_ns() - start_ns) / (double)len;
	return err;
}

/* Padding that is not in @len is a hole. */
static int write_packet(struct stream_file *sf, const void *packet, size_t len, bool late,
			uint64_t packet_bytes)
{
	off_t end = (off_t)(sf->offset + packet_bytes);
	int err = is_aligned(sf, packet, len) ? write_aligned(sf, packet, len, late) :
						write_all(sf->data_fd, packet, len);

	if (err || packet_bytes <= len)
		return err;
	if (ftruncate(sf->data_fd, end) || lseek(sf->data_fd, end, SEEK_SET) < 0)
		return -errno;
	return 0;
}

/* All at once, or piece by piece where the disk takes only a part of them. */
static int write_parts(int fd, const struct iovec *parts, int count, uint64_t bytes)
{
	ssize_t got = writev(fd, parts, count);
	int err = 0;

	if (got < 0 && errno != EINTR)
		return -errno;
	if (got > 0 && (uint64_t)got == bytes)
		return 0;
	for (size_t done = got < 0 ? 0 : (size_t)got; !err && count; parts++, count--) {
		size_t skip = done < parts->iov_len ? done : parts->iov_len;

		done -= skip;
		err = write_all(fd, (const char *)parts->iov_base + skip, parts->iov_len - skip);
	}
	return err;
}

/* Removes the part that was written of the last packet. If this fails too, readers report it. */
static int take_back(struct stream_file *sf)
{
	sf->ahead_end = 0;
	if (ftruncate(sf->data_fd, (off_t)sf->offset))
		return sf->err;
	return sf->err;
}

int stream_file_write(struct stream_file *sf, const struct packet_head *head, const void *packet,
		      size_t len, bool late)
{
	if (sf->err)
		return sf->err;
	sf->err = make_room(sf, head->packet_bits / 8);
	if (sf->err)
		return sf->err;
	sf->err = write_packet(sf, packet, len, late, head->packet_bits / 8);
	if (sf->err)
		return take_back(sf);

	/* A follower trusts the index, so the packet had to be whole before this point. */
	sf->err = append_index(sf, head, 0);
	sf->offset += head->packet_bits / 8;
	return sf->err;
}

int stream_file_append(struct stream_file *sf, const void *packet, size_t len, bool late)
{
	struct packet_head head;

	memcpy(&head, packet, sizeof(head));
	return stream_file_write(sf, &head, packet, len, late);
}

int stream_file_append_frame(struct stream_file *sf, const struct iovec *parts, int count,
			     const struct packet_head *head)
{
	uint64_t bytes = 0;

	if (sf->err)
		return sf->err;
	for (int i = 0; i < count; i++)
		bytes += parts[i].iov_len;
	sf->err = make_room(sf, bytes);
	if (sf->err)
		return sf->err;
	sf->err = write_parts(sf->data_fd, parts, count, bytes);
	if (sf->err)
		return take_back(sf);
	sf->err = append_index(sf, head, bytes);
	sf->offset += bytes;
	sf->plain_offset += head->packet_bits / 8;
	return sf->err;
}

uint64_t stream_file_packets(const struct stream_file *sf, uint64_t *last)
{
	if (sf->packets)
		*last = sf->last_sequence;
	return sf->packets;
}

bool stream_file_is_there(const struct stream_file *sf, int data_dir)
{
	struct stat open, named, index;

	return !fstat(sf->data_fd, &open) && !fstatat(data_dir, sf->name, &named, 0) &&
	       open.st_ino == named.st_ino && open.st_dev == named.st_dev &&
	       !fstat(sf->index_fd, &index) && index.st_nlink;
}

const char *stream_file_name(const struct stream_file *sf)
{
	return sf->name;
}

uint64_t stream_file_bytes(const struct stream_file *sf)
{
	return sf->offset;
}

int stream_file_close(struct stream_file *sf)
{
	int err, data_err, index_err;

	if (!sf)
		return 0;
	if (sf->reserved) { /* what is left of it goes back to the disk */
		(void)!ftruncate(sf->data_fd, (off_t)sf->offset);
		(void)!ftruncate(sf->index_fd, (off_t)sf->index_offset);
	}
	data_err = fd_close(sf->data_fd);
	(void)fd_close(sf->direct_fd); /* wrote at once, and returned errors */
	index_err = fd_close(sf->index_fd);
	err = sf->err ?: data_err ?: index_err;
	free(sf);
	return err;
}
