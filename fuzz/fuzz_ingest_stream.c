// SPDX-License-Identifier: BSD-2-Clause
/*
 * fuzz_ingest_stream: any sequence of calls for a stream that is received: data and index entries, either first, cut
 * packets, rotations, chunks that end, and files that another program replaces.
 *
 * The first byte of the input chooses how the stream's files are limited. Then each step takes two bytes: a call, and what it is
 * made with. Each packet has its number in its first bytes, and the rest follows from that. In the end everything that was
 * stored is read: all that the stream has taken is there, packet by packet, each entry of an index is of the packet that
 * it points to, and a file of another program is as it was.
 */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <ftw.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "live/access/file_pool.h"
#include "live/ingest/ingest_folder.h"
#include "live/ingest/ingest_stream.h"
#include "live/proto/ingest_message.h"
#include "wire/index.h"

#define STEPS_MOST 512u
#define CHANNEL "ch"
#define OTHERS "of another program"
#define FILE_BYTES (64u << 10) /* that one file can have with so many steps */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
	CALL_DATA,
	CALL_DATA_AGAIN,
	CALL_INDEX,
	CALL_INDEX_AGAIN,
	CALL_BEGIN,
	CALL_REST,
	CALL_ABORT,
	CALL_ROTATE,
	CALL_LEAVE,
	CALL_CUT,
	CALL_BEACON,
	CALL_REPLACE,
	CALLS
};

struct run {
	char dir[64];
	int output;
	struct file_pool files;
	struct ingest_folder folder;
	struct ingest_stream *stream, *other;
	uint64_t receiving; /* number of the packet that has begun */
	uint32_t got; /* of it */
	uint64_t last_chunk;
	uint64_t taken; /* packets */
	uint64_t stored; /* of them, as the files have it */
	bool incomplete; /* files were removed on purpose */
	bool has_ended;
	unsigned int replaced;
};

static uint32_t len_of(uint64_t number)
{
	return 8 + 8 * (uint32_t)(number % 3);
}

static uint32_t padding_of(uint64_t number)
{
	return number % 5 == 4 ? 8 : 0;
}

static uint32_t bytes_of(uint64_t number)
{
	return len_of(number) + padding_of(number);
}

static void make_packet(uint64_t number, uint8_t bytes[32])
{
	memset(bytes, (int)(number % 251), 32);
	memcpy(bytes, &number, sizeof(number));
	memset(bytes + len_of(number), 0, padding_of(number));
}

/* What the call of a stream has returned: 1 = a packet was taken. */
static void check(struct run *run, int got)
{
	struct ingest_stream_state state, other;

	if (got && got != 1 && got != -EPROTO && got != -ENOBUFS)
		abort();
	if (got ==
	    -ENOBUFS) { /* too many files wait for their index, which ends the session of a peer */
		run->has_ended = true;
		return;
	}
	run->taken += got == 1;
	ingest_stream_state(run->stream, &state);
	ingest_stream_state(run->other, &other);
	if (!ingest_stream_is_sound(run->stream) || !ingest_stream_is_sound(run->other) ||
	    run->folder.pending != state.pending + other.pending || other.lost ||
	    run->folder.losses.packets > run->taken)
		abort();
}

static uint64_t choose(uint8_t choice, uint64_t next)
{
	const uint64_t numbers[] = {next, next,		  next,	      next + 1,
				    0,	  UINT64_MAX - 1, UINT64_MAX, next - 1};

	return numbers[choice % 8];
}

static void begin(struct run *run, uint8_t choice)
{
	struct ingest_stream_state state;
	struct ingest_data data;
	int got;

	ingest_stream_state(run->stream, &state);
	data.number = choose(choice, state.next_data);
	data.len = len_of(data.number);
	data.padding = padding_of(data.number);
	got = ingest_stream_data(run->stream, &data);
	if (got == 1)
		abort(); /* there is data to come */
	if (!got) {
		run->receiving = data.number;
		run->got = 0;
	}
	check(run, got);
}

static void send_bytes(struct run *run, uint32_t len)
{
	struct ingest_stream_state state;
	uint8_t bytes[32];
	int got;

	ingest_stream_state(run->stream, &state);
	if (!state.receiving)
		return;
	make_packet(run->receiving, bytes);
	len = len < len_of(run->receiving) - run->got ? len : len_of(run->receiving) - run->got;
	got = ingest_stream_bytes(run->stream, bytes + run->got, len);
	run->got += len;
	check(run, got);
}

