// SPDX-License-Identifier: BSD-2-Clause
#include "record_format/magnet/magnet_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "magnet_fixture.h"

#define NOW_NS 1700000000500000000

static char folder[] = "/tmp/sonde-magnet-XXXXXX";
static char name[64];

static int make_folder(void **state)
{
	(void)state;
	if (!mkdtemp(folder))
		return -1;
	snprintf(name, sizeof(name), "%s/file", folder);
	return 0;
}

static int remove_folder(void **state)
{
	(void)state;
	(void)unlink(name);
	return rmdir(folder);
}

static off_t size_of(const char *path)
{
	struct stat st;

	return stat(path, &st) ? -1 : st.st_size;
}

static void record_at(const struct magnet_layout *layout, uint64_t timestamp, uint8_t *record)
{
	struct magnet_head head = {42, timestamp, MAGNET_TCP_SEND, 100};

	memset(record, 0, MAGNET_RECORD_MAX_BYTES);
	magnet_head_store(layout, record, &head);
}

/* Filled in two runs: what a reader then finds, and that the second goes on behind the first. */
static void test_fill(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < FIXTURE_LAYOUTS; i++) {
		struct magnet_layout layout = layout_at(i);
		size_t each = magnet_record_bytes(&layout);
		uint8_t record[MAGNET_RECORD_MAX_BYTES];
		struct magnet_file *file;
		struct event_source *source;
		struct file_window *window;
		struct diag diag;
		struct event last;

		assert_int_equal(magnet_file_create(name, &layout, 5, true, NOW_NS, &diag), 0);
		assert_int_equal(size_of(name), 5 * each);
		for (uint64_t run = 0; run < 2; run++) {
			assert_int_equal(magnet_file_open(name, &file, &diag), 0);
			assert_true(magnet_layout_equals(magnet_file_layout(file), &layout));
			assert_int_equal(magnet_file_room(file), 5);
			assert_int_equal(magnet_file_records(file), 1 + 2 * run);
			for (uint64_t k = 1; k <= 2; k++) {
				record_at(&layout, 2 * run + k, record);
				assert_int_equal(magnet_file_add(file, record), 0);
			}
			assert_true(magnet_file_is_whole(file));
			if (run)
				assert_int_equal(magnet_file_add(file, record), -ENOSPC);
			assert_int_equal(magnet_file_close(file), 0);
		}
		assert_int_equal(file_window_open(name, &window), 0);
		assert_int_equal(magnet_open(window, name, &source, &diag), 0);
		assert_int_equal(read_all(source, &last), 5);
		assert_null(source->ops->problem(source, 0));
		assert_int_equal(event_uint(&last, 1), 4);
		source->ops->close(source);
	}
}

/* The clock is told by the first record, and again where there are others. */
static void test_begin(void **state)
{
	struct magnet_layout layout = layout_at(1);
	uint8_t record[MAGNET_RECORD_MAX_BYTES];
	struct magnet_file *file;
	struct diag diag;

	(void)state;
	assert_int_equal(magnet_file_create(name, &layout, 4, true, NOW_NS, &diag), 0);
	assert_int_equal(magnet_file_open(name, &file, &diag), 0);
	record_at(&layout, 1, record);
	assert_int_equal(magnet_file_begin(file, record), 0);
	assert_int_equal(magnet_file_records(file), 1);
	assert_int_equal(magnet_file_add(file, record), 0);
	assert_int_equal(magnet_file_begin(file, record), 0);
	assert_int_equal(magnet_file_records(file), 3);
	assert_int_equal(magnet_file_close(file), 0);
}

/* After a crash of the machine a page may be missing: what is behind it stays. */
static void test_hole(void **state)
{
	struct magnet_layout layout = layout_at(1);
	size_t each = magnet_record_bytes(&layout);
	uint8_t record[MAGNET_RECORD_MAX_BYTES], bytes[MAGNET_RECORD_MAX_BYTES];
	struct magnet_file *file;
	struct diag diag;
	int fd;

	(void)state;
	assert_int_equal(magnet_file_create(name, &layout, 9, true, NOW_NS, &diag), 0);
	record_at(&layout, 77, record);
	fd = open(name, O_RDWR);
	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, record, each, (off_t)(1 * each)), each);
	assert_int_equal(pwrite(fd, record, each, (off_t)(7 * each)), each);
	assert_int_equal(magnet_file_open(name, &file, &diag), 0);
	record_at(&layout, 88, record);
	for (int i = 0; i < 6; i++)
		assert_int_equal(magnet_file_add(file, record), 0);
	assert_int_equal(magnet_file_add(file, record), -ENOSPC);
	assert_int_equal(magnet_file_close(file), 0);
	record_at(&layout, 77, record);
	assert_int_equal(pread(fd, bytes, each, (off_t)(7 * each)), each);
	assert_memory_equal(bytes, record, each);
	close(fd);
}

static void test_refused(void **state)
{
	struct magnet_layout layout = layout_at(1);
	struct magnet_file *file, *other;
	struct diag diag;

	(void)state;
	assert_int_equal(magnet_file_create(name, &layout, 3, true, NOW_NS, &diag), -EINVAL);
	assert_int_equal(magnet_file_create(name, &layout, UINT64_MAX, true, NOW_NS, &diag),
			 -E2BIG);
	assert_int_equal(magnet_file_create(name, &layout, 4, true, NOW_NS, &diag), 0);
	assert_int_equal(magnet_file_create(name, &layout, 4, false, NOW_NS, &diag), -EEXIST);
	assert_int_equal(magnet_file_open(name, &file, &diag), 0);
	assert_int_equal(magnet_file_open(name, &other, &diag), -EBUSY);
	assert_int_equal(truncate(name, 50), 0);
	assert_false(magnet_file_is_whole(file));
	assert_int_equal(magnet_file_close(file), 0);
	assert_int_equal(magnet_file_open(name, &file, &diag), -EBADMSG); /* no room */
	assert_int_equal(truncate(name, 0), 0);
	assert_int_equal(magnet_file_open(name, &file, &diag), -EBADMSG);
	assert_int_equal(truncate(name, 4096), 0);
	assert_int_equal(magnet_file_open(name, &file, &diag), -EBADMSG);
	assert_int_equal(magnet_file_open("/nowhere/file", &file, &diag), -ENOENT);
	assert_int_equal(magnet_file_create("/nowhere/file", &layout, 4, false, NOW_NS, &diag),
			 -ENOENT);
	assert_int_equal(magnet_file_close(NULL), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fill),
		cmocka_unit_test(test_begin),
		cmocka_unit_test(test_hole),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
