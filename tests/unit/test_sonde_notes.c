// SPDX-License-Identifier: BSD-2-Clause
#include "lib_fixture.h"

#include <errno.h>

static void test_environment(void **state)
{
	struct lib_fixture *fix = *state;
	const struct sonde_source *source;
	int64_t number = 7;

	fixture_open(fix, 0, 0);
	source = fix->source;
	assert_int_equal(sonde_env_count(source), 2);
	assert_string_equal(sonde_env_name(source, 0), "syscalls");
	assert_string_equal(sonde_env_name(source, 1), "answer");
	assert_null(sonde_env_name(source, 2));
	assert_string_equal(sonde_env_text(source, "syscalls"), "0 read,1 write");
	assert_null(sonde_env_text(source, "answer"));
	assert_null(sonde_env_text(source, "hostname"));
	assert_int_equal(sonde_env_number(source, "hostname", &number), -ENOENT);
	assert_int_equal(sonde_env_number(source, "syscalls", &number), -ENOENT);
	assert_int_equal(number, 7);
	assert_int_equal(sonde_env_number(source, "answer", &number), 0);
	assert_int_equal(number, 42);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FIXTURE_TEST(test_environment),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
