// SPDX-License-Identifier: BSD-2-Clause
#include "record/host.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/utsname.h>

#include <cmocka.h>

static struct host host;

static const struct trace_env *get(const char *name)
{
	for (size_t i = 0; i < host.env_count; i++) {
		if (!strcmp(host.env[i].name, name))
			return &host.env[i];
	}
	return NULL;
}

static void it_tells_the_running_kernel(void **state)
{
	struct utsname uts;

	(void)state;
	uname(&uts);
	host_init(&host);
	assert_string_equal(get("kernel_release")->text, uts.release);
	assert_string_equal(get("hostname")->text, uts.nodename);
	assert_string_equal(get("machine")->text, uts.machine);
	assert_string_equal(get("domain")->text, "kernel");
}

static void texts_have_one_line(void **state)
{
	(void)state;
	host_init(&host);
	assert_int_equal(strlen(get("boot_id")->text), 36);
	for (size_t i = 0; i < host.env_count; i++)
		assert_null(strchr(host.env[i].text, '\n'));
}

static void names_are_words_and_no_two_alike(void **state)
{
	(void)state;
	host_init(&host);
	for (size_t i = 0; i < host.env_count; i++) {
		assert_ptr_equal(get(host.env[i].name), &host.env[i]);
		for (const char *c = host.env[i].name; *c; c++)
			assert_true(isalnum((unsigned char)*c) || *c == '_');
	}
}

static void the_time_has_its_offset(void **state)
{
	const char *text;

	(void)state;
	host_init(&host);
	text = get("trace_creation_datetime")->text;
	assert_int_equal(strlen(text), 24);
	assert_int_equal(text[10], 'T');
	assert_true(text[19] == '+' || text[19] == '-');
}

static void system_calls_are_told_by_both_tables(void **state)
{
	(void)state;
	host_init(&host);
	assert_non_null(strstr(get("syscalls")->text, " read,"));
	assert_non_null(get("syscalls_compat"));
}

static void entries_are_added_until_it_is_full(void **state)
{
	size_t left;

	(void)state;
	host_init(&host);
	left = HOST_ENV_MAX - host.env_count;
	assert_true(left > 0);
	while (left--)
		assert_true(host_add(&host, "number", NULL, -3));
	assert_int_equal(get("number")->number, -3);
	assert_false(host_add(&host, "number", NULL, 4));
	assert_int_equal(host.env_count, HOST_ENV_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_tells_the_running_kernel),
		cmocka_unit_test(texts_have_one_line),
		cmocka_unit_test(names_are_words_and_no_two_alike),
		cmocka_unit_test(the_time_has_its_offset),
		cmocka_unit_test(system_calls_are_told_by_both_tables),
		cmocka_unit_test(entries_are_added_until_it_is_full),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
