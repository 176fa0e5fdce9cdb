// SPDX-License-Identifier: BSD-2-Clause
/*
 * fuzz_ingest_session: sequences of valid commands and packets, whose numbers are at the boundaries of what the state
 * allows, against everything that a relay keeps of a session: streams, files, chunks, the index, what viewers are shown.
 *
 * The first byte of the input chooses the version. Then each step takes four bytes: what is sent, and three choices of
 * its fields. A rejected peer is followed by another one.
 *
 * All of it happens twice: with all files open, and with a pool of so few that nearly every use opens one again. Replies,
 * what viewers see, and what is stored must be the same.
 */
#include <fcntl.h>
#include <fts.h>
#include <ftw.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/io.h"
#include "live/access/file_pool.h"
#include "live/ingest/ingest_control.h"
#include "live/ingest/ingest_folder.h"
#include "live/ingest/ingest_packets.h"
#include "live/ingest/ingest_pending.h"
#include "live/ingest/ingest_session.h"
#include "live/ingest/ingest_stream.h"
#include "live/session/session.h"

#define STEP_BYTES 4u
#define STEPS_MOST 256u
#define BURSTS_MOST 1u /* in one input, so that it ends soon */
#define BURST_MOST (INGEST_PENDING_MAX + 1)
#define BURST_OF_FILES 1000u /* where each packet makes a file */
#define LOOKED_AT 3u /* packets of a stream that a viewer asks for after each step */
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What is sent that is no command, or a part of one packet. */
enum { SEND_PACKET = 200, SEND_PART, SEND_BURST, SEND_END_DATA, SEND_END_CONTROL };

static const uint32_t sends[] = {
	RELAY_ADD_STREAM,
	RELAY_CREATE_SESSION,
	RELAY_START_DATA,
	RELAY_UPDATE_SYNC_INFO,
	RELAY_VERSION,
	RELAY_SEND_METADATA,
	RELAY_CLOSE_STREAM,
	RELAY_DATA_PENDING,
	RELAY_QUIESCENT_CONTROL,
	RELAY_BEGIN_DATA_PENDING,
	RELAY_END_DATA_PENDING,
	RELAY_SEND_INDEX,
	RELAY_STREAMS_SENT,
	RELAY_RESET_METADATA,
	RELAY_ROTATE_STREAMS,
	RELAY_CREATE_TRACE_CHUNK,
	RELAY_CLOSE_TRACE_CHUNK,
	RELAY_TRACE_CHUNK_EXISTS,
	RELAY_GET_CONFIGURATION,
	SEND_PACKET,
	SEND_PART,
	SEND_BURST,
	SEND_END_DATA,
	SEND_END_CONTROL,
};

struct run {
	char dir[64];
	struct ingest_place place;
	struct file_pool files;
	uint64_t sum; /* of replies, what viewers see, and what is stored */
	struct session_list list;
	struct ingest_control control;
	struct ingest_packets packets;
	uint32_t minor;
	const uint8_t *step;
	unsigned int bursts;
	bool many_files; /* those of a stream have a packet or a few each */
	struct buffer out, reply;
};

/* FNV-1a, so that a difference shows. */
static uint64_t add_bytes(uint64_t sum, const void *bytes, size_t len)
{
	const uint8_t *at = bytes;

	while (len--)
		sum = (sum ^ *at++) * 0x100000001b3;
	return sum;
}

/* The stream that is meant, or NULL. */
static const struct ingest_stream *stream_of(const struct run *run, uint64_t *handle)
{
	struct ingest_session_info info = {0};

	if (run->control.session)
		ingest_session_info(run->control.session, &info);
	return info.streams ? ingest_session_stream_at(run->control.session,
						       run->step[1] % info.streams, handle) :
			      NULL;
}

static uint64_t handle_of(const struct run *run)
{
	uint64_t handle;

	return stream_of(run, &handle) && run->step[1] < 250 ? handle : run->step[1] % 4u;
}

