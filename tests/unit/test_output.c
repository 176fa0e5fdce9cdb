// SPDX-License-Identifier: BSD-2-Clause
#include "base/io.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static off_t size_of(int fd)
{
	struct stat st;

	assert_int_equal(fstat(fd, &st), 0);
	return st.st_size;
}

static void test_writes_in_chunks(void **state)
{
	int fd = memfd_create("output", 0);
	struct output out;

	(void)state;
	output_init(&out, fd, false);
	buffer_string(&out.buf, "line\n");
	assert_int_equal(output_end_line(&out), 0);
	assert_int_equal(output_end_batch(&out), 0);
	assert_int_equal(size_of(fd), 0);
	buffer_pad(&out.buf, 'x', OUTPUT_CHUNK_BYTES);
	assert_int_equal(output_end_line(&out), 0);
	assert_int_equal(size_of(fd), OUTPUT_CHUNK_BYTES + 5);
	out.eager = true;
	buffer_string(&out.buf, "more\n");
	assert_int_equal(output_end_batch(&out), 0);
	assert_int_equal(size_of(fd), OUTPUT_CHUNK_BYTES + 10);
	output_fini(&out);
	close(fd);
}

static void test_the_first_error_stays(void **state)
{
	struct output out;

	(void)state;
	output_init(&out, -1, false);
	buffer_string(&out.buf, "x");
	assert_int_equal(output_flush(&out), -EBADF);
	out.fd = STDERR_FILENO;
	buffer_string(&out.buf, "must not appear\n");
	assert_int_equal(output_flush(&out), -EBADF);
	assert_int_equal(output_end_batch(&out), -EBADF);
	output_fini(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_writes_in_chunks),
		cmocka_unit_test(test_the_first_error_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
