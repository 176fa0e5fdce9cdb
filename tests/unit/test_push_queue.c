// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "live/push/push_sender.h"

#define ROOM 256u

static bool put_item(struct push_queue *queue, enum push_kind kind, const void *bytes, size_t len)
{
	const struct push_item item = {.kind = kind, .len = (uint32_t)len};

	return push_queue_put(queue, &item, bytes);
}

static void expect(const struct push_item *item, const char *text)
{
	assert_non_null(item);
	assert_int_equal(item->kind, PUSH_PACKET);
	assert_int_equal(item->len, strlen(text));
	assert_memory_equal(item->bytes, text, item->len);
}

static void test_what_was_taken_comes_again_until_it_is_released(void **state)
{
	struct push_queue queue;

	(void)state;
	assert_int_equal(push_queue_init(&queue, ROOM), 0);
	assert_null(push_queue_take(&queue));
	assert_true(put_item(&queue, PUSH_PACKET, "first", 5));
	assert_true(put_item(&queue, PUSH_PACKET, "second one", 10));
	expect(push_queue_take(&queue), "first");
	push_queue_rewind(&queue);
	expect(push_queue_take(&queue), "first");
	push_queue_release(&queue);
	expect(push_queue_take(&queue), "second one");
	push_queue_rewind(&queue);
	expect(push_queue_take(&queue), "second one");
	assert_null(push_queue_take(&queue));
	push_queue_release(&queue);
	assert_int_equal(push_queue_bytes(&queue), 0);
	push_queue_fini(&queue);
}

static void test_a_full_queue_takes_nothing_and_loses_nothing(void **state)
{
	struct push_queue queue;
	char bytes[ROOM] = {0};
	unsigned int put = 0, taken = 0;

	(void)state;
	assert_int_equal(push_queue_init(&queue, ROOM), 0);
	assert_false(put_item(&queue, PUSH_PACKET, bytes, ROOM));
	/* Items of all lengths, round and round. */
	for (unsigned int i = 0; i < 10000; i++) {
		size_t len = i * 7 % 100;

		memset(bytes, (int)put, sizeof(bytes));
		if (put_item(&queue, PUSH_PACKET, bytes, len)) {
			put++;
			continue;
		}
		for (const struct push_item *item; (item = push_queue_take(&queue)); taken++) {
			for (uint32_t j = 0; j < item->len; j++)
				assert_int_equal(item->bytes[j], taken & 0xff);
		}
		push_queue_release(&queue);
		assert_int_equal(taken, put);
	}
	assert_true(put > 3000);
	push_queue_fini(&queue);
}

static void test_looking_ahead_takes_nothing(void **state)
{
	const struct push_complete complete = {7, 8};
	struct push_queue queue;
	const struct push_item *item;
	uint64_t at = 0;

	(void)state;
	assert_int_equal(push_queue_init(&queue, ROOM), 0);
	assert_true(put_item(&queue, PUSH_PACKET, "packet", 6));
	assert_true(put_item(&queue, PUSH_COMPLETE, &complete, sizeof(complete)));
	expect(push_queue_look(&queue, &at), "packet");
	item = push_queue_look(&queue, &at);
	assert_int_equal(item->kind, PUSH_COMPLETE);
	assert_memory_equal(item->bytes, &complete, sizeof(complete));
	assert_null(push_queue_look(&queue, &at));
	expect(push_queue_take(&queue), "packet");
	push_queue_fini(&queue);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_was_taken_comes_again_until_it_is_released),
		cmocka_unit_test(test_a_full_queue_takes_nothing_and_loses_nothing),
		cmocka_unit_test(test_looking_ahead_takes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
