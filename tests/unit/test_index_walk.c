// SPDX-License-Identifier: BSD-2-Clause
#include "trace/index_walk.h"

#include <endian.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/io.h"
#include "ctf/packet.h"
#include "wire/index.h"

#define PACKET_BYTES 256u

/* An index of @count packets, one behind the other; entry @bad has no length. */
static int make(uint32_t entry_bytes, uint64_t count, uint64_t bad)
{
	const uint32_t head[4] = {htobe32(INDEX_MAGIC), htobe32(INDEX_MAJOR), htobe32(INDEX_MINOR),
				  htobe32(entry_bytes)};
	int fd = memfd_create("index", MFD_CLOEXEC);

	assert_int_equal(write_all(fd, head, sizeof(head)), 0);
	for (uint64_t i = 0; i < count; i++) {
		uint64_t words[INDEX_ENTRY_FRAME_BYTES / 8] = {htobe64(i * PACKET_BYTES)};

		words[1] = words[2] = i == bad ? 0 : htobe64(PACKET_BYTES * 8);
		words[10] = words[0];
		assert_int_equal(write_all(fd, words, entry_bytes), 0);
	}
	return fd;
}

/* More than fit a chunk, and a torn one behind them; and again. */
static void all_entries_come_in_order(void **state)
{
	static const uint32_t lengths[] = {INDEX_ENTRY_BYTES, INDEX_ENTRY_FRAME_BYTES};
	struct index_packet packet;
	struct index_walk *walk;

	(void)state;
	for (size_t k = 0; k < 2; k++) {
		int fd = make(lengths[k], 3000, UINT64_MAX);

		assert_int_equal(write_all(fd, "torn", 4), 0);
		walk = index_walk_new(fd);
		assert_non_null(walk);
		assert_int_equal(index_walk_has_frames(walk), k);
		for (int turn = 0; turn < 2; turn++) {
			for (uint64_t i = 0; i < 3000; i++) {
				assert_int_equal(index_walk_next(walk, &packet), 1);
				assert_int_equal(packet.offset, i * PACKET_BYTES);
			}
			assert_int_equal(index_walk_next(walk, &packet), 0);
			index_walk_rewind(walk);
		}
		index_walk_free(walk);
	}
}

static void what_cannot_be_is_passed(void **state)
{
	struct index_walk *walk = index_walk_new(make(INDEX_ENTRY_BYTES, 3, 1));
	struct index_packet packet;

	(void)state;
	assert_int_equal(index_walk_next(walk, &packet), 1);
	assert_int_equal(index_walk_next(walk, &packet), -EBADMSG);
	assert_int_equal(index_walk_next(walk, &packet), 1);
	assert_int_equal(packet.offset, 2 * PACKET_BYTES);
	assert_int_equal(index_walk_next(walk, &packet), 0);
	index_walk_free(walk);
}

/* It would be walked through for hours. */
static void what_is_no_index_or_too_large_is_left(void **state)
{
	int fd = make(INDEX_ENTRY_BYTES, 3, UINT64_MAX);

	(void)state;
	assert_int_equal(ftruncate(fd, (off_t)INDEX_WALK_MAX_BYTES + 1), 0);
	assert_null(index_walk_new(fd));
	fd = memfd_create("index", MFD_CLOEXEC);
	assert_int_equal(write_all(fd, "no index, and long enough", 25), 0);
	assert_null(index_walk_new(fd));
	assert_null(index_walk_new(-ENOENT));
	index_walk_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_entries_come_in_order),
		cmocka_unit_test(what_cannot_be_is_passed),
		cmocka_unit_test(what_is_no_index_or_too_large_is_left),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
