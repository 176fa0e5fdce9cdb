// SPDX-License-Identifier: BSD-2-Clause
#include "schema/record_field.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "schema/class_table.h"
#include "schema/event.h"

#define RECORD_BYTES_MAX 32u

static const struct field_label labels[] = {{1, 1, "one"}, {2, 2, "two"}};

enum { COUNT, DELTA, PID, FLAG, PORT, LIST, ADDRESS, NAME, FIELDS };

/* Places of two layouts; the second is behind the first, if it has another. */
static const struct record_field fields[FIELDS + 1] = {
	[COUNT] = {.name = "count",
		   .unit = "us/8",
		   .place = {{0, 4}, {0, 8}},
		   .from = {RECORD_RULE_COPY, "a", NULL, 0}},
	[DELTA] = {.name = "delta",
		   .kind = RECORD_INT,
		   .place = {{4, 2}, {8, 4}},
		   .from = {RECORD_RULE_DISTANCE, "a", "b", 0}},
	[PID] = {.name = "pid",
		 .kind = RECORD_INT,
		 .place = {{8, 4, 16, 16}, {12, 4}},
		 .from = {RECORD_RULE_PRODUCT, "a", "b", 0}},
	[FLAG] = {.name = "flag",
		  .kind = RECORD_BIT,
		  .show = FIELD_SHOW_FLAG,
		  .place = {{12, 1, 2, 1}, {16, 1, 2, 1}},
		  .from = {RECORD_RULE_COPY, "none", NULL, 0}},
	[PORT] = {.name = "port",
		  .network = true,
		  .place = {{14, 2}, {18, 2}},
		  RECORD_LABELS(labels)},
	[LIST] = {.name = "list", .count = 3, .place = {{16, 2}, {20, 2}}},
	[ADDRESS] = {.name = "address",
		     .kind = RECORD_BYTES,
		     .show = FIELD_SHOW_ADDRESS,
		     .place = {{16, 16}, {16, 16}}},
	[NAME] = {.name = "name", .kind = RECORD_TEXT, .place = {{20, 8}, {24, 8}}},
};

static const struct record_layout layouts[] = {
	{BYTE_ORDER_LITTLE, 0}, {BYTE_ORDER_LITTLE, 1}, {BYTE_ORDER_BIG, 0},
	{BYTE_ORDER_BIG, 1},	{BYTE_ORDER_PDP, 0},
};

/* What is stored is loaded again, in each layout, and nothing else changes. */
static void test_values(void **state)
{
	uint8_t record[RECORD_BYTES_MAX], zeros[RECORD_BYTES_MAX] = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++) {
		const struct record_layout *layout = &layouts[i];

		memset(record, 0, sizeof(record));
		record_store(&fields[COUNT], layout, record, 0x12345678);
		record_store(&fields[DELTA], layout, record, (uint64_t)-3);
		record_store(&fields[FLAG], layout, record, 1);
		record_store_at(&fields[LIST], layout, record, 2, 7);
		assert_int_equal(record_load(&fields[COUNT], layout, record), 0x12345678);
		assert_int_equal(record_load(&fields[DELTA], layout, record), -3);
		assert_int_equal(record_load(&fields[FLAG], layout, record), 1);
		assert_int_equal(record_load_at(&fields[LIST], layout, record, 2), 7);
		assert_int_equal(record_load(&fields[LIST], layout, record), 0);
		record_store(&fields[COUNT], layout, record, 0);
		record_store(&fields[DELTA], layout, record, 0);
		record_store(&fields[FLAG], layout, record, 0);
		record_store_at(&fields[LIST], layout, record, 2, 0);
		assert_memory_equal(record, zeros, sizeof(record));
	}
}

/* A part of an integer has no sign; the rest of the integer stays. */
static void test_part(void **state)
{
	uint8_t record[RECORD_BYTES_MAX] = {[8] = 0xaa, 0xbb, 0xcc, 0xdd};

	(void)state;
	assert_int_equal(record_load(&fields[PID], &layouts[0], record), 0xddcc);
	assert_int_equal(record_load(&fields[PID], &layouts[2], record), 0xaabb);
	record_store(&fields[PID], &layouts[0], record, 0x11223344);
	assert_int_equal(record[8], 0xaa);
	assert_int_equal(record[9], 0xbb);
	assert_int_equal(record[10], 0x44);
	assert_int_equal(record[11], 0x33);
	record_store(&fields[PID], &layouts[1], record, (uint64_t)-2);
	assert_int_equal(record_load(&fields[PID], &layouts[1], record), -2);
}

/* The bits of C's bit-fields: from the lowest, or of big-endian compilers from the highest. */
static void test_bits(void **state)
{
	uint8_t record[RECORD_BYTES_MAX] = {0};

	(void)state;
	record_store(&fields[FLAG], &layouts[0], record, 1);
	assert_int_equal(record[12], 1 << 2);
	record_store(&fields[FLAG], &layouts[0], record, 0);
	record_store(&fields[FLAG], &layouts[2], record, 1);
	assert_int_equal(record[12], 0x80 >> 2);
}

static void test_network(void **state)
{
	uint8_t record[RECORD_BYTES_MAX] = {0};

	(void)state;
	record_store(&fields[PORT], &layouts[0], record, 0x1234);
	assert_int_equal(record[14], 0x12);
	assert_int_equal(record_load(&fields[PORT], &layouts[0], record), 0x1234);
}