static void state_of(const struct run *run, struct ingest_stream_state *ret)
{
	const struct ingest_stream *stream = stream_of(run, NULL);

	*ret = (struct ingest_stream_state){0};
	if (stream)
		ingest_stream_state(stream, ret);
}

/* A number near those of the stream that is meant, or at the end of the range. */
static uint64_t number_of(const struct run *run, uint8_t choice)
{
	struct ingest_stream_state state;
	uint64_t done;

	state_of(run, &state);
	done = state.next_data < state.next_index ? state.next_data : state.next_index;
	const uint64_t numbers[] = {
		state.next_data,
		state.next_index,
		done,
		state.next_data + 1,
		state.next_data - 1,
		state.next_index + 1,
		done - 1,
		0,
		1,
		2,
		INGEST_PENDING_MAX,
		UINT64_MAX,
		UINT64_MAX - 1,
		1ull << 63,
		state.last_sequence,
		state.last_sequence + 1,
	};

	return numbers[choice % COUNT(numbers)];
}

static uint64_t chunk_of(uint8_t choice)
{
	return choice == 255 ? INGEST_CHUNK_NONE : choice % 3u;
}

static void text(struct buffer *out, const char *text)
{
	buffer_append(out, text, strlen(text) + 1);
}

static void field(struct buffer *out, const char *text, size_t bytes)
{
	buffer_string(out, text);
	buffer_pad(out, 0, bytes - strlen(text));
}

static void create_session(struct run *run)
{
	struct buffer *out = &run->out;
	uint32_t timer = run->step[1] & 1 ? 1000000 : 0;

	if (run->minor < RELAY_MINOR_CHUNKS) {
		field(out, "name", RELAY_OLD_NAME_BYTES);
		field(out, "host", RELAY_OLD_HOST_BYTES);
		buffer_be32(out, timer);
		buffer_be32(out, run->step[2] & 1);
		return;
	}
	for (int i = 0; i < 2; i++)
		buffer_be32(out, 5);
	buffer_be32(out, 1);
	buffer_be32(out, timer);
	buffer_char(out, run->step[2] & 1);
	buffer_char(out, run->step[3] & 1);
	buffer_pad(out, 1, 16);
	buffer_be64(out, 1);
	buffer_be64(out, 1700000000);
	buffer_char(out, 0);
	buffer_be64(out, 0);
	if (run->minor >= RELAY_MINOR_FORMAT)
		buffer_be32(out, 1 + (run->step[2] >> 1) % 2u);
	text(out, "name");
	text(out, "host");
	text(out, "");
}

static void add_stream(struct run *run)
{
	static const char *const names[] = {"ch_0", "ch_1", RELAY_METADATA_CHANNEL};
	static const char *const paths[] = {"ust", "ust/uid"};
	static const uint64_t sizes[] = {0, 0, 1, 64, 4096, UINT64_MAX};
	const char *name = names[run->step[1] % COUNT(names)];
	const char *path = paths[run->step[2] % COUNT(paths)];
	uint64_t size = sizes[run->step[3] % COUNT(sizes)], count = run->step[3] / 64;

	run->many_files |= size && size < 4096;
	if (run->minor < RELAY_MINOR_CHUNKS) {
		field(&run->out, name, RELAY_OLD_CHANNEL_BYTES);
		field(&run->out, path, RELAY_OLD_PATH_BYTES);
		buffer_be64(&run->out, size);
		buffer_be64(&run->out, count);
		return;
	}
	buffer_be32(&run->out, (uint32_t)strlen(name) + 1);
	buffer_be32(&run->out, (uint32_t)strlen(path) + 1);
	buffer_be64(&run->out, size);
	buffer_be64(&run->out, count);
	buffer_be64(&run->out, chunk_of(run->step[2] >> 4));
	text(&run->out, name);
	text(&run->out, path);
}

