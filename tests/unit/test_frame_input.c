// SPDX-License-Identifier: BSD-2-Clause
#include "trace/frame_input.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/io.h"
#include "trace/frame.h"
#include "trace/stream_file.h"
#include "trace/stream_input.h"
#include "wire/index.h"
#include "wire/record.h"

#define NAME "s" FRAME_SUFFIX
#define FRAMES 5u
#define PACKET_MAX (300u << 10) /* three blocks */

struct fixture {
	char path[64];
	int dir;
	int index_dir;
	uint8_t *plain; /* what the stream is */
	size_t plain_len;
	uint64_t plain_at[FRAMES + 1]; /* where packets begin */
	uint64_t file_at[FRAMES + 1]; /* and their frames */
	struct stream_input *input;
};

static int set_up(void **state)
{
	static struct fixture fix;

	fix = (struct fixture){.path = "/tmp/sonde-frame-input-XXXXXX"};
	if (!mkdtemp(fix.path))
		return -1;
	fix.dir = open(fix.path, O_RDONLY | O_DIRECTORY);
	if (mkdirat(fix.dir, "index", 0755))
		return -1;
	fix.index_dir = openat(fix.dir, "index", O_RDONLY | O_DIRECTORY);
	fix.plain = malloc((size_t)FRAMES * PACKET_MAX);
	*state = &fix;
	return !fix.plain || fix.index_dir < 0;
}

static int tear_down(void **state)
{
	struct fixture *fix = *state;

	if (fix->input)
		fix->input->ops->close(fix->input);
	free(fix->plain);
	(void)unlinkat(fix->dir, NAME, 0);
	(void)unlinkat(fix->index_dir, NAME ".idx", 0);
	(void)fd_close(fix->index_dir);
	(void)unlinkat(fix->dir, "index", AT_REMOVEDIR);
	(void)fd_close(fix->dir);
	return rmdir(fix->path);
}

/* Packet @i: of a kind that compresses, and its numbers like no other's. */
static size_t make_packet(uint8_t *packet, uint32_t i, size_t len)
{
	struct packet_head head = {
		.magic = PACKET_MAGIC,
		.packet_bits = len * 8,
		.content_bits = len * 8,
		.sequence = i,
	};

	for (size_t at = 0; at < len; at++)
		packet[at] = (uint8_t)(i * 31 + (at >> 4) * (at & 1) + (at * at >> 11));
	memcpy(packet, &head, sizeof(head));
	return len;
}

/* Frames of packets of @lens bytes; every other one is stored. */
static void make(struct fixture *fix, const size_t lens[FRAMES])
{
	struct frame_writer *writer = NULL;
	struct stream_file *sf = NULL;
	static struct frame_parts parts;
	struct packet_head head;

	assert_int_equal(frame_writer_new(1, &writer), 0);
	assert_int_equal(stream_file_create_frames(fix->dir, fix->index_dir, "s", &sf), 0);
	for (uint32_t i = 0; i < FRAMES; i++) {
		uint8_t *packet = fix->plain + fix->plain_len;
		size_t len = make_packet(packet, i, lens[i]);

		fix->plain_at[i] = fix->plain_len;
		fix->file_at[i] = stream_file_bytes(sf);
		fix->plain_len += len;
		assert_int_equal(i % 2 ? frame_store(packet, len, &parts) :
					 frame_writer_compress(writer, packet, len, &parts),
				 0);
		memcpy(&head, packet, sizeof(head));
		assert_int_equal(stream_file_append_frame(sf, parts.parts, parts.count, &head), 0);
	}
	fix->plain_at[FRAMES] = fix->plain_len;
	fix->file_at[FRAMES] = stream_file_bytes(sf);
	assert_int_equal(stream_file_close(sf), 0);
	frame_writer_free(writer);
}

static void make_small(struct fixture *fix)
{
	static const size_t lens[FRAMES] = {100, 120, 88, 700, 130};

	make(fix, lens);
}

