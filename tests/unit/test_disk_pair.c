// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/disk_pair.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "schema/derived.h"
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
	uint32_t writeback;
	uint32_t owner_tid;
};

#define NUMBER(member)                                                        \
	{                                                                     \
		.name = #member, .bits = 32, .count = 1,                      \
		.offset_bits = 8 * (uint32_t)offsetof(struct payload, member) \
	}

static const struct field fields[] = {
	NUMBER(request),
	NUMBER(bytes),
	NUMBER(op),
	NUMBER(left),
	NUMBER(status),
	NUMBER(kind),
	{.name = "disk", .kind = FIELD_TEXT, .bits = 8, .count = 16, .offset_bits = 192},
	NUMBER(writeback),
	NUMBER(owner_tid),
};
static const uint32_t offsets[] = {0, 32, 64, 96, 128, 160, 192, 320, 352};

static struct disk_pairs pairs;

static int set_up(void **state)
{
	(void)state;
	disk_pairs_init(&pairs);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	disk_pairs_fini(&pairs);
	return 0;
}

#define RUNS 5 /* the task on the CPU */

static struct event_class class_of(const char *name, size_t field_count)
{
	return (struct event_class){
		.name = name, .field_count = field_count, .fields = fields, .offsets = offsets};
}

static struct disk_step put(const char *name, int64_t time_ns, struct payload payload)
{
	struct event_class class = class_of(name, sizeof(fields) / sizeof(fields[0]));
	const struct event event = {.class = &class,
				    .payload = (const uint8_t *)&payload,
				    .offsets = offsets,
				    .time_ns = time_ns,
				    .tid = RUNS};
	char disk[DISK_NAME_BYTES];
	struct disk_fields found;

	disk_fields_find(&found, &class);
	disk_fields_name(&found, &event, disk);
	assert_memory_equal(disk, payload.disk, sizeof(disk));
	return disk_pairs_step(&pairs, &found, disk, &event);
}

static void each_stage_ends_the_one_before(void **state)
{
	struct disk_step step;

	(void)state;
	step = put("disk.queue", 100, (struct payload){.request = 7, .disk = "sda"});
	assert_true(step.waits && !step.waited && !step.unmatched);
	step = put("disk.issue", 150, (struct payload){.request = 7, .disk = "sda"});
	assert_true(step.waited && step.has_queue && !step.has_service);
	assert_int_equal(step.queue_ns, 50);
	step = put("disk.complete", 170, (struct payload){.request = 7, .left = 8, .disk = "sda"});
	assert_false(step.has_service || step.unmatched);
	step = put("disk.complete", 250, (struct payload){.request = 7, .disk = "sda"});
	assert_true(step.has_service && step.has_total && !step.has_queue);
	assert_int_equal(step.service_ns, 100);
	assert_int_equal(step.total_ns, 150);
	assert_int_equal(pairs.open.count, 0);
}

/* The longest name fills its field: there is no NUL behind it. */
static void disks_are_apart(void **state)
{
	struct disk_step step;

	(void)state;
	put("disk.issue", 100, (struct payload){.request = 7, .disk = "0123456789abcdef"});
	step = put("disk.complete", 150, (struct payload){.request = 7, .disk = "0123456789abcde"});
	assert_true(step.unmatched);
	step = put("disk.complete", 160,
		   (struct payload){.request = 7, .disk = "0123456789abcdef"});
	assert_int_equal(step.service_ns, 60);
}

static void a_number_that_comes_again(void **state)
{
	struct disk_step step;

	(void)state;
	put("disk.queue", 100, (struct payload){.request = 7});
	step = put("disk.queue", 200, (struct payload){.request = 7});
	assert_true(step.unmatched && step.waits && step.waited);
	step = put("disk.issue", 210, (struct payload){.request = 7});
	assert_int_equal(step.queue_ns, 10);
}

static void put_back_and_merged(void **state)
{
	struct disk_step step;

	(void)state;
	put("disk.queue", 100, (struct payload){.request = 7});
	put("disk.issue", 110, (struct payload){.request = 7});
	step = put("disk.requeue", 120, (struct payload){.request = 7});
	assert_true(step.waits);
	step = put("disk.complete", 130, (struct payload){.request = 7});
	assert_true(step.unmatched && step.waited && !step.has_service);
	put("disk.queue", 140, (struct payload){.request = 8});
	step = put("disk.merge", 150, (struct payload){.request = 8, .kind = 1});
	assert_false(step.waited);
	step = put("disk.merge", 160, (struct payload){.request = 8, .kind = DISK_MERGE_REQUESTS});
	assert_true(step.waited);
	assert_int_equal(pairs.open.count, 0);
}

static void a_loss_forgets(void **state)
{
	(void)state;
	put("disk.queue", 100, (struct payload){.request = 7});
	put("disk.issue", 100, (struct payload){.request = 8});
	assert_int_equal(disk_pairs_lose(&pairs), 2);
	assert_true(put("disk.complete", 110, (struct payload){.request = 8}).unmatched);
}

static int32_t owner_of(const char *name, struct payload payload)
{
	return put(name, 100, payload).owner;
}

static void writeback_belongs_to_the_task_that_made_pages_dirty(void **state)
{
	const struct payload read = {.request = 7},
			     ours = {.request = 7, .writeback = 1, .owner_tid = 9},
			     nobody = {.request = 7, .writeback = 1};

	(void)state;
	assert_int_equal(owner_of("disk.queue", read), RUNS);
	assert_int_equal(owner_of("disk.queue", ours), 9);
	/* The page may be another task's by now. */
	assert_int_equal(owner_of("disk.issue", nobody), 9);
	assert_int_equal(owner_of("disk.complete", nobody), 9);
	assert_int_equal(owner_of("disk.issue", nobody), OWNER_WRITEBACK);
	assert_int_equal(owner_of("disk.complete", nobody), OWNER_WRITEBACK);
	/* Its beginning is not in the trace. */
	assert_int_equal(owner_of("disk.complete", nobody), OWNER_WRITEBACK);
	assert_int_equal(owner_of("disk.complete", read), OWNER_UNKNOWN);
	/* No request yet. */
	assert_int_equal(owner_of("disk.merge", (struct payload){.writeback = 1, .owner_tid = 9}),
			 9);
}

static void a_class_that_lacks_a_field_is_no_stage(void **state)
{
	struct event_class class = class_of("disk.issue", 6);
	struct disk_fields found;

	(void)state;
	disk_fields_find(&found, &class);
	assert_int_equal(found.stage, DISK_NONE);
	class = class_of("disk.bio", 7);
	disk_fields_find(&found, &class);
	assert_int_equal(found.stage, DISK_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(each_stage_ends_the_one_before, set_up, tear_down),
		cmocka_unit_test_setup_teardown(disks_are_apart, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_number_that_comes_again, set_up, tear_down),
		cmocka_unit_test_setup_teardown(put_back_and_merged, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_loss_forgets, set_up, tear_down),
		cmocka_unit_test_setup_teardown(writeback_belongs_to_the_task_that_made_pages_dirty,
						set_up, tear_down),
		cmocka_unit_test(a_class_that_lacks_a_field_is_no_stage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
