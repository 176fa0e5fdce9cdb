// SPDX-License-Identifier: BSD-2-Clause
#include "trace/stream_file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/io.h"
#include "ctf/packet.h"
#include "wire/record.h"

#define PACKET_BYTES 400u

struct fixture {
	char path[64];
	int dir;
	struct stream_file *sf;
	uint8_t packet[PACKET_BYTES];
	char *bytes; /* of the file that was loaded last */
	size_t len;
};

static int set_up(void **state)
{
	static struct fixture fix;

	fix = (struct fixture){.path = "/tmp/sonde-stream-file-XXXXXX"};
	if (!mkdtemp(fix.path))
		return -1;
	fix.dir = open(fix.path, O_RDONLY | O_DIRECTORY);
	*state = &fix;
	return fix.dir < 0;
}

static int tear_down(void **state)
{
	struct fixture *fix = *state;

	free(fix->bytes);
	(void)unlinkat(fix->dir, "s", 0);
	(void)unlinkat(fix->dir, "s.idx", 0);
	(void)fd_close(fix->dir);
	return rmdir(fix->path);
}

static void create(struct fixture *fix)
{
	assert_int_equal(stream_file_create(fix->dir, fix->dir, "s", &fix->sf), 0);
}

/* Packet @number, whose head has a value of its own in each place; without the last @hole bytes of
 * its padding. */
static int append_part(struct fixture *fix, uint32_t number, size_t hole)
{
	struct packet_head head = {
		.magic = PACKET_MAGIC,
		.stream_id = STREAM_CLASS_KERNEL,
		.begin_ns = 1000 + number,
		.end_ns = 2000 + number,
		.content_bits = (PACKET_BYTES - hole - 4) * 8ull,
		.packet_bits = PACKET_BYTES * 8ull,
		.discarded = 10 * number,
		.sequence = number,
		.cpu = 3,
		.level = 2,
	};

	memset(fix->packet, (int)number, sizeof(fix->packet));
	memcpy(fix->packet, &head, sizeof(head));
	return stream_file_append(fix->sf, fix->packet, sizeof(fix->packet) - hole, false);
}

static int append(struct fixture *fix, uint32_t number)
{
	return append_part(fix, number, 0);
}

static void load(struct fixture *fix, const char *name)
{
	free(fix->bytes);
	fix->bytes = NULL;
	assert_int_equal(file_load(fix->dir, name, 1 << 20, &fix->bytes, &fix->len), 0);
}

static void expect_index(struct fixture *fix, size_t count)
{
	struct packet_index index;
	struct index_packet packet;
	const uint8_t *bytes;

	load(fix, "s.idx");
	bytes = (const uint8_t *)fix->bytes;
	assert_int_equal(packet_index_parse(bytes, fix->len, &index, NULL), 0);
	assert_int_equal(index.count, count);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(packet_index_get(&index, bytes, i, &packet), 0);
		assert_int_equal(packet.offset, i * PACKET_BYTES);
		assert_int_equal(packet.packet_bytes, PACKET_BYTES);
		assert_int_equal(packet.content_bytes, PACKET_BYTES - 4);
		assert_int_equal(packet.begin, 1000 + i);
		assert_int_equal(packet.end, 2000 + i);
		assert_int_equal(packet.discarded, 10 * i);
		assert_int_equal(packet.stream_id, STREAM_CLASS_KERNEL);
		assert_int_equal(packet.instance_id, 3 * RING_LEVELS + 2);
		assert_int_equal(packet.sequence, i);
	}
}

