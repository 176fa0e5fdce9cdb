// SPDX-License-Identifier: BSD-2-Clause
/*
 * fuzz_zstd: any bytes as a compressed stream file, and as the index beside it. The first two bytes
 * say how long the index is; it stands behind them, and the file behind it.
 */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "base/io.h"
#include "trace/frame.h"
#include "trace/frame_input.h"
#include "trace/stream_input.h"
#include "wire/frame.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define NAME "f" FRAME_SUFFIX
#define INDEX_NAME "index/" NAME ".idx"
#define READ_MAX (64u << 20) /* of one input: a few bytes may hold megabytes */

static char path[256];
static int dir = -1;

static void clean_up(void)
{
	(void)unlinkat(dir, NAME, 0);
	(void)unlinkat(dir, INDEX_NAME, 0);
	(void)unlinkat(dir, "index", AT_REMOVEDIR);
	(void)rmdir(path);
}

static void prepare(void)
{
	if (dir >= 0)
		return;
	snprintf(path, sizeof(path), "%s/sonde-fuzz-zstd-XXXXXX", getenv("TMPDIR") ?: "/tmp");
	if (!mkdtemp(path))
		abort();
	dir = open(path, O_RDONLY | O_DIRECTORY);
	if (dir < 0 || mkdirat(dir, "index", 0755))
		abort();
	(void)atexit(clean_up);
}

static void put_file(const char *name, const uint8_t *bytes, size_t len)
{
	int fd = openat(dir, name, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	if (fd < 0 || write_all(fd, bytes, len) || fd_close(fd))
		abort();
}

/* Where a frame is whole, zstd says so too; and where zstd can read it, so can we, within limits. */
static void check_frame(const uint8_t *data, size_t size)
{
	struct frame frame;
	struct diag diag = {.text = ""};
	int err = frame_parse(data, size, &frame, &diag);

	err = err ?: frame_measure(&frame, data, size, &diag);
	if (err && err != -ENODATA && !diag.text[0])
		abort();
	if (!err && (ZSTD_findFrameCompressedSize(data, size) != frame.bytes ||
		     ZSTD_getFrameContentSize(data, size) != frame.content_bytes))
		abort();
}

/* All of the stream in pieces of @piece bytes, damage left out: a sum of what was read. */
static uint64_t read_all(size_t piece, bool follow)
{
	struct stream_input *input;
	uint8_t *bytes = malloc(piece);
	uint64_t sum = 0, at = 0, size, next, left = READ_MAX;

	if (!bytes || stream_open(dir, NAME, &input))
		abort();
	input->follow = input->look = follow;
	while (!input->ops->size(input, &size) && at < size && left) {
		ssize_t got = input->ops->read(input, bytes, piece, at);

		for (ssize_t i = 0; i < got; i++)
			sum = sum * 31 + bytes[i];
		if (got > 0) {
			at += (uint64_t)got;
			left -= (uint64_t)got < left ? (uint64_t)got : left;
			continue;
		}
		if (got == -EBADMSG && !input->diag.text[0])
			abort();
		if (input->ops->seek(input, at, &next) <= 0)
			break;
		if (next <= at)
			abort(); /* it would never end */
		at = next;
	}
	input->ops->close(input);
	free(bytes);
	return left ? sum : 0; /* where it broke off depends on the pieces */
}

/* From its end to its begin, which goes by the map. */
static void read_backwards(void)
{
	struct stream_input *input;
	uint64_t size = 0, left = 100;
	uint8_t bytes[100];

	if (stream_open(dir, NAME, &input))
		abort();
	(void)input->ops->size(input, &size);
	for (uint64_t step = size / 10 + 1; size && left; left--) {
		size -= size < step ? size : step;
		if (input->ops->read(input, bytes, sizeof(bytes), size) > (ssize_t)sizeof(bytes))
			abort();
	}
	input->ops->close(input);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t index_len;
	uint64_t sum;

	if (size < 2)
		return 0;
	index_len = (size_t)(data[0] | data[1] << 8);
	index_len = index_len < size - 2 ? index_len : size - 2;
	prepare();
	put_file(INDEX_NAME, data + 2, index_len);
	put_file(NAME, data + 2 + index_len, size - 2 - index_len);
	check_frame(data + 2 + index_len, size - 2 - index_len);
	sum = read_all(1 << 20, false);
	if (read_all(4093, false) != sum)
		abort(); /* pieces must not change what is read */
	(void)read_all(1 << 20, true);
	read_backwards();
	return 0;
}
