// SPDX-License-Identifier: BSD-2-Clause
#include "record/preset_files.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/diag.h"
#include "base/io.h"
#include "probe/catalogue.h"
#include "record/preset_builtin.h"

static const char *const settings[] = {"detail", NULL};

static char home[] = "/tmp/test_preset_files.XXXXXX";

static void make(const char *name, const char *text)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/sonde/presets/%s", home, name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	assert_int_equal(write_all(fd, text, strlen(text)), 0);
	fd_close(fd);
}

static int set_up(void **state)
{
	char path[128];

	(void)state;
	if (!mkdtemp(home))
		return -1;
	snprintf(path, sizeof(path), "%s/sonde", home);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/sonde/presets", home);
	mkdir(path, 0700);
	return setenv("XDG_CONFIG_HOME", home, 1);
}

static int tear_down(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", home);
	return system(command);
}

static void check_pattern(const struct catalogue *cat, const char *preset, const char *pattern)
{
	for (size_t i = 0; i < cat->count; i++) {
		if (measurement_matches(&cat->items[i], pattern))
			return;
	}
	fail_msg("%s: nothing matches %s", preset, pattern);
}

static void all_that_ship_fit_the_catalogue(void **state)
{
	struct catalogue *cat = NULL;
	int count = 0;

	(void)state;
	assert_int_equal(catalogue_open(&cat, NULL), 0);
	for (const struct embedded_text *one = preset_builtin; one->name; one++) {
		struct preset *preset = NULL;

		assert_int_equal(preset_open(one->name, settings, &preset, NULL), 0);
		assert_string_equal(preset->place, "built in");
		assert_string_not_equal(preset->description, "");
		for (size_t i = 0; i < preset->line_count; i++) {
			if (!preset->lines[i].key)
				check_pattern(cat, one->name, preset->lines[i].text);
		}
		preset_free(preset);
		count++;
	}
	catalogue_close(cat);
	assert_int_equal(count, 8);
}

static void the_users_own_win(void **state)
{
	struct preset *preset = NULL;

	(void)state;
	make("tcp.preset", "description = mine\nsys\n");
	assert_int_equal(preset_open("tcp", settings, &preset, NULL), 0);
	assert_string_equal(preset->description, "mine");
	assert_string_equal(preset->place, "yours");
	preset_free(preset);
	make("tcp.preset", "bad word\n");
	assert_int_equal(preset_open("tcp", settings, &preset, NULL), -EINVAL);
}

static void names_are_sorted_and_each_is_there_once(void **state)
{
	preset_name *names = calloc(PRESETS_MAX, sizeof(*names));
	int count;

	(void)state;
	make("tcp.preset", "sys\n");
	make("zoo.preset", "sys\n");
	make("no preset.preset", "sys\n");
	make("README", "read me");
	count = preset_names(names);
	assert_int_equal(count, 9);
	for (int i = 1; i < count; i++)
		assert_true(strcmp(names[i - 1], names[i]) < 0);
	assert_string_equal(names[8], "zoo");
	free(names);
}

static void what_is_not_there_has_a_neighbour(void **state)
{
	struct preset *preset = NULL;
	struct diag diag;

	(void)state;
	assert_int_equal(preset_open("latancy", settings, &preset, &diag), -ENOENT);
	assert_string_equal(diag.text, "no preset 'latancy': did you mean 'latency'?");
	assert_int_equal(preset_open("", settings, &preset, &diag), -ENOENT);
	assert_int_equal(preset_open("./no/such", settings, &preset, &diag), -ENOENT);
	assert_string_equal(diag.text, "./no/such: no such file");
}

static void only_files_are_read(void **state)
{
	struct preset *preset = NULL;
	char path[128];

	(void)state;
	snprintf(path, sizeof(path), "%s/sonde/presets/pipe.preset", home);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(preset_open("pipe", settings, &preset, NULL), -EINVAL);
	assert_int_equal(preset_open("/", settings, &preset, NULL), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_that_ship_fit_the_catalogue),
		cmocka_unit_test(the_users_own_win),
		cmocka_unit_test(names_are_sorted_and_each_is_there_once),
		cmocka_unit_test(what_is_not_there_has_a_neighbour),
		cmocka_unit_test(only_files_are_read),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
