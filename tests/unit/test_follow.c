// SPDX-License-Identifier: BSD-2-Clause
#include "trace/follow.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/diag.h"
#include "schema/source.h"
#include "trace/reader.h"
#include "trace/writer.h"
#include "wire/record.h"

#include "trace_fixture.h"

#define CPUS 4u
#define PACKET_BYTES (sizeof(struct packet_head) + 2 * FIXTURE_RECORD_BYTES)
#define MS 1000000ull
#define FAR 100000ull /* ms: long before the newest */
#define PATIENCE_MS 60000
/* Of what waits for others only for so long nothing can be said later, on a machine that is busy. */
#define LATE_NS (SETTLED_WAIT_NS - 100 * (int64_t)MS)
#define TRIES 20

struct fixture {
	struct fixture_place place;
	struct buffer metadata;
	struct writer *writer;
	struct event_source *source;
	bool compress;
	uint64_t since_ns; /* when it began to be followed */
	unsigned int looks; /* that brought nothing */
	char text[512]; /* the events, by their time in ms */
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

	if (fix->source)
		fix->source->ops->close(fix->source);
	fix->source = NULL;
	(void)writer_close(fix->writer);
	fix->writer = NULL;
	buffer_fini(&fix->metadata);
	return fixture_place_remove(&fix->place);
}

static void start(struct fixture *fix)
{
	const struct writer_config config = {
		.metadata = fix->metadata.data,
		.metadata_len = fix->metadata.len,
		.cpus = CPUS,
		.compress = fix->compress,
		.level = 1,
	};

	assert_int_equal(writer_create(fix->place.path, &config, &fix->writer, NULL), 0);
}

static void follow(struct fixture *fix)
{
	fix->since_ns = clock_monotonic_ns();
	assert_int_equal(reader_follow(fix->place.path, &fix->source, NULL), 0);
}

/* A packet of two records, at @ms and 1 ms later. */
static void append(struct fixture *fix, uint32_t cpu, uint64_t ms)
{
	const struct fixture_packet packet = {
		.stream = STREAM_CLASS_KERNEL,
		.cpu = cpu,
		.begin_ns = ms * MS,
		.step_ns = MS,
		.count = 2,
	};

	assert_int_equal(fixture_append(fix->writer, &packet), 0);
}

/* Whether it was the end. */
static bool take_next(struct fixture *fix)
{
	const struct event *events;
	int count = fix->source->ops->next(fix->source, &events);

	for (int i = 0; i < count; i++) {
		size_t len = strlen(fix->text);

		(void)snprintf(fix->text + len, sizeof(fix->text) - len, "%s%d", len ? " " : "",
			       (int)((events[i].time_ns - FIXTURE_WALL_NS) / (int64_t)MS));
	}
	assert_true(count >= 0 || count == -EAGAIN);
	fix->looks += count == -EAGAIN;
	return !count;
}

/* Takes what comes within @ms; whether it was the end. */
static bool take(struct fixture *fix, uint64_t ms)
{
	const uint64_t end_ns = clock_monotonic_ns() + ms * MS;
	bool end;

	do
		end = take_next(fix);
	while (!end && clock_monotonic_ns() < end_ns);
	return end;
}

static void expect(struct fixture *fix, const char *text)
{
	assert_string_equal(fix->text, text);
	fix->text[0] = '\0';
}

/* Takes what comes until it is as much as @text, however long that takes; no end comes before. */
static void take_text(struct fixture *fix, const char *text)
{
	const uint64_t end_ns = clock_monotonic_ns() + PATIENCE_MS * MS;

	while (strlen(fix->text) < strlen(text) && clock_monotonic_ns() < end_ns)
		assert_false(take_next(fix));
}

static void take_all(struct fixture *fix, const char *text)
{
	take_text(fix, text);
	expect(fix, text);
}

static bool is_late(const struct fixture *fix)
{
	return (int64_t)(clock_monotonic_ns() - fix->since_ns) > LATE_NS;
}

/* A scenario says that it was too late to tell: it is done again. */
static void try_until_in_time(void **state, bool compress, bool (*scenario)(struct fixture *fix))
{
	struct fixture *fix = *state;

	for (int i = 0; i < TRIES; i++) {
		fix->compress = compress;
		if (scenario(fix))
			return;
		assert_int_equal(tear_down(state), 0);
		assert_int_equal(set_up(state), 0);
		fix = *state;
	}
	fail_msg("this machine is too busy: %d times the test was late", TRIES);
}

