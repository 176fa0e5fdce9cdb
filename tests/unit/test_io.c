// SPDX-License-Identifier: BSD-2-Clause
#include "base/io.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static int open_temp(char *name)
{
	int fd;

	strcpy(name, "/tmp/sonde-io-XXXXXX");
	fd = mkstemp(name);
	assert_true(fd >= 0);
	return fd;
}

static void test_written_is_read_back(void **state)
{
	char name[32], got[8];
	int fd = open_temp(name);

	(void)state;
	assert_int_equal(write_all(fd, "0123456789", 10), 0);
	assert_int_equal(read_at(fd, got, 4, 3), 4);
	assert_memory_equal(got, "3456", 4);
	assert_int_equal(read_at(fd, got, 8, 6), 4);
	assert_int_equal(read_at(fd, got, 8, 100), 0);
	assert_int_equal(read_at(fd, got, 8, UINT64_MAX - 2), -EINVAL);
	assert_int_equal(fd_close(fd), 0);
	unlink(name);
}

/* Where the next write goes on is as it was. */
static void test_write_at_leaves_position(void **state)
{
	char name[32], got[8];
	int fd = open_temp(name);

	(void)state;
	assert_int_equal(write_all(fd, "0123", 4), 0);
	assert_int_equal(write_at(fd, "ab", 2, 1), 0);
	assert_int_equal(write_at(fd, "yz", 2, 6), 0);
	assert_int_equal(write_all(fd, "45", 2), 0);
	assert_int_equal(read_at(fd, got, sizeof(got), 0), 8);
	assert_memory_equal(got, "0ab345yz", 8);
	assert_int_equal(write_at(fd, "ab", 2, UINT64_MAX - 1), -EINVAL);
	assert_int_equal(write_at(-1, "x", 1, 0), -EBADF);
	assert_int_equal(fd_close(fd), 0);
	unlink(name);
}

static void test_load_ends_with_nul_and_keeps_limit(void **state)
{
	char name[32], *data = NULL, *kept = NULL;
	int fd = open_temp(name);
	char block[5000];
	size_t len = 0;

	(void)state;
	memset(block, 'x', sizeof(block));
	assert_int_equal(write_all(fd, block, sizeof(block)), 0);
	assert_int_equal(fd_close(fd), 0);
	assert_int_equal(file_load(AT_FDCWD, name, sizeof(block), &data, &len), 0);
	assert_int_equal(len, sizeof(block));
	assert_memory_equal(data, block, len);
	assert_int_equal(data[len], 0);
	free(data);
	assert_int_equal(file_load(AT_FDCWD, name, sizeof(block) - 1, &kept, &len), -EFBIG);
	assert_null(kept);
	unlink(name);
	assert_int_equal(file_load(AT_FDCWD, name, 10, &kept, &len), -ENOENT);
	assert_int_equal(file_load(AT_FDCWD, "/tmp", 10, &kept, &len), -EISDIR);
}

/* Its size is 0, and it is not empty. */
static void test_load_of_proc(void **state)
{
	size_t len = 0;
	char *data;

	(void)state;
	assert_int_equal(file_load(AT_FDCWD, "/proc/self/status", 1 << 20, &data, &len), 0);
	assert_true(len > 100);
	free(data);
}

/* Nobody will ever write into the FIFO. */
static void test_only_regular_files_are_opened(void **state)
{
	char name[32];
	int fd = open_temp(name);

	(void)state;
	assert_int_equal(fd_close(fd), 0);
	fd = file_open(AT_FDCWD, name);
	assert_true(fd >= 0);
	assert_int_equal(fd_close(fd), 0);
	assert_int_equal(unlink(name), 0);
	assert_int_equal(mkfifo(name, 0600), 0);
	assert_int_equal(file_open(AT_FDCWD, name), -ENOTSUP);
	assert_int_equal(unlink(name), 0);
	assert_int_equal(file_open(AT_FDCWD, name), -ENOENT);
	assert_int_equal(file_open(AT_FDCWD, "/dev/zero"), -ENOTSUP);
	assert_int_equal(file_open(AT_FDCWD, "/tmp"), -EISDIR);
}

static void test_errors_are_returned(void **state)
{
	(void)state;
	assert_int_equal(write_all(-1, "x", 1), -EBADF);
	assert_int_equal(fd_close(-1), 0);
	assert_int_equal(fd_close(1 << 20), -EBADF);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_written_is_read_back),
		cmocka_unit_test(test_write_at_leaves_position),
		cmocka_unit_test(test_load_ends_with_nul_and_keeps_limit),
		cmocka_unit_test(test_load_of_proc),
		cmocka_unit_test(test_only_regular_files_are_opened),
		cmocka_unit_test(test_errors_are_returned),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
