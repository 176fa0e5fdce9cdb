// SPDX-License-Identifier: BSD-2-Clause
#include "output/stats_tables.h"

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
#include "output/report_table.h"

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

static void check(const char *want, size_t most)
{
	struct report_rows rows = {0};
	struct disk_times times;
	struct buffer out;

	make_disks(&times);
	assert_int_equal(stats_disk_rows(&times, &rows), 0);
	rows.shown = most;
	buffer_init(&out);
	report_table_text(&stats_disks, &rows, &out);
	buffer_char(&out, '\0');
	assert_int_equal(buffer_error(&out), 0);
	assert_string_equal(out.data, want);
	buffer_fini(&out);
	free(rows.owned);
	disk_times_fini(&times);
}

static void check_json(const char *want, const struct disk_times *times)
{
	struct report_rows rows = {0};
	struct json_writer json;
	struct buffer out;

	assert_int_equal(stats_disk_rows(times, &rows), 0);
	rows.shown = rows.count;
	buffer_init(&out);
	json_writer_init(&json, &out);
	json_writer_object(&json, NULL);
	report_table_json(&stats_disks, &rows, &json);
	json_writer_end(&json);
	buffer_char(&out, '\0');
	assert_string_equal(out.data, want);
	buffer_fini(&out);
	free(rows.owned);
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
	      2);
	check("\n"
	      "disk    requests  read  written  errors  average  longest\n"
	      "sd\\x1b         5   0 B    512 B\n"
	      "... and 1 more\n",
	      1);
}

static void test_nothing(void **state)
{
	struct disk_times times;

	(void)state;
	disk_times_init(&times);
	(void)add_disk(&times, "idle");
	check_json("{\"disks\":[]}", &times);
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