static uint64_t packet_bytes(uint8_t choice)
{
	static const uint64_t sizes[] = {8, 8, 8, 16, 72};

	return sizes[choice % COUNT(sizes)];
}

static void send_index(struct run *run)
{
	uint64_t bits = run->step[3] >= 240 ? 0 : 8 * packet_bytes(run->step[3]);
	uint64_t number = number_of(run, run->step[2]);
	/* Sequence numbers are ahead of those of packets, or the same. */
	const uint64_t entry[] = {handle_of(run), number, bits, bits, number,
				  number + 1,	  0,	  0,	0,    number + run->step[3] / 64};
	size_t count = run->minor >= RELAY_MINOR_SEQUENCE ? COUNT(entry) : COUNT(entry) - 2;

	for (size_t i = 0; i < count; i++)
		buffer_be64(&run->out, entry[i]);
}

static void rotate(struct run *run)
{
	const struct ingest_session *session = run->control.session;
	bool all = session && run->step[2] & 16;
	struct ingest_session_info info = {.streams = 1};
	uint32_t count;

	if (all)
		ingest_session_info(session, &info);
	count = (uint32_t)info.streams;
	buffer_be32(&run->out, count);
	buffer_char(&run->out, !(run->step[3] & 8));
	buffer_pad(&run->out, 0, 7);
	buffer_be64(&run->out, chunk_of(run->step[3] & 7));
	for (uint32_t i = 0; i < count; i++) {
		uint64_t handle = handle_of(run);

		if (all)
			(void)ingest_session_stream_at(session, i, &handle);
		buffer_be64(&run->out, handle);
		buffer_be64(&run->out, number_of(run, run->step[2]));
	}
}

static void put_command(struct run *run, uint32_t command)
{
	const uint8_t *step = run->step;
	struct buffer *out = &run->out;

	switch (command) {
	case RELAY_ADD_STREAM:
		add_stream(run);
		break;
	case RELAY_CREATE_SESSION:
		create_session(run);
		break;
	case RELAY_VERSION:
		buffer_be32(out, RELAY_MAJOR);
		buffer_be32(out, run->minor);
		break;
	case RELAY_SEND_METADATA:
		buffer_be64(out, handle_of(run));
		buffer_be32(out, step[2] % 5u);
		buffer_string(out, step[3] & 1 ? "/* CTF 1.8 */\n" : "");
		break;
	case RELAY_CLOSE_STREAM:
	case RELAY_DATA_PENDING:
	case RELAY_RESET_METADATA:
		buffer_be64(out, handle_of(run));
		buffer_be64(out, number_of(run, step[2]));
		break;
	case RELAY_QUIESCENT_CONTROL:
	case RELAY_BEGIN_DATA_PENDING:
	case RELAY_END_DATA_PENDING:
		buffer_be64(out, handle_of(run));
		break;
	case RELAY_SEND_INDEX:
		send_index(run);
		break;
	case RELAY_ROTATE_STREAMS:
		rotate(run);
		break;
	case RELAY_CREATE_TRACE_CHUNK:
		buffer_be64(out, chunk_of(step[1]));
		buffer_be64(out, 1700000000);
		buffer_be32(out, step[2] & 1 ? 5 : 0);
		if (step[2] & 1)
			text(out, "part");
		break;
	case RELAY_CLOSE_TRACE_CHUNK:
		buffer_be64(out, chunk_of(step[1]));
		buffer_be64(out, 1700000001);
		buffer_char(out, step[2] & 1);
		buffer_be32(out, step[3] % 3u);
		break;
	case RELAY_TRACE_CHUNK_EXISTS:
	case RELAY_GET_CONFIGURATION:
		buffer_be64(out, chunk_of(step[1]));
		break;
	default:
		break;
	}
}

static void end_control(struct run *run)
{
	ingest_session_free(run->control.session);
	run->control = (struct ingest_control){.place = &run->place, .peer = run->control.peer};
}