static void make_large(struct fixture *fix)
{
	static const size_t lens[FRAMES] = {PACKET_MAX, 100, PACKET_MAX, PACKET_MAX - 1, 90};

	make(fix, lens);
}

static void open_input(struct fixture *fix)
{
	if (fix->input)
		fix->input->ops->close(fix->input);
	fix->input = NULL;
	assert_int_equal(stream_open(fix->dir, NAME, &fix->input), 0);
}

static uint64_t size_of(struct fixture *fix)
{
	uint64_t size = 0;

	assert_int_equal(fix->input->ops->size(fix->input, &size), 0);
	return size;
}

static ssize_t read_in(struct fixture *fix, void *bytes, size_t len, uint64_t offset)
{
	return fix->input->ops->read(fix->input, bytes, len, offset);
}

/* The stream from @from up to @to, in pieces of @piece. */
static void expect_plain(struct fixture *fix, uint64_t from, uint64_t to, size_t piece)
{
	uint8_t *bytes = malloc(piece);

	assert_non_null(bytes);
	for (uint64_t at = from; at < to; at += piece) {
		size_t want = to - at < piece ? (size_t)(to - at) : piece;

		assert_int_equal(read_in(fix, bytes, want, at), want);
		assert_memory_equal(bytes, fix->plain + at, want);
	}
	free(bytes);
}

static void write_file(struct fixture *fix, const char *name, uint64_t at, const void *bytes,
		       size_t len)
{
	int fd = openat(fix->dir, name, O_WRONLY);

	assert_int_equal(pwrite(fd, bytes, len, (off_t)at), len);
	assert_int_equal(fd_close(fd), 0);
}

static void cut(struct fixture *fix, uint64_t len)
{
	int fd = openat(fix->dir, NAME, O_WRONLY);

	assert_int_equal(ftruncate(fd, (off_t)len), 0);
	assert_int_equal(fd_close(fd), 0);
}

static void drop_index(struct fixture *fix)
{
	assert_int_equal(unlinkat(fix->index_dir, NAME ".idx", 0), 0);
}

static void the_stream_is_what_was_compressed(void **state)
{
	static const size_t pieces[] = {1 << 10, 4096, 128 << 10, 4 << 20};
	struct fixture *fix = *state;

	make_large(fix);
	for (int indexed = 1; indexed >= 0; indexed--) {
		for (size_t i = 0; i < 4; i++) {
			open_input(fix);
			assert_int_equal(size_of(fix), fix->plain_len);
			expect_plain(fix, 0, fix->plain_len, pieces[i]);
			assert_int_equal(read_in(fix, fix->path, 1, fix->plain_len), 0);
		}
		if (indexed)
			drop_index(fix);
	}
}

static void it_can_be_read_anywhere(void **state)
{
	struct fixture *fix = *state;

	make_large(fix);
	for (int sized = 0; sized < 2; sized++) {
		open_input(fix);
		if (sized)
			(void)size_of(fix);
		for (uint32_t i = FRAMES; i-- > 0;) {
			expect_plain(fix, fix->plain_at[i], fix->plain_at[i + 1], 1000);
			expect_plain(fix, fix->plain_at[i + 1] - 1, fix->plain_at[i + 1], 1);
			expect_plain(fix, fix->plain_at[0] + 5, fix->plain_at[0] + 10, 5);
		}
	}
}

/* Whole packets up to where the file is cut off; behind them what can be had, or why not. */
static void expect_torn(struct fixture *fix, uint64_t len)
{
	uint64_t size, whole = 0;
	uint32_t i = 0;

	cut(fix, len);
	open_input(fix);
	size = size_of(fix);
	while (i < FRAMES && fix->file_at[i + 1] <= len)
		whole = fix->plain_at[++i];
	assert_true(size >= whole);
	expect_plain(fix, 0, whole, 1 << 16);
	if (len == fix->file_at[i]) {
		assert_int_equal(size, whole);
		return;
	}
	assert_true(size > whole);
	if (read_in(fix, fix->path, 1, whole) == 1) {
		fix->path[0] = '/';
		expect_plain(fix, whole, size, 1 << 16);
		assert_true(size < fix->plain_at[i + 1]);
		return;
	}
	assert_int_equal(read_in(fix, fix->path, 1, whole), -EBADMSG);
	assert_non_null(strstr(fix->input->diag.text, "cut off"));
	assert_int_equal(fix->input->ops->seek(fix->input, whole, &size), 0);
}

