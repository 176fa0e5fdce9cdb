// SPDX-License-Identifier: BSD-2-Clause
/* A trace that is written beside what reads it. */
#include <sonde/sonde.h>

#include <errno.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "ctf/metadata_write.h"
#include "schema/event.h"
#include "trace/writer.h"
#include "wire/record.h"

#define WALL_NS 1700000000000000000ll
#define MS 1000000ull
#define FAR 100000ull /* ms: long before the newest */
#define FIRST 5u /* ids of the classes */
#define SECOND 6u

static const struct field fields[] = {
	{.name = "value",
	 .kind = FIELD_INT,
	 .bits = 32,
	 .align_bits = 32,
	 .count = 1,
	 .scope = FIELD_SCOPE_OBJECT},
};
static const struct event_class first_class = {.id = FIRST,
					       .name = "first",
					       .fields = fields,
					       .field_count = 1};
static const struct event_class second_class = {.id = SECOND,
						.name = "second",
						.fields = fields,
						.field_count = 1};

struct fixture {
	char parent[64];
	char path[80];
	struct buffer metadata;
	struct writer *writer;
	struct sonde_source *source;
	char text[512]; /* the events: name, value */
};

static int set_up(void **state)
{
	const struct event_class *classes[] = {&first_class};
	const struct metadata_spec spec = {
		.wall_offset_ns = WALL_NS, .classes = classes, .class_count = 1};
	static struct fixture fix;

	fix = (struct fixture){.parent = "/tmp/sonde-lib-XXXXXX"};
	if (!mkdtemp(fix.parent))
		return -1;
	(void)snprintf(fix.path, sizeof(fix.path), "%s/trace", fix.parent);
	buffer_init(&fix.metadata);
	*state = &fix;
	return metadata_write(&spec, &fix.metadata);
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
	(void)st;
	(void)kind;
	(void)ftw;
	return remove(path);
}

