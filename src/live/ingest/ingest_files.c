// SPDX-License-Identifier: BSD-2-Clause
#include "live/ingest/ingest_files.h"

#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/map.h"
#include "live/access/file_pool.h"
#include "live/ingest/ingest_folder.h"
#include "live/ingest/ingest_pending.h"
#include "live/ingest/ingest_quota.h"
#include "live/ingest/ingest_store.h"
#include "live/proto/ingest_message.h"
#include "live/session/session.h"
#include "wire/index.h"

#define COPY_BYTES (256u << 10)
#define NAME_BYTES (RELAY_NAME_MAX + 24)
#define FILE_PATH_BYTES (RELAY_PATH_MAX + NAME_BYTES + sizeof("/index/.idx"))
#define SHOWN_MAX 256u /* files of a stream that are held open for viewers */

struct ingest_file *ingest_files_newest(const struct ingest_files *files)
{
	return &files->all[files->count - 1];
}

static void format_name(const struct ingest_files *files, uint64_t number, char name[NAME_BYTES])
{
	if (files->ring)
		number %= files->ring;
	if (files->numbered)
		snprintf(name, NAME_BYTES, "%s_%llu", files->channel, (unsigned long long)number);
	else
		snprintf(name, NAME_BYTES, "%s", files->channel);
}

/* @fd, made as @name in the folder of the trace or, with a suffix, in that of its indexes. */
static int pool_file(const struct ingest_files *files, struct pool_folder *folder,
		     const char *below, const char *name, const char *suffix, int fd,
		     struct pooled_file **ret)
{
	char path[FILE_PATH_BYTES];

	snprintf(path, sizeof(path), "%s%s%s%s%s", files->path, *files->path ? "/" : "", below,
		 name, suffix);
	return pooled_file_new(files->folder->files, folder, path, fd, ret);
}

/* Data may come long before its index entries: what @file overwrites may still wait for these. */
static void overwrite(const struct ingest_files *files, const struct ingest_file *file,
		      const struct pool_folder *folder, const char *name)
{
	ingest_store_remove(files->folder->files, pool_folder_dir(folder), pool_folder_path(folder),
			    files->path, name);
	for (size_t i = 0; i < files->count; i++) {
		struct ingest_file *old = &files->all[i];

		old->is_gone |= old->chunk == file->chunk &&
				old->number + files->ring == file->number;
	}
}

/* Makes it in its chunk, without an index. */
static int open_file(const struct ingest_files *files, struct ingest_file *file)
{
	struct pool_folder *folder = ingest_folder_of_chunk(files->folder, file->chunk);
	const int dir = pool_folder_dir(folder);
	const char *path = pool_folder_path(folder);
	char name[NAME_BYTES];
	struct stat st;
	int fd, err;

	format_name(files, file->number, name);
	if (files->ring && file->number >= files->ring)
		overwrite(files, file, folder, name);
	err = ingest_store_stream(dir, path, files->path, name, &fd);
	if (!err && fstat(fd, &st)) {
		err = -errno;
		fd_close(fd);
	}
	err = err ?: pool_file(files, folder, "", name, "", fd, &file->data);
	if (err)
		return err;
	file->inode = st.st_ino;
	file->entry_bytes = files->folder->counted ? INDEX_ENTRY_BYTES : INDEX_ENTRY_1_0_BYTES;
	return 0;
}

int ingest_files_push(struct ingest_files *files, uint64_t chunk, uint64_t first)
{
	bool follows = files->count && ingest_files_newest(files)->chunk == chunk;
	struct ingest_file file = {.chunk = chunk, .first = first}, *all;
	int err = 0;

	if (files->count == INGEST_FILES_MAX)
		return -ENOBUFS;
	all = realloc(files->all, (files->count + 1) * sizeof(*all));
	if (!all)
		return -ENOMEM;
	files->all = all;
	if (chunk != INGEST_CHUNK_NONE) {
		file.number = follows ? ingest_files_newest(files)->number + 1 : 0;
		err = open_file(files, &file);
	}
	if (err)
		return err;
	all[files->count++] = file;
	return 0;
}

static int write_index_head(const struct ingest_file *file, int fd)
{
	bool counted = file->entry_bytes == INDEX_ENTRY_BYTES;
	const uint32_t words[] = {htobe32(INDEX_MAGIC), htobe32(INDEX_MAJOR),
				  htobe32(counted ? INDEX_MINOR : 0), htobe32(file->entry_bytes)};

	return write_at(fd, words, sizeof(words), 0);
}

/* With the head of it. */
static int open_index(const struct ingest_files *files, struct ingest_file *file)
{
	struct pool_folder *folder = ingest_folder_of_chunk(files->folder, file->chunk);
	char name[NAME_BYTES];
	int fd, err;

	format_name(files, file->number, name);
	err = ingest_store_index(pool_folder_dir(folder), pool_folder_path(folder), files->path,
				 name, &fd);
	if (err)
		return err;
	err = write_index_head(file, fd);
	if (err) {
		fd_close(fd);
		return err;
	}
	return pool_file(files, folder, "index/", name, ".idx", fd, &file->index);
}