static void a_frame_may_be_cut_off_at_any_byte(void **state)
{
	struct fixture *fix = *state;

	make_small(fix);
	for (uint64_t len = fix->file_at[FRAMES] + 1; len-- > 0;)
		expect_torn(fix, len);
}

static void blocks_before_the_cut_are_there(void **state)
{
	struct fixture *fix = *state;

	make_large(fix);
	/* The fourth frame is stored: its second block is cut off. */
	cut(fix, fix->file_at[3] + FRAME_BLOCK_MAX_BYTES + 1000);
	open_input(fix);
	assert_true(size_of(fix) >= fix->plain_at[3] + FRAME_BLOCK_MAX_BYTES);
	expect_plain(fix, 0, size_of(fix), 4096);
}

static void a_follower_waits_for_the_end_of_a_frame(void **state)
{
	struct fixture *fix = *state;
	uint8_t *bytes;
	ssize_t len;
	int fd;

	make_large(fix);
	bytes = malloc(fix->file_at[FRAMES]);
	fd = openat(fix->dir, NAME, O_RDONLY);
	len = read_at(fd, bytes, fix->file_at[FRAMES], 0);
	assert_int_equal(len, fix->file_at[FRAMES]);
	assert_int_equal(fd_close(fd), 0);
	cut(fix, 0);
	open_input(fix);
	fix->input->follow = true;
	for (uint32_t i = 0; i < FRAMES; i++) {
		fix->input->look = true;
		const uint64_t at = fix->file_at[i], end = fix->file_at[i + 1];

		for (uint64_t part = at; part < end; part += (end - at) / 7 + 1) {
			write_file(fix, NAME, at, bytes + at, (size_t)(part - at));
			assert_int_equal(size_of(fix), fix->plain_at[i]);
		}
		write_file(fix, NAME, at, bytes + at, (size_t)(end - at));
		fix->input->look = false;
		assert_int_equal(size_of(fix), fix->plain_at[i]);
		fix->input->look = true;
		assert_int_equal(size_of(fix), fix->plain_at[i + 1]);
		expect_plain(fix, fix->plain_at[i], fix->plain_at[i + 1], 4096);
	}
	free(bytes);
}

static void expect_damage(struct fixture *fix, uint32_t i, const char *why)
{
	uint8_t byte[16];
	uint64_t next = 0;
	char place[64];

	open_input(fix);
	(void)size_of(fix);
	expect_plain(fix, 0, fix->plain_at[i], 777);
	assert_int_equal(read_in(fix, byte, 1, fix->plain_at[i]), -EBADMSG);
	if (!strstr(fix->input->diag.text, why))
		fail_msg("'%s' is not in '%s'", why, fix->input->diag.text);
	(void)snprintf(place, sizeof(place), "at byte %u ", (unsigned int)fix->file_at[i]);
	assert_non_null(strstr(fix->input->diag.text, place));
	assert_int_equal(fix->input->ops->seek(fix->input, fix->plain_at[i], &next), 1);
	assert_int_equal(next, fix->plain_at[i + 1]);
	expect_plain(fix, next, fix->plain_len, 777);
}

static void damage_to_a_frame_costs_that_frame(void **state)
{
	struct fixture *fix = *state;

	make_large(fix);
	write_file(fix, NAME, fix->file_at[3] - 1, "\xa5", 1);
	expect_damage(fix, 2, "checksum");
	drop_index(fix);
	expect_damage(fix, 2, "checksum");
}

