// SPDX-License-Identifier: BSD-2-Clause
#include "live/ingest/ingest_file.h"

#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "live/access/file_pool.h"
#include "live/ingest/ingest_folder.h"
#include "live/ingest/ingest_store.h"
#include "live/proto/ingest_message.h"
#include "live/session/session.h"
#include "wire/index.h"

#define COPY_BYTES (256u << 10)
#define NAME_BYTES (RELAY_NAME_MAX + 24)
#define FILE_PATH_BYTES (RELAY_PATH_MAX + NAME_BYTES + sizeof("/index/.idx"))

static int write_index_head(const struct ingest_file *file, int fd)
{
	bool counted = file->entry_bytes == INDEX_ENTRY_BYTES;
	const uint32_t words[] = {htobe32(INDEX_MAGIC), htobe32(INDEX_MAJOR),
				  htobe32(counted ? INDEX_MINOR : 0), htobe32(file->entry_bytes)};

	return write_at(fd, words, sizeof(words), 0);
}

void ingest_file_close(struct ingest_file *file)
{
	if (file->shown) { /* its are both */
		session_file_unref(file->shown);
	} else {
		pooled_file_close(file->data);
		pooled_file_close(file->index);
	}
	*file = (struct ingest_file){.chunk = INGEST_CHUNK_NONE, .first = file->first};
}

static void format_name(const struct ingest_file_place *place, uint64_t number,
			char name[NAME_BYTES])
{
	if (place->ring)
		number %= place->ring;
	if (place->numbered)
		snprintf(name, NAME_BYTES, "%s_%llu", place->channel, (unsigned long long)number);
	else
		snprintf(name, NAME_BYTES, "%s", place->channel);
}

/* @fd, made as @name in the folder of the trace or, with a suffix, in that of its indexes. */
static int pool_file(const struct ingest_file_place *place, const char *folder, const char *name,
		     const char *suffix, int fd, struct pooled_file **ret)
{
	char path[FILE_PATH_BYTES];

	snprintf(path, sizeof(path), "%s%s%s%s%s", place->path, *place->path ? "/" : "", folder,
		 name, suffix);
	return pooled_file_new(place->pool, place->folder, path, fd, ret);
}

int ingest_file_open(const struct ingest_file_place *place, uint64_t number, uint64_t first,
		     struct ingest_file *ret)
{
	const int dir = pool_folder_dir(place->folder);
	const char *folder = pool_folder_path(place->folder);
	struct ingest_file file = {
		.number = number,
		.first = first,
		.entry_bytes = place->counted ? INDEX_ENTRY_BYTES : INDEX_ENTRY_1_0_BYTES,
	};
	char name[NAME_BYTES];
	struct stat st;
	int fd, err;

	format_name(place, number, name);
	if (place->ring && number >= place->ring)
		ingest_store_remove(place->pool, dir, folder, place->path, name);
	err = ingest_store_stream(dir, folder, place->path, name, &fd);
	if (!err && fstat(fd, &st)) {
		err = -errno;
		fd_close(fd);
	}
	err = err ?: pool_file(place, "", name, "", fd, &file.data);
	if (err)
		return err;
	file.inode = st.st_ino;
	*ret = file;
	return 0;
}

int ingest_file_index(const struct ingest_file_place *place, struct ingest_file *file)
{
	char name[NAME_BYTES];
	int fd, err;

	format_name(place, file->number, name);
	err = ingest_store_index(pool_folder_dir(place->folder), pool_folder_path(place->folder),
				 place->path, name, &fd);
	if (err)
		return err;
	err = write_index_head(file, fd);
	if (err) {
		fd_close(fd);
		return err;
	}
	return pool_file(place, "index/", name, ".idx", fd, &file->index);
}

void ingest_file_remove(const struct ingest_file_place *place, const struct ingest_file *file)
{
	char name[NAME_BYTES];

	format_name(place, file->number, name);
	ingest_store_remove(NULL, pool_folder_dir(place->folder), pool_folder_path(place->folder),
			    place->path, name);
}

int ingest_file_write(const struct ingest_file *file, const void *bytes, size_t len,
		      uint64_t offset)
{
	int fd = pooled_file_fd(file->data);

	return fd < 0 ? fd : write_at(fd, bytes, len, offset);
}

int ingest_file_truncate(const struct ingest_file *file, uint64_t bytes)
{
	int fd = pooled_file_fd(file->data);

	if (fd < 0)
		return fd;
	return ftruncate(fd, (off_t)bytes) ? -errno : 0;
}

int ingest_file_entry(struct ingest_file *file, uint64_t offset, const struct ingest_index *index)
{
	const uint64_t entry[] = {
		htobe64(offset),	  htobe64(index->packet_bits), htobe64(index->content_bits),
		htobe64(index->begin),	  htobe64(index->end),	       htobe64(index->discarded),
		htobe64(index->class_id), htobe64(index->instance),    htobe64(index->sequence),
	};

	int fd = pooled_file_fd(file->index), err;

	_Static_assert(sizeof(entry) == INDEX_ENTRY_BYTES, "index entry");
	err = fd < 0 ? fd :
		       write_at(fd, entry, file->entry_bytes,
				INDEX_HEAD_BYTES + file->entries * file->entry_bytes);
	file->entries += !err;
	return err;
}

int ingest_file_show(struct ingest_file *file, struct session_stream *shown)
{
	int err;

	if (!shown || !file->data || file->shown)
		return 0;
	err = session_file_of(file->data, file->index, &file->shown);
	if (err) {
		file->data = file->index = NULL; /* closed */
		return err;
	}
	err = session_stream_file(shown, file->shown);
	if (!err && file->entries)
		session_stream_packets(shown, file->entries);
	return err;
}

int ingest_file_copy(const struct ingest_file *from, uint64_t offset, uint64_t len,
		     struct ingest_file *to)
{
	char *block = malloc(COPY_BYTES);
	uint64_t end = to->bytes;
	int err = block ? 0 : -ENOMEM;

	while (!err && len) {
		int fd = pooled_file_fd(from->data);
		ssize_t got =
			fd < 0 ? fd :
				 read_at(fd, block, len < COPY_BYTES ? len : COPY_BYTES, offset);

		if (got <= 0) {
			err = got ? (int)got : -EIO;
			break;
		}
		err = ingest_file_write(to, block, (size_t)got, end);
		end += (uint64_t)got;
		offset += (uint64_t)got;
		len -= (uint64_t)got;
	}
	free(block);
	return err;
}
