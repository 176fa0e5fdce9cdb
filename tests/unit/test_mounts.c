// SPDX-License-Identifier: BSD-2-Clause
#include "record/cgroups.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* "DEV TYPE ROOT PATH;" of each mount. */
static int note(void *ctx, const struct mount *mount)
{
	char *text = ctx;
	size_t len = strlen(text);

	(void)snprintf(text + len, 512 - len, "%u:%u %s %s %s;", mount->dev >> 20,
		       mount->dev & 0xfffff, mount->type, mount->root, mount->path);
	return 0;
}

static void expect(const char *lines, const char *wanted)
{
	char text[512], got[512] = "";

	assert_true(strlen(lines) < sizeof(text));
	strcpy(text, lines);
	assert_int_equal(mounts_parse(text, note, got), 0);
	assert_string_equal(got, wanted);
}

static void lines_have_optional_fields_in_between(void **state)
{
	(void)state;
	expect("23 1 254:0 / / rw,relatime - ext4 /dev/root rw\n"
	       "36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 shared:2 - ext3 /dev/root rw\n",
	       "254:0 ext4 / /;98:0 ext3 /mnt1 /mnt2;");
}

static void blanks_are_written_as_octal(void **state)
{
	(void)state;
	expect("23 1 0:9 / /a\\040b\\134c\\012 rw - tmpfs tmpfs rw\n", "0:9 tmpfs / /a b\\c\n;");
	expect("23 1 0:9 / /a\\04 rw - tmpfs tmpfs rw\n", "0:9 tmpfs / /a\\04;");
}

static void lines_of_another_form_are_left_out(void **state)
{
	(void)state;
	expect("", "");
	expect("23 1 0:9 / /a rw tmpfs\n"
	       " - tmpfs\n"
	       "23 1 x / /a rw - tmpfs tmpfs rw\n"
	       "23 1 0:9 / - tmpfs tmpfs rw\n"
	       "23 1 0:9 / /a rw - \n"
	       "23 1 0:9 / /b rw - tmpfs",
	       "0:9 tmpfs / /b;");
}

static int stop_at_once(void *ctx, const struct mount *mount)
{
	(void)ctx;
	(void)mount;
	return 7;
}

static void the_host_has_a_root(void **state)
{
	(void)state;
	assert_int_equal(mounts_walk(stop_at_once, NULL), 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_have_optional_fields_in_between),
		cmocka_unit_test(blanks_are_written_as_octal),
		cmocka_unit_test(lines_of_another_form_are_left_out),
		cmocka_unit_test(the_host_has_a_root),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
