// SPDX-License-Identifier: BSD-2-Clause
#include "symbol/mini_debug.h"

#include <errno.h>
#include <lzma.h>
#include <stdint.h>
#include <stdlib.h>

#define UNPACKED_MAX (64u << 20)
#define DECODER_MEMORY_MAX (96u << 20) /* of the decoder: 65 MiB are what xz -9 asks for */
#define FIRST_ROOM (64u << 10)

/* Decodes into @to until all is there or its room is used up. */
static int decode(lzma_stream *stream, void **to, size_t *room)
{
	lzma_ret ret = LZMA_OK;

	while (ret == LZMA_OK) {
		if (!stream->avail_out) {
			const size_t larger = *room ? 2 * *room : FIRST_ROOM;
			void *moved = larger > UNPACKED_MAX ? NULL : realloc(*to, larger);

			if (!moved)
				return larger > UNPACKED_MAX ? -E2BIG : -ENOMEM;
			stream->next_out = (uint8_t *)moved + stream->total_out;
			stream->avail_out = larger - *room;
			*to = moved;
			*room = larger;
		}
		ret = lzma_code(stream, LZMA_FINISH);
	}
	if (ret == LZMA_STREAM_END)
		return 0;
	return ret == LZMA_MEM_ERROR ? -ENOMEM : ret == LZMA_MEMLIMIT_ERROR ? -E2BIG : -EBADMSG;
}

int mini_debug_unpack(const void *packed, size_t packed_len, void **ret, size_t *len)
{
	lzma_stream stream = LZMA_STREAM_INIT;
	void *to = NULL;
	size_t room = 0;
	int err;

	if (lzma_stream_decoder(&stream, DECODER_MEMORY_MAX, 0) != LZMA_OK)
		return -ENOMEM;
	stream.next_in = packed;
	stream.avail_in = packed_len;
	err = decode(&stream, &to, &room);
	*len = stream.total_out;
	lzma_end(&stream);
	if (err)
		free(to);
	else
		*ret = to;
	return err;
}
