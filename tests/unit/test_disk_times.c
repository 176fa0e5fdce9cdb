// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/disk_times.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "schema/event.h"

/* What the events of this test carry, all of them. */
struct payload {
	uint32_t request;
	uint32_t bytes;
	uint32_t op;
	uint32_t left;
	uint32_t status;
	uint32_t kind;
	char disk[16];
} __attribute__((packed));

#define NUMBER(name_, at)                                                     \
	{                                                                     \
		.name = name_, .bits = 32, .count = 1, .offset_bits = (at)*32 \
	}

static const struct field fields[] = {
	NUMBER("request", 0),
	NUMBER("bytes", 1),
	NUMBER("op", 2),
	NUMBER("left", 3),
	NUMBER("status", 4),
	NUMBER("kind", 5),
	{.name = "disk", .kind = FIELD_TEXT, .bits = 8, .count = 16, .offset_bits = 192},
};
static const uint32_t offsets[] = {0, 32, 64, 96, 128, 160, 192};

struct rig {
	struct disk_times times;
	int64_t now_ns;
};

static int set_up(void **state)
{
	static struct rig rig;

	rig.now_ns = 1000;
	disk_times_init(&rig.times);
	*state = &rig;
	return 0;
}

static int tear_down(void **state)
{
	struct rig *rig = *state;

	disk_times_fini(&rig->times);
	return 0;
}

/* One event, @after_ns after the one before. */
static void put(struct rig *rig, const char *name, int64_t after_ns, struct payload payload)
{
	struct event_class class = {.name = name,
				    .fixed = true,
				    .field_count = sizeof(fields) / sizeof(fields[0]),
				    .fields = fields,
				    .offsets = offsets};
	struct event event = {.class = &class,
			      .payload = (const uint8_t *)&payload,
			      .offsets = offsets,
			      .time_ns = rig->now_ns += after_ns};
	struct disk_fields found;

	if (!payload.disk[0])
		strcpy(payload.disk, "sda");
	disk_fields_find(&found, &class);
	assert_int_not_equal(found.stage, DISK_NONE);
	disk_times_count(&rig->times, &found, &event);
}

static void expect(const struct latency *latency, uint64_t count, uint64_t total_ns)
{
	assert_int_equal(latency->count, count);
	assert_int_equal(latency->total_ns, total_ns);
}

static void a_request_waits_and_is_served(void **state)
{
	struct rig *rig = *state;
	const struct disk_counts *reads;

	put(rig, "disk.queue", 0, (struct payload){.request = 7});
	put(rig, "disk.queue", 10, (struct payload){.request = 8});
	put(rig, "disk.issue", 100, (struct payload){.request = 7});
	put(rig, "disk.complete", 1000, (struct payload){.request = 7, .bytes = 512, .left = 512});
	put(rig, "disk.complete", 1000, (struct payload){.request = 7, .bytes = 512});
	put(rig, "disk.issue", 1, (struct payload){.request = 8});
	put(rig, "disk.complete", 5, (struct payload){.request = 8, .bytes = 4096, .status = 10});
	reads = &rig->times.disks[0]->ops[DISK_READ];
	expect(&reads->queue, 2, 110 + 2101);
	expect(&reads->service, 2, 2000 + 5);
	assert_int_equal(reads->requests, 2);
	assert_int_equal(reads->bytes, 5120);
	assert_int_equal(reads->errors, 1);
	assert_int_equal(reads->direct, 0);
	expect(&rig->times.disks[0]->depth, 2, 0 + 1);
	assert_int_equal(rig->times.disks[0]->waiting, 0);
	assert_int_equal(rig->times.unmatched, 0);
}

static void disks_and_operations_are_apart(void **state)
{
	struct rig *rig = *state;

	put(rig, "disk.queue", 0, (struct payload){.request = 7, .op = 1});
	put(rig, "disk.queue", 1, (struct payload){.request = 7, .op = 3, .disk = "sdb"});
	put(rig, "disk.issue", 1, (struct payload){.request = 7, .op = 1});
	put(rig, "disk.issue", 1, (struct payload){.request = 7, .op = 3, .disk = "sdb"});
	assert_int_equal(rig->times.disk_count, 2);
	assert_string_equal(rig->times.disks[1]->name, "sdb");
	expect(&rig->times.disks[0]->ops[DISK_WRITE].queue, 1, 2);
	expect(&rig->times.disks[1]->ops[DISK_OTHER].queue, 1, 2);
}

