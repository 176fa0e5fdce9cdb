// SPDX-License-Identifier: BSD-2-Clause
#include "base/file_window.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/io.h"

static char dir[] = "/tmp/file_window.XXXXXX";

static const char *path_of(const char *name)
{
	static char path[64];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

/* Byte i of the file. */
static uint8_t byte_at(size_t i)
{
	return (uint8_t)(i * 7 + i / 251);
}

static const char *make_file(size_t len)
{
	const char *path = path_of("file");
	uint8_t *bytes = malloc(len + 1);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_non_null(bytes);
	for (size_t i = 0; i < len; i++)
		bytes[i] = byte_at(i);
	assert_int_equal(write_all(fd, bytes, len), 0);
	assert_int_equal(fd_close(fd), 0);
	free(bytes);
	return path;
}

/* Looks of odd sizes, with less skipped than seen, pass every byte once and in order. */
static void test_all_bytes_in_order(void **state)
{
	const size_t len = 3 * FILE_WINDOW_BYTES + 12345;
	struct file_window *window;
	const uint8_t *bytes;
	size_t at = 0;
	ssize_t got;

	(void)state;
	assert_int_equal(file_window_open(make_file(len), &window), 0);
	assert_int_equal(file_window_size(window), len);
	for (size_t want = 1; (got = file_window_look(window, want, &bytes)) > 0;
	     want = want * 3 % 100003 + 1) {
		size_t skip = (size_t)got < want ? (size_t)got : want;

		assert_true((size_t)got >= want || at + (size_t)got == len);
		assert_int_equal(file_window_offset(window), at);
		for (size_t i = 0; i < skip; i++)
			assert_int_equal(bytes[i], byte_at(at + i));
		file_window_skip(window, skip);
		at += skip;
	}
	assert_int_equal(got, 0);
	assert_int_equal(at, len);
	file_window_close(window);
}

static void test_a_look_larger_than_the_window(void **state)
{
	struct file_window *window;
	const uint8_t *bytes;

	(void)state;
	assert_int_equal(file_window_open(make_file(FILE_WINDOW_BYTES * 2), &window), 0);
	assert_true(file_window_look(window, 10, &bytes) >= 10);
	file_window_skip(window, 10);
	assert_int_equal(file_window_look(window, FILE_WINDOW_BYTES * 2, &bytes),
			 FILE_WINDOW_BYTES * 2 - 10);
	assert_int_equal(bytes[FILE_WINDOW_BYTES], byte_at(FILE_WINDOW_BYTES + 10));
	assert_int_equal(file_window_look(window, FILE_WINDOW_MAX_BYTES + 1u, &bytes), -E2BIG);
	file_window_close(window);
}

static void write_in_pieces(const char *path)
{
	int fd = open(path, O_WRONLY);

	if (fd < 0 || write(fd, "abc", 3) != 3 || usleep(1000) || write(fd, "def", 3) != 3)
		_exit(1);
	_exit(fd_close(fd) ? 1 : 0);
}

/* What a pipe gives comes in pieces: a look waits for as much as it wants. */
static void test_pipe(void **state)
{
	const char *path = path_of("pipe");
	struct file_window *window;
	const uint8_t *bytes;
	int status;
	pid_t pid;

	(void)state;
	assert_int_equal(mkfifo(path, 0600), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid)
		write_in_pieces(path);
	assert_int_equal(file_window_open(path, &window), 0);
	assert_int_equal(file_window_size(window), 0);
	assert_int_equal(file_window_look(window, 6, &bytes), 6);
	assert_memory_equal(bytes, "abcdef", 6);
	file_window_skip(window, 4);
	assert_int_equal(file_window_look(window, 6, &bytes), 2);
	assert_memory_equal(bytes, "ef", 2);
	file_window_close(window);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void test_what_is_no_file(void **state)
{
	struct file_window *window;

	(void)state;
	assert_int_equal(file_window_open(path_of("nothing"), &window), -ENOENT);
	assert_int_equal(file_window_open(dir, &window), -EISDIR);
	file_window_close(NULL);
}

static int make_dir(void **state)
{
	(void)state;
	return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state)
{
	(void)state;
	(void)unlink(path_of("file"));
	(void)unlink(path_of("pipe"));
	return rmdir(dir);
}

/* What comes while somebody writes, and that it ends with who does. */
static void test_followed(void **state)
{
	const char *path = make_file(100);
	struct file_window *window;
	const uint8_t *bytes;
	int fd = open(path, O_WRONLY | O_APPEND);

	(void)state;
	assert_int_equal(flock(fd, LOCK_EX | LOCK_NB), 0);
	assert_int_equal(file_window_open(path, &window), 0);
	assert_int_equal(file_window_look(window, 200, &bytes), 100);
	file_window_follow(window);
	assert_int_equal(file_window_look(window, 101, &bytes), -EAGAIN);
	assert_int_equal(file_window_look(window, 100, &bytes), 100);
	file_window_skip(window, 40);
	assert_int_equal(write(fd, "more", 4), 4);
	assert_int_equal(file_window_look(window, 64, &bytes), 64);
	assert_memory_equal(bytes + 60, "more", 4);
	assert_int_equal(file_window_look(window, 65, &bytes), -EAGAIN);
	/* The last words come before the lock goes. */
	assert_int_equal(write(fd, "!", 1), 1);
	assert_int_equal(fd_close(fd), 0);
	assert_int_equal(file_window_look(window, 1000, &bytes), 65);
	assert_int_equal(file_window_look(window, 1000, &bytes), 65);
	assert_int_equal(file_window_offset(window), 40);
	file_window_close(window);
}

/* A file that is filled in place: what was read of it is read again. */
static void test_filled_in_place(void **state)
{
	const char *path = make_file(100);
	struct file_window *window;
	const uint8_t *bytes;
	int fd = open(path, O_RDWR);

	(void)state;
	assert_int_equal(flock(fd, LOCK_EX | LOCK_NB), 0);
	assert_int_equal(file_window_open(path, &window), 0);
	assert_int_equal(file_window_again(window), 0); /* it is not followed */
	file_window_follow(window);
	assert_int_equal(file_window_look(window, 10, &bytes), 100);
	file_window_skip(window, 10);
	assert_int_equal(pwrite(fd, "new", 3, 10), 3);
	assert_memory_not_equal(bytes + 10, "new", 3);
	assert_int_equal(file_window_again(window), -EAGAIN);
	assert_int_equal(file_window_look(window, 10, &bytes), 90);
	assert_memory_equal(bytes, "new", 3);
	assert_int_equal(pwrite(fd, "end", 3, 10), 3);
	assert_int_equal(fd_close(fd), 0);
	assert_int_equal(file_window_again(window), -EAGAIN); /* once more */
	assert_int_equal(file_window_look(window, 90, &bytes), 90);
	assert_memory_equal(bytes, "end", 3);
	assert_int_equal(file_window_again(window), 0);
	file_window_close(window);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_followed),
		cmocka_unit_test(test_filled_in_place),
		cmocka_unit_test(test_all_bytes_in_order),
		cmocka_unit_test(test_a_look_larger_than_the_window),
		cmocka_unit_test(test_pipe),
		cmocka_unit_test(test_what_is_no_file),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
