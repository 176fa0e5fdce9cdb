// SPDX-License-Identifier: BSD-2-Clause
#include "output/time_text.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#include "base/emit.h"

static void check(struct time_text *time, int64_t ns, const char *expected)
{
	char text[TIME_TEXT_BYTES + EMIT_SLACK_BYTES];

	*time_text_write(time, text, ns) = '\0';
	assert_string_equal(text, expected);
}

static void set_zone(const char *zone)
{
	setenv("TZ", zone, 1);
	tzset();
}

static void test_wall_time(void **state)
{
	struct time_text time;

	(void)state;
	set_zone("UTC");
	time_text_init(&time, TIME_STYLE_CLOCK);
	check(&time, 1700000000000000001, "22:13:20.000000001");
	check(&time, 1700000000999999999, "22:13:20.999999999");
	check(&time, 1700000001000000000, "22:13:21.000000000");
	check(&time, -1, "23:59:59.999999999");
	time_text_init(&time, TIME_STYLE_EPOCH);
	check(&time, 1700000000000000001, "1700000000.000000001");
	set_zone("IST-5:30");
	time_text_init(&time, TIME_STYLE_ABS);
	check(&time, 1700000000000000001, "2023-11-15T03:43:20.000000001+05:30");
	set_zone("NST+3:30");
	time_text_init(&time, TIME_STYLE_ABS);
	check(&time, 1700000000000000001, "2023-11-14T18:43:20.000000001-03:30");
	set_zone("UTC");
}

static void test_distances(void **state)
{
	struct time_text time;

	(void)state;
	time_text_init(&time, TIME_STYLE_REL);
	check(&time, 1700000000000000000, "    +0.000000000");
	check(&time, 1700000012000000001, "   +12.000000001");
	check(&time, 1700086412000000001, "+86412.000000001");
	time_text_init(&time, TIME_STYLE_DELTA);
	check(&time, 1700000000000000000, "    +0.000000000");
	check(&time, 1700000000000000100, "    +0.000000100");
	check(&time, 1700000000000000100, "    +0.000000000");
	check(&time, 1700000000000000000, "    -0.000000100");
}

static void test_styles(void **state)
{
	enum time_style style;

	(void)state;
	assert_int_equal(time_style_parse("delta", &style), 0);
	assert_int_equal(style, TIME_STYLE_DELTA);
	assert_int_equal(time_style_parse("sundial", &style), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_wall_time),
		cmocka_unit_test(test_distances),
		cmocka_unit_test(test_styles),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
