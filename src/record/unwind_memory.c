// SPDX-License-Identifier: BSD-2-Clause
#include "record/unwind_memory.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/io.h"

#define ROWS_LEAST 1024u /* a rest of a chunk smaller than this is left, unless it is enough */
/* The kernel waits for all readers, for some 15 ms, after each change of the map of chunks: so many are made at once. */
#define CHUNKS_AT_ONCE 16u
#define SIZES 13u /* spans are given out in powers of two, up to UNWIND_SPANS_MAX */
#define SIZE_LEAST 4u

_Static_assert(1u << (SIZES - 1) == UNWIND_SPANS_MAX, "the largest size");

/* Areas of one size that were given back. */
struct unused {
	struct unwind_area *list;
	size_t count, room;
};

struct unwind_memory {
	int chunks_fd;
	void *chunks[UNWIND_CHUNKS];
	uint32_t chunk_count; /* in use */
	uint32_t made; /* of chunks */
	/* The chunks in use, and how much of them is; before the first: full. */
	uint32_t row_chunk, rows;
	uint32_t span_chunk, spans;
	struct unused unused[SIZES];
};

static size_t chunk_bytes(void)
{
	return (UNWIND_CHUNK_BYTES + 4095) & ~(size_t)4095;
}

void unwind_memory_free(struct unwind_memory *memory)
{
	if (!memory)
		return;
	for (uint32_t i = 0; i < memory->made; i++)
		munmap(memory->chunks[i], chunk_bytes());
	for (size_t i = 0; i < SIZES; i++)
		free(memory->unused[i].list);
	free(memory);
}

static int map_chunk(int fd, void **ret)
{
	const int flags = fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;
	void *chunk = mmap(NULL, chunk_bytes(), PROT_READ | PROT_WRITE, flags, fd, 0);

	if (chunk == MAP_FAILED)
		return -errno;
	*ret = chunk;
	return 0;
}

/* The caller closes *@ret_fd: the map of chunks and the mapping hold it. */
static int make_chunk(void **ret, int *ret_fd)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_MMAPABLE);
	int fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "unwind_chunk", sizeof(uint32_t),
				UNWIND_CHUNK_BYTES, 1, &opts);
	int err;

	if (fd < 0)
		return fd;
	err = map_chunk(fd, ret);
	if (err)
		fd_close(fd);
	else
		*ret_fd = fd;
	return err;
}

/* Up to CHUNKS_AT_ONCE more, at least one, or the error of the first. */
static int make_chunks(struct unwind_memory *memory)
{
	uint32_t numbers[CHUNKS_AT_ONCE], count = 0, done;
	int fds[CHUNKS_AT_ONCE], err = 0;

	for (; count < CHUNKS_AT_ONCE && memory->made + count < UNWIND_CHUNKS; count++) {
		numbers[count] = memory->made + count;
		err = make_chunk(&memory->chunks[memory->made + count], &fds[count]);
		if (err)
			break;
	}
	done = count;
	if (count && bpf_map_update_batch(memory->chunks_fd, numbers, fds, &done, NULL)) {
		err = -errno;
		if (done == count) /* as given: none was */
			done = 0;
	}
	for (uint32_t i = 0; i < count; i++)
		fd_close(fds[i]);
	for (uint32_t i = done; i < count; i++)
		munmap(memory->chunks[memory->made + i], chunk_bytes());
	memory->made += done;
	return done ? 0 : err;
}

static int add_chunk(struct unwind_memory *memory, uint32_t *ret)
{
	int err = 0;

	if (memory->chunk_count == UNWIND_CHUNKS)
		return -ENOSPC;
	if (memory->chunk_count < memory->made) {
		*ret = memory->chunk_count++;
		return 0;
	}
	if (memory->chunks_fd >= 0) {
		err = make_chunks(memory);
	} else {
		err = map_chunk(-1, &memory->chunks[memory->made]);
		memory->made += !err;
	}
	if (!err)
		*ret = memory->chunk_count++;
	return err;
}

struct unwind_memory *unwind_memory_new(int chunks_fd)
{
	struct unwind_memory *memory = calloc(1, sizeof(*memory));

	if (!memory)
		return NULL;
	memory->chunks_fd = chunks_fd;
	memory->rows = UNWIND_CHUNK_ROWS;
	memory->spans = UNWIND_CHUNK_SPANS;
	if (chunks_fd >= 0)
		(void)make_chunks(memory); /* before it is urgent */
	return memory;
}

int unwind_memory_rows(struct unwind_memory *memory, size_t count, struct unwind_area *area,
		       struct unwind_row **ret)
{
	size_t left = UNWIND_CHUNK_ROWS - memory->rows;
	int err;

	if (left < count && left < ROWS_LEAST) {
		err = add_chunk(memory, &memory->row_chunk);
		if (err)
			return err;
		memory->rows = 0;
		left = UNWIND_CHUNK_ROWS;
	}
	*area = (struct unwind_area){
		.chunk = memory->row_chunk,
		.first = (uint16_t)memory->rows,
		.count = (uint16_t)(count < left ? count : left),
	};
	*ret = (struct unwind_row *)memory->chunks[area->chunk] + area->first;
	memory->rows += area->count;
	return 0;
}

static unsigned int size_of(size_t count)
{
	unsigned int size = SIZE_LEAST;

	while ((size_t)1 << size < count)
		size++;
	return size;
}

static int take_new(struct unwind_memory *memory, unsigned int size, struct unwind_area *area)
{
	int err;

	if (UNWIND_CHUNK_SPANS - memory->spans < 1u << size) {
		err = add_chunk(memory, &memory->span_chunk);
		if (err)
			return err;
		memory->spans = 0;
	}
	*area = (struct unwind_area){.chunk = memory->span_chunk, .first = (uint16_t)memory->spans};
	memory->spans += 1u << size;
	return 0;
}

int unwind_memory_spans(struct unwind_memory *memory, size_t count, struct unwind_area *area,
			struct unwind_span **ret)
{
	const unsigned int size = size_of(count);
	struct unused *unused = &memory->unused[size < SIZES ? size : 0];
	int err;

	if (!count || size >= SIZES)
		return -E2BIG;
	if (unused->count) {
		*area = unused->list[--unused->count];
	} else {
		err = take_new(memory, size, area);
		if (err)
			return err;
	}
	area->count = (uint16_t)count;
	*ret = (struct unwind_span *)memory->chunks[area->chunk] + area->first;
	return 0;
}

/* Where there is no memory for the list it is not used again. */
void unwind_memory_give_back(struct unwind_memory *memory, const struct unwind_area *area)
{
	struct unused *unused = &memory->unused[size_of(area->count)];

	if (unused->count == unused->room) {
		const size_t room = unused->room ? 2 * unused->room : 16;
		struct unwind_area *list = realloc(unused->list, room * sizeof(*list));

		if (!list)
			return;
		unused->list = list;
		unused->room = room;
	}
	unused->list[unused->count++] = *area;
}
