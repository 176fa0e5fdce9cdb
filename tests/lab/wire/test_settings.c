// SPDX-License-Identifier: BSD-2-Clause
#include "settings.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/diag.h"

static void test_keys(void **state)
{
	struct settings settings = {0};
	struct diag diag;

	(void)state;
	assert_int_equal(
		settings_apply(
			&settings,
			"delay=20ms jitter=50us rate=1.5mbit queue=64K  mtu=1400\ttail=1M every=7 "
			"syn=1 synack=2 loss=1.5% ack_loss=0.25 burst=1% burst_length=4.5 "
			"reorder=2% reorder_by=3ms duplicate=100% corrupt=0 ecn=1 "
			"ecn_queue=30000 down=1 ",
			&diag),
		0);
	assert_int_equal(settings.delay_ns, 20 * NS_PER_MS);
	assert_int_equal(settings.jitter_ns, 50 * NS_PER_US);
	assert_int_equal(settings.rate_bits, 1500000);
	assert_int_equal(settings.queue_bytes, 65536);
	assert_int_equal(settings.mtu, 1400);
	assert_int_equal(settings.tail, 1 << 20);
	assert_int_equal(settings.every, 7);
	assert_int_equal(settings.syn, 1);
	assert_int_equal(settings.synack, 2);
	assert_true(settings.loss > 0.01499 && settings.loss < 0.01501);
	assert_true(settings.ack_loss > 0.24 && settings.ack_loss < 0.26);
	assert_true(settings.burst > 0.0099 && settings.burst < 0.0101);
	assert_true(settings.burst_length > 4.4 && settings.burst_length < 4.6);
	assert_true(settings.reorder > 0.019 && settings.reorder < 0.021);
	assert_int_equal(settings.reorder_by_ns, 3 * NS_PER_MS);
	assert_true(settings.duplicate > 0.99);
	assert_true(settings.ecn > 0.99);
	assert_int_equal(settings.ecn_queue, 30000);
	assert_true(settings.down);
	/* Others stay as they are. */
	assert_int_equal(settings_apply(&settings, "down=0", &diag), 0);
	assert_false(settings.down);
	assert_int_equal(settings.every, 7);
}

static void test_bad(void **state)
{
	static const char *const bad[] = {
		"loss",
		"loss=",
		"loss=1.1",
		"loss=101%",
		"loss=-1%",
		"loss=nan",
		"loss=1%x",
		"=1",
		"losses=1%",
		"every=1.5",
		"every=4294967296",
		"down=2",
		"burst_length=0.9",
		"rate=5",
		"rate=5mb",
		"rate=9999gbit",
		"delay=x",
		"queue=-1",
		"loss=0.000000000000000000000000000000000000000000000000000000000000001",
	};
	struct settings settings = {0};
	struct diag diag;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		diag.text[0] = '\0';
		assert_int_equal(settings_apply(&settings, bad[i], &diag), -EINVAL);
		assert_true(strlen(diag.text) > 0);
	}
}

static void test_schedule(void **state)
{
	struct schedule schedule;
	struct diag diag;

	(void)state;
	assert_int_equal(schedule_parse(&schedule,
					"# a comment\n"
					"0s both delay=1ms # another\n"
					"\n"
					"2s forward down=1\n"
					"1s back loss=1%\n"
					"2s forward down=0",
					&diag),
			 0);
	assert_int_equal(schedule.count, 4);
	assert_int_equal(schedule.changes[0].line, 2);
	assert_true(schedule.changes[0].applies[DIRECTION_FORWARD]);
	assert_true(schedule.changes[0].applies[DIRECTION_BACK]);
	assert_int_equal(schedule.changes[1].line, 5);
	assert_int_equal(schedule.changes[1].at_ns, NS_PER_SEC);
	assert_false(schedule.changes[1].applies[DIRECTION_FORWARD]);
	assert_int_equal(schedule.changes[2].line, 4);
	assert_false(schedule.changes[2].applies[DIRECTION_BACK]);
	assert_int_equal(schedule.changes[3].line, 6);
	assert_string_equal(schedule.changes[3].keys, "down=0");
	schedule_free(&schedule);

	assert_int_equal(schedule_parse(&schedule, "0s both\n1s nowhere loss=1", &diag), -EINVAL);
	assert_non_null(strstr(diag.text, "line 2"));
	assert_int_equal(schedule_parse(&schedule, "0s both lost=1", &diag), -EINVAL);
	assert_int_equal(schedule_parse(&schedule, "0s", &diag), -EINVAL);
	assert_int_equal(schedule_parse(&schedule, "soon both loss=1", &diag), -EINVAL);
	assert_int_equal(schedule_parse(&schedule, "", &diag), 0);
	assert_int_equal(schedule.count, 0);
	schedule_free(&schedule);
}

static void test_limit(void **state)
{
	static char text[(SCHEDULE_MAX + 1) * 16];
	struct schedule schedule;
	struct diag diag;

	(void)state;
	for (size_t i = 0; i <= SCHEDULE_MAX; i++)
		strcat(text + (i ? i * 15 - 1 : 0), "0s back down=1\n");
	assert_int_equal(schedule_parse(&schedule, text, &diag), -E2BIG);
	text[strlen(text) - 15] = '\0';
	assert_int_equal(schedule_parse(&schedule, text, &diag), 0);
	assert_int_equal(schedule.count, SCHEDULE_MAX);
	schedule_free(&schedule);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_keys),
		cmocka_unit_test(test_bad),
		cmocka_unit_test(test_schedule),
		cmocka_unit_test(test_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
