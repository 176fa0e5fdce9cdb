// SPDX-License-Identifier: BSD-2-Clause
#include "record/control_dir.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/diag.h"
#include "base/io.h"

static void a_name_comes_from_the_path(void **state)
{
	static const char *const cases[][2] = {
		{"T", "T"},
		{"/var/lib/trace-1", "trace-1"},
		{"dir/T//", "T"},
		{"a b;c", "a_b_c"},
		{".hidden", "_hidden"},
		{"/", "trace"},
		{"..", "_."},
		{"0123456789012345678901234567890123456789more",
		 "0123456789012345678901234567890123456789"},
	};
	char name[RECORDER_NAME_BYTES];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		recorder_name_make(cases[i][0], name);
		assert_string_equal(name, cases[i][1]);
		assert_true(recorder_name_is_good(name));
	}
}

static void bad_names_are_refused(void **state)
{
	(void)state;
	assert_false(recorder_name_is_good(""));
	assert_false(recorder_name_is_good(".a"));
	assert_false(recorder_name_is_good("a/b"));
	assert_false(recorder_name_is_good("a b"));
	assert_false(recorder_name_is_good("a\n"));
	assert_false(recorder_name_is_good("01234567890123456789012345678901234567890"));
}

static void files_say_name_and_process(void **state)
{
	char file[CONTROL_FILE_BYTES], name[RECORDER_NAME_BYTES];
	enum control_kind kind;
	pid_t pid;

	(void)state;
	control_file_format(file, CONTROL_RECORDER, "a.b-1", 4711);
	assert_string_equal(file, "a.b-1.4711.sock");
	assert_true(control_file_parse(file, &kind, name, &pid));
	assert_int_equal(kind, CONTROL_RECORDER);
	assert_string_equal(name, "a.b-1");
	assert_int_equal(pid, 4711);
	control_file_format(file, CONTROL_RELAY, "a", 1);
	assert_string_equal(file, "a.1.relay");
	assert_true(control_file_parse(file, &kind, name, &pid));
	assert_int_equal(kind, CONTROL_RELAY);
}

static void other_files_are_not_ours(void **state)
{
	static const char *const files[] = {
		"",
		".",
		".sock",
		"a.sock",
		"a.b.sock",
		"a.0.sock",
		"1.sock",
		"4711.new",
		"a.1.soc",
		"a.99999999999.sock",
		".a.12.sock",
		"a b.12.sock",
		"0123456789012345678901234567890123456789012345678901234567890123456789.1.sock",
	};
	char name[RECORDER_NAME_BYTES];
	enum control_kind kind;
	pid_t pid;

	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		assert_false(control_file_parse(files[i], &kind, name, &pid));
}

static void the_directory_is_closed_to_others(void **state)
{
	char parent[] = "/tmp/sonde-control-XXXXXX", path[64];
	struct diag diag = {0};
	struct stat st;
	int fd = -1;

	(void)state;
	assert_non_null(mkdtemp(parent));
	snprintf(path, sizeof(path), "%s/run", parent);
	setenv("SONDE_RUNTIME_DIR", path, 1);
	assert_int_equal(control_dir_find(&fd, &diag), -ENOENT);
	assert_int_equal(control_dir_open(&fd, &diag), 0);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0700);
	fd_close(fd);
	assert_int_equal(chmod(path, 0750), 0);
	assert_int_equal(control_dir_open(&fd, &diag), -EPERM);
	assert_int_equal(rmdir(path), 0);
	assert_int_equal(symlink(parent, path), 0);
	assert_true(control_dir_open(&fd, &diag) < 0);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rmdir(parent), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_name_comes_from_the_path),
		cmocka_unit_test(bad_names_are_refused),
		cmocka_unit_test(files_say_name_and_process),
		cmocka_unit_test(other_files_are_not_ours),
		cmocka_unit_test(the_directory_is_closed_to_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