/* Of the first file, if it is @needed and not there: streams of snapshots have none. */
static int make_index(struct ingest_files *files, bool needed)
{
	struct ingest_file *file = files->all;

	return !needed || file->index || !file->data || file->is_gone ? 0 : open_index(files, file);
}

static int write_entry(struct ingest_file *file, uint64_t offset, const struct ingest_index *index)
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

int ingest_files_entry(struct ingest_files *files, const struct ingest_packet *packet)
{
	int err = make_index(files, true);

	return err || !files->all->index ? err :
					   write_entry(files->all, packet->offset, &packet->index);
}

/* Viewers get its packets from now on. */
static int show_file(struct ingest_file *file, struct session_stream *shown)
{
	int err;

	if (!shown || !file->index || file->shown)
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

static int show_first(struct ingest_files *files)
{
	struct session_stream *shown = files->shown;
	uint64_t most = files->ring && files->ring < SHOWN_MAX ? files->ring : SHOWN_MAX;

	while (shown && shown->file_count >= most && !files->all->shown)
		session_stream_drop(shown);
	return make_index(files, shown) ?: show_file(files->all, shown);
}

int ingest_files_show(struct ingest_files *files, struct session_stream *shown)
{
	files->shown = shown;
	return show_first(files);
}

/* One that is not open is fine. */
static void close_file(struct ingest_file *file)
{
	if (file->shown) { /* its are both */
		session_file_unref(file->shown);
	} else {
		pooled_file_close(file->data);
		pooled_file_close(file->index);
	}
	*file = (struct ingest_file){.chunk = INGEST_CHUNK_NONE, .first = file->first};
}

/* The index of the first file is complete. */
static int pop_file(struct ingest_files *files)
{
	close_file(files->all);
	files->count--;
	memmove(files->all, files->all + 1, files->count * sizeof(*files->all));
	return show_first(files);
}

int ingest_files_pop(struct ingest_files *files, uint64_t done)
{
	int err = 0;

	while (!err && files->count > 1 && done >= files->all[1].first)
		err = pop_file(files);
	return err;
}

int ingest_files_room(struct ingest_files *files, uint64_t number, uint64_t len)
{
	const struct ingest_file *file = ingest_files_newest(files);

	if (!files->most || !file->bytes ||
	    (file->bytes + len <= files->most && !(files->first_alone && !file->number)))
		return 0;
	return ingest_files_push(files, file->chunk, number);
}

size_t ingest_files_find(const struct ingest_files *files, size_t count, uint64_t number)
{
	while (count > 1 && files->all[count - 1].first > number)
		count--;
	return count - 1;
}

void ingest_files_remove(struct ingest_files *files, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++) {
		const struct pool_folder *folder =
			ingest_folder_of_chunk(files->folder, files->all[i].chunk);
		char name[NAME_BYTES];

		format_name(files, files->all[i].number, name);
		ingest_store_remove(NULL, pool_folder_dir(folder), pool_folder_path(folder),
				    files->path, name);
		close_file(&files->all[i]);
	}
	memmove(files->all + from, files->all + to, (files->count - to) * sizeof(*files->all));
	files->count -= to - from;
}

void ingest_files_close(struct ingest_files *files, uint64_t chunk)
{
	for (size_t i = 0; i < files->count; i++)
		close_file(&files->all[i]);
	files->count = 1;
	files->all[0] = (struct ingest_file){.chunk = chunk};
}

bool ingest_files_are_in(const struct ingest_files *files, uint64_t chunk)
{
	for (size_t i = 0; i < files->count; i++) {
		if (files->all[i].chunk == chunk)
			return true;
	}
	return false;
}

int ingest_files_add_inodes(const struct ingest_files *files, struct map *inodes)
{
	for (size_t i = 0; i < files->count; i++) {
		const uint64_t inode = files->all[i].inode;

		if (files->all[i].data && !map_at(inodes, &inode))
			return -ENOMEM;
	}
	return 0;
}

/* How long they get: as their session asks, and so that a quota has files to drop. */
static void limit(struct ingest_files *files, const struct ingest_command *add)
{
	uint64_t most = ingest_quota_file_bytes(files->folder->quota);

	files->most = add->file_bytes;
	files->ring = add->file_bytes ? add->file_count : 0;
	if (most && !files->ring) {
		files->first_alone = true;
		if (!files->most || files->most > most)
			files->most = most;
	}
	files->numbered = files->most;
}

int ingest_files_init(struct ingest_files *files, struct ingest_folder *folder,
		      const struct ingest_command *add)
{
	*files = (struct ingest_files){.folder = folder};
	if (strcmp(add->name, RELAY_METADATA_CHANNEL) != 0)
		limit(files, add);
	files->path = strdup(add->path);
	files->channel = strdup(add->name);
	return files->path && files->channel ? ingest_files_push(files, add->chunk, 0) : -ENOMEM;
}

void ingest_files_fini(struct ingest_files *files)
{
	for (size_t i = 0; i < files->count; i++)
		close_file(&files->all[i]);
	free(files->all);
	free(files->path);
	free(files->channel);
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
