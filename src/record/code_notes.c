// SPDX-License-Identifier: BSD-2-Clause
#include "record/code_notes.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/map.h"
#include "probe/warden.h"
#include "record/notes.h"
#include "record/unwind_tables.h"
#include "symbol/elf_symbols.h"
#include "symbol/kernel_symbols.h"
#include "symbol/process_map.h"

#define MAPS_MAX_BYTES (64u << 20)
#define NOTED_MAX (1u << 20) /* mappings remembered; beyond, some are noted twice */

_Static_assert(BUILD_ID_BYTES == NOTE_BUILD_ID_BYTES, "a note holds what is read of a file");

struct file_key {
	uint64_t device;
	uint64_t inode;
};

struct noted_key {
	uint64_t program;
	uint64_t start;
	uint64_t end;
	uint64_t offset;
	struct file_key file;
};

struct program {
	uint64_t id;
	uint64_t since_ns; /* when it was met first */
};

struct code_notes {
	struct notes *notes;
	struct warden *warden;
	struct unwind_tables *tables; /* NULL: no stacks are unwound */
	bool listens;
	int err; /* the first since the last query */
	struct process_news own; /* of the recorder itself, which has time; pid 0: none */
	struct map programs; /* pid -> struct program: the one that it runs now */
	struct map noted; /* struct noted_key -> nothing */
	struct map build_ids; /* struct file_key -> build id */
};

struct code_notes *code_notes_new(struct notes *notes, struct warden *warden)
{
	struct code_notes *code = calloc(1, sizeof(*code));

	if (!code)
		return NULL;
	code->notes = notes;
	code->warden = warden;
	map_init(&code->programs, sizeof(uint32_t), sizeof(struct program), 0);
	map_init(&code->noted, sizeof(struct noted_key), 1, NOTED_MAX);
	map_init(&code->build_ids, sizeof(struct file_key), 1 + BUILD_ID_BYTES, 0);
	return code;
}

void code_notes_free(struct code_notes *code)
{
	if (!code)
		return;
	map_fini(&code->programs);
	map_fini(&code->noted);
	map_fini(&code->build_ids);
	unwind_tables_free(code->tables);
	free(code);
}

static int take_news(void *ctx, void *data, size_t len)
{
	struct code_notes *code = ctx;
	struct process_news news;

	if (len < sizeof(news))
		return 0;
	memcpy(&news, data, sizeof(news));
	if (news.pid == (uint32_t)getpid())
		code->own = news;
	else
		code->err = code->err ?: code_notes_process(code, &news);
	return 0;
}

int code_notes_listen(struct code_notes *code, struct ring_buffer *doorbell, int news_fd)
{
	int err = ring_buffer__add(doorbell, news_fd, take_news, code);

	code->listens = !err;
	return err;
}

int code_notes_unwind(struct code_notes *code, int tasks_fd, int chunks_fd)
{
	code->tables = unwind_tables_new(tasks_fd, chunks_fd, code->warden);
	return code->tables ? 0 : -ENOMEM;
}

void code_notes_refused(const struct code_notes *code, struct unwind_refused *ret)
{
	*ret = (struct unwind_refused){0};
	if (code->tables)
		unwind_tables_refused(code->tables, ret);
}

bool code_notes_listens(const struct code_notes *code)
{
	return code->listens;
}

int code_notes_tick(struct code_notes *code)
{
	const struct process_news own = code->own;
	int err = code->err;

	code->err = 0;
	code->own.pid = 0;
	if (!err && own.pid)
		err = code_notes_process(code, &own);
	return err;
}

static int read_build_id(struct code_notes *code, uint32_t pid, const struct code_mapping *m,
			 uint8_t id[BUILD_ID_BYTES])
{
	struct file_key key = {m->device, m->inode};
	uint8_t *known = map_at(&code->build_ids, &key);
	int fd;

	if (!known)
		return -ENOMEM;
	if (!known[0]) {
		if (!warden_mapped_file(code->warden, pid, m->start, m->end, &fd)) {
			known[0] = 1;
			elf_build_id(fd, known + 1);
			fd_close(fd);
		}
	}
	memcpy(id, known + 1, BUILD_ID_BYTES);
	return 0;
}

/* False where it has been noted already. */
static bool is_new(struct code_notes *code, const struct program *program,
		   const struct code_mapping *m)
{
	struct noted_key key = {program->id, m->start, m->end, m->offset, {m->device, m->inode}};
	uint8_t *noted = map_at(&code->noted, &key);

	if (noted && *noted)
		return false;
	if (noted)
		*noted = 1;
	return true;
}

/* Never an empty text: babeltrace2 2.0 shows the one before it in its place. */
#define NO_FILE "[anonymous]"

static int note_mapping(struct code_notes *code, uint32_t pid, const struct program *program,
			const struct code_mapping *m)
{
	struct sonde_mapping note = {
		.start = m->start,
		.end = m->end,
		.offset = m->offset,
	};
	const char *path = m->path_len ? m->path : NO_FILE;
	size_t len = m->path_len ?: strlen(NO_FILE);
	int err = m->inode ? read_build_id(code, pid, m, note.build_id) : 0;

	if (err)
		return err;
	return notes_add_mapping(code->notes, &note, pid, program->since_ns, path, len);
}

static int note_mappings(struct code_notes *code, uint32_t pid, const struct program *program,
			 const char *maps, size_t len)
{
	const char *at = maps, *end = maps + len;
	struct code_mapping m;
	int err = 0;

	while (!err && process_map_next(&at, end, &m)) {
		if (!kernel_symbols_has(m.start) && is_new(code, program, &m))
			err = note_mapping(code, pid, program, &m);
	}
	return err;
}

int code_notes_process(struct code_notes *code, const struct process_news *news)
{
	struct program *program = map_at(&code->programs, &news->pid);
	char *maps = NULL;
	int fd = -1, err;
	size_t len;

	if (!program)
		return -ENOMEM;
	if (program->id != news->program)
		*program = (struct program){.id = news->program, .since_ns = news->since_ns};
	err = warden_maps(code->warden, news->pid, &fd) ?:
		      file_load_fd(fd, MAPS_MAX_BYTES, &maps, &len);
	fd_close(fd);
	if (err)
		return err == -ENOMEM ? err : 0;
	if (code->tables)
		err = unwind_tables_process(code->tables, news, maps, len);
	err = note_mappings(code, news->pid, program, maps, len) ?: err;
	free(maps);
	return err;
}