static void end_data(struct run *run)
{
	ingest_packets_end(&run->packets);
	run->packets = (struct ingest_packets){.place = &run->place, .peer = ""};
}

/* Every command has a reply, also one that is rejected, once the version is known. */
static void do_command(struct run *run, uint32_t command)
{
	bool owed = run->control.agreed && command != RELAY_SEND_METADATA;
	int err;

	buffer_reset(&run->out);
	buffer_reset(&run->reply);
	put_command(run, command);
	err = ingest_control_do(&run->control, command, run->out.data, run->out.len, &run->reply);
	if (owed && !run->reply.len)
		abort();
	run->sum = add_bytes(run->sum, run->reply.data, run->reply.len);
	if (err)
		end_control(run);
}

static void put_packet(struct run *run, uint64_t number, uint64_t bytes, uint32_t padding)
{
	buffer_reset(&run->out);
	buffer_be64(&run->out, 0);
	buffer_be64(&run->out, handle_of(run));
	buffer_be64(&run->out, number);
	buffer_be32(&run->out, (uint32_t)bytes - padding);
	buffer_be32(&run->out, padding);
	buffer_pad(&run->out, 0x55, bytes - padding);
}

static void send_data(struct run *run, size_t len)
{
	if (ingest_packets_take(&run->packets, (const uint8_t *)run->out.data, len) < 0)
		end_data(run);
}

static void send_packet(struct run *run, bool part)
{
	uint64_t bytes = packet_bytes(run->step[3]);

	put_packet(run, number_of(run, run->step[2]), bytes, run->step[3] & 128 ? 8 : 0);
	send_data(run, part ? run->out.len - 1 - run->step[3] % 40u : run->out.len);
}

/* More than is kept of a stream without an index. */
static void send_burst(struct run *run)
{
	const struct ingest_stream *stream = stream_of(run, NULL);
	const uint32_t most = run->many_files ? BURST_OF_FILES : BURST_MOST;
	struct ingest_stream_state state;

	if (!stream || run->bursts++ == BURSTS_MOST)
		return;
	for (uint32_t i = 0; i < most && stream_of(run, NULL) == stream; i++) {
		ingest_stream_state(stream, &state);
		put_packet(run, state.next_data, 8, 0);
		if (ingest_packets_take(&run->packets, (const uint8_t *)run->out.data,
					run->out.len) < 0) {
			end_data(run);
			break;
		}
	}
}

static void do_step(struct run *run)
{
	uint32_t send = sends[run->step[0] % COUNT(sends)];

	if (send == SEND_PACKET || send == SEND_PART)
		send_packet(run, send == SEND_PART);
	else if (send == SEND_BURST)
		send_burst(run);
	else if (send == SEND_END_DATA)
		end_data(run);
	else if (send == SEND_END_CONTROL)
		end_control(run);
	else
		do_command(run, send);
}

/* As the relay does for a viewer that is a little behind. */
static void look(struct run *run)
{
	const struct session_stream *shown;
	struct ingest_stream_state state;
	struct session_packet packet = {0};
	struct session_file *file;
	char bytes[64] = "";
	uint64_t number;

	state_of(run, &state);
	shown = state.shown;
	number = shown && shown->packet_count > LOOKED_AT ? shown->packet_count - LOOKED_AT : 0;
	while (shown && session_stream_packet(shown, &number, &packet, &file) == 1) {
		ssize_t got = session_file_read(file, bytes, sizeof(bytes), packet.offset);

		run->sum = add_bytes(run->sum, &packet, sizeof(packet));
		run->sum = add_bytes(run->sum, bytes, got < 0 ? 0 : (size_t)got);
		number++;
	}
}

static void check_files(const struct file_pool *files)
{
	struct pooled_file *file = TAILQ_FIRST(&files->files[POOLED_PARKED]);

	if (files->totals.lost || (files->most && files->totals.open > files->most &&
				   !TAILQ_FIRST(&files->files[POOLED_UNNAMED])))
		abort();
	if (file && !files->totals.parked)
		abort();
}