static void behind_a_lost_head_the_index_knows_the_way(void **state)
{
	struct fixture *fix = *state;
	uint64_t next;
	char byte;

	make_large(fix);
	write_file(fix, NAME, fix->file_at[2], "XXXX", 4);
	expect_damage(fix, 2, "no zstd frame");
	drop_index(fix);
	open_input(fix);
	assert_true(size_of(fix) > fix->plain_at[2]);
	expect_plain(fix, 0, fix->plain_at[2], 4096);
	assert_int_equal(read_in(fix, &byte, 1, fix->plain_at[2]), -EBADMSG);
	assert_int_equal(fix->input->ops->seek(fix->input, fix->plain_at[2], &next), 0);
}

static void what_a_frame_may_ask_for_is_limited(void **state)
{
	static const struct {
		uint8_t head[14];
		const char *why;
	} cases[] = {
		{"\x28\xb5\x2f\xfd\xe0\0\0\0\0\1\0\0\0", "holds 4294967296 bytes"},
		{"\x28\xb5\x2f\xfd\xa0\1\0\0\1", "holds 16777217 bytes"},
		{"\x28\xb5\x2f\xfd\x80\x80\1\0\1\0", "window of 67108864"},
		{"\x28\xb5\x2f\xfd\x21\7\1", "dictionary"},
		{"\x28\xb5\x2f\xfd\0\0", "does not say how much"},
		{"\x28\xb5\x2f\xfd\x28\7", "reserved"},
		{"\x28\xb5\x2f\xfd\x20\0", "holds nothing"},
		{"\x28\xb5\x2f\xfd\x20\5\7\0\0", "no known type"},
		{"\x28\xb5\x2f\xfd\x20\5\0\0\xff", "has 2088960 bytes"},
		{"\x50\x2a\x4d\x18\4\0\0\0", "no zstd frame"},
	};
	struct fixture *fix = *state;

	make_large(fix);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		write_file(fix, NAME, fix->file_at[2], cases[i].head, sizeof(cases[i].head));
		expect_damage(fix, 2, cases[i].why);
	}
}

static void blocks_without_content_do_not_go_on_for_ever(void **state)
{
	static const uint8_t head[] = {0x28, 0xb5, 0x2f, 0xfd, 0x20, 100};
	struct fixture *fix = *state;
	uint8_t *zeros = calloc(1, 100 << 10); /* raw blocks of no bytes */

	make_small(fix);
	drop_index(fix);
	cut(fix, fix->file_at[1]);
	write_file(fix, NAME, fix->file_at[1], head, sizeof(head));
	write_file(fix, NAME, fix->file_at[1] + sizeof(head), zeros, 100 << 10);
	open_input(fix);
	assert_true(size_of(fix) > fix->plain_at[1]);
	assert_int_equal(read_in(fix, zeros, 1, fix->plain_at[1]), -EBADMSG);
	assert_non_null(strstr(fix->input->diag.text, "longer than"));
	free(zeros);
}

static void a_frame_that_holds_less_than_it_says(void **state)
{
	/* 100 bytes, of which one raw block has 2. */
	static const uint8_t frame[] = {0x28, 0xb5, 0x2f, 0xfd, 0x20, 100, 0x11, 0, 0, 'a', 'b'};
	struct fixture *fix = *state;
	char byte;

	make_small(fix);
	drop_index(fix);
	cut(fix, fix->file_at[1]);
	write_file(fix, NAME, fix->file_at[1], frame, sizeof(frame));
	open_input(fix);
	assert_int_equal(size_of(fix), fix->plain_at[1] + 100);
	assert_int_equal(read_in(fix, &byte, 1, fix->plain_at[1]), -EBADMSG);
}

