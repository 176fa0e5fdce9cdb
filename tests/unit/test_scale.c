// SPDX-License-Identifier: BSD-2-Clause
#include "graph/scale.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* The labels of all ticks, in a row; minor ones as a dot; the unit behind. */
static const char *labels(const struct scale *scale, const char *unit_name, size_t wanted)
{
	static char text[SCALE_TICKS * TICK_BYTES];
	struct unit unit = unit_find(unit_name);
	struct ticks ticks;
	size_t len = 0;

	scale_ticks(scale, &unit, wanted, &ticks);
	for (size_t i = 0; i < ticks.count; i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s ",
					ticks.ticks[i].minor ? "." : ticks.ticks[i].label);
	snprintf(text + len, sizeof(text) - len, "%s", ticks.unit);
	return text;
}

static struct scale widened(enum scale_kind kind, double low, double high, const char *unit_name,
			    size_t wanted)
{
	struct scale scale = {.kind = kind, .low = low, .high = high, .from = 0, .to = 100};
	struct unit unit = unit_find(unit_name);

	scale_widen(&scale, &unit, wanted);
	return scale;
}

static void ends_become_round_and_have_labels(void **state)
{
	struct scale scale = widened(SCALE_LINEAR, 3, 873, "segments", 5);

	(void)state;
	assert_true(scale.low == 0 && scale.high == 1000);
	assert_string_equal(labels(&scale, "segments", 5), "0 200 400 600 800 1000 segments");
	scale = widened(SCALE_LINEAR, -0.13, 0.31, NULL, 4);
	assert_string_equal(labels(&scale, NULL, 4), "-0.2 -0.1 0 0.1 0.2 0.3 0.4 ");
}

static void labels_are_in_steps_of_the_unit(void **state)
{
	struct scale scale = widened(SCALE_LINEAR, 0, 3.3 * 1048576, "bytes", 4);

	(void)state;
	assert_string_equal(labels(&scale, "bytes", 4), "0 1 2 3 4 MiB");
	scale = widened(SCALE_LINEAR, 0, 42e6, "ns", 5);
	assert_string_equal(labels(&scale, "ns", 5), "0 10 20 30 40 50 ms");
	scale = widened(SCALE_LINEAR, 0, 2.4e6, "segments", 5);
	assert_string_equal(labels(&scale, "segments", 5), "0 0.5M 1.0M 1.5M 2.0M 2.5M segments");
}

static void a_part_far_from_0_is_told_apart(void **state)
{
	struct scale scale = {.low = 100.0001e9, .high = 100.0005e9, .from = 0, .to = 100};

	(void)state;
	assert_string_equal(labels(&scale, "ns", 4),
			    "100.0001 100.0002 100.0003 100.0004 100.0005 s");
}

static void one_value_or_none_has_an_axis_all_the_same(void **state)
{
	static const double values[] = {0, 7, -7, 1e300, -1e-300, NAN, INFINITY};

	(void)state;
	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
		for (int kind = SCALE_LINEAR; kind <= SCALE_LOG; kind++) {
			struct scale scale =
				widened((enum scale_kind)kind, values[i], values[i], "bytes", 5);

			assert_true(scale.high > scale.low);
			assert_true(isfinite(scale.low) && isfinite(scale.high));
			assert_true(kind == SCALE_LINEAR || scale.low > 0);
			(void)labels(&scale, "bytes", 5);
		}
	}
}

static void decades_have_labels_and_what_is_between_has_ticks(void **state)
{
	struct scale scale = widened(SCALE_LOG, 130, 870e3, "ns", 5);

	(void)state;
	assert_true(scale.low == 100 && fabs(scale.high - 1e6) < 1);
	assert_string_equal(labels(&scale, "ns", 5),
			    "100 ns . . . . . . . . 1 \u00b5s . . . . . . . . "
			    "10 \u00b5s . . . . . . . . 100 \u00b5s . . . . . . . . "
			    "1 ms ");
	scale = widened(SCALE_LOG, 3, 40, NULL, 5);
	assert_string_equal(labels(&scale, NULL, 5), "2 . . 5 . . . . 10 20 . . 50 ");
	scale = widened(SCALE_LOG, 900, 70000, "bytes", 5);
	assert_string_equal(labels(&scale, "bytes", 5),
			    "512 B 1 KiB 2 KiB 4 KiB 8 KiB 16 KiB 32 KiB 64 KiB 128 KiB ");
}

static void values_and_pixels_are_each_other_s_inverse(void **state)
{
	struct scale linear = {SCALE_LINEAR, -10, 30, 200, 100, 0, false},
		     log = {SCALE_LOG, 1, 1e4, 0, 80, 0, false};

	(void)state;
	assert_true(fabs(scale_at(&linear, 0) - 175) < 1e-9);
	assert_true(fabs(scale_value(&linear, 175)) < 1e-9);
	assert_true(fabs(scale_at(&log, 100) - 40) < 1e-9);
	assert_true(fabs(scale_value(&log, 40) - 100) < 1e-9);
	assert_true(scale_at(&log, 0) < 0); /* outside, and finite */
	assert_true(isfinite(scale_at(&log, -5)));
}

static void two_axes_share_their_ticks(void **state)
{
	struct scale left = widened(SCALE_LINEAR, 0, 873, "segments", 5);
	struct scale right = widened(SCALE_LINEAR, 0, 3.3 * 1048576, "bytes", 5);
	struct unit bytes = unit_find("bytes");

	(void)state;
	scale_match(&right, &left, &bytes);
	assert_string_equal(labels(&right, "bytes", 5), "0 1 2 3 4 5 MiB");
	assert_true(right.high >= 3.3 * 1048576);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ends_become_round_and_have_labels),
		cmocka_unit_test(labels_are_in_steps_of_the_unit),
		cmocka_unit_test(a_part_far_from_0_is_told_apart),
		cmocka_unit_test(one_value_or_none_has_an_axis_all_the_same),
		cmocka_unit_test(decades_have_labels_and_what_is_between_has_ticks),
		cmocka_unit_test(values_and_pixels_are_each_other_s_inverse),
		cmocka_unit_test(two_axes_share_their_ticks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