static void check(const struct run *run)
{
	const struct ingest_session *session = run->control.session;
	const struct ingest_stream *stream;
	struct ingest_session_info info;
	size_t pending = 0;

	check_files(&run->files);
	if (!session)
		return;
	ingest_session_info(session, &info);
	for (size_t i = 0; (stream = ingest_session_stream_at(session, i, NULL)); i++) {
		struct ingest_stream_state state;

		if (!ingest_stream_is_sound(stream))
			abort();
		ingest_stream_state(stream, &state);
		pending += state.pending;
	}
	if (pending != info.pending)
		abort();
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	return remove(path);
}

static void init(struct run *run)
{
	const char *parent = access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm";

	snprintf(run->dir, sizeof(run->dir), "%s/sonde-ingest-XXXXXX", parent);
	if (!mkdtemp(run->dir))
		abort();
	run->place.output = open(run->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (run->place.output < 0)
		abort();
}

static void run_steps(struct run *run, const uint8_t *data, size_t size)
{
	for (size_t at = 0; at + STEP_BYTES <= size && at < STEPS_MOST * STEP_BYTES;
	     at += STEP_BYTES) {
		run->step = data + at;
		if (!run->control.agreed)
			do_command(run, RELAY_VERSION);
		do_step(run);
		look(run);
		check(run);
	}
}

/* What is stored of a file, wherever its session's folder is: that may have the time in its name. */
static void add_file(struct run *run, const char *path)
{
	const char *at = path + strlen(run->dir);
	char bytes[4096];
	uint64_t sum;
	size_t got;
	FILE *file;

	for (int i = 0; at && i < 3; i++)
		at = strchr(at + 1, '/');
	if (!at || strstr(at, "/.sonde"))
		return;
	sum = add_bytes(1, at, strlen(at));
	file = fopen(path, "re");
	if (!file)
		abort();
	while ((got = fread(bytes, 1, sizeof(bytes), file)))
		sum = add_bytes(sum, bytes, got);
	fclose(file);
	run->sum += sum; /* in any order */
}

static void add_stored(struct run *run)
{
	char *roots[] = {run->dir, NULL};
	FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	FTSENT *entry;

	if (!walk)
		abort();
	while ((entry = fts_read(walk))) {
		if (entry->fts_info == FTS_F)
			add_file(run, entry->fts_path);
	}
	fts_close(walk);
}

/* With at most @most files open; 0 = as many as there are. */
static uint64_t run_all(const uint8_t *data, size_t size, unsigned int most)
{
	static const uint32_t minors[] = {13, 4, 8, 11, RELAY_MINOR};
	char peer[] = "";
	struct run run = {.place = {.output = -1, .sessions_most = 4}};

	init(&run);
	run.minor = minors[data[0] % COUNT(minors)];
	session_list_init(&run.list);
	file_pool_init(&run.files);
	run.files.most = most;
	run.place.files = &run.files;
	run.place.list = &run.list;
	if (ingest_place_init(&run.place))
		abort();
	run.control.place = &run.place;
	run.control.peer = peer;
	end_data(&run);
	run_steps(&run, data + 1, size - 1);
	end_data(&run);
	end_control(&run);
	add_stored(&run);
	if (run.place.sessions || run.place.streams.count || run.list.count ||
	    run.files.by_inode.count || run.files.totals.open || run.files.totals.parked ||
	    run.files.totals.lost)
		abort();
	file_pool_fini(&run.files);
	ingest_place_fini(&run.place);
	session_list_fini(&run.list);
	buffer_fini(&run.out);
	buffer_fini(&run.reply);
	fd_close(run.place.output);
	if (nftw(run.dir, remove_one, 8, FTW_DEPTH | FTW_PHYS))
		abort();
	return run.sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size && run_all(data, size, 0) != run_all(data, size, 1 + (unsigned int)(size % 3)))
		abort();
	return 0;
}
