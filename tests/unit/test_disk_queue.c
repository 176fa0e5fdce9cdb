// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/disk_queue.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "schema/event.h"
#include "schema/source.h"

/* What the events of this test carry, all of them. */
struct payload {
	uint32_t request;
	uint32_t prio_class;
	uint32_t kind;
	uint32_t left;
	uint64_t sector;
	char disk[16];
} __attribute__((packed));

#define NUMBER(name_, bits_, at)                                                \
	{                                                                       \
		.name = name_, .bits = bits_, .count = 1, .offset_bits = (at)*8 \
	}

static const struct field fields[] = {
	NUMBER("request", 32, 0),
	NUMBER("prio_class", 32, 4),
	NUMBER("kind", 32, 8),
	NUMBER("left", 32, 12),
	NUMBER("sector", 64, 16),
	NUMBER("bytes", 32, 12),
	NUMBER("op", 32, 12),
	NUMBER("status", 32, 12),
	{.name = "disk", .kind = FIELD_TEXT, .bits = 8, .count = 16, .offset_bits = 192},
};
static const uint32_t offsets[] = {0, 32, 64, 96, 128, 96, 96, 96, 192};

enum { QUEUE, ISSUE, COMPLETE, REQUEUE, MERGE, LOST, OTHER, CLASSES };

#define CLASS(id_, name_, role_)     \
	[id_] = {.name = (name_),    \
		 .role = (role_),    \
		 .field_count = 9,   \
		 .fields = fields,   \
		 .offsets = offsets, \
		 .index = (id_)}

static const struct event_class classes[] = {
	CLASS(QUEUE, "disk.queue", EVENT_ROLE_PLAIN),
	CLASS(ISSUE, "disk.issue", EVENT_ROLE_PLAIN),
	CLASS(COMPLETE, "disk.complete", EVENT_ROLE_PLAIN),
	CLASS(REQUEUE, "disk.requeue", EVENT_ROLE_PLAIN),
	CLASS(MERGE, "disk.merge", EVENT_ROLE_PLAIN),
	CLASS(LOST, "sonde.lost", EVENT_ROLE_LOST),
	CLASS(OTHER, "fs.read", EVENT_ROLE_PLAIN),
};
static const struct event_class *const all[] = {
	&classes[QUEUE], &classes[ISSUE], &classes[COMPLETE], &classes[REQUEUE],
	&classes[MERGE], &classes[LOST],  &classes[OTHER],
};
static const struct trace_info info = {.class_count = CLASSES, .classes = all};

static int set_up(void **state)
{
	*state = disk_queues_new(&info);
	return *state ? 0 : -1;
}

static int tear_down(void **state)
{
	disk_queues_free(*state);
	return 0;
}

/* What waits behind it, as "3: 1 -2 3"; "" where nothing was put into a queue. */
static const char *put(void *queues, int class, uint32_t request, struct payload payload)
{
	static char text[32 * DISK_QUEUE_SHOWN];
	const struct event event = {
		.class = &classes[class], .payload = (const uint8_t *)&payload, .offsets = offsets};
	struct disk_waiting waiting;
	size_t len;

	payload.request = request;
	if (!payload.disk[0])
		strcpy(payload.disk, "sda");
	disk_queues_follow(queues, &event);
	if (!disk_queues_inserted(queues, &event, &waiting))
		return "";
	len = (size_t)sprintf(text, "%zu:", waiting.count);
	for (size_t i = 0; i < waiting.shown; i++)
		len += (size_t)sprintf(text + len, " %lld", (long long)waiting.sectors[i]);
	return text;
}

#define AT(sector_) ((struct payload){.sector = (sector_)})

static void requests_wait_in_the_order_of_arrival(void **state)
{
	assert_string_equal(put(*state, QUEUE, 1, AT(10)), "1: 10");
	assert_string_equal(put(*state, QUEUE, 2, AT(5)), "2: 10 5");
	assert_string_equal(put(*state, QUEUE, 3, AT(7)), "3: 10 5 7");
	assert_string_equal(put(*state, ISSUE, 2, AT(5)), "");
	assert_string_equal(put(*state, QUEUE, 4, AT(1)), "3: 10 7 1");
	put(*state, ISSUE, 1, AT(10));
	put(*state, ISSUE, 4, AT(1));
	put(*state, COMPLETE, 4, AT(1));
	assert_string_equal(put(*state, QUEUE, 4, AT(2)), "2: 7 2");
}

