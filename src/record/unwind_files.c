// SPDX-License-Identifier: BSD-2-Clause
#include "record/unwind_files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/io.h"
#include "base/map.h"
#include "probe/warden.h"
#include "record/unwind_memory.h"
#include "symbol/eh_frame.h"
#include "symbol/elf_symbols.h"

#define FILES_MAX 65536u
#define VDSO "[vdso]"
#define VDSO_MAX_BYTES 65536u
#define PAGE 4096u

struct file_key {
	uint64_t device;
	uint64_t inode;
};

/* What tells a file from another one that has got its inode since. */
struct version {
	uint64_t bytes;
	uint64_t changed_ns;
};

struct piece {
	uint32_t pc; /* of its first row */
	struct unwind_area area;
};

struct file {
	struct version version;
	struct elf_segment segments[ELF_SEGMENTS_MAX];
	size_t segment_count;
	uint64_t base; /* of rows */
	struct piece *pieces;
	size_t piece_count; /* 0: it has no table */
};

struct unwind_files {
	struct unwind_memory *memory;
	struct warden *warden;
	struct map files; /* struct file_key -> struct file * */
	struct file vdso;
	bool vdso_read;
	uint64_t refused;
};

struct unwind_files *unwind_files_new(struct unwind_memory *memory, struct warden *warden)
{
	struct unwind_files *files = calloc(1, sizeof(*files));

	if (!files)
		return NULL;
	files->memory = memory;
	files->warden = warden;
	map_init(&files->files, sizeof(struct file_key), sizeof(struct file *), FILES_MAX);
	return files;
}

void unwind_files_free(struct unwind_files *files)
{
	const void *key;
	void *value;

	if (!files)
		return;
	for (size_t at = 0; map_next(&files->files, &at, &key, &value);) {
		struct file *file = *(struct file **)value;

		if (file)
			free(file->pieces);
		free(file);
	}
	map_fini(&files->files);
	free(files->vdso.pieces);
	free(files);
}

uint64_t unwind_files_refused(const struct unwind_files *files)
{
	return files->refused;
}

/* Rows are put where there is room; each run of them that is in one chunk is a piece. */
static int add_pieces(struct unwind_memory *memory, struct file *file, const struct eh_frame *eh)
{
	for (size_t done = 0; done < eh->count;) {
		struct piece *pieces =
			realloc(file->pieces, (file->piece_count + 1) * sizeof(*pieces));
		struct piece *piece;
		struct unwind_row *rows;
		int err;

		if (!pieces)
			return -ENOMEM;
		file->pieces = pieces;
		piece = &pieces[file->piece_count];
		err = unwind_memory_rows(memory, eh->count - done, &piece->area, &rows);
		if (err)
			return err;
		memcpy(rows, eh->rows + done, piece->area.count * sizeof(*rows));
		piece->pc = rows->pc;
		done += piece->area.count;
		file->piece_count++;
	}
	return 0;
}

/* A file that has no room has no table: half of one would be a wrong one. */
static void keep_rows(struct unwind_files *files, struct file *file, struct eh_frame *eh)
{
	file->base = eh->base;
	if (add_pieces(files->memory, file, eh)) {
		file->piece_count = 0;
		files->refused++;
	}
	eh_frame_fini(eh);
}

static void read_file(struct unwind_files *files, struct file *file, int fd)
{
	struct elf_symbols elf;
	struct eh_frame eh;
	int err = eh_frame_read(fd, &eh);

	if (err == -E2BIG)
		files->refused++;
	if (err)
		return;
	elf_symbols_init(&elf);
	elf_symbols_read_segments(&elf, fd);
	memcpy(file->segments, elf.segments, sizeof(file->segments));
	file->segment_count = elf.segment_count;
	elf_symbols_fini(&elf);
	keep_rows(files, file, &eh);
}

/* The kernel maps the same one into every process of 64 bits, this one too. */
static void read_vdso(struct unwind_files *files)
{
	const uint64_t start = getauxval(AT_SYSINFO_EHDR);
	struct code_mapping m = {0};
	char *maps = NULL;
	const char *at;
	struct eh_frame eh;
	size_t len;

	files->vdso_read = true;
	if (!start || file_load(AT_FDCWD, "/proc/self/maps", 16u << 20, &maps, &len))
		return;
	at = maps;
	while (process_map_next(&at, maps + len, &m) && m.start != start)
		;
	free(maps);
	if (m.start != start || m.end - m.start > VDSO_MAX_BYTES ||
	    eh_frame_read_image((void *)(uintptr_t)start, (size_t)(m.end - m.start), &eh))
		return;
	files->vdso.segments[0] = (struct elf_segment){.bytes = m.end - m.start};
	files->vdso.segment_count = 1;
	keep_rows(files, &files->vdso, &eh);
}