static int tear_down(void **state)
{
	struct fixture *fix = *state;

	sonde_close(fix->source);
	(void)writer_close(fix->writer);
	buffer_fini(&fix->metadata);
	return nftw(fix->parent, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static void start(struct fixture *fix)
{
	const struct writer_config config = {
		.metadata = fix->metadata.data, .metadata_len = fix->metadata.len, .cpus = 1};

	assert_int_equal(writer_create(fix->path, &config, &fix->writer, NULL), 0);
	assert_int_equal(sonde_follow(fix->path, &fix->source, NULL), 0);
}

static void append(struct fixture *fix, uint32_t id, uint64_t ms)
{
	const uint64_t word = id | (ms * MS & UINT32_MAX) << RECORD_TIME_SHIFT;
	const uint32_t value = (uint32_t)ms;
	uint8_t packet[sizeof(struct packet_head) + sizeof(word) + sizeof(value)];
	const struct packet_head head = {
		.magic = PACKET_MAGIC,
		.begin_ns = ms * MS,
		.end_ns = ms * MS,
		.content_bits = sizeof(packet) * 8,
		.packet_bits = sizeof(packet) * 8,
	};

	memcpy(packet, &head, sizeof(head));
	memcpy(packet + sizeof(head), &word, sizeof(word));
	memcpy(packet + sizeof(head) + sizeof(word), &value, sizeof(value));
	assert_int_equal(writer_packet(fix->writer, packet, sizeof(packet), false), 0);
}

/* Takes what comes until there are as many characters of text as @wanted has, and compares. */
static void expect(struct fixture *fix, const char *wanted)
{
	const uint64_t end_ns = clock_monotonic_ns() + 60000 * MS;
	const struct sonde_event *event;
	struct sonde_error error;

	fix->text[0] = 0;
	while (strlen(fix->text) < strlen(wanted) && clock_monotonic_ns() < end_ns) {
		size_t len = strlen(fix->text);
		int got = sonde_next(fix->source, &event, &error);

		if (got == -EAGAIN)
			assert_string_equal(error.text, "nothing has come yet");
		else if (got < 0)
			fail_msg("%s", error.text);
		else if (got)
			(void)snprintf(fix->text + len, sizeof(fix->text) - len, "%s%s %d",
				       len ? ", " : "", sonde_event_name(event),
				       (int)sonde_event_uint(event, "value"));
		if (!got)
			break;
	}
	assert_string_equal(fix->text, wanted);
}

static void expect_nothing(struct fixture *fix)
{
	const struct sonde_event *event;

	for (int i = 0; i < 3; i++)
		assert_int_equal(sonde_next(fix->source, &event, NULL), -EAGAIN);
}

static void expect_end(struct fixture *fix)
{
	const struct sonde_event *event;
	int got;

	assert_int_equal(writer_close(fix->writer), 0);
	fix->writer = NULL;
	while ((got = sonde_next(fix->source, &event, NULL)) == -EAGAIN)
		;
	assert_int_equal(got, 0);
	assert_int_equal(sonde_next(fix->source, &event, NULL), 0);
}

static void what_comes_is_given_until_the_end(void **state)
{
	struct fixture *fix = *state;

	start(fix);
	expect_nothing(fix);
	append(fix, FIRST, 10);
	append(fix, FIRST, FAR);
	expect(fix, "first 10");
	append(fix, FIRST, FAR + 1);
	expect(fix, "first 100000, first 100001");
	expect_end(fix);
}

/* Events and handles of before stay; what was given is not given again; filters go on. */
static void new_classes_join_those_that_were_there(void **state)
{
	struct fixture *fix = *state;
	const struct sonde_class *first;
	const struct sonde_field *value;
	const struct sonde_event *event;
	struct sonde_event *copy;
	size_t count;

	start(fix);
	assert_int_equal(sonde_filter_where(fix->source, "value != 20", NULL), 0);
	first = sonde_class_find(fix->source, "first");
	value = sonde_class_field_find(first, "value");
	count = sonde_class_count(fix->source);
	assert_null(sonde_class_find(fix->source, "second"));
	append(fix, FIRST, 10);
	append(fix, FIRST, 11);
	append(fix, FIRST, FAR);
	while (sonde_next(fix->source, &event, NULL) == -EAGAIN)
		;
	copy = sonde_event_copy(event);
	expect(fix, "first 11");

	assert_int_equal(metadata_write_event(&fix->metadata, &second_class, STREAM_CLASS_KERNEL),
			 0);
	assert_int_equal(writer_metadata(fix->writer, fix->metadata.data, fix->metadata.len), 0);
	append(fix, SECOND, FAR + 1);
	append(fix, FIRST, FAR + 2);
	expect(fix, "first 100000, second 100001, first 100002");
	assert_int_equal(sonde_class_count(fix->source), count + 1);
	assert_ptr_equal(sonde_class_find(fix->source, "first"), first);
	assert_int_equal(sonde_class_index(sonde_class_find(fix->source, "second")), count);
	append(fix, SECOND, FAR + 3);
	append(fix, FIRST, FAR + 4);
	expect(fix, "second 100003, first 100004");

	assert_int_equal(sonde_value_uint(copy, value), 10);
	assert_string_equal(sonde_class_name(first), "first");
	sonde_event_free(copy);
	expect_end(fix);
}

/* Nobody writes it: what there is, then the end, as sonde_open has it. */
static void one_that_is_finished_ends(void **state)
{
	struct fixture *fix = *state;

	start(fix);
	append(fix, FIRST, 10);
	assert_int_equal(writer_close(fix->writer), 0);
	fix->writer = NULL;
	expect(fix, "first 10");
	expect(fix, "");
}

static void what_is_not_there(void **state)
{
	struct fixture *fix = *state;
	struct sonde_error error;

	assert_int_equal(sonde_follow("/nowhere/at/all", &fix->source, &error), -ENOENT);
	assert_string_equal(error.text, "/nowhere/at/all: No such file or directory");
}

#define FOLLOW_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		FOLLOW_TEST(what_comes_is_given_until_the_end),
		FOLLOW_TEST(new_classes_join_those_that_were_there),
		FOLLOW_TEST(one_that_is_finished_ends),
		FOLLOW_TEST(what_is_not_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
