// SPDX-License-Identifier: BSD-2-Clause
#include "record_format/magnet/magnet_names.h"

#include <errno.h>

#include "magnet_fixture.h"

static void test_patterns(void **state)
{
	struct magnet_names names = {0};
	struct diag diag;

	(void)state;
	assert_int_equal(magnet_names_add(&names, "net.tcp_send", &diag), 0);
	assert_int_equal(names.count, 1);
	assert_int_equal(magnet_names_add(&names, "net.tcp_*,net.drop", &diag), 0);
	assert_int_equal(names.count, 3);
	assert_string_equal(names.names[0], "net.tcp_send");
	assert_string_equal(names.names[1], "net.tcp_recv");
	assert_string_equal(names.names[2], "net.drop");
	/* All that a pattern means beside is left out. */
	assert_int_equal(magnet_names_add(&names, "*", &diag), 0);
	assert_int_equal(names.count, 15);
	assert_int_equal(magnet_names_add(&names, "net", &diag), 0);
	assert_int_equal(names.count, 15);
}

static void test_none(void **state)
{
	struct magnet_names names = {0};
	struct diag diag;

	(void)state;
	assert_int_equal(magnet_names_add(&names, "net.drop,tcp.ack", &diag), -ENOENT);
	assert_string_equal(diag.text, "'tcp.ack' is nothing that MAGNeT has a record for");
	assert_int_equal(magnet_names_add(&names, "", &diag), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_patterns),
		cmocka_unit_test(test_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