static void what_is_taken_at_once_was_never_queued(void **state)
{
	struct rig *rig = *state;
	const struct disk_counts *reads;

	put(rig, "disk.issue", 0, (struct payload){.request = 7});
	put(rig, "disk.complete", 9, (struct payload){.request = 7});
	reads = &rig->times.disks[0]->ops[DISK_READ];
	assert_int_equal(reads->direct, 1);
	expect(&reads->queue, 0, 0);
	expect(&reads->service, 1, 9);
}

static void what_is_put_back_waits_again(void **state)
{
	struct rig *rig = *state;
	const struct disk_counts *reads;

	put(rig, "disk.queue", 0, (struct payload){.request = 7});
	put(rig, "disk.issue", 10, (struct payload){.request = 7});
	put(rig, "disk.requeue", 5, (struct payload){.request = 7});
	assert_int_equal(rig->times.disks[0]->waiting, 1);
	put(rig, "disk.issue", 20, (struct payload){.request = 7});
	put(rig, "disk.complete", 3, (struct payload){.request = 7});
	reads = &rig->times.disks[0]->ops[DISK_READ];
	expect(&reads->queue, 2, 30);
	expect(&reads->service, 1, 3);
	assert_int_equal(reads->direct, 0);
	assert_int_equal(reads->requests, 1);
}

static void a_part_of_another_ends_there(void **state)
{
	struct rig *rig = *state;

	put(rig, "disk.queue", 0, (struct payload){.request = 7});
	put(rig, "disk.merge", 1, (struct payload){.request = 0, .kind = 0}); /* a bio */
	assert_int_equal(rig->times.disks[0]->waiting, 1);
	put(rig, "disk.merge", 1, (struct payload){.request = 7, .kind = 2});
	assert_int_equal(rig->times.disks[0]->waiting, 0);
	assert_int_equal(rig->times.pairs.open.count, 0);
	assert_int_equal(rig->times.unmatched, 0);
}

static void a_loss_ends_what_is_on_its_way(void **state)
{
	struct rig *rig = *state;

	put(rig, "disk.queue", 0, (struct payload){.request = 7});
	put(rig, "disk.queue", 0, (struct payload){.request = 8});
	put(rig, "disk.issue", 1, (struct payload){.request = 8});
	disk_times_lose(&rig->times);
	assert_int_equal(rig->times.unmatched, 2);
	assert_int_equal(rig->times.disks[0]->waiting, 0);
	put(rig, "disk.complete", 1, (struct payload){.request = 8});
	assert_int_equal(rig->times.unmatched, 3);
	expect(&rig->times.disks[0]->ops[DISK_READ].service, 0, 0);
	assert_int_equal(rig->times.disks[0]->ops[DISK_READ].requests, 1);
}

static void a_class_that_lacks_a_field_is_none(void **state)
{
	struct event_class class = {.name = "disk.complete", .fields = fields, .field_count = 3};
	struct disk_fields found;

	(void)state;
	disk_fields_find(&found, &class);
	assert_int_equal(found.stage, DISK_NONE);
	class.name = "disk.bio";
	class.field_count = sizeof(fields) / sizeof(fields[0]);
	disk_fields_find(&found, &class);
	assert_int_equal(found.stage, DISK_NONE);
}

#define TIMES_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TIMES_TEST(a_request_waits_and_is_served),
		TIMES_TEST(disks_and_operations_are_apart),
		TIMES_TEST(what_is_taken_at_once_was_never_queued),
		TIMES_TEST(what_is_put_back_waits_again),
		TIMES_TEST(a_part_of_another_ends_there),
		TIMES_TEST(a_loss_ends_what_is_on_its_way),
		TIMES_TEST(a_class_that_lacks_a_field_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
