// SPDX-License-Identifier: BSD-2-Clause
#include "schema/lost.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_fields_are_the_payload_s(void **state)
{
	const struct lost_payload payload = {
		.count = 1ull << 40, .nested = 2, .packets = 3, .level = 1};
	const struct event event = {
		.class = &lost_class,
		.payload = (const uint8_t *)&payload,
		.offsets = lost_class.offsets,
	};

	(void)state;
	assert_int_equal(lost_class.index, 0);
	assert_int_equal(lost_class.role, EVENT_ROLE_LOST);
	assert_int_equal(event_class_find(&lost_class, "count"), LOST_COUNT);
	assert_int_equal(event_class_find(&lost_class, "nested"), LOST_NESTED);
	assert_int_equal(event_class_find(&lost_class, "packets"), LOST_PACKETS);
	assert_int_equal(event_class_find(&lost_class, "level"), LOST_LEVEL);
	assert_true(event_uint(&event, LOST_COUNT) == 1ull << 40);
	assert_int_equal(event_uint(&event, LOST_NESTED), 2);
	assert_int_equal(event_uint(&event, LOST_PACKETS), 3);
	assert_int_equal(event_uint(&event, LOST_LEVEL), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fields_are_the_payload_s),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
