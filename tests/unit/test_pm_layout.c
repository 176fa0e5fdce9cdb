// SPDX-License-Identifier: BSD-2-Clause
#include "record_format/pm/pm_layout.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "record_format/pm/pm_head.h"
#include "schema/trace_info.h"

static struct problem_list problems;

static void init(struct pm_layout *layout, struct pm_column *columns, size_t count, uint32_t order)
{
	const struct pm_head head = {
		.mods = PM_MODS_RENO,
		.entry_bytes = 32,
		.order = order,
		.columns = columns,
		.column_count = count,
	};

	problem_list_init(&problems);
	assert_int_equal(pm_layout_init(layout, &head, &problems), 0);
}

static void done(struct pm_layout *layout, size_t problem_count)
{
	assert_int_equal(problems.count, problem_count);
	problem_list_fini(&problems);
	pm_layout_fini(layout);
}

static void test_names_and_choice(void **state)
{
	struct pm_column columns[] = {
		{.name = "3 odd.names", .offset = 0, .length = 4},
		{.name = "unused", .offset = 0, .length = 0},
		{.name = "of_fack", .offset = 4, .length = 4, .mask = PM_MODS_FACK},
		{.name = "of_both", .offset = 4, .length = 4, .mask = PM_MODS_FACK | PM_MODS_RENO},
		{.name = "3_odd_names", .offset = 8, .length = 4},
		{.name = "beyond", .offset = 31, .length = 2},
		{.name = "last", .offset = 31, .length = 1},
	};
	struct pm_layout layout;

	(void)state;
	init(&layout, columns, 7, PM_ORDER_LITTLE);
	assert_int_equal(layout.field_count, 4);
	assert_string_equal(layout.fields[0].name, "_3_odd_names");
	assert_string_equal(layout.fields[1].name, "of_both");
	assert_string_equal(layout.fields[2].name, "last");
	/* The bytes of the column that comes second by its name. */
	assert_string_equal(layout.fields[3].name, "masked");
	assert_int_equal(layout.fields[3].count, 4);
	assert_non_null(strstr(problem_list_get(&problems, 0), "_3_odd_names is described twice"));
	assert_non_null(strstr(problem_list_get(&problems, 1), "column beyond"));
	done(&layout, 2);
}

/* Columns that the kernel does not use: all of their bytes are in the payload, and find back. */
static void test_masked(void **state)
{
	struct pm_column columns[] = {
		{.name = "a",
		 .offset = 0,
		 .length = 3,
		 .mask = PM_MODS_FACK,
		 .flags = PM_FLAGS_BITS},
		{.name = "masked", .offset = 3, .length = 4},
		{.name = "b", .offset = 6, .length = 2, .mask = PM_MODS_SACK},
		{.name = "time", .offset = 8, .length = 8},
		{.name = "c", .offset = 30, .length = 2, .mask = PM_MODS_AUTO},
	};
	static const uint8_t masked[] = {0, 1, 2, 7, 30, 31};
	struct pm_layout layout;
	uint8_t entry[32], payload[64], again[32] = {0};

	(void)state;
	init(&layout, columns, 5, PM_ORDER_LITTLE);
	for (size_t i = 0; i < sizeof(entry); i++)
		entry[i] = (uint8_t)i;
	assert_true(pm_layout_converts(&layout));
	assert_int_equal(layout.payload_bytes, 32 + sizeof(masked));
	pm_layout_convert(&layout, entry, payload);
	assert_memory_equal(payload, entry, sizeof(entry));
	assert_memory_equal(payload + 32, masked, sizeof(masked));
	assert_int_equal(layout.field_count, 2);
	assert_string_equal(layout.fields[1].name, "masked_");
	assert_int_equal(layout.fields[1].offset_bits, 8 * 32);
	pm_layout_put_runs(&layout, payload + 32, again);
	for (size_t i = 0; i < sizeof(masked); i++)
		assert_int_equal(again[masked[i]], masked[i]);
	assert_int_equal(again[3] + again[6] + again[8] + again[29], 0);
	done(&layout, 0);
}

static void check_time(uint32_t order, unsigned int bytes, int64_t seconds, int64_t us,
		       int64_t wanted)
{
	struct pm_column columns[] = {
		{.name = "time", .offset = 3, .length = (uint8_t)bytes},
	};
	struct pm_layout layout;
	uint8_t entry[32] = {0}, again[32] = {0};

	init(&layout, columns, 1, order);
	byte_order_store(entry + 3, bytes / 2, order, (uint64_t)seconds);
	byte_order_store(entry + 3 + bytes / 2, bytes / 2, order, (uint64_t)us);
	pm_layout_put_time(&layout.time, wanted, again);
	if (us < 1000000 && seconds >= -1 && seconds <= 1ll << 32)
		assert_memory_equal(again, entry, sizeof(entry));
	assert_int_equal(layout.field_count, 0);
	assert_true(pm_layout_time_ns(&layout, entry) == wanted);
	done(&layout, 0);
}

static void test_time(void **state)
{
	(void)state;
	for (uint32_t order = 0; order < PM_ORDER_COUNT; order++) {
		for (unsigned int bytes = 8; bytes <= 16; bytes *= 2) {
			check_time(order, bytes, 0x3101020, 999999, 51384352999999000);
			check_time(order, bytes, -1, 250000, -750000000);
		}
		check_time(order, 16, 1ll << 32, 1, 4294967296000001000);
		/* The difference of any two times is one, too. */
		check_time(order, 16, INT64_MAX, 1, 4611599618000001000);
		check_time(order, 16, INT64_MIN, 1, -4611599617999999000);
	}
	/* An int and four bytes that fill the word. */
	check_time(PM_ORDER_BIG, 16, 1, 7ll << 32 | 0x1234, 1000007000);
}

static void test_time_that_is_none(void **state)
{
	struct pm_column columns[] = {{.name = "time", .offset = 0, .length = 12}};
	struct pm_layout layout;
	uint8_t entry[32] = {1, 2, 3};

	(void)state;
	init(&layout, columns, 1, PM_ORDER_LITTLE);
	assert_int_equal(layout.field_count, 1);
	assert_true(layout.fields[0].is_array);
	assert_int_equal(pm_layout_time_ns(&layout, entry), 0);
	done(&layout, 1);
}

/* Values go behind the entry, so that columns may share bytes. */
static void test_pdp(void **state)
{
	struct pm_column columns[] = {
		{.name = "first", .offset = 0, .length = 4},
		{.name = "second", .offset = 2, .length = 4},
		{.name = "port", .offset = 8, .length = 2, .flags = PM_FLAGS_NETWORK},
	};
	struct pm_layout layout;
	uint8_t entry[32] = {2, 1, 4, 3, 6, 5}, payload[64];

	(void)state;
	init(&layout, columns, 3, PM_ORDER_PDP);
	assert_int_equal(layout.payload_bytes, 40);
	pm_layout_convert(&layout, entry, payload);
	assert_memory_equal(payload, entry, 32);
	assert_true(byte_order_load(payload + layout.fields[0].offset_bits / 8, 4,
				    BYTE_ORDER_HOST) == 0x01020304);
	assert_true(byte_order_load(payload + layout.fields[1].offset_bits / 8, 4,
				    BYTE_ORDER_HOST) == 0x03040506);
	assert_int_equal(layout.fields[2].offset_bits, 64);
	assert_true(layout.fields[2].big_endian);
	done(&layout, 1); /* they overlap */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names_and_choice),
		cmocka_unit_test(test_time),
		cmocka_unit_test(test_time_that_is_none),
		cmocka_unit_test(test_pdp),
		cmocka_unit_test(test_masked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
