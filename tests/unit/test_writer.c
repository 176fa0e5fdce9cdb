// SPDX-License-Identifier: BSD-2-Clause
#include "trace/writer.h"

#include <errno.h>
#include <fcntl.h>
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
#include <unistd.h>

#include <cmocka.h>

#include "base/diag.h"
#include "ctf/metadata_write.h"
#include "schema/lost.h"
#include "schema/source.h"
#include "trace/reader.h"
#include "wire/record.h"

#include "trace_fixture.h"

#define CPUS 2u
#define HEAD_BYTES sizeof(struct packet_head)

struct fixture {
	struct fixture_place place;
	struct buffer metadata;
	struct writer *writer;
	bool compress;
	size_t queue_bytes;
};

static int set_up(void **state)
{
	static struct fixture fix;

	fix = (struct fixture){.writer = NULL};
	buffer_init(&fix.metadata);
	*state = &fix;
	return fixture_place_make(&fix.place) ?: fixture_metadata(&fix.metadata);
}

static int tear_down(void **state)
{
	struct fixture *fix = *state;

	buffer_fini(&fix->metadata);
	return fixture_place_remove(&fix->place);
}

static int create(struct fixture *fix, struct diag *diag)
{
	const struct writer_config config = {
		.metadata = fix->metadata.data,
		.metadata_len = fix->metadata.len,
		.cpus = CPUS,
		.compress = fix->compress,
		.level = 1,
		.queue_bytes = fix->queue_bytes,
	};

	return writer_create(fix->place.path, &config, &fix->writer, diag);
}

/* A packet of @count records, 1 ns apart from @begin_ns on. */
static int append(struct fixture *fix, uint32_t stream, uint32_t cpu, uint32_t level,
		  uint64_t begin_ns, uint32_t count)
{
	const struct fixture_packet packet = {
		.stream = stream,
		.cpu = cpu,
		.level = level,
		.begin_ns = begin_ns,
		.step_ns = 1,
		.count = count,
	};

	return fixture_append(fix->writer, &packet);
}

/* Times since the clock's beginning, CPU behind it; losses and damage fail. */
static void expect_events(const struct fixture *fix, const char *wanted)
{
	struct event_source *source;
	const struct event *events;
	char text[512] = "";
	struct diag diag;
	int count;

	assert_int_equal(reader_open(fix->place.path, &source, &diag), 0);
	while ((count = source->ops->next(source, &events)) > 0) {
		for (int i = 0; i < count; i++) {
			size_t len = strlen(text);

			assert_ptr_not_equal(events[i].class, &lost_class);
			assert_int_equal(events[i].tid, FIXTURE_TID);
			assert_int_equal(event_uint(&events[i], 0),
					 events[i].time_ns - FIXTURE_WALL_NS);
			(void)snprintf(text + len, sizeof(text) - len, "%s%d/%d", len ? " " : "",
				       (int)(events[i].time_ns - FIXTURE_WALL_NS), events[i].cpu);
		}
	}
	assert_int_equal(count, 0);
	assert_null(source->ops->problem(source, 0));
	source->ops->close(source);
	assert_string_equal(text, wanted);
}

/* The same where there are too many to name. */
static void expect_count(const struct fixture *fix, int wanted)
{
	struct event_source *source;
	const struct event *events;
	int64_t last = 0;
	int count, all = 0;

	assert_int_equal(reader_open(fix->place.path, &source, NULL), 0);
	for (; (count = source->ops->next(source, &events)) > 0; all += count) {
		for (int i = 0; i < count; i++) {
			assert_true(events[i].time_ns >= last);
			assert_int_equal(event_uint(&events[i], 0),
					 events[i].time_ns - FIXTURE_WALL_NS);
			last = events[i].time_ns;
		}
	}
	assert_int_equal(count, 0);
	assert_null(source->ops->problem(source, 0));
	source->ops->close(source);
	assert_int_equal(all, wanted);
}

