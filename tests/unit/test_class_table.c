// SPDX-License-Identifier: BSD-2-Clause
#include "schema/class_table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "schema/event.h"
#include "schema/lost.h"
#include "schema/trace_info.h"

static const struct field fields[] = {
	{.name = "port", .bits = 16, .count = 1, .big_endian = true, .offset_bits = 16},
	{.name = "cwnd", .bits = 32, .count = 1, .offset_bits = 32},
};

static const struct class_plan plan = {
	.name = "a.b",
	.text = "as an example",
	.fields = fields,
	.field_count = 2,
	.payload_bytes = 8,
};

/* Its events are read as those of any other source. */
static void test_class_and_event(void **state)
{
	static const uint8_t payload[8] = {0xff, 0xff, 0x12, 0x34, 4, 3, 2, 1};
	struct class_table *table = class_table_new();
	const struct event_class *class, *second;
	struct trace_info info = {0};
	struct event event;

	(void)state;
	assert_non_null(table);
	class = class_table_add(table, &plan);
	second = class_table_add(table, &(struct class_plan){.name = "empty"});
	assert_non_null(class);
	assert_non_null(second);
	event = (struct event){.class = class, .payload = payload, .offsets = class->offsets};
	assert_int_equal(event_class_find_number(class, "cwnd"), 1);
	assert_int_equal(event_uint(&event, 0), 0x1234);
	assert_int_equal(event_uint(&event, 1), 0x01020304);
	assert_int_equal(second->field_count, 0);
	class_table_tell(table, &info);
	assert_int_equal(info.class_count, 3);
	assert_ptr_equal(info.classes[0], &lost_class);
	assert_ptr_equal(info.classes[1], class);
	for (size_t i = 0; i < info.class_count; i++)
		assert_int_equal(info.classes[i]->index, i);
	class_table_free(table);
	class_table_free(NULL);
}

/* What is made of others stands behind them, and is told apart. */
static void test_behind(void **state)
{
	struct class_table *first = class_table_new(), *table;
	const struct event_class *given, *made;
	struct trace_info info = {0};

	(void)state;
	given = class_table_add(first, &plan);
	class_table_tell(first, &info);
	table = class_table_new_behind(info.classes, info.class_count);
	assert_non_null(table);
	made = class_table_add(table, &plan);
	assert_int_equal(made->index, 2);
	assert_true(made->again);
	assert_false(given->again);
	class_table_tell(table, &info);
	assert_int_equal(info.class_count, 3);
	assert_ptr_equal(info.classes[0], &lost_class);
	assert_ptr_equal(info.classes[1], given);
	assert_ptr_equal(info.classes[2], made);
	class_table_free(table);
	class_table_free(first); /* it was borrowed */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_behind),
		cmocka_unit_test(test_class_and_event),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
