// SPDX-License-Identifier: BSD-2-Clause
#include "graph/conn_pick.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analyse/conn_id.h"
#include "base/diag.h"

static const struct conn_id v4 = {
	.saddr = {[10] = 0xff, [11] = 0xff, [12] = 10, [15] = 1},
	.daddr = {[10] = 0xff, [11] = 0xff, [12] = 10, [15] = 2},
	.lport = 1055,
	.rport = 5050,
};
static const struct conn_id v6 = {.saddr = {[0] = 0xfd, [15] = 1},
				  .daddr = {[15] = 1},
				  .lport = 1,
				  .rport = 65535};

static bool picks(const char *text, const struct conn_id *id)
{
	struct conn_pick pick;
	struct diag diag;

	assert_int_equal(conn_pick_parse(text, &pick, &diag), 0);
	return conn_pick_matches(&pick, id);
}

static void ports_are_enough(void **state)
{
	(void)state;
	assert_true(picks("1055.5050", &v4));
	assert_false(picks("5050.1055", &v4));
	assert_true(picks("1.65535", &v6));
}

static void both_ends_are_exact(void **state)
{
	(void)state;
	assert_true(picks("10.0.0.1:1055-10.0.0.2:5050", &v4));
	assert_false(picks("10.0.0.1:1055-10.0.0.3:5050", &v4));
	assert_false(picks("10.0.0.2:1055-10.0.0.1:5050", &v4));
	assert_true(picks("[fd00::1]:1-[::1]:65535", &v6));
	assert_true(picks("[::ffff:10.0.0.1]:1055-10.0.0.2:5050", &v4));
	assert_false(picks("[fd00::1]:1-[::1]:65535", &v4));
}

static void what_is_no_connection_is_refused(void **state)
{
	static const char *const texts[] = {
		"",
		"1055",
		"1055.",
		".5050",
		"1055.5050x",
		"1055.65536",
		"1055.999999",
		"-1.5",
		"a.b",
		"10.0.0.1:1055",
		"10.0.0.1:1055-",
		"10.0.0.1-10.0.0.2",
		"10.0.0.1:1-10.0.0.2:2 ",
		"[fd00::1:1-[::1]:2",
		"[]:1-[]:2",
		"[10.0.0.1]:1-[::1]:2",
		"fd00::1:1-fd00::2:2",
		"10.0.0.1.5:1-10.0.0.2:2",
		"[1111:2222:3333:4444:5555:6666:7777:8888:9999:aaaa:bbbb:cccc]:1-[::1]:2",
	};
	struct conn_pick pick;
	struct diag diag;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		assert_int_equal(conn_pick_parse(texts[i], &pick, &diag), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ports_are_enough),
		cmocka_unit_test(both_ends_are_exact),
		cmocka_unit_test(what_is_no_connection_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