/* One word of an entry is changed: what is read in order is what is there all the same. */
static void an_index_that_lies_is_not_believed(void **state)
{
	struct fixture *fix = *state;

	make_large(fix);
	for (uint64_t word = 0; word < INDEX_ENTRY_FRAME_BYTES / 8; word++) {
		for (uint64_t entry = 0; entry < FRAMES; entry++) {
			const uint64_t at =
				INDEX_HEAD_BYTES + entry * INDEX_ENTRY_FRAME_BYTES + word * 8;
			uint64_t kept, lie;
			int fd = openat(fix->index_dir, NAME ".idx", O_RDWR);

			assert_int_equal(pread(fd, &kept, 8, (off_t)at), 8);
			lie = kept ^ 0x0100010000000000;
			assert_int_equal(pwrite(fd, &lie, 8, (off_t)at), 8);
			open_input(fix);
			(void)size_of(fix);
			expect_plain(fix, 0, fix->plain_len, 64 << 10);
			assert_int_equal(size_of(fix), fix->plain_len);
			assert_int_equal(pwrite(fd, &kept, 8, (off_t)at), 8);
			assert_int_equal(fd_close(fd), 0);
		}
	}
}

/* An index by which each packet has 10 bytes, and the next one begins behind them. */
static void tell_too_little(struct fixture *fix)
{
	for (uint64_t i = 0; i < FRAMES; i++) {
		const uint64_t at = INDEX_HEAD_BYTES + i * INDEX_ENTRY_FRAME_BYTES;
		const uint64_t bits[2] = {htobe64(80), htobe64(80)}, plain_at = htobe64(i * 10);

		write_file(fix, "index/" NAME ".idx", at + 8, bits, 16);
		write_file(fix, "index/" NAME ".idx", at + 80, &plain_at, 8);
	}
}

/* As who reads in order does: up to the size, as often as it has grown. */
static uint64_t read_up_to_size(struct fixture *fix)
{
	uint64_t at = 0, size;

	while ((size = size_of(fix)) > at) {
		expect_plain(fix, at, size, 64 << 10);
		at = size;
	}
	return at;
}

static void an_index_that_tells_too_little_hides_nothing(void **state)
{
	struct fixture *fix = *state;

	make_large(fix);
	tell_too_little(fix);
	open_input(fix);
	assert_int_equal(read_up_to_size(fix), fix->plain_len);
	expect_plain(fix, 5, fix->plain_len, 100 << 10); /* back again */
}

static void nor_does_it_where_a_frame_is_cut_off(void **state)
{
	const uint64_t bytes = htobe64(FRAME_BLOCK_MAX_BYTES + 1000);
	struct fixture *fix = *state;

	make_large(fix);
	tell_too_little(fix);
	write_file(fix, "index/" NAME ".idx", INDEX_HEAD_BYTES + 3 * INDEX_ENTRY_FRAME_BYTES + 72,
		   &bytes, 8);
	cut(fix, fix->file_at[3] + FRAME_BLOCK_MAX_BYTES + 1000);
	open_input(fix);
	assert_true(read_up_to_size(fix) >= fix->plain_at[3] + FRAME_BLOCK_MAX_BYTES);
}

static void others_are_not_compressed(void **state)
{
	(void)state;
	assert_true(frame_input_is("cpu0_level0.zst"));
	assert_false(frame_input_is("cpu0_level0"));
	assert_false(frame_input_is(".zst"));
	assert_false(frame_input_is("a.zst.b"));
}

#define INPUT_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		INPUT_TEST(the_stream_is_what_was_compressed),
		INPUT_TEST(it_can_be_read_anywhere),
		INPUT_TEST(a_frame_may_be_cut_off_at_any_byte),
		INPUT_TEST(blocks_before_the_cut_are_there),
		INPUT_TEST(a_follower_waits_for_the_end_of_a_frame),
		INPUT_TEST(damage_to_a_frame_costs_that_frame),
		INPUT_TEST(behind_a_lost_head_the_index_knows_the_way),
		INPUT_TEST(what_a_frame_may_ask_for_is_limited),
		INPUT_TEST(blocks_without_content_do_not_go_on_for_ever),
		INPUT_TEST(a_frame_that_holds_less_than_it_says),
		INPUT_TEST(an_index_that_lies_is_not_believed),
		INPUT_TEST(an_index_that_tells_too_little_hides_nothing),
		INPUT_TEST(nor_does_it_where_a_frame_is_cut_off),
		cmocka_unit_test(others_are_not_compressed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