static void limit_files(rlim_t bytes)
{
	struct rlimit limit;

	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	limit.rlim_cur = bytes;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void expect_file(const struct fixture *fix, const char *name, off_t bytes)
{
	char path[128];
	struct stat st;

	(void)snprintf(path, sizeof(path), "%s/%s", fix->place.path, name);
	if (stat(path, &st))
		fail_msg("%s is not there", name);
	if (bytes >= 0)
		assert_int_equal(st.st_size, bytes);
}

static struct writer_totals totals(const struct fixture *fix)
{
	struct writer_totals totals;

	writer_totals(fix->writer, &totals);
	return totals;
}

static void each_cpu_and_level_has_its_stream(void **state)
{
	struct fixture *fix = *state;

	assert_int_equal(create(fix, NULL), 0);
	assert_int_equal(append(fix, STREAM_CLASS_KERNEL, 1, 0, 20, 2), 0);
	assert_int_equal(append(fix, STREAM_CLASS_KERNEL, 0, 2, 10, 2), 0);
	assert_int_equal(append(fix, STREAM_CLASS_RECORDER, 0, 0, 5, 1), 0);
	assert_int_equal(append(fix, STREAM_CLASS_KERNEL, 1, 0, 30, 1), 0);
	assert_int_equal(totals(fix).bytes, 4 * HEAD_BYTES + 6 * FIXTURE_RECORD_BYTES);
	assert_int_equal(writer_close(fix->writer), 0);
	expect_file(fix, "cpu1_level0", 2 * HEAD_BYTES + 3 * FIXTURE_RECORD_BYTES);
	expect_file(fix, "cpu0_level2", HEAD_BYTES + 2 * FIXTURE_RECORD_BYTES);
	expect_file(fix, "recorder", HEAD_BYTES + FIXTURE_RECORD_BYTES);
	expect_file(fix, "index/cpu1_level0.idx", 16 + 2 * 72);
	expect_file(fix, "index/recorder.idx", 16 + 72);
	expect_events(fix, "5/-1 10/0 11/0 20/1 21/1 30/1");
}

static void a_trace_is_readable_while_it_grows(void **state)
{
	struct fixture *fix = *state;

	assert_int_equal(create(fix, NULL), 0);
	expect_events(fix, "");
	assert_int_equal(append(fix, STREAM_CLASS_KERNEL, 0, 0, 1, 2), 0);
	expect_events(fix, "1/0 2/0");
	assert_int_equal(append(fix, STREAM_CLASS_KERNEL, 0, 0, 3, 1), 0);
	expect_events(fix, "1/0 2/0 3/0");
	assert_int_equal(writer_close(fix->writer), 0);
}

/* At once, and by threads. */
static void compressed_is_the_same(void **state)
{
	static const size_t queues[] = {0, 1 << 20};
	struct fixture *fix = *state;

	for (size_t i = 0; i < 2; i++) {
		fix->compress = true;
		fix->queue_bytes = queues[i];
		assert_int_equal(create(fix, NULL), 0);
		assert_int_equal(append(fix, STREAM_CLASS_KERNEL, 1, 0, 20, 2), 0);
		assert_int_equal(append(fix, STREAM_CLASS_KERNEL, 0, 2, 10, 90), 0);
		assert_int_equal(append(fix, STREAM_CLASS_RECORDER, 0, 0, 5, 1), 0);
		assert_int_equal(append(fix, STREAM_CLASS_KERNEL, 1, 0, 200, 1), 0);
		assert_int_equal(writer_flush(fix->writer), 0);
		assert_int_equal(totals(fix).plain_bytes,
				 4 * HEAD_BYTES + 94 * FIXTURE_RECORD_BYTES);
		assert_in_range(totals(fix).bytes, 4 * HEAD_BYTES,
				4 * HEAD_BYTES + 94 * FIXTURE_RECORD_BYTES - 1);
		assert_int_equal(writer_close(fix->writer), 0);
		expect_file(fix, "index/cpu1_level0.zst.idx", 16 + 2 * 88);
		expect_file(fix, "index/recorder.zst.idx", 16 + 88);
		expect_count(fix, 94);
		assert_int_equal(tear_down(state), 0);
		assert_int_equal(set_up(state), 0);
	}
}

static void a_full_disk_keeps_whole_frames(void **state)
{
	struct fixture *fix = *state;
	int err;

	fix->compress = true;
	assert_int_equal(create(fix, NULL), 0);
	assert_int_equal(append(fix, STREAM_CLASS_KERNEL, 0, 0, 1, 2), 0);
	limit_files((rlim_t)totals(fix).bytes + 50);
	err = append(fix, STREAM_CLASS_KERNEL, 0, 0, 11, 3);
	limit_files(RLIM_INFINITY);
	assert_int_equal(err, -EFBIG);
	assert_int_equal(append(fix, STREAM_CLASS_KERNEL, 1, 0, 21, 4), -EFBIG);
	assert_int_equal(totals(fix).refused, 7 * FIXTURE_RECORD_BYTES);
	assert_int_equal(writer_close(fix->writer), -EFBIG);
	expect_events(fix, "1/0 2/0");
}

static void an_empty_directory_is_taken(void **state)
{
	struct fixture *fix = *state;

	assert_int_equal(mkdir(fix->place.path, 0755), 0);
	assert_int_equal(create(fix, NULL), 0);
	assert_int_equal(writer_close(fix->writer), 0);
	expect_file(fix, "metadata", (off_t)fix->metadata.len);
}

static void a_directory_with_something_in_it_is_left_alone(void **state)
{
	struct fixture *fix = *state;
	struct diag diag;

	assert_int_equal(create(fix, NULL), 0);
	assert_int_equal(writer_close(fix->writer), 0);
	fix->writer = NULL;
	assert_int_equal(create(fix, &diag), -EEXIST);
	assert_null(fix->writer);
	assert_non_null(strstr(diag.text, fix->place.path));
	assert_non_null(strstr(diag.text, "not empty"));
}

static void a_path_that_cannot_be_made_is_told(void **state)
{
	const struct writer_config config = {.metadata = "", .cpus = CPUS};
	struct fixture *fix = *state;
	struct diag diag;

	(void)snprintf(fix->place.path, sizeof(fix->place.path), "%s/no/trace", fix->place.parent);
	assert_int_equal(create(fix, &diag), -ENOENT);
	assert_non_null(strstr(diag.text, fix->place.path));
	assert_int_equal(writer_create("/proc/version", &config, &fix->writer, &diag), -ENOTDIR);
	assert_non_null(strstr(diag.text, "/proc/version"));
}

static void a_cpu_that_cannot_be_is_refused(void **state)
{
	struct fixture *fix = *state;

	assert_int_equal(create(fix, NULL), 0);
	assert_int_equal(append(fix, STREAM_CLASS_KERNEL, CPUS, 0, 1, 1), -EINVAL);
	assert_int_equal(writer_close(fix->writer), -EINVAL);
}

static void a_full_disk_keeps_whole_packets(void **state)
{
	struct fixture *fix = *state;
	int err;

	assert_int_equal(create(fix, NULL), 0);
	assert_int_equal(append(fix, STREAM_CLASS_KERNEL, 0, 0, 1, 2), 0);
	limit_files(150);
	err = append(fix, STREAM_CLASS_KERNEL, 0, 0, 11, 3);
	limit_files(RLIM_INFINITY);
	assert_int_equal(err, -EFBIG);
	assert_int_equal(append(fix, STREAM_CLASS_KERNEL, 1, 0, 21, 4), -EFBIG);
	assert_int_equal(totals(fix).bytes, HEAD_BYTES + 2 * FIXTURE_RECORD_BYTES);
	assert_int_equal(totals(fix).refused, 7 * FIXTURE_RECORD_BYTES);
	assert_int_equal(writer_close(fix->writer), -EFBIG);
	expect_file(fix, "cpu0_level0", HEAD_BYTES + 2 * FIXTURE_RECORD_BYTES);
	expect_events(fix, "1/0 2/0");
}

static void metadata_that_does_not_fit_is_told(void **state)
{
	struct fixture *fix = *state;
	struct diag diag = {.text = ""};
	int err;

	limit_files(150);
	err = create(fix, &diag);
	limit_files(RLIM_INFINITY);
	assert_int_equal(err, -EFBIG);
	assert_non_null(strstr(diag.text, "/metadata: "));
	assert_null(fix->writer);
}

static void metadata_may_grow_at_its_end(void **state)
{
	static const struct event_class later = {
		.id = 7, .name = "came.later", .fields = fixture_fields, .field_count = 1};
	struct fixture *fix = *state;
	struct event_source *source;
	struct diag diag;

	assert_int_equal(create(fix, &diag), 0);
	assert_int_equal(append(fix, STREAM_CLASS_KERNEL, 0, 0, 100, 2), 0);
	assert_int_equal(metadata_write_event(&fix->metadata, &later, STREAM_CLASS_KERNEL), 0);
	assert_int_equal(writer_metadata(fix->writer, fix->metadata.data, fix->metadata.len), 0);
	/* Again: nothing of the first time is in the way. */
	assert_int_equal(writer_metadata(fix->writer, fix->metadata.data, fix->metadata.len), 0);
	assert_int_equal(writer_close(fix->writer), 0);
	expect_events(fix, "100/0 101/0");
	assert_int_equal(reader_open(fix->place.path, &source, &diag), 0);
	assert_int_equal(source->info->class_count, 4); /* with the reader's own */
	source->ops->close(source);
}

static void nothing_closes_well(void **state)
{
	(void)state;
	assert_int_equal(writer_close(NULL), 0);
}

#define WRITER_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WRITER_TEST(each_cpu_and_level_has_its_stream),
		WRITER_TEST(a_trace_is_readable_while_it_grows),
		WRITER_TEST(compressed_is_the_same),
		WRITER_TEST(a_full_disk_keeps_whole_frames),
		WRITER_TEST(an_empty_directory_is_taken),
		WRITER_TEST(a_directory_with_something_in_it_is_left_alone),
		WRITER_TEST(a_path_that_cannot_be_made_is_told),
		WRITER_TEST(a_cpu_that_cannot_be_is_refused),
		WRITER_TEST(a_full_disk_keeps_whole_packets),
		WRITER_TEST(metadata_that_does_not_fit_is_told),
		WRITER_TEST(metadata_may_grow_at_its_end),
		WRITER_TEST(nothing_closes_well),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
