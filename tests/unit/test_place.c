// SPDX-License-Identifier: BSD-2-Clause
#include "base/place.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
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

#define STRANGER 65534u

struct fix {
	char dir[32];
	char path[128];
};

static int set_up(void **state)
{
	struct fix *fix = calloc(1, sizeof(*fix));

	assert_non_null(fix);
	strcpy(fix->dir, "/tmp/sonde-place-XXXXXX");
	assert_non_null(mkdtemp(fix->dir));
	(void)umask(077);
	*state = fix;
	return 0;
}

static int tear_down(void **state)
{
	struct fix *fix = *state;
	char command[64];

	snprintf(command, sizeof(command), "rm -rf '%s'", fix->dir);
	(void)!system(command);
	free(fix);
	return 0;
}

static const char *in(struct fix *fix, const char *name)
{
	snprintf(fix->path, sizeof(fix->path), "%s/%s", fix->dir, name);
	return fix->path;
}

static void make_link(struct fix *fix, const char *target, const char *name)
{
	assert_int_equal(symlink(target, in(fix, name)), 0);
}

static void give_away(struct fix *fix, const char *name)
{
	if (geteuid())
		skip();
	assert_int_equal(lchown(in(fix, name), STRANGER, STRANGER), 0);
}

/* What lies where @path leads. */
static int make_directory(struct fix *fix, const char *name, bool *made, struct diag *diag)
{
	int fd = place_directory(in(fix, name), made, diag);

	fd_close(fd);
	return fd < 0 ? fd : 0;
}

static unsigned int mode_of(struct fix *fix, const char *name)
{
	struct stat st;

	assert_int_equal(stat(in(fix, name), &st), 0);
	return st.st_mode & 07777;
}

static void test_is_made_as_the_umask_says(void **state)
{
	struct fix *fix = *state;
	struct diag diag;
	bool made;
	int fd;

	assert_int_equal(make_directory(fix, "private", &made, &diag), 0);
	assert_true(made);
	assert_int_equal(mode_of(fix, "private"), 0700);
	assert_int_equal(make_directory(fix, "private///", &made, &diag), 0);
	assert_false(made);
	(void)umask(027);
	assert_int_equal(make_directory(fix, "./private/../shared", &made, &diag), 0);
	assert_int_equal(mode_of(fix, "shared"), 0750);
	fd = place_file(in(fix, "shared/file"), O_WRONLY, &diag);
	assert_true(fd >= 0);
	fd_close(fd);
	assert_int_equal(mode_of(fix, "shared/file"), 0640);
}

static void test_own_links_are_followed(void **state)
{
	struct fix *fix = *state;
	char absolute[64];
	struct diag diag;
	bool made;
	int fd;

	assert_int_equal(make_directory(fix, "real", &made, &diag), 0);
	snprintf(absolute, sizeof(absolute), "%s/real", fix->dir);
	make_link(fix, "real", "relative");
	make_link(fix, absolute, "absolute");
	make_link(fix, "relative/new", "last");
	assert_int_equal(make_directory(fix, "relative/a", &made, &diag), 0);
	assert_int_equal(make_directory(fix, "absolute/b", &made, &diag), 0);
	assert_int_equal(make_directory(fix, "last", &made, &diag), 0);
	assert_true(made);
	assert_int_equal(mode_of(fix, "real/a"), 0700);
	assert_int_equal(mode_of(fix, "real/b"), 0700);
	assert_int_equal(mode_of(fix, "real/new"), 0700);
	fd = place_file("/dev/stdout", O_WRONLY, &diag);
	assert_true(fd >= 0);
	fd_close(fd);
}

static void test_what_cannot_be_is_told(void **state)
{
	struct fix *fix = *state;
	char name[300];
	struct diag diag;
	bool made;

	make_link(fix, "loop", "loop");
	assert_int_equal(make_directory(fix, "loop", &made, &diag), -ELOOP);
	assert_int_equal(make_directory(fix, "no/such", &made, &diag), -ENOENT);
	assert_int_equal(place_directory("", &made, &diag), -ENOENT);
	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	assert_int_equal(place_directory(name, &made, &diag), -ENAMETOOLONG);
	assert_int_equal(place_directory("/proc/version", &made, &diag), -ENOTDIR);
	assert_int_equal(place_file(fix->dir, O_WRONLY, &diag), -EISDIR);
}

static void test_root_follows_no_link_of_others(void **state)
{
	struct fix *fix = *state;
	struct diag diag;
	bool made;

	assert_int_equal(make_directory(fix, "real", &made, &diag), 0);
	make_link(fix, "real", "theirs");
	give_away(fix, "theirs");
	assert_int_equal(make_directory(fix, "theirs/T", &made, &diag), -EACCES);
	assert_non_null(
		strstr(diag.text, "'theirs' is a symbolic link of another user (uid 65534)"));
	assert_int_equal(make_directory(fix, "theirs", &made, &diag), -EACCES);
	assert_int_equal(place_file(in(fix, "theirs/file"), O_WRONLY, &diag), -EACCES);
	make_link(fix, "real/file", "their_file");
	give_away(fix, "their_file");
	assert_int_equal(place_file(in(fix, "their_file"), O_WRONLY, &diag), -EACCES);
	assert_int_not_equal(access(in(fix, "real/file"), F_OK), 0);
}

static void test_root_writes_into_no_directory_of_others(void **state)
{
	struct fix *fix = *state;
	struct diag diag;
	bool made;

	assert_int_equal(make_directory(fix, "theirs", &made, &diag), 0);
	give_away(fix, "theirs");
	assert_int_equal(make_directory(fix, "theirs", &made, &diag), -EACCES);
	assert_non_null(strstr(diag.text, "belongs to another user (uid 65534)"));
	/* What root makes in it is root's. */
	assert_int_equal(make_directory(fix, "theirs/T", &made, &diag), 0);
}

static void test_is_given_to_a_group(void **state)
{
	struct fix *fix = *state;
	struct diag diag;
	struct stat st;
	bool made;
	int fd, file;

	if (geteuid())
		skip();
	(void)umask(027);
	fd = place_directory(in(fix, "T"), &made, &diag);
	assert_int_equal(place_give(fd, fix->path, STRANGER, &diag), 0);
	assert_int_equal(mode_of(fix, "T"), 02750);
	file = openat(fd, "file", O_CREAT | O_WRONLY, 0666);
	assert_int_equal(fstat(file, &st), 0);
	assert_int_equal(st.st_gid, STRANGER);
	assert_int_equal(st.st_mode & 07777, 0640);
	fd_close(file);
	fd_close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_is_made_as_the_umask_says, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_own_links_are_followed, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_what_cannot_be_is_told, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_root_follows_no_link_of_others, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_root_writes_into_no_directory_of_others,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_is_given_to_a_group, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