static void send_index(struct run *run, uint8_t choice)
{
	struct ingest_stream_state state;
	struct ingest_index index = {0};

	ingest_stream_state(run->stream, &state);
	index.number = index.instance = choose(choice, state.next_index);
	index.packet_bits = index.content_bits = 8ull * bytes_of(index.number);
	index.sequence = index.number + choice / 128u;
	check(run, ingest_stream_index(run->stream, &index));
}

static void add_chunk(struct run *run)
{
	const struct ingest_command chunk = {.name = "", .id = run->last_chunk + 1};

	if (!ingest_folder_add_chunk(&run->folder, &chunk))
		run->last_chunk++;
}

/* Chunks without streams end; the way that @choice says. */
static void close_chunk(struct run *run, uint8_t choice)
{
	const struct ingest_command close = {.id = run->folder.chunks[0].id,
					     .has_close = true,
					     .close = choice & 1 ? RELAY_CHUNK_MOVE :
								   RELAY_CHUNK_DELETE};
	const struct ingest_chunk *chunk;
	char archive[RELAY_PATH_MAX];
	bool removed;

	if (run->folder.chunk_count == INGEST_CHUNKS_MAX &&
	    !ingest_stream_is_in(run->stream, close.id))
		(void)ingest_folder_close_chunk(&run->folder, &close, archive);
	chunk = ingest_folder_ending(&run->folder);
	if (!chunk || ingest_stream_is_in(run->stream, chunk->id))
		return;
	if (ingest_folder_end_chunk(&run->folder, &removed))
		abort();
	run->incomplete |= removed;
}

static void rotate(struct run *run, uint8_t choice)
{
	struct ingest_stream_state state;

	ingest_stream_state(run->stream, &state);
	add_chunk(run);
	if (ingest_stream_is_in(run->stream, run->last_chunk))
		return;
	check(run, ingest_stream_rotate(run->stream, choose(choice, state.last_sequence + 1),
					run->last_chunk));
}

/* The first stream's files are closed when the other's is used; what @choice says has another content then. */
static void replace(struct run *run, uint8_t choice)
{
	static const char *const names[] = {CHANNEL, CHANNEL "_0", "index/" CHANNEL ".idx",
					    "index/" CHANNEL "_0.idx"};
	char path[160], kept[96];
	struct ingest_data data = {.len = 1};
	struct ingest_stream_state state;
	int fd;

	snprintf(path, sizeof(path), "%s/host/session/%s", run->dir, names[choice % 4]);
	snprintf(kept, sizeof(kept), "%s/kept-%u", run->dir, run->replaced++);
	ingest_stream_state(run->other, &state);
	data.number = state.next_data;
	if (ingest_stream_data(run->other, &data) || ingest_stream_bytes(run->other, "", 1) != 1)
		abort();
	if (rename(path, kept))
		return;
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0 || write_all(fd, OTHERS, strlen(OTHERS)))
		abort();
	fd_close(fd);
	run->incomplete = true;
}

static void step(struct run *run, uint8_t call, uint8_t choice)
{
	const struct ingest_index beacon = {.end = choice};

	switch (call % CALLS) {
	case CALL_DATA:
	case CALL_DATA_AGAIN:
		begin(run, choice);
		send_bytes(run, 32);
		break;
	case CALL_INDEX:
	case CALL_INDEX_AGAIN:
		send_index(run, choice);
		break;
	case CALL_BEGIN:
		begin(run, choice);
		send_bytes(run, choice / 8);
		break;
	case CALL_REST:
		send_bytes(run, choice);
		break;
	case CALL_ABORT:
		ingest_stream_abort(run->stream);
		break;
	case CALL_ROTATE:
		rotate(run, choice);
		break;
	case CALL_LEAVE:
		check(run, ingest_stream_rotate(run->stream, choose(choice, 0), INGEST_CHUNK_NONE));
		break;
	case CALL_CUT:
		check(run, ingest_stream_cut(run->stream));
		break;
	case CALL_BEACON:
		check(run, ingest_stream_index(run->stream, &beacon));
		break;
	default:
		replace(run, choice);
	}
	if (run->has_ended)
		return;
	close_chunk(run, choice);
	check(run, 0);
}

static size_t read_file(const char *path, uint8_t bytes[FILE_BYTES])
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : read_at(fd, bytes, FILE_BYTES, 0);

	fd_close(fd);
	if (got < 0)
		abort();
	return (size_t)got;
}