/* As when a source that is live has more classes than it had. */
static void what_waits_stays(void **state)
{
	put(*state, QUEUE, 1, AT(10));
	put(*state, QUEUE, 2, AT(5));
	*state = disk_queues_renew(*state, &info);
	assert_non_null(*state);
	put(*state, ISSUE, 1, AT(10));
	assert_string_equal(put(*state, QUEUE, 3, AT(7)), "2: 5 7");
}

static void real_time_is_negative(void **state)
{
	assert_string_equal(put(*state, QUEUE, 1, (struct payload){.sector = 7, .prio_class = 1}),
			    "1: -7");
	assert_string_equal(put(*state, QUEUE, 2, (struct payload){.sector = 7, .prio_class = 2}),
			    "2: -7 7");
}

static void disks_have_queues_of_their_own(void **state)
{
	assert_string_equal(put(*state, QUEUE, 1, AT(1)), "1: 1");
	assert_string_equal(put(*state, QUEUE, 1, (struct payload){.sector = 2, .disk = "sdb"}),
			    "1: 2");
	put(*state, ISSUE, 1, (struct payload){.sector = 2, .disk = "sdb"});
	assert_string_equal(put(*state, QUEUE, 2, AT(3)), "2: 1 3");
}

static void what_is_put_back_comes_first(void **state)
{
	put(*state, QUEUE, 1, AT(1));
	put(*state, QUEUE, 2, AT(2));
	put(*state, ISSUE, 2, AT(2));
	put(*state, REQUEUE, 2, AT(2));
	assert_string_equal(put(*state, QUEUE, 3, AT(3)), "3: 2 1 3");
}

static void a_request_that_joins_another_is_gone(void **state)
{
	put(*state, QUEUE, 1, AT(1));
	put(*state, QUEUE, 2, AT(2));
	put(*state, MERGE, 1, (struct payload){.kind = 0}); /* a bio: the request stays */
	assert_string_equal(put(*state, QUEUE, 3, AT(3)), "3: 1 2 3");
	put(*state, MERGE, 2, (struct payload){.kind = 2});
	assert_string_equal(put(*state, QUEUE, 4, AT(4)), "3: 1 3 4");
}

static void a_loss_empties_the_queues(void **state)
{
	put(*state, QUEUE, 1, AT(1));
	put(*state, LOST, 0, AT(0));
	assert_string_equal(put(*state, QUEUE, 2, AT(2)), "1: 2");
	put(*state, ISSUE, 1, AT(1));
	assert_string_equal(put(*state, QUEUE, 3, AT(3)), "2: 2 3");
}

static void a_thousand_are_shown_and_all_are_counted(void **state)
{
	const char *text = "";

	for (uint32_t i = 1; i <= 1002; i++)
		text = put(*state, QUEUE, i, AT(i));
	assert_memory_equal(text, "1002: 1 2 ", 10);
	assert_string_equal(text + strlen(text) - 9, " 999 1000");
}

static void others_put_nothing_into_a_queue(void **state)
{
	assert_string_equal(put(*state, OTHER, 1, AT(1)), "");
	assert_string_equal(put(*state, QUEUE, 2, AT(2)), "1: 2");
}

#define QUEUE_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		QUEUE_TEST(requests_wait_in_the_order_of_arrival),
		QUEUE_TEST(what_waits_stays),
		QUEUE_TEST(real_time_is_negative),
		QUEUE_TEST(disks_have_queues_of_their_own),
		QUEUE_TEST(what_is_put_back_comes_first),
		QUEUE_TEST(a_request_that_joins_another_is_gone),
		QUEUE_TEST(a_loss_empties_the_queues),
		QUEUE_TEST(a_thousand_are_shown_and_all_are_counted),
		QUEUE_TEST(others_put_nothing_into_a_queue),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
