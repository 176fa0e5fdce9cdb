// SPDX-License-Identifier: BSD-2-Clause
#include "trace/index_last.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/io.h"
#include "ctf/packet_index.h"
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
