// SPDX-License-Identifier: BSD-2-Clause
#include "live/ingest/ingest_stream.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/io.h"
#include "live/access/file_pool.h"
#include "live/ingest/ingest_folder.h"
#include "live/proto/ingest_message.h"
#include "live/session/session.h"
#include "wire/index.h"

#define PACKET_BYTES 8u
#define OTHERS "the file of another program, which has nothing to do with it"

/* Two streams of a session, of whose files one alone is open at a time. */
struct fixture {
	char dir[32];
	int output;
	struct file_pool files;
	struct ingest_folder folder;
	struct ingest_losses all;
	struct ingest_stream *stream, *other;
	char said[1024];
};

static void warn(void *ctx, const char *text)
{
	struct fixture *fix = ctx;

	assert_true(strlen(fix->said) + strlen(text) + 2 < sizeof(fix->said));
	strcat(strcat(fix->said, text), "\n");
}

static int add(struct fixture *fix, const char *name, struct ingest_stream **ret)
{
	const struct ingest_command command = {.name = name, .path = "ust"};

	return ingest_stream_new(&fix->folder, &command, ret);
}

static int set_up(void **state)
{
	const struct ingest_command create = {.host = "host", .name = "name", .path = "session"};
	const struct ingest_command chunk = {.name = ""};
	struct fixture *fix = calloc(1, sizeof(*fix));
	char path[RELAY_PATH_MAX];

	strcpy(fix->dir, "/tmp/sonde-stream-XXXXXX");
	assert_non_null(mkdtemp(fix->dir));
	fix->output = open(fix->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	file_pool_init(&fix->files);
	fix->files.most = 1;
	fix->folder = (struct ingest_folder){.files = &fix->files,
					     .losses_of_all = &fix->all,
					     .counted = true,
					     .warn = warn,
					     .ctx = fix};
	assert_int_equal(ingest_folder_open(&fix->folder, fix->output, &create, false, path), 0);
	assert_int_equal(ingest_folder_add_chunk(&fix->folder, &chunk), 0);
	assert_int_equal(add(fix, "one", &fix->stream), 0);
	assert_int_equal(add(fix, "two", &fix->other), 0);
	*state = fix;
	return 0;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	return remove(path);
}

static int tear_down(void **state)
{
	struct fixture *fix = *state;

	ingest_stream_free(fix->stream);
	ingest_stream_free(fix->other);
	assert_int_equal(fix->folder.pending, 0);
	ingest_folder_close(&fix->folder);
	file_pool_fini(&fix->files);
	fd_close(fix->output);
	assert_int_equal(nftw(fix->dir, remove_one, 8, FTW_DEPTH | FTW_PHYS), 0);
	free(fix);
	return 0;
}

static int begin(struct ingest_stream *stream, uint64_t number)
{
	const struct ingest_data data = {.number = number, .len = PACKET_BYTES};

	return ingest_stream_data(stream, &data);
}

/* Packet @number, whose bytes are its number. */
static void send_packet(struct ingest_stream *stream, uint64_t number)
{
	char bytes[PACKET_BYTES];

	memset(bytes, '0' + (int)number, sizeof(bytes));
	assert_int_equal(begin(stream, number), 0);
	assert_int_equal(ingest_stream_bytes(stream, bytes, 3), 0);
	assert_int_equal(ingest_stream_bytes(stream, bytes, sizeof(bytes) - 3), 1);
	assert_true(ingest_stream_is_sound(stream));
}

static void send_entry(struct ingest_stream *stream, uint64_t number)
{
	const struct ingest_index index = {.number = number,
					   .packet_bits = 8 * PACKET_BYTES,
					   .instance = number,
					   .sequence = number};

	assert_int_equal(ingest_stream_index(stream, &index), 0);
	assert_true(ingest_stream_is_sound(stream));
}

static void format_path(const struct fixture *fix, const char *name, char path[128])
{
	snprintf(path, 128, "%s/host/session/ust/%s", fix->dir, name);
}

/* Files of the first stream are closed as soon as the other one's is used. */
static void replace(struct fixture *fix, const char *name)
{
	char path[128], kept[136];
	int fd;

	send_packet(fix->other, 0);
	format_path(fix, name, path);
	snprintf(kept, sizeof(kept), "%s.kept", path);
	assert_int_equal(rename(path, kept), 0);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	assert_int_equal(write_all(fd, OTHERS, strlen(OTHERS)), 0);
	fd_close(fd);
}

static void assert_file(const struct fixture *fix, const char *name, const char *bytes)
{
	char path[128], got[128];
	ssize_t len;
	int fd;

	format_path(fix, name, path);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	len = read_at(fd, got, sizeof(got), 0);
	assert_int_equal(len, strlen(bytes));
	assert_memory_equal(got, bytes, strlen(bytes));
	fd_close(fd);
}

/* The index has one entry, of this packet. */
static void assert_instance(const struct fixture *fix, const char *name, uint64_t number)
{
	uint64_t entry[INDEX_ENTRY_BYTES / sizeof(uint64_t) + 1];
	char path[128];
	int fd;

	format_path(fix, name, path);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_int_equal(read_at(fd, entry, sizeof(entry), INDEX_HEAD_BYTES), INDEX_ENTRY_BYTES);
	assert_int_equal(be64toh(entry[7]), number);
	fd_close(fd);
}

/* So much of the first stream, and the other one is as it should be. */
static void assert_lost(struct fixture *fix, uint64_t packets)
{
	struct ingest_stream_state state;

	ingest_stream_state(fix->stream, &state);
	assert_true(state.lost);
	assert_int_equal(state.pending, 0);
	assert_int_equal(fix->all.streams, 1);
	assert_int_equal(fix->all.packets, packets);
	assert_int_equal(fix->all.bytes, packets * PACKET_BYTES);
	assert_memory_equal(&fix->all, &fix->folder.losses, sizeof(fix->all));
	assert_non_null(strstr(fix->said, "host/session: stream ust/one is not stored any more"));
	assert_null(strstr(fix->said, "ust/two"));

	send_packet(fix->other, 1);
	send_entry(fix->other, 0);
	ingest_stream_state(fix->other, &state);
	assert_false(state.lost);
	assert_file(fix, "two", "0000000011111111");
}

static void test_is_stored(void **state)
{
	struct fixture *fix = *state;

	send_packet(fix->stream, 0);
	send_packet(fix->other, 0);
	send_entry(fix->stream, 0);
	send_packet(fix->stream, 1);
	assert_file(fix, "one", "0000000011111111");
	assert_file(fix, "two", "00000000");
	assert_int_equal(fix->all.streams, 0);
	assert_string_equal(fix->said, "");
}

static void test_data_file_replaced(void **state)
{
	struct fixture *fix = *state;

	send_packet(fix->stream, 0);
	send_entry(fix->stream, 0);
	replace(fix, "one");
	send_packet(fix->stream, 1);
	assert_false(ingest_stream_has(fix->stream, 2));
	send_entry(fix->stream, 1);
	send_entry(fix->stream, 2); /* before its data */
	send_packet(fix->stream, 2);
	assert_true(ingest_stream_has(fix->stream, 2));
	assert_file(fix, "one", OTHERS);
	assert_lost(fix, 2);
}

/* Of the packet that is complete now, its index entry has nowhere to go. */
static void test_index_replaced(void **state)
{
	struct fixture *fix = *state;

	send_packet(fix->stream, 0);
	send_entry(fix->stream, 0);
	send_packet(fix->stream, 1);
	replace(fix, "index/one.idx");
	send_entry(fix->stream, 1);
	send_packet(fix->stream, 2);
	assert_file(fix, "index/one.idx", OTHERS);
	assert_lost(fix, 2);
}

/* The same when the entry comes first. */
static void test_index_replaced_before_data(void **state)
{
	struct fixture *fix = *state;

	send_packet(fix->stream, 0);
	send_entry(fix->stream, 0);
	send_entry(fix->stream, 1);
	replace(fix, "index/one.idx");
	send_packet(fix->stream, 1);
	assert_lost(fix, 1);
}

static void test_replaced_within_packet(void **state)
{
	struct fixture *fix = *state;

	assert_int_equal(begin(fix->stream, 0), 0);
	assert_int_equal(ingest_stream_bytes(fix->stream, "0123", 4), 0);
	replace(fix, "one");
	assert_int_equal(ingest_stream_bytes(fix->stream, "45", 2), 0);
	assert_int_equal(ingest_stream_bytes(fix->stream, "67", 2), 1);
	assert_file(fix, "one", OTHERS);
	assert_lost(fix, 1);
}

/* A connection that goes within a packet of a lost stream takes nothing with it. */
static void test_lost_packet_is_cut(void **state)
{
	struct fixture *fix = *state;

	replace(fix, "one");
	send_packet(fix->stream, 0);
	assert_int_equal(begin(fix->stream, 1), 0);
	assert_int_equal(ingest_stream_bytes(fix->stream, "0123", 4), 0);
	ingest_stream_abort(fix->stream);
	assert_file(fix, "one", OTHERS);
	assert_lost(fix, 1);
}

/* Packets whose index entry is still to come are lost with the file. */
static void test_pending_packets_are_lost(void **state)
{
	struct fixture *fix = *state;

	send_packet(fix->stream, 0);
	send_entry(fix->stream, 0);
	send_packet(fix->stream, 1);
	send_packet(fix->stream, 2);
	replace(fix, "one");
	send_packet(fix->stream, 3);
	assert_lost(fix, 3);
}

/* It leaves the old chunk, which can end. */
static void test_lost_stream_rotates(void **state)
{
	const struct ingest_command chunk = {.name = "next", .chunk = 1, .id = 1};
	struct fixture *fix = *state;

	replace(fix, "one");
	send_packet(fix->stream, 0);
	assert_int_equal(ingest_folder_add_chunk(&fix->folder, &chunk), 0);
	assert_true(ingest_stream_is_in(fix->stream, 0));
	assert_int_equal(ingest_stream_rotate(fix->stream, 7, 1), 0);
	assert_false(ingest_stream_is_in(fix->stream, 0));
	assert_true(ingest_stream_is_in(fix->stream, 1));
	send_packet(fix->stream, 1);
	assert_lost(fix, 2);
}

/* A file is missed when what came for the next chunk is to go there. */
static void test_replaced_before_rotation(void **state)
{
	const struct ingest_command chunk = {.name = "next", .chunk = 1, .id = 1};
	struct fixture *fix = *state;

	send_packet(fix->stream, 0);
	send_entry(fix->stream, 0);
	send_packet(fix->stream, 1);
	replace(fix, "one");
	assert_int_equal(ingest_folder_add_chunk(&fix->folder, &chunk), 0);
	assert_int_equal(ingest_stream_rotate(fix->stream, 1, 1), 0);
	assert_false(ingest_stream_is_in(fix->stream, 0));
	assert_lost(fix, 1);
}

/* Viewers learn that there is nothing more, as they cannot get the packets that the replaced file had. */
static void test_replaced_for_viewers(void **state)
{
	const struct session_config config = {.host = "host", .name = "name"};
	struct fixture *fix = *state;
	struct session_packet packet;
	struct session_stream *shown;
	struct session_trace *trace;
	struct session_file *file;
	struct session *session;
	uint64_t number = 0;

	assert_int_equal(session_new(&config, &session), 0);
	assert_int_equal(session_trace_new(session, "ust", &trace), 0);
	assert_int_equal(session_stream_new(trace, "one", SESSION_CLASS_UNKNOWN, &shown), 0);
	assert_int_equal(ingest_stream_show(fix->stream, shown), 0);
	send_packet(fix->stream, 0);
	send_entry(fix->stream, 0);
	assert_int_equal(session_stream_packet(shown, &number, &packet, &file), 1);
	replace(fix, "one");
	assert_int_equal(session_stream_packet(shown, &number, &packet, &file), -ESTALE);
	assert_false(session_stream_is_over(shown));
	send_packet(fix->stream, 1);
	assert_true(session_stream_is_over(shown));
	assert_lost(fix, 1);
	ingest_stream_free(fix->stream);
	fix->stream = NULL;
	session_unref(session);
}

/* Of two files, each of which has one packet, a newer one takes the place of the oldest. Its index entries may come after
 * that: they are no longer of interest. */
static void test_overwritten_before_index(void **state)
{
	const struct ingest_command command = {
		.name = "ring", .path = "ust", .file_bytes = 1, .file_count = 2};
	struct fixture *fix = *state;
	struct ingest_stream *ring;

	assert_int_equal(ingest_stream_new(&fix->folder, &command, &ring), 0);
	for (uint64_t i = 0; i < 5; i++)
		send_packet(ring, i);
	for (uint64_t i = 0; i < 5; i++)
		send_entry(ring, i);
	assert_file(fix, "ring_0", "44444444");
	assert_file(fix, "ring_1", "33333333");
	assert_instance(fix, "index/ring_0.idx", 4);
	assert_instance(fix, "index/ring_1.idx", 3);
	ingest_stream_free(ring);
}

static void test_metadata_replaced(void **state)
{
	struct fixture *fix = *state;
	struct ingest_stream *metadata;
	struct ingest_stream_state now;

	assert_int_equal(add(fix, RELAY_METADATA_CHANNEL, &metadata), 0);
	assert_int_equal(ingest_stream_metadata(metadata, "text", 4, 0), 0);
	replace(fix, "metadata");
	assert_int_equal(ingest_stream_metadata(metadata, "more", 4, 1), 0);
	ingest_stream_state(metadata, &now);
	assert_true(now.lost);
	assert_int_equal(fix->all.bytes, 5);
	assert_int_equal(ingest_stream_reset(metadata), 0);
	assert_true(ingest_stream_has(metadata, RELAY_NO_PACKET));
	assert_file(fix, "metadata", OTHERS);
	ingest_stream_free(metadata);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(test_is_stored),
		TEST(test_data_file_replaced),
		TEST(test_index_replaced),
		TEST(test_index_replaced_before_data),
		TEST(test_replaced_within_packet),
		TEST(test_lost_packet_is_cut),
		TEST(test_pending_packets_are_lost),
		TEST(test_lost_stream_rotates),
		TEST(test_replaced_before_rotation),
		TEST(test_replaced_for_viewers),
		TEST(test_overwritten_before_index),
		TEST(test_metadata_replaced),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