static void what_nobody_writes_ends_at_once(void **state)
{
	struct fixture *fix = *state;

	start(fix);
	append(fix, 1, 20);
	append(fix, 0, 10);
	assert_int_equal(writer_close(fix->writer), 0);
	fix->writer = NULL;
	follow(fix);
	assert_true(take(fix, PATIENCE_MS));
	expect(fix, "10 11 20 21");
	assert_true(fix->looks <= 1);
}

static bool given_in_order(struct fixture *fix)
{
	start(fix);
	append(fix, 0, 100);
	append(fix, 1, FAR);
	follow(fix);
	/* Long before the newest: that is complete. The newest is not yet: others may be slower. */
	take_all(fix, "100 101");
	append(fix, 2, FAR - 500); /* in a file that is new */
	append(fix, 1, FAR + 10);
	assert_false(take(fix, 150));
	append(fix, 0, FAR - 300);
	assert_false(take(fix, 150));
	if (is_late(fix))
		return false;
	expect(fix, "");
	/* All that is silent from here on holds up nobody. */
	take_all(fix, "99500 99501 99700 99701 100000 100001 100010 100011");
	append(fix, 3, FAR + 20);
	assert_int_equal(writer_close(fix->writer), 0);
	fix->writer = NULL;
	assert_true(take(fix, PATIENCE_MS));
	expect(fix, "100020 100021");
	assert_null(fix->source->ops->problem(fix->source, 0));
	return true;
}

static void what_comes_is_given_in_order(void **state)
{
	try_until_in_time(state, false, given_in_order);
}

static void compressed_is_the_same(void **state)
{
	try_until_in_time(state, true, given_in_order);
}

/* Part of a packet is there: it is none, until it is whole, or nobody writes any more. */
static bool half_waits(struct fixture *fix)
{
	enum { PART = sizeof(struct packet_head) + FIXTURE_RECORD_BYTES };
	uint8_t packet[200];
	char path[128];
	int fd;

	start(fix);
	append(fix, 0, 10);
	append(fix, 0, 20);
	append(fix, 1, FAR);
	(void)snprintf(path, sizeof(path), "%s/cpu0_level0", fix->place.path);
	fd = open(path, O_RDWR);
	assert_int_equal(pread(fd, packet, 200, PACKET_BYTES), PACKET_BYTES); /* the second */
	assert_int_equal(ftruncate(fd, PACKET_BYTES), 0);
	follow(fix);
	take_all(fix, "10 11");
	for (off_t len = 1; len < (off_t)PACKET_BYTES; len += 37) {
		assert_int_equal(pwrite(fd, packet, (size_t)len, PACKET_BYTES), len);
		assert_false(take_next(fix)); /* what is there, and then looks */
	}
	assert_int_equal(pwrite(fd, packet, PACKET_BYTES, PACKET_BYTES), PACKET_BYTES);
	take_text(fix, "20 21");
	if (is_late(fix)) {
		assert_int_equal(close(fd), 0);
		return false;
	}
	expect(fix, "20 21");
	assert_int_equal(ftruncate(fd, 2 * PACKET_BYTES + PART),
			 0); /* zeros, of which no packet comes */
	assert_int_equal(pwrite(fd, packet, PART, 2 * PACKET_BYTES), PART);
	assert_int_equal(writer_close(fix->writer), 0);
	fix->writer = NULL;
	assert_true(take(fix, PATIENCE_MS));
	expect(fix, "20 100000 100001"); /* as far as it is there */
	assert_non_null(strstr(fix->source->ops->problem(fix->source, 0), "cut off"));
	assert_int_equal(close(fd), 0);
	return true;
}

static void half_a_packet_waits(void **state)
{
	try_until_in_time(state, false, half_waits);
}

static void new_metadata_takes_a_new_reader(void **state)
{
	struct fixture *fix = *state;
	const struct event *events;
	int count;

	start(fix);
	append(fix, 0, 10);
	append(fix, 0, FAR);
	follow(fix);
	take_all(fix, "10 11");
	buffer_string(&fix->metadata, "/* more */\n");
	assert_int_equal(writer_metadata(fix->writer, fix->metadata.data, fix->metadata.len), 0);
	do
		count = fix->source->ops->next(fix->source, &events);
	while (count == -EAGAIN || count > 0);
	assert_int_equal(count, -ESTALE);
	fix->source->ops->close(fix->source);
	follow(fix);
	take_all(fix, "10 11 100000 100001");
}

#define FOLLOW_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		FOLLOW_TEST(what_nobody_writes_ends_at_once),
		FOLLOW_TEST(what_comes_is_given_in_order),
		FOLLOW_TEST(compressed_is_the_same),
		FOLLOW_TEST(half_a_packet_waits),
		FOLLOW_TEST(new_metadata_takes_a_new_reader),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