/* Whole packets, in order. How many. */
static uint64_t check_data(const uint8_t *bytes, size_t len)
{
	uint64_t count = 0, number, before = 0;
	uint8_t packet[32];

	for (size_t at = 0; at < len; at += bytes_of(number)) {
		if (len - at < sizeof(number))
			abort();
		memcpy(&number, bytes + at, sizeof(number));
		make_packet(number, packet);
		if (len - at < bytes_of(number) ||
		    memcmp(bytes + at, packet, bytes_of(number)) != 0 ||
		    (count++ && number != before + 1))
			abort();
		before = number;
	}
	return count;
}

/* The file with packets, which has an index of that name. */
static void check_index(const char *path, const char *name, const uint8_t *bytes, size_t len)
{
	static uint8_t data[FILE_BYTES];
	uint64_t entry[INDEX_ENTRY_BYTES / sizeof(uint64_t)], number;
	char data_path[192];
	size_t data_len;

	snprintf(data_path, sizeof(data_path), "%.*s../%.*s", (int)(strlen(path) - strlen(name)),
		 path, (int)(strlen(name) - strlen(".idx")), name);
	data_len = read_file(data_path, data);
	if (data_len == strlen(OTHERS) && !memcmp(data, OTHERS, data_len))
		return;
	for (size_t at = INDEX_HEAD_BYTES; at < len; at += sizeof(entry)) {
		if (len - at < sizeof(entry))
			abort();
		memcpy(entry, bytes + at, sizeof(entry));
		if (be64toh(entry[0]) > data_len ||
		    data_len - be64toh(entry[0]) < be64toh(entry[1]) / 8)
			abort();
		memcpy(&number, data + be64toh(entry[0]), sizeof(number));
		if (number != be64toh(entry[7]) || be64toh(entry[1]) / 8 != bytes_of(number))
			abort();
	}
}

static void check_file(struct run *run, const char *path, const char *name)
{
	static uint8_t bytes[FILE_BYTES];
	size_t len;

	if (strncmp(name, CHANNEL, strlen(CHANNEL)) != 0 || !strstr(path, "/host/"))
		return;
	len = read_file(path, bytes);
	if (len == strlen(OTHERS) && !memcmp(bytes, OTHERS, len))
		return;
	if (strstr(name, ".idx"))
		check_index(path, name, bytes, len);
	else
		run->stored += check_data(bytes, len);
}

static void check_stored(struct run *run)
{
	char *roots[] = {run->dir, NULL};
	FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	FTSENT *entry;

	if (!walk)
		abort();
	while ((entry = fts_read(walk))) {
		if (entry->fts_info == FTS_F)
			check_file(run, entry->fts_path, entry->fts_name);
	}
	fts_close(walk);
	if (!run->incomplete && (run->stored != run->taken || run->folder.losses.streams))
		abort();
}

static void open_streams(struct run *run, uint8_t choice)
{
	static const uint64_t sizes[] = {0, 1, 40, 200};
	const struct ingest_command create = {.host = "host", .name = "name", .path = "session"};
	const struct ingest_command chunk = {.name = ""};
	const struct ingest_command other = {.name = "other", .path = ""};
	const struct ingest_command add = {.name = CHANNEL,
					   .path = "",
					   .file_bytes = sizes[choice % 4],
					   .file_count = choice / 4 % 4};
	char path[RELAY_PATH_MAX];

	run->incomplete = add.file_bytes && add.file_count;
	run->folder = (struct ingest_folder){.files = &run->files, .counted = true};
	if (ingest_folder_open(&run->folder, run->output, &create, false, path) ||
	    ingest_folder_add_chunk(&run->folder, &chunk) ||
	    ingest_stream_new(&run->folder, &add, &run->stream) ||
	    ingest_stream_new(&run->folder, &other, &run->other))
		abort();
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	return remove(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct run run = {.output = -1};

	if (!size)
		return 0;
	snprintf(run.dir, sizeof(run.dir), "%s/sonde-stream-XXXXXX",
		 access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
	if (!mkdtemp(run.dir))
		abort();
	run.output = open(run.dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	file_pool_init(&run.files);
	run.files.most = 1;
	open_streams(&run, data[0]);
	for (size_t i = 1; i + 1 < size && i < 2 * STEPS_MOST && !run.has_ended; i += 2)
		step(&run, data[i], data[i + 1]);
	ingest_stream_free(run.stream);
	ingest_stream_free(run.other);
	if (run.folder.pending)
		abort();
	if (!run.has_ended)
		check_stored(&run);
	ingest_folder_close(&run.folder);
	file_pool_fini(&run.files);
	fd_close(run.output);
	if (nftw(run.dir, remove_one, 8, FTW_DEPTH | FTW_PHYS))
		abort();
	return 0;
}