static struct version version_of(const struct stat *st)
{
	return (struct version){
		.bytes = (uint64_t)st->st_size,
		.changed_ns =
			(uint64_t)st->st_ctim.tv_sec * NS_PER_SEC + (uint64_t)st->st_ctim.tv_nsec,
	};
}

/* By its path, if that still leads to it: in a container, or where it was deleted, it does not. */
static bool find_version(const struct code_mapping *m, struct version *ret)
{
	char path[PATH_MAX];
	struct stat st;

	if (m->path_len >= sizeof(path) || !m->path_len || *m->path != '/')
		return false;
	memcpy(path, m->path, m->path_len);
	path[m->path_len] = '\0';
	if (stat(path, &st) || st.st_ino != m->inode ||
	    ((uint64_t)major(st.st_dev) << 32 | minor(st.st_dev)) != m->device)
		return false;
	*ret = version_of(&st);
	return true;
}

static bool is_same(const struct version *a, const struct version *b)
{
	return a->bytes == b->bytes && a->changed_ns == b->changed_ns;
}

/* NULL: it cannot be read, or there is no memory. */
static const struct file *find_file(struct unwind_files *files, uint32_t pid,
				    const struct code_mapping *m)
{
	const struct file_key key = {m->device, m->inode};
	struct file **file = map_at(&files->files, &key);
	struct version version;
	struct stat st;
	int fd;

	if (!file)
		return NULL;
	if (*file && find_version(m, &version) && is_same(&version, &(*file)->version))
		return *file;
	if (warden_mapped_file(files->warden, pid, m->start, m->end, &fd))
		return NULL;
	if (!fstat(fd, &st)) {
		version = version_of(&st);
		if (!*file)
			*file = calloc(1, sizeof(**file));
		if (*file && !is_same(&version, &(*file)->version)) {
			free((*file)->pieces);
			**file = (struct file){.version = version};
			read_file(files, *file, fd);
		}
	}
	fd_close(fd);
	return *file;
}

/* The address, as the file has it, of what a mapping of @offset begins with. */
static bool find_address(const struct file *file, uint64_t offset, uint64_t *ret)
{
	for (size_t i = 0; i < file->segment_count; i++) {
		const struct elf_segment *segment = &file->segments[i];

		if (offset >= (segment->offset & ~(uint64_t)(PAGE - 1)) &&
		    offset < segment->offset + segment->bytes) {
			*ret = segment->address + (offset - segment->offset);
			return true;
		}
	}
	return false;
}

static size_t no_table(const struct code_mapping *m, struct unwind_span *ret, size_t most)
{
	if (!most)
		return 0;
	*ret = (struct unwind_span){.start = m->start, .end = m->end, .chunk = UNWIND_NO_CHUNK};
	return 1;
}

size_t unwind_files_spans(struct unwind_files *files, uint32_t pid, const struct code_mapping *m,
			  struct unwind_span *ret, size_t most)
{
	const struct file *file = NULL;
	uint64_t address, bias;
	size_t count = 0;

	if (m->inode) {
		file = find_file(files, pid, m);
	} else if (m->path_len == strlen(VDSO) && !memcmp(m->path, VDSO, m->path_len)) {
		if (!files->vdso_read)
			read_vdso(files);
		file = &files->vdso;
	}
	if (!file || !file->piece_count || !find_address(file, m->offset, &address))
		return no_table(m, ret, most);
	/* Modulo 2^64: an address of the process minus it is a row's pc. */
	bias = m->start - (address - file->base);
	for (size_t i = 0; i < file->piece_count && count < most; i++) {
		const struct piece *piece = &file->pieces[i];
		const bool last = i + 1 == file->piece_count;
		const uint64_t from = i ? piece->pc : 0, to = last ? UINT32_MAX : piece[1].pc;
		const uint64_t first = m->start - bias, end = m->end - bias;
		const uint64_t low = from > first ? from : first, high = to < end ? to : end;

		if (low >= high)
			continue;
		ret[count++] = (struct unwind_span){
			.start = low + bias,
			.end = high + bias,
			.bias = bias,
			.chunk = piece->area.chunk,
			.first = piece->area.first,
			.count = piece->area.count,
		};
	}
	return count ?: no_table(m, ret, most);
}