/* No file of this process may grow beyond @bytes: the nearest thing to a full disk. */
static void limit_files(rlim_t bytes)
{
	struct rlimit limit;

	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	limit.rlim_cur = bytes;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void packets_follow_each_other(void **state)
{
	struct fixture *fix = *state;

	create(fix);
	for (uint32_t i = 0; i < 3; i++)
		assert_int_equal(append(fix, i), 0);
	assert_int_equal(stream_file_bytes(fix->sf), 3 * PACKET_BYTES);
	assert_int_equal(stream_file_close(fix->sf), 0);
	load(fix, "s");
	assert_int_equal(fix->len, 3 * PACKET_BYTES);
	assert_memory_equal(fix->bytes + 2 * PACKET_BYTES, fix->packet, PACKET_BYTES);
}

static void the_index_has_an_entry_for_each(void **state)
{
	struct fixture *fix = *state;

	create(fix);
	expect_index(fix, 0);
	for (uint32_t i = 0; i < 3; i++) {
		assert_int_equal(append(fix, i), 0);
		expect_index(fix, i + 1); /* at once: somebody may follow */
	}
	assert_int_equal(stream_file_close(fix->sf), 0);
}

static void padding_may_be_a_hole(void **state)
{
	static const char zeros[300];
	struct fixture *fix = *state;

	create(fix);
	assert_int_equal(append_part(fix, 0, sizeof(zeros)), 0);
	assert_int_equal(stream_file_bytes(fix->sf), PACKET_BYTES);
	load(fix, "s"); /* whole at once: somebody may follow */
	assert_int_equal(fix->len, PACKET_BYTES);
	assert_memory_equal(fix->bytes + PACKET_BYTES - sizeof(zeros), zeros, sizeof(zeros));
	assert_int_equal(append(fix, 1), 0);
	assert_int_equal(stream_file_close(fix->sf), 0);
	load(fix, "s");
	assert_int_equal(fix->len, 2 * PACKET_BYTES);
	assert_memory_equal(fix->bytes + PACKET_BYTES, fix->packet, PACKET_BYTES);
}

static void late_packets_are_the_same(void **state)
{
	struct fixture *fix = *state;
	const size_t len = 8192;
	char *packet = aligned_alloc(4096, len);
	struct packet_head head = {.packet_bits = len * 8};

	assert_non_null(packet);
	create(fix);
	for (int i = 0; i < 8; i++) {
		memset(packet, i, len);
		memcpy(packet, &head, sizeof(head));
		assert_int_equal(stream_file_append(fix->sf, packet, len, i % 4), 0);
	}
	/* One that is not aligned, and one behind it that cannot be. */
	assert_int_equal(append(fix, 8), 0);
	assert_int_equal(stream_file_append(fix->sf, packet, len, true), 0);
	assert_int_equal(stream_file_close(fix->sf), 0);
	load(fix, "s");
	assert_int_equal(fix->len, 9 * len + PACKET_BYTES);
	for (size_t i = 0; i < 8; i++)
		assert_int_equal(fix->bytes[(i + 1) * len - 1], i);
	assert_memory_equal(fix->bytes + 8 * len, fix->packet, PACKET_BYTES);
	assert_memory_equal(fix->bytes + 8 * len + PACKET_BYTES, packet, len);
	free(packet);
}

static void a_file_that_is_there_is_left_alone(void **state)
{
	struct fixture *fix = *state;
	struct stream_file *other = NULL;

	create(fix);
	assert_int_equal(append(fix, 0), 0);
	assert_int_equal(stream_file_create(fix->dir, fix->dir, "s", &other), -EEXIST);
	assert_null(other);
	assert_int_equal(stream_file_close(fix->sf), 0);
	load(fix, "s");
	assert_int_equal(fix->len, PACKET_BYTES);
}

static void no_data_file_is_left_where_the_index_is_in_the_way(void **state)
{
	struct fixture *fix = *state;
	struct stat st;

	assert_int_equal(mkdirat(fix->dir, "s.idx", 0755), 0);
	assert_int_equal(stream_file_create(fix->dir, fix->dir, "s", &fix->sf), -EEXIST);
	assert_int_equal(fstatat(fix->dir, "s", &st, 0), -1);
	assert_int_equal(unlinkat(fix->dir, "s.idx", AT_REMOVEDIR), 0);
}

static void a_packet_that_does_not_fit_is_taken_back(void **state)
{
	struct fixture *fix = *state;
	int err;

	create(fix);
	assert_int_equal(append(fix, 0), 0);
	assert_int_equal(append(fix, 1), 0);
	limit_files(3 * PACKET_BYTES - 1);
	err = append(fix, 2);
	limit_files(RLIM_INFINITY);
	assert_int_equal(err, -EFBIG);
	assert_int_equal(stream_file_bytes(fix->sf), 2 * PACKET_BYTES);
	load(fix, "s");
	assert_int_equal(fix->len, 2 * PACKET_BYTES);
	expect_index(fix, 2);
	assert_int_equal(stream_file_close(fix->sf), -EFBIG);
}

static void the_first_error_stays(void **state)
{
	struct fixture *fix = *state;
	int err;

	create(fix);
	limit_files(PACKET_BYTES / 2);
	err = append(fix, 0);
	limit_files(RLIM_INFINITY);
	assert_int_equal(err, -EFBIG);
	assert_int_equal(append(fix, 1), -EFBIG); /* there would be room now */
	assert_int_equal(stream_file_close(fix->sf), -EFBIG);
	load(fix, "s");
	assert_int_equal(fix->len, 0);
}

/* As a disk that is full: a last packet is tried again, and the reserve is gone when the file is closed. */
static void what_is_released_is_tried_again(void **state)
{
	struct fixture *fix = *state;
	struct stat st;
	uint64_t last = 9;
	int err;

	create(fix);
	assert_int_equal(stream_file_reserve(fix->sf, 1 << 16), 0);
	assert_int_equal(append(fix, 0), 0);
	limit_files(2 * PACKET_BYTES - 1);
	err = append(fix, 1);
	limit_files(RLIM_INFINITY);
	assert_int_equal(err, -EFBIG);
	assert_int_equal(stream_file_packets(fix->sf, &last), 1);
	assert_int_equal(last, 0);
	stream_file_release(fix->sf);
	assert_int_equal(append(fix, 1), 0);
	assert_int_equal(stream_file_close(fix->sf), 0);
	fix->sf = NULL;
	load(fix, "s");
	assert_int_equal(fix->len, 2 * PACKET_BYTES);
	assert_int_equal(fstatat(fix->dir, "s", &st, 0), 0);
	assert_in_range(st.st_blocks * 512, 0, 2 * PACKET_BYTES + 4096);
}

/* A file that grows has blocks ahead on ext4 while it is written, and nowhere once it is closed. */
static void blocks_ahead_go_back(void **state)
{
	struct fixture *fix = *state;
	const size_t len = 1 << 20;
	char *packet = calloc(1, len);
	struct packet_head head = {.packet_bits = len * 8};
	struct statfs fs;
	struct stat st;

	assert_non_null(packet);
	memcpy(packet, &head, sizeof(head));
	create(fix);
	for (int i = 0; i < 3; i++)
		assert_int_equal(stream_file_append(fix->sf, packet, len, false), 0);
	assert_int_equal(fstatat(fix->dir, "s", &st, 0), 0);
	assert_int_equal(st.st_size, 3 * len);
	assert_int_equal(fstatfs(fix->dir, &fs), 0);
	if (fs.f_type == EXT4_SUPER_MAGIC)
		assert_true((uint64_t)st.st_blocks * 512 >= 8 * len);
	assert_int_equal(stream_file_close(fix->sf), 0);
	assert_int_equal(fstatat(fix->dir, "s", &st, 0), 0);
	assert_int_equal(st.st_size, 3 * len);
	assert_true((uint64_t)st.st_blocks * 512 <= 4 * len);
	free(packet);
}

static void nothing_closes_well(void **state)
{
	(void)state;
	assert_int_equal(stream_file_close(NULL), 0);
}

#define STREAM_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		STREAM_TEST(packets_follow_each_other),
		STREAM_TEST(the_index_has_an_entry_for_each),
		STREAM_TEST(padding_may_be_a_hole),
		STREAM_TEST(late_packets_are_the_same),
		STREAM_TEST(a_file_that_is_there_is_left_alone),
		STREAM_TEST(no_data_file_is_left_where_the_index_is_in_the_way),
		STREAM_TEST(a_packet_that_does_not_fit_is_taken_back),
		STREAM_TEST(the_first_error_stays),
		STREAM_TEST(what_is_released_is_tried_again),
		STREAM_TEST(blocks_ahead_go_back),
		STREAM_TEST(nothing_closes_well),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
