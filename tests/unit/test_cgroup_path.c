// SPDX-License-Identifier: BSD-2-Clause
#include "record/filter.h"

#include <errno.h>
#include <linux/magic.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>

#include <cmocka.h>

#include "base/diag.h"

static void expect_refused(const char *text, int err, const char *why)
{
	struct cgroup_place place = {.level = 77};
	struct diag diag = {0};

	assert_int_equal(cgroup_path_find(text, &place, &diag), err);
	assert_non_null(strstr(diag.text, why));
	assert_int_equal(place.level, 77);
}

/* One of the places where it is on most machines, or NULL. */
static const char *mounted(long type, const char *const places[2])
{
	struct statfs fs;

	for (int i = 0; i < 2; i++) {
		if (!statfs(places[i], &fs) && fs.f_type == type)
			return places[i];
	}
	return NULL;
}

static void what_is_not_there_is_told(void **state)
{
	(void)state;
	/* Also where no hierarchy is mounted. */
	expect_refused("/no/such/cgroup", -ENOENT, "--cgroup: ");
	expect_refused("no-such-cgroup", -ENOENT, "--cgroup: ");
	expect_refused("/usr", -ENOENT, "--cgroup: ");
}

static void version_1_is_told(void **state)
{
	const char *places[] = {"/sys/fs/cgroup/memory", "/sys/fs/cgroup/systemd"};
	const char *place = mounted(CGROUP_SUPER_MAGIC, places);

	(void)state;
	if (!place)
		skip();
	expect_refused(place, -ENOTSUP, "version 1");
}

static void the_root_is_at_level_0(void **state)
{
	const char *places[] = {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"};
	const char *root = mounted(CGROUP2_SUPER_MAGIC, places);
	struct cgroup_place place = {.level = 77};
	struct stat st;
	char file[64];

	(void)state;
	if (!root || stat(root, &st) || st.st_ino != 1)
		skip(); /* a container's */
	assert_int_equal(cgroup_path_find(root, &place, NULL), 0);
	assert_int_equal(place.id, 1);
	assert_int_equal(place.level, 0);
	assert_int_equal(cgroup_path_find("/", &place, NULL), 0);
	assert_int_equal(place.id, 1);
	snprintf(file, sizeof(file), "%s/cgroup.procs", root);
	expect_refused(file, -ENOTDIR, "Not a directory");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_not_there_is_told),
		cmocka_unit_test(version_1_is_told),
		cmocka_unit_test(the_root_is_at_level_0),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
