// SPDX-License-Identifier: BSD-2-Clause
#include "pending.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static int push(struct pending *pending, uint64_t due_ns)
{
	const struct frame frame = {.length = 1};
	const uint8_t byte = 0;
	struct packet *packet = packet_new(&frame, &byte);

	assert_non_null(packet);
	packet->due_ns = due_ns;
	return pending_push(pending, packet);
}

/* In order of time, and of arrival where that is the same; and full. */
static void test_order(void **state)
{
	uint64_t value = 1, due = 0, number = 0;
	struct pending pending;

	(void)state;
	assert_int_equal(pending_init(&pending), 0);
	assert_null(pending_first(&pending));
	for (unsigned int i = 0; i < PENDING_MAX; i++) {
		value = value * 6364136223846793005u + 1442695040888963407u;
		assert_int_equal(push(&pending, value >> 54), 0);
	}
	assert_int_equal(push(&pending, 0), -ENOSPC);
	for (unsigned int i = 0; i < PENDING_MAX; i++) {
		const struct packet *first = pending_first(&pending);
		struct packet *packet = pending_take(&pending);

		assert_ptr_equal(first, packet);
		assert_true(packet->due_ns > due ||
			    (packet->due_ns == due && (!i || packet->number > number)));
		due = packet->due_ns;
		number = packet->number;
		free(packet);
	}
	assert_null(pending_first(&pending));
	assert_int_equal(push(&pending, 7), 0);
	pending_fini(&pending);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