/* From one layout to the other: what is within the length, and nothing else. */
static void test_copy(void **state)
{
	static const struct record_field numbers[] = {
		{.name = "a", .place = {{0, 4}, {4, 4}}},
		{.name = "b", .place = {{4, 2}, {2, 2}}},
		{.name = "c", .place = {{6, 2}, {0, 2}}},
		{0},
	};
	const uint8_t from[] = {1, 2, 3, 4, 5, 6, 7, 8};
	const uint8_t whole[] = {8, 7, 6, 5, 4, 3, 2, 1}, part[] = {0, 0, 6, 5, 4, 3, 2, 1};
	uint8_t to[8] = {0}, back[8] = {0};

	(void)state;
	record_copy(numbers, &layouts[2], from, 7, &layouts[1], to);
	assert_memory_equal(to, part, sizeof(to));
	record_copy(numbers, &layouts[2], from, 8, &layouts[1], to);
	assert_memory_equal(to, whole, sizeof(to));
	record_copy(numbers, &layouts[1], to, 8, &layouts[2], back);
	assert_memory_equal(back, from, sizeof(back));
}

/* An event whose payload is the record has the same values. */
static void test_describe(void **state)
{
	(void)state;
	for (size_t i = 0; i < 4; i++) {
		uint8_t record[2 + RECORD_BYTES_MAX] = {0};
		struct class_table *table = class_table_new();
		struct class_plan plan = {.name = "a", .payload_bytes = sizeof(record)};
		struct field described[FIELDS];
		struct event event = {.payload = record};

		for (size_t j = 0; j < FIELDS; j++)
			record_describe(&fields[j], &layouts[i], 2, &described[j]);
		plan.fields = described;
		plan.field_count = FIELDS;
		event.class = class_table_add(table, &plan);
		event.offsets = event.class->offsets;
		record_store(&fields[COUNT], &layouts[i], record + 2, 99);
		record_store(&fields[DELTA], &layouts[i], record + 2, (uint64_t)-3);
		record_store(&fields[PORT], &layouts[i], record + 2, 2);
		record_store(&fields[FLAG], &layouts[i], record + 2, 1);
		record_store_at(&fields[LIST], &layouts[i], record + 2, 1, 77);
		assert_int_equal(event_uint(&event, COUNT), 99);
		assert_int_equal(event_uint(&event, DELTA), -3);
		assert_int_equal(event_uint(&event, PORT), 2);
		assert_int_equal(event_uint(&event, FLAG), 1);
		assert_int_equal(event_element(&event, LIST, 1), 77);
		assert_string_equal(field_label(&described[PORT], 2), "two");
		assert_int_equal(described[ADDRESS].count, 16);
		assert_int_equal(described[ADDRESS].bits, 8);
		assert_int_equal(described[NAME].kind, FIELD_TEXT);
		assert_int_equal(described[NAME].count, 8);
		class_table_free(table);
	}
}

static void test_slot(void **state)
{
	struct field field;

	(void)state;
	record_describe_slot(&fields[LIST], 5, &field);
	assert_int_equal(field.offset_bits, 320);
	assert_int_equal(field.bits, 64);
	assert_int_equal(field.count, 3);
	assert_true(field.is_array);
}

/* By rules from Sonde's own events, by name from those that were such records. */
static void test_find(void **state)
{
	const uint32_t payload[] = {3, 5, 8};
	struct class_table *table = class_table_new();
	struct field own[3];
	const struct class_plan plan = {
		.name = "own", .fields = own, .field_count = 3, .payload_bytes = sizeof(payload)};
	static const char *const names[] = {"a", "b", "count"};
	struct event event = {.payload = (const uint8_t *)payload};
	struct record_source source;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		const struct record_field field = {.name = names[i],
						   .unit = i ? NULL : "us",
						   .place = {{(uint16_t)(4 * i), 4}}};

		record_describe(&field, &(struct record_layout){BYTE_ORDER_HOST, 0}, 0, &own[i]);
	}
	event.class = class_table_add(table, &plan);
	event.offsets = event.class->offsets;
	assert_true(record_find(&source, &fields[COUNT], event.class));
	assert_int_equal(record_value(&source, &event), 3 << 3); /* eighths of us */
	assert_true(record_find(&source, &fields[DELTA], event.class));
	assert_int_equal(record_value(&source, &event), UINT32_MAX - 1);
	assert_true(record_find(&source, &fields[PID], event.class));
	assert_int_equal(record_value(&source, &event), 15);
	assert_true(record_find_same(&source, &fields[COUNT], event.class));
	assert_int_equal(record_value(&source, &event), 8);
	assert_false(record_find(&source, &fields[FLAG], event.class));
	assert_int_equal(record_value(&source, &event), 0);
	assert_false(record_find(&source, &fields[PORT], event.class));
	assert_false(record_find_same(&source, &fields[PORT], event.class));
	class_table_free(table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),	 cmocka_unit_test(test_part),
		cmocka_unit_test(test_bits),	 cmocka_unit_test(test_network),
		cmocka_unit_test(test_describe), cmocka_unit_test(test_slot),
		cmocka_unit_test(test_find),	 cmocka_unit_test(test_copy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
