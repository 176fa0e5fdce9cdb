// SPDX-License-Identifier: BSD-2-Clause
#include "base/conduit.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/io.h"

#define FILE_BYTES (3u << 20)

struct fixture {
	struct conduit *conduit;
	int file;
	int ours, theirs;
	uint8_t bytes[FILE_BYTES];
};

static int set_up(void **state)
{
	struct fixture *fix = calloc(1, sizeof(*fix));
	uint32_t seed = 1;
	int ends[2];

	assert_non_null(fix);
	for (size_t i = 0; i < FILE_BYTES; i++) {
		seed = seed * 1664525 + 1013904223;
		fix->bytes[i] = (uint8_t)(seed >> 24);
	}
	fix->file = memfd_create("sonde-conduit", MFD_CLOEXEC);
	assert_true(fix->file >= 0);
	assert_int_equal(write_all(fix->file, fix->bytes, FILE_BYTES), 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0);
	fix->ours = ends[0];
	fix->theirs = ends[1];
	assert_int_equal(conduit_new(&fix->conduit), 0);
	*state = fix;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fix = *state;

	conduit_free(fix->conduit);
	fd_close(fix->file);
	fd_close(fix->ours);
	fd_close(fix->theirs);
	free(fix);
	return 0;
}

/* All that has come must be the file from @at on; how much. */
static size_t take(struct fixture *fix, size_t at)
{
	static uint8_t got[FILE_BYTES];
	size_t len = 0;
	ssize_t one;

	while ((one = read(fix->theirs, got + len, FILE_BYTES - len)) > 0)
		len += (size_t)one;
	assert_true(at + len <= FILE_BYTES);
	assert_memory_equal(got, fix->bytes + at, len);
	return len;
}

/* The socket takes a part each time; what it did not take is not lost. */
static void all_of_a_file_arrives(void **state)
{
	struct fixture *fix = *state;
	size_t at = 5, partial = 0;

	while (at < FILE_BYTES) {
		size_t want = FILE_BYTES - at;
		ssize_t sent = conduit_send(fix->conduit, fix->file, at, want, fix->ours);

		assert_true(sent > 0);
		partial += (size_t)sent < want;
		assert_int_equal(take(fix, at), sent);
		at += (size_t)sent;
	}
	assert_true(partial > 1);
}

/* What one socket did not take is not given to another. */
static void nothing_stays_in_it(void **state)
{
	struct fixture *fix = *state;
	int other[2];
	uint8_t got[16];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, other), 0);
	assert_true(conduit_send(fix->conduit, fix->file, 0, FILE_BYTES, fix->ours) > 0);
	assert_int_equal(conduit_send(fix->conduit, fix->file, 0, FILE_BYTES, fix->ours), -EAGAIN);
	assert_int_equal(conduit_send(fix->conduit, fix->file, 100, 16, other[0]), 16);
	assert_int_equal(read(other[1], got, sizeof(got)), 16);
	assert_memory_equal(got, fix->bytes + 100, 16);
	fd_close(other[0]);
	fd_close(other[1]);
}

static void ends_are_told(void **state)
{
	struct fixture *fix = *state;
	sigset_t pipe;

	sigemptyset(&pipe);
	sigaddset(&pipe, SIGPIPE);
	assert_int_equal(pthread_sigmask(SIG_BLOCK, &pipe, NULL), 0);
	assert_int_equal(conduit_send(fix->conduit, fix->file, FILE_BYTES - 3, 10, fix->ours), 3);
	assert_int_equal(conduit_send(fix->conduit, fix->file, FILE_BYTES, 10, fix->ours), 0);
	assert_int_equal(take(fix, FILE_BYTES - 3), 3);
	assert_int_equal(fd_close(fix->theirs), 0);
	fix->theirs = -1;
	assert_int_equal(conduit_send(fix->conduit, fix->file, 0, 10, fix->ours), -EPIPE);
	assert_int_equal(conduit_send(fix->conduit, -1, 0, 10, fix->ours), -EBADF);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(all_of_a_file_arrives, set_up, tear_down),
		cmocka_unit_test_setup_teardown(nothing_stays_in_it, set_up, tear_down),
		cmocka_unit_test_setup_teardown(ends_are_told, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
