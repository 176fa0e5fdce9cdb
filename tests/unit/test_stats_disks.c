// SPDX-License-Identifier: BSD-2-Clause
#include "output/stats_disks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analyse/disk_times.h"
#include "base/buffer.h"
#include "base/json_writer.h"

/* As disk_times would have found it. */
static struct disk *add_disk(struct disk_times *times, const char *name)
{
	struct disk *disk = calloc(1, sizeof(*disk));

	assert_non_null(disk);
	strncpy(disk->name, name, sizeof(disk->name) - 1);
	times->disks = realloc(times->disks, (times->disk_count + 1) * sizeof(*times->disks));
	assert_non_null(times->disks);
	times->disks[times->disk_count++] = disk;
	return disk;
}

static void make_disks(struct disk_times *times)
{
	struct disk *disk;

	disk_times_init(times);
	(void)add_disk(times, "idle");
	disk = add_disk(times, "sda");
	disk->ops[DISK_READ] = (struct disk_counts){.requests = 2, .bytes = 8192};
	latency_add(&disk->ops[DISK_READ].service, 1000);
	latency_add(&disk->ops[DISK_READ].service, 3000);
	disk->ops[DISK_OTHER].requests = 1; /* a flush */
	disk->ops[DISK_OTHER].errors = 1;
	latency_add(&disk->ops[DISK_OTHER].service, 8000);
	disk = add_disk(times, "sd\x1b");
	disk->ops[DISK_WRITE] = (struct disk_counts){.requests = 5, .bytes = 512};
}

static void check(const char *want, size_t rows,
		  int (*write)(const struct disk_times *, size_t, struct buffer *))
{
	struct disk_times times;
	struct buffer out;

	make_disks(&times);
	buffer_init(&out);
	assert_int_equal(write(&times, rows, &out), 0);
	buffer_char(&out, '\0');
	assert_int_equal(buffer_error(&out), 0);
	assert_string_equal(out.data, want);
	buffer_fini(&out);
	disk_times_fini(&times);
}

static void check_json(const char *want, const struct disk_times *times)
{
	struct json_writer json;
	struct buffer out;

	buffer_init(&out);
	json_writer_init(&json, &out);
	json_writer_object(&json, NULL);
	assert_int_equal(stats_disks_json(times, 0, &json), 0);
	json_writer_end(&json);
	buffer_char(&out, '\0');
	assert_string_equal(out.data, want);
	buffer_fini(&out);
}

static void test_json(void **state)
{
	struct disk_times times;

	(void)state;
	make_disks(&times);
	check_json(
		"{\"disks\":[{\"disk\":\"sd\\u001b\",\"requests\":5,\"read_bytes\":0,\"written_bytes\":512,"
		"\"errors\":0},"
		"{\"disk\":\"sda\",\"requests\":3,\"read_bytes\":8192,\"written_bytes\":0,"
		"\"errors\":1,\"service_avg_ns\":4000,\"service_max_ns\":8000}]}",
		&times);
	disk_times_fini(&times);
}

static void test_text(void **state)
{
	(void)state;
	check("\n"
	      "disk    requests     read  written  errors  average  longest\n"
	      "sd\\x1b         5      0 B    512 B\n"
	      "sda            3  8.19 kB      0 B       1  4.00 us  8.00 us\n",
	      0, stats_disks_text);
	check("\n"
	      "disk    requests  read  written  errors  average  longest\n"
	      "sd\\x1b         5   0 B    512 B\n"
	      "... and 1 more\n",
	      1, stats_disks_text);
}

static void test_nothing(void **state)
{
	struct disk_times times;
	struct buffer out;

	(void)state;
	disk_times_init(&times);
	(void)add_disk(&times, "idle");
	buffer_init(&out);
	assert_int_equal(stats_disks_text(&times, 0, &out), 0);
	assert_int_equal(out.len, 0);
	check_json("{\"disks\":[]}", &times);
	buffer_fini(&out);
	disk_times_fini(&times);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
