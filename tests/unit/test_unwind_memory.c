// SPDX-License-Identifier: BSD-2-Clause
/* Memory of tables for unwinding: what is given out does not overlap, is given out again once it is back, and ends at its
 * limit. */
#include "record/unwind_memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <string.h>

static struct unwind_memory *memory;

static int set_up(void **state)
{
	(void)state;
	memory = unwind_memory_new(-1);
	return !memory;
}

static int tear_down(void **state)
{
	(void)state;
	unwind_memory_free(memory);
	memory = NULL;
	return 0;
}

static void rows_fill_a_chunk_and_go_on_in_the_next(void **state)
{
	const size_t all = UNWIND_CHUNK_ROWS + 5000;
	struct unwind_area first, second, third;
	struct unwind_row *rows, *more;

	(void)state;
	assert_int_equal(unwind_memory_rows(memory, all, &first, &rows), 0);
	assert_int_equal(first.first, 0);
	assert_int_equal(first.count, UNWIND_CHUNK_ROWS);
	memset(rows, 1, first.count * sizeof(*rows));
	assert_int_equal(unwind_memory_rows(memory, all - first.count, &second, &more), 0);
	assert_int_equal(second.count, 5000);
	assert_int_not_equal(second.chunk, first.chunk);
	memset(more, 2, second.count * sizeof(*more));
	assert_int_equal(unwind_memory_rows(memory, 10, &third, &more), 0);
	assert_int_equal(third.chunk, second.chunk);
	assert_int_equal(third.first, 5000);
	assert_int_equal(rows[UNWIND_CHUNK_ROWS - 1].pc, 0x01010101);
}

/* A piece that is too small to be worth a span of its own is left. */
static void a_small_rest_is_used_for_what_fits(void **state)
{
	struct unwind_area area;
	struct unwind_row *rows;

	(void)state;
	assert_int_equal(unwind_memory_rows(memory, UNWIND_CHUNK_ROWS - 100, &area, &rows), 0);
	assert_int_equal(unwind_memory_rows(memory, 50, &area, &rows), 0);
	assert_int_equal(area.first, UNWIND_CHUNK_ROWS - 100);
	assert_int_equal(unwind_memory_rows(memory, 51, &area, &rows), 0);
	assert_int_equal(area.first, 0);
	assert_int_equal(area.count, 51);
}

static void spans_that_came_back_are_given_out_again(void **state)
{
	struct unwind_area first, second, again;
	struct unwind_span *spans, *others;

	(void)state;
	assert_int_equal(unwind_memory_spans(memory, 100, &first, &spans), 0);
	assert_int_equal(unwind_memory_spans(memory, 100, &second, &others), 0);
	assert_true(others >= spans + 100 || others + 100 <= spans);
	unwind_memory_give_back(memory, &first);
	assert_int_equal(unwind_memory_spans(memory, 65, &again, &others), 0);
	assert_ptr_equal(others, spans);
	assert_int_equal(again.count, 65);
	/* Another size is from elsewhere. */
	unwind_memory_give_back(memory, &second);
	assert_int_equal(unwind_memory_spans(memory, 20, &again, &others), 0);
	assert_true(again.chunk != second.chunk || again.first != second.first);
}

static void no_more_spans_than_a_process_may_have(void **state)
{
	struct unwind_area area;
	struct unwind_span *spans;

	(void)state;
	assert_int_equal(unwind_memory_spans(memory, 0, &area, &spans), -E2BIG);
	assert_int_equal(unwind_memory_spans(memory, UNWIND_SPANS_MAX + 1, &area, &spans), -E2BIG);
	assert_int_equal(unwind_memory_spans(memory, UNWIND_SPANS_MAX, &area, &spans), 0);
	assert_int_equal(area.count, UNWIND_SPANS_MAX);
}

/* The limit is 64 MiB, of rows and spans together; what came back is there still. */
static void it_ends_at_the_limit(void **state)
{
	struct unwind_area area, kept;
	struct unwind_row *rows;
	struct unwind_span *spans;
	size_t bytes = 0;
	int err;

	(void)state;
	assert_int_equal(unwind_memory_spans(memory, UNWIND_SPANS_MAX, &kept, &spans), 0);
	bytes += UNWIND_CHUNK_BYTES;
	while (!(err = unwind_memory_rows(memory, UNWIND_CHUNK_ROWS, &area, &rows)))
		bytes += UNWIND_CHUNK_BYTES;
	assert_int_equal(err, -ENOSPC);
	assert_true(bytes <= 64u << 20);
	assert_true(bytes > (64u << 20) - 2 * UNWIND_CHUNK_BYTES);
	assert_int_equal(unwind_memory_spans(memory, UNWIND_SPANS_MAX, &area, &spans), -ENOSPC);
	unwind_memory_give_back(memory, &kept);
	assert_int_equal(unwind_memory_spans(memory, UNWIND_SPANS_MAX, &area, &spans), 0);
	assert_int_equal(area.chunk, kept.chunk);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(rows_fill_a_chunk_and_go_on_in_the_next, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_small_rest_is_used_for_what_fits, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(spans_that_came_back_are_given_out_again, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(no_more_spans_than_a_process_may_have, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(it_ends_at_the_limit, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
