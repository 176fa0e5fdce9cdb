// SPDX-License-Identifier: BSD-2-Clause
#include "live/ingest_file.h"

#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "live/ingest_message.h"
#include "live/ingest_store.h"
#include "live/session.h"
#include "wire/index.h"

#define COPY_BYTES (256u << 10)
#define NAME_BYTES (RELAY_NAME_MAX + 24)

static int write_index_head(const struct ingest_file *file)
{
	bool counted = file->entry_bytes == INDEX_ENTRY_BYTES;
	const uint32_t words[] = {htobe32(INDEX_MAGIC), htobe32(INDEX_MAJOR),
				  htobe32(counted ? INDEX_MINOR : 0), htobe32(file->entry_bytes)};

	return write_all(file->index_fd, words, sizeof(words));
}

void ingest_file_close(struct ingest_file *file)
{
	if (file->shown) { /* its are both */
		session_file_unref(file->shown);
	} else {
		fd_close(file->data_fd);
		fd_close(file->index_fd);
	}
	*file = (struct ingest_file){
		.data_fd = -1, .index_fd = -1, .chunk = INGEST_CHUNK_NONE, .first = file->first};
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

int ingest_file_open(const struct ingest_file_place *place, uint64_t number, uint64_t first,
		     struct ingest_file *ret)
{
	struct ingest_file file = {
		.data_fd = -1,
		.index_fd = -1,
		.number = number,
		.first = first,
		.entry_bytes = place->counted ? INDEX_ENTRY_BYTES : INDEX_ENTRY_1_0_BYTES,
	};
	char name[NAME_BYTES];
	struct stat st;
	int err;

	format_name(place, number, name);
	if (place->ring && number >= place->ring)
		ingest_store_remove(place->session, place->folder, place->path, name);
	err = ingest_store_stream(place->session, place->folder, place->path, name, &file.data_fd);
	if (!err && fstat(file.data_fd, &st))
		err = -errno;
	if (err) {
		ingest_file_close(&file);
		return err;
	}
	file.inode = st.st_ino;
	*ret = file;
	return 0;
}

int ingest_file_index(const struct ingest_file_place *place, struct ingest_file *file)
{
	char name[NAME_BYTES];
	int err;

	format_name(place, file->number, name);
	err = ingest_store_index(place->session, place->folder, place->path, name, &file->index_fd);
	return err ?: write_index_head(file);
}

void ingest_file_remove(const struct ingest_file_place *place, const struct ingest_file *file)
{
	char name[NAME_BYTES];

	format_name(place, file->number, name);
	ingest_store_remove(place->session, place->folder, place->path, name);
}

int ingest_file_entry(struct ingest_file *file, uint64_t offset, const struct ingest_index *index)
{
	const uint64_t entry[] = {
		htobe64(offset),	  htobe64(index->packet_bits), htobe64(index->content_bits),
		htobe64(index->begin),	  htobe64(index->end),	       htobe64(index->discarded),
		htobe64(index->class_id), htobe64(index->instance),    htobe64(index->sequence),
	};

	_Static_assert(sizeof(entry) == INDEX_ENTRY_BYTES, "index entry");
	file->entries++;
	return write_all(file->index_fd, entry, file->entry_bytes);
}

int ingest_file_show(struct ingest_file *file, struct session_stream *shown)
{
	int err;

	if (!shown || file->data_fd < 0 || file->shown)
		return 0;
	err = session_file_new(file->data_fd, file->index_fd, &file->shown);
	if (err) {
		file->data_fd = file->index_fd = -1; /* closed */
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
		ssize_t got =
			read_at(from->data_fd, block, len < COPY_BYTES ? len : COPY_BYTES, offset);

		if (got <= 0) {
			err = got ? (int)got : -EIO;
			break;
		}
		err = write_at(to->data_fd, block, (size_t)got, end);
		end += (uint64_t)got;
		offset += (uint64_t)got;
		len -= (uint64_t)got;
	}
	free(block);
	return err;
}
