// SPDX-License-Identifier: BSD-2-Clause
#include "trace/index_walk.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/io.h"
#include "ctf/packet.h"
#include "wire/index.h"

/* The first, or the last. */
static int read_entry(int fd, off_t len, bool last, struct index_packet *ret)
{
	uint8_t bytes[INDEX_HEAD_BYTES + INDEX_ENTRY_MAX_BYTES];
	struct packet_index index;
	uint64_t at;
	int err;

	if (len < (off_t)INDEX_HEAD_BYTES ||
	    read_at(fd, bytes, INDEX_HEAD_BYTES, 0) != INDEX_HEAD_BYTES)
		return -ENODATA;
	err = packet_index_parse(bytes, INDEX_HEAD_BYTES, &index, NULL);
	if (err)
		return err;
	index.count = (size_t)(len - INDEX_HEAD_BYTES) / index.entry_bytes;
	if (!index.count)
		return -ENODATA;
	at = INDEX_HEAD_BYTES + (last ? (index.count - 1) * (uint64_t)index.entry_bytes : 0);
	if (read_at(fd, bytes + INDEX_HEAD_BYTES, index.entry_bytes, at) != index.entry_bytes)
		return -ENODATA;
	return packet_index_get(&index, bytes, 0, ret);
}

int index_last(int fd, off_t len, struct index_packet *ret)
{
	return read_entry(fd, len, true, ret);
}

int index_first(int fd, off_t len, struct index_packet *ret)
{
	return read_entry(fd, len, false, ret);
}

#define CHUNK_BYTES (64u << 10)

struct index_walk {
	int fd;
	uint64_t at; /* in the file, behind what is in the chunk */
	size_t next; /* entry of the chunk */
	struct packet_index index; /* `count`: entries in the chunk */
	uint8_t bytes[INDEX_HEAD_BYTES + CHUNK_BYTES]; /* the head, and behind it the chunk */
};

/* The head of the file stays in front of the chunk, as packet_index_get has it. */
static bool open_walk(struct index_walk *walk)
{
	struct stat st;

	if (walk->fd < 0 || fstat(walk->fd, &st) || st.st_size > (off_t)INDEX_WALK_MAX_BYTES ||
	    read_at(walk->fd, walk->bytes, INDEX_HEAD_BYTES, 0) != INDEX_HEAD_BYTES)
		return false;
	return !packet_index_parse(walk->bytes, INDEX_HEAD_BYTES, &walk->index, NULL);
}

struct index_walk *index_walk_new(int fd)
{
	struct index_walk *walk = malloc(sizeof(*walk));

	if (!walk) {
		(void)fd_close(fd);
		return NULL;
	}
	walk->fd = fd;
	if (!open_walk(walk)) {
		index_walk_free(walk);
		return NULL;
	}
	index_walk_rewind(walk);
	return walk;
}

bool index_walk_has_frames(const struct index_walk *walk)
{
	return walk->index.entry_bytes == INDEX_ENTRY_FRAME_BYTES;
}

void index_walk_rewind(struct index_walk *walk)
{
	walk->at = INDEX_HEAD_BYTES;
	walk->next = 0;
	walk->index.count = 0;
}

static bool fill(struct index_walk *walk)
{
	const size_t entry_bytes = walk->index.entry_bytes;
	ssize_t got = read_at(walk->fd, walk->bytes + INDEX_HEAD_BYTES,
			      CHUNK_BYTES / entry_bytes * entry_bytes, walk->at);

	walk->next = 0;
	walk->index.count = got < 0 ? 0 : (size_t)got / entry_bytes;
	walk->at += walk->index.count * entry_bytes;
	return walk->index.count;
}

int index_walk_next(struct index_walk *walk, struct index_packet *ret)
{
	int err;

	if (walk->next == walk->index.count && !fill(walk))
		return 0;
	err = packet_index_get(&walk->index, walk->bytes, walk->next++, ret);
	return err ? err : 1;
}

void index_walk_free(struct index_walk *walk)
{
	if (!walk)
		return;
	(void)fd_close(walk->fd);
	free(walk);
}
