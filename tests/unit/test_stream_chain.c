// SPDX-License-Identifier: BSD-2-Clause
#include "trace/stream_chain.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <endian.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "trace/stream_reader.h"
#include "wire/index.h"

struct fixture {
	char path[32];
	int dir;
	struct stream_chain chain;
};

/* The index of @name: two packets, of stream class 1 and @instance. */
static void put(struct fixture *fix, const char *name, uint64_t instance, uint64_t first,
		uint64_t last, uint64_t discarded)
{
	const uint32_t head[] = {htobe32(INDEX_MAGIC), htobe32(1), htobe32(1),
				 htobe32(INDEX_ENTRY_BYTES)};
	const uint64_t entries[2][9] = {
		{0, 64, 64, 1, 2, 0, 1, instance, first},
		{8, 64, 64, 3, 4, discarded, 1, instance, last},
	};
	char file[64];
	int fd;

	snprintf(file, sizeof(file), "index/%s.idx", name);
	fd = openat(fix->dir, file, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	assert_int_equal(write_all(fd, head, sizeof(head)), 0);
	for (int i = 0; i < 2; i++) {
		uint64_t words[9];

		for (int j = 0; j < 9; j++)
			words[j] = htobe64(entries[i][j]);
		assert_int_equal(write_all(fd, words, sizeof(words)), 0);
	}
	fd_close(fd);
	assert_int_equal(stream_chain_add_file(&fix->chain, fix->dir, name), 0);
	assert_int_equal(unlinkat(fix->dir, file, 0), 0);
}

static int set_up(void **state)
{
	static struct fixture fix;

	fix = (struct fixture){.path = "/tmp/sonde-chain-XXXXXX"};
	if (!mkdtemp(fix.path))
		return -1;
	fix.dir = open(fix.path, O_RDONLY | O_DIRECTORY);
	stream_chain_init(&fix.chain);
	*state = &fix;
	return mkdirat(fix.dir, "index", 0700);
}

static int tear_down(void **state)
{
	struct fixture *fix = *state;

	stream_chain_fini(&fix->chain);
	(void)unlinkat(fix->dir, "index", AT_REMOVEDIR);
	fd_close(fix->dir);
	return rmdir(fix->path);
}

static void expect(struct fixture *fix, const char *name, uint64_t sequence, uint64_t discarded)
{
	struct stream_before before;

	stream_chain_link(&fix->chain);
	assert_true(stream_chain_before(&fix->chain, name, &before));
	assert_int_equal(before.sequence, sequence);
	assert_int_equal(before.discarded, discarded);
}

static void expect_none(struct fixture *fix, const char *name)
{
	struct stream_before before;

	stream_chain_link(&fix->chain);
	assert_false(stream_chain_before(&fix->chain, name, &before));
}

/* Numbers of a ring begin anew: what packets count decides. */
static void files_follow_by_what_packets_count(void **state)
{
	struct fixture *fix = *state;

	put(fix, "ch_0_0", 0, 40, 41, 9);
	put(fix, "ch_0_1", 0, 20, 29, 3);
	put(fix, "ch_0_2", 0, 30, 39, 5);
	expect_none(fix, "ch_0_1");
	expect(fix, "ch_0_2", 29, 3);
	expect(fix, "ch_0_0", 39, 5);
}

static void other_streams_are_others(void **state)
{
	struct fixture *fix = *state;

	put(fix, "ch_0", 0, 0, 9, 0);
	put(fix, "ch_1", 1, 10, 19, 0);
	put(fix, "other_2", 1, 20, 29, 0);
	put(fix, "cpu3", 1, 30, 39, 0);
	expect_none(fix, "ch_0");
	expect_none(fix, "ch_1");
	expect_none(fix, "other_2");
	expect_none(fix, "cpu3");
	expect_none(fix, "nobody");
}

static void compressed_files_and_whole_ones_are_alike(void **state)
{
	struct fixture *fix = *state;

	put(fix, "ch_0_0.zst", 0, 0, 0, 1);
	put(fix, "ch_0_12", 0, 7, 9, 2);
	expect(fix, "ch_0_12", 0, 1);
}

/* One without an index, or of which it is cut off. */
static void what_tells_nothing_is_left_out(void **state)
{
	struct fixture *fix = *state;

	assert_int_equal(stream_chain_add_file(&fix->chain, fix->dir, "ch_0_0"), 0);
	put(fix, "ch_0_1", 0, 5, 6, 0);
	expect_none(fix, "ch_0_0");
	expect_none(fix, "ch_0_1");
}

#define CHAIN_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CHAIN_TEST(files_follow_by_what_packets_count),
		CHAIN_TEST(other_streams_are_others),
		CHAIN_TEST(compressed_files_and_whole_ones_are_alike),
		CHAIN_TEST(what_tells_nothing_is_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
